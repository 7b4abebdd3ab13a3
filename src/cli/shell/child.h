// Programs that a shell starts: what a line's output is piped into, and \!.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "cli/environment.h"

namespace svc::cli {

// `sh -c COMMAND` with its standard input in our hands, or with ours. Signals are as a program expects them.
class Child {
 public:
  enum class Input : std::uint8_t { piped, shared };
  // nullopt if no process can be made.
  [[nodiscard]] static std::optional<Child> start(const std::string& command, Input input);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  // reader_gone once the program has closed its input.
  [[nodiscard]] Written write(std::string_view text);
  // Ends its input and waits for it: its exit code, 128 and the signal if one ended it.
  int finish();

 private:
  Child(pid_t process, int input) : process_(process), input_(input) {}
  pid_t process_;
  int input_;  // -1: shared, or closed
};

}  // namespace svc::cli
