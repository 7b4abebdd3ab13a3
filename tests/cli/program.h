// The binary under test as a process of its own: behind pipes, or behind a terminal.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

// A folder that is gone with the object; a program that gets it as HOME and XDG_RUNTIME_DIR finds nothing else.
class FreshHome {
 public:
  FreshHome();
  ~FreshHome();
  FreshHome(const FreshHome&) = delete;
  FreshHome& operator=(const FreshHome&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Killed when destroyed, if it still runs.
class Program {
 public:
  enum class Stdio { pipe, terminal };
  // Behind a pipe its standard input is empty and its standard error goes nowhere; a terminal has 24 rows of 100
  // columns. `more`: further variables of its environment, "NAME=value".
  Program(const std::vector<std::string>& words, const std::filesystem::path& home, Stdio stdio = Stdio::pipe,
          const std::vector<std::string>& more = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] std::string line() { return read_until("\n"); }
  [[nodiscard]] std::string rest() { return read_until({}); }
  // What it writes until that text, which is part of it, or until it ends.
  [[nodiscard]] std::string read_until(std::string_view text);
  // Keys for a program behind a terminal.
  void type(std::string_view keys);
  void terminate();
  void send_signal(int signal);
  // As a power cut ends it: at once, and nothing after it runs. Returns when it is gone.
  void cut();
  [[nodiscard]] pid_t process() const { return process_; }
  // Its exit code, or 128 and the signal.
  [[nodiscard]] int wait();

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

}  // namespace svc::cli
