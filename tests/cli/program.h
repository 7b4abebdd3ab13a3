// The binary under test as a process, with pipes or a terminal.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

// A temporary folder, removed at the end; as HOME and XDG_RUNTIME_DIR it contains nothing else.
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

// Killed when destroyed, if it is still running.
class Program {
 public:
  enum class Stdio { pipe, terminal };
  // With pipes its standard input is empty and its standard error is discarded; a terminal has 24 rows of 100 columns.
  // `more`: further environment variables, "NAME=value".
  Program(const std::vector<std::string>& words, const std::filesystem::path& home, Stdio stdio = Stdio::pipe,
          const std::vector<std::string>& more = {});
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] std::string line() { return read_until("\n"); }
  [[nodiscard]] std::string rest() { return read_until({}); }
  // Reads its output up to and including that text, or until it ends.
  [[nodiscard]] std::string read_until(std::string_view text);
  // Types keys on its terminal.
  void type(std::string_view keys);
  void terminate();
  void send_signal(int signal);
  // Stops it as Ctrl-Z does elsewhere; whoever gets the terminal lets it show what is typed. Returns when it stands.
  void stop_and_show_keys();
  // Waits until its terminal does not show what is typed.
  void see_keys_hidden();
  // Kills it at once, as a power cut would. Returns when it is gone.
  void cut();
  [[nodiscard]] pid_t process() const { return process_; }
  // Its exit code, or 128 plus the signal.
  [[nodiscard]] int wait();

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

}  // namespace svc::cli
