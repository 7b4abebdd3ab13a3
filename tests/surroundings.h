// What surrounds every test. Linking it switches on all checks (base/checks.h), also in the svc that tests start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace svc::test {

// Of this checkout.
std::filesystem::path source_folder();
// The svc that tests start.
std::string svc_program();
// How far a test goes, or where it begins: the number in that variable of the environment, if it is set.
std::uint64_t setting(const char* name, std::uint64_t otherwise);

}  // namespace svc::test
