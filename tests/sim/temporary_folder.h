// A folder that is deleted at the end of the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace svc::sim {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "svc-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path); }

  std::filesystem::path path;
};

}  // namespace svc::sim
