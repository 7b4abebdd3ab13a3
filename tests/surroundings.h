// What surrounds every test. Linking it switches on all checks (base/checks.h), also in the svc that tests start.
#pragma once

#include <filesystem>
#include <string>

namespace svc::test {

// Of this checkout.
std::filesystem::path source_folder();
// The svc that tests start.
std::string svc_program();

}  // namespace svc::test
