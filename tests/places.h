// Where the tree is, and the svc that tests start.
#pragma once

#include <filesystem>
#include <string>

namespace svc::test {

// Only places.cpp knows them at compile time, so that all else compiles alike in every checkout.
std::filesystem::path source_folder();
std::string svc_program();

}  // namespace svc::test
