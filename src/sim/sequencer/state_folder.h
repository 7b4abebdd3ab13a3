// The folder that holds a sandbox's journals, one file per network, and the lock that keeps others out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::sim {

class StateFolder {
 public:
  // Creates the folder if need be, readable by its owner only, and locks it until this is gone, however the
  // process ends. Refused with one line while another process has it.
  [[nodiscard]] static Result<StateFolder, std::string> open(const std::filesystem::path& folder);
  StateFolder(StateFolder&& other) noexcept;
  StateFolder& operator=(StateFolder&&) = delete;
  ~StateFolder();

  [[nodiscard]] std::filesystem::path journal_of(std::string_view network) const;

 private:
  StateFolder(std::filesystem::path folder, int lock) : folder_(std::move(folder)), lock_(lock) {}

  std::filesystem::path folder_;
  int lock_;  // descriptor of the locked file
};

}  // namespace svc::sim
