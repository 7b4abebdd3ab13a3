// The folder that holds a sandbox's journals, one file per network, and the lock that keeps others out.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace svc::sim {

class StateFolder {
 public:
  // Asked while another process has the folder, "process 123" say: whether to try once more. It waits as it likes: a
  // process that was killed has its locks until its memory is gone. (D-655)
  using TryAgain = std::function<bool(const std::string& holder)>;

  // Creates the folder if need be, readable by its owner only, and locks it until this is gone, however the
  // process ends. Refused with one line while another process has it.
  [[nodiscard]] static Result<StateFolder, std::string> open(const std::filesystem::path& folder,
                                                             const TryAgain& try_again = {});
  StateFolder(StateFolder&& other) noexcept;
  StateFolder& operator=(StateFolder&&) = delete;
  ~StateFolder();

  [[nodiscard]] std::filesystem::path journal_of(std::string_view network) const;

  // From now on the folder is used. One that was only looked at is left as it was found, to the last byte.
  void use() { found_.clear(); }

 private:
  StateFolder(std::filesystem::path folder, int lock, std::string found)
      : folder_(std::move(folder)), lock_(lock), found_(std::move(found)) {}

  std::filesystem::path folder_;
  int lock_;           // descriptor of the locked file
  std::string found_;  // what stood in it, to be put back
};

}  // namespace svc::sim
