#include "cli/terminal.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <string>

#include "base/limits.h"

namespace svc::cli {
namespace {

class Terminal {
 public:
  Terminal() : descriptor_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {
    usable_ = descriptor_ >= 0 && ::tcgetattr(descriptor_, &before_) == 0;
  }
  ~Terminal() {
    if (usable_) ::tcsetattr(descriptor_, TCSAFLUSH, &before_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] bool usable() const { return usable_; }

  // Keys arrive one by one, and Ctrl-C as a character, so that nobody but this object decides when
  // the echo comes back.
  void take_keys() {
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    ::tcsetattr(descriptor_, TCSAFLUSH, &raw);
  }
  void print(std::string_view text) { static_cast<void>(!::write(descriptor_, text.data(), text.size())); }
  [[nodiscard]] std::optional<char> key() {
    char c = 0;
    if (::read(descriptor_, &c, 1) != 1) return std::nullopt;
    return c;
  }

 private:
  int descriptor_;
  bool usable_ = false;
  termios before_{};
};

}  // namespace

std::optional<Secret> ask_terminal(std::string_view prompt, Echo echo) {
  constexpr char ctrl_c = 3, ctrl_d = 4, ctrl_u = 21, backspace = 8, rubout = 127;
  Terminal terminal;
  if (!terminal.usable()) return std::nullopt;
  // What was typed before the question is no answer to it, and is dropped; what comes after it counts.
  terminal.take_keys();
  terminal.print(prompt);
  std::string line;
  line.reserve(limits::secret_bytes_max);  // never reallocated, so no copy of a secret stays behind
  std::optional<Secret> answer;
  while (const auto key = terminal.key()) {
    if (*key == ctrl_c || (*key == ctrl_d && line.empty())) break;
    if (*key == '\n' || *key == '\r') {
      answer = Secret(line);
      break;
    }
    if (*key == ctrl_u) {
      line.clear();
    } else if (*key == backspace || *key == rubout) {
      if (!line.empty()) line.pop_back();
      if (echo == Echo::shown) terminal.print("\b \b");
    } else if (line.size() < limits::secret_bytes_max) {
      line.push_back(*key);
      if (echo == Echo::shown) terminal.print({&*key, 1});
    }
  }
  terminal.print("\n");
  wipe(line.data(), line.size());
  return answer;
}

}  // namespace svc::cli
