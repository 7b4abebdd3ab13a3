#include "cli/machine/environment.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pwd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "api/http/dialler.h"
#include "api/http/url.h"
#include "api/stream/ws_client.h"
#include "api/version.h"
#include "base/decimal.h"
#include "base/find.h"
#include "base/limits.h"
#include "base/random.h"
#include "cli/terminal/terminal_screen.h"

namespace svc::cli {
namespace {

// One byte at a time, because a child process may read the rest.
std::optional<std::string> read_one_line(int descriptor) {
  std::string line;
  for (;;) {
    char c = 0;
    const ssize_t count = TEMP_FAILURE_RETRY(::read(descriptor, &c, 1));
    if (count <= 0) return line.empty() ? std::nullopt : std::optional(line);
    if (c == '\n') return line;
    line += c;
  }
}

std::map<std::string, std::string, std::less<>> environment_variables() {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view whole = *entry;
    const auto equals = whole.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(whole.substr(0, equals), whole.substr(equals + 1));
  }
  return variables;
}

// The terminal's width now, unless COLUMNS is set.
std::function<std::size_t()> terminal_columns(const Environment& environment) {
  constexpr std::int64_t columns_max = 10'000;
  const auto said = parse_scaled(environment.variable("COLUMNS").value_or(""), 0);
  if (said && *said > 0 && *said < columns_max) return [columns = static_cast<std::size_t>(*said)] { return columns; };
  return [] { return columns_of_terminal(STDOUT_FILENO); };
}

constexpr char ctrl_c = 3, ctrl_z = 26, escape = 27;
constexpr char continued = 0;  // no key: the program was stopped and goes on

// Whoever stopped the program, such as a shell, leaves the terminal in modes of its own: a secret would be shown.
volatile std::sig_atomic_t was_continued_while_asking = 0;
const termios* modes_while_asking = nullptr;
int descriptor_while_asking = -1;

void continue_asking(int) {
  ::tcsetattr(descriptor_while_asking, TCSANOW, modes_while_asking);
  was_continued_while_asking = 1;
}

// The terminal while a question is asked. Ctrl-C arrives as a character, so that echo is always turned on again.
class Terminal {
 public:
  Terminal() : descriptor_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {
    before_.descriptor = descriptor_.get();
    usable_ = descriptor_ && ::tcgetattr(descriptor_.get(), &before_.modes) == 0;
    if (!usable_) return;
    restore_on_signal(&before_);
    raw_ = before_.modes;
    raw_.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | ISIG);
    raw_.c_cc[VMIN] = 1;
    raw_.c_cc[VTIME] = 0;
    ::tcsetattr(descriptor_.get(), TCSAFLUSH, &raw_);
    modes_while_asking = &raw_;
    descriptor_while_asking = descriptor_.get();
    was_continued_while_asking = 0;
    struct sigaction action {};
    action.sa_handler = continue_asking;  // without SA_RESTART: it ends the read
    ::sigaction(SIGCONT, &action, &continue_before_);
  }
  ~Terminal() {
    if (!usable_) return;
    ::sigaction(SIGCONT, &continue_before_, nullptr);
    ::tcsetattr(descriptor_.get(), TCSAFLUSH, &before_.modes);
    restore_on_signal(nullptr);
  }
  Terminal(Terminal&&) = delete;

  [[nodiscard]] bool usable() const { return usable_; }
  void print(std::string_view text) { static_cast<void>(!::write(descriptor_.get(), text.data(), text.size())); }
  [[nodiscard]] std::optional<char> key() {
    char c = 0;
    do
      if (::read(descriptor_.get(), &c, 1) != 1)
        return std::exchange(was_continued_while_asking, 0) != 0 ? std::optional(continued) : std::nullopt;
    while (c == continued);  // a NUL is no key
    return c;
  }
  // As Ctrl-Z does elsewhere, unless this program ignores that signal.
  void suspend() {
    struct sigaction action {};
    if (::sigaction(SIGTSTP, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
    ::tcsetattr(descriptor_.get(), TCSAFLUSH, &before_.modes);
    ::kill(0, SIGTSTP);
    ::tcsetattr(descriptor_.get(), TCSAFLUSH, &raw_);
  }

 private:
  Descriptor descriptor_;
  bool usable_ = false;
  TerminalModes before_{};
  termios raw_{};
  struct sigaction continue_before_ {};
};

// The rest of an arrow key and its like. False if the key that follows is one of its own.
bool skips_sequence(Terminal& terminal, std::optional<char>& key) {
  do key = terminal.key();
  while (key == escape);
  if (key != '[' && key != 'O') return false;
  const auto ends = [](char c) { return c >= '@' && c <= '~'; };
  key = terminal.key();
  if (key == '[') {  // a function key of the Linux console
    key = terminal.key();
    return true;
  }
  while (key && !ends(*key)) key = terminal.key();
  return true;
}

// Removes the last character, which may have several bytes.
void remove_last(std::string& line) {
  const auto goes_on = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (!line.empty() && goes_on(line.back())) line.pop_back();
  if (!line.empty()) line.pop_back();
}

// `interrupted`: it ended with Ctrl-C.
std::optional<Secret> ask(Terminal& terminal, std::string_view prompt, Echo echo, bool& interrupted) {
  constexpr char ctrl_d = 4, ctrl_u = 21, backspace = 8, rubout = 127;
  terminal.print(prompt);
  std::string line;
  line.reserve(limits::secret_bytes_max);  // never reallocated, so that no copy of a secret stays behind
  std::optional<Secret> answer;
  for (auto key = terminal.key(); key; key = terminal.key()) {
    if (*key == escape && (skips_sequence(terminal, key) || !key)) continue;
    interrupted = *key == ctrl_c;
    if (interrupted || (*key == ctrl_d && line.empty())) break;
    if (*key == '\n' || *key == '\r') {
      answer = Secret(line);
      break;
    }
    if (*key == ctrl_z || *key == continued) {
      if (*key == ctrl_z) terminal.suspend();
      terminal.print("\n");
      terminal.print(prompt);
      if (echo == Echo::shown) terminal.print(line);
    } else if (*key == ctrl_u) {
      line.clear();
    } else if (*key == backspace || *key == rubout) {
      if (echo == Echo::shown && !line.empty()) terminal.print("\b \b");
      remove_last(line);
    } else if ((*key == '\t' || static_cast<unsigned char>(*key) >= ' ') && line.size() < limits::secret_bytes_max) {
      line.push_back(*key);
      if (echo == Echo::shown) terminal.print({&*key, 1});
    }
  }
  terminal.print("\n");
  wipe(line.data(), line.size());
  return answer;
}

// Asks at the controlling terminal; nullopt after Ctrl-D, or without a terminal. Ctrl-C interrupts the process, as
// everywhere; the shell goes on, and gets nullopt.
std::optional<Secret> ask_terminal(std::string_view prompt, Echo echo) {
  bool interrupted = false;
  std::optional<Secret> answer;
  {
    Terminal terminal;  // drops the keys typed before the question
    if (terminal.usable()) answer = ask(terminal, escaped(prompt, "\n\t"), echo, interrupted);
  }
  if (interrupted) ::raise(SIGINT);
  return answer;
}

std::atomic<bool> freed_memory_is_wiped = false;

// api/http/dialler.h lists the variables.
api::ProxyEnvironment proxies_of(const Environment& environment) {
  const auto either = [&](std::string_view lower_case, std::string_view upper_case) {
    return environment.variable(lower_case).value_or(environment.variable(upper_case).value_or(""));
  };
  return {.http_proxy = environment.variable("http_proxy").value_or(""),
          .https_proxy = either("https_proxy", "HTTPS_PROXY"),
          .all_proxy = either("all_proxy", "ALL_PROXY"),
          .no_proxy = either("no_proxy", "NO_PROXY")};
}

Result<api::DialOptions, std::string> dial_options(const Route& route, const api::ProxyEnvironment& proxies) {
  const auto origin = SVC_TRY(api::parse_url(route.origin));
  auto proxy = api::choose_proxy(origin, route.proxy, proxies);
  if (!proxy) return unexpected("--proxy: " + proxy.error());
  api::DialOptions options{.origin = origin, .proxy = std::move(*proxy)};
  if (route.ca) options.certificate_authorities = *route.ca;
  return options;
}

std::string user_agent() {
  return "svc/" + std::string(program_version);
}

Result<std::unique_ptr<api::Transport>, std::string> connect_by_socket(const api::ProxyEnvironment& proxies,
                                                                       const Route& route) {
  auto dial = SVC_TRY(dial_options(route, proxies));
  api::HttpClientOptions options{.dial = std::move(dial), .user_agent = user_agent()};
  options.connect_ms = std::min(options.connect_ms, route.timeout_ms);
  options.answer_ms = route.timeout_ms;
  // A sandbox tells its whole state.
  if (api::is_loopback(options.dial.origin.host)) options.body_bytes_max = limits::state_file_bytes_max;
  return std::unique_ptr<api::Transport>(std::make_unique<api::HttpClient>(std::move(options)));
}

Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> open_link_by_socket(const api::ProxyEnvironment& proxies,
                                                                                const Route& route,
                                                                                const std::string& target) {
  auto dial = dial_options(route, proxies);
  if (!dial) return unexpected(api::LinkRefusal{.code = "bad_address", .reason = dial.error(), .permanent = true});
  // The server refuses no handshake for its version (API: Versioning, rule 8), so this names the version we speak.
  api::WsOpening opening{.dial = std::move(*dial),
                         .target = target,
                         .user_agent = user_agent(),
                         .api_version = std::string(api::client_version)};
  opening.connect_ms = std::min(opening.connect_ms, route.timeout_ms);
  opening.answer_ms = route.timeout_ms;
  return api::open_websocket(std::move(opening));
}

}  // namespace

bool Environment::pause(std::int64_t ms) const {
  constexpr std::int64_t look_ms = 100;
  const std::int64_t step_ms = signals_are_taken ? look_ms : ms;
  for (std::int64_t left_ms = ms; left_ms > 0 && !interrupted(); left_ms -= step_ms)
    sleep_ms(std::min(left_ms, step_ms));
  return !interrupted();
}

std::optional<std::string> Environment::variable(std::string_view name) const {
  // An empty variable counts as unset, as in the XDG rules.
  return if_any(value_in(variables, name).value_or(""));
}

void wipe_freed_memory() {
  freed_memory_is_wiped.store(true, std::memory_order_relaxed);
}

std::string user_name() {
  const uid_t id = ::geteuid();
  const passwd* const entry = ::getpwuid(id);
  return entry != nullptr ? entry->pw_name : std::to_string(id);
}

std::optional<std::filesystem::path> usual_runtime_folder(const std::filesystem::path& root) {
  const std::filesystem::path folder = root / std::to_string(::geteuid());
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return std::nullopt;
  if (found.st_uid != ::geteuid() || (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) return std::nullopt;
  return folder;
}

Environment process_environment() {
  static const SystemClock clock;
  Environment environment;
  struct Readers {
    std::atomic<Environment::Unwaited> unwaited{Environment::Unwaited::neither};
    std::atomic<std::int64_t> patience_out_ms{0}, patience_err_ms{0};

    Written write(int descriptor, std::string_view text, Environment::Unwaited if_beyond) {
      if (unwaited <= if_beyond) return write_all(descriptor, text);
      auto& patience_ms = descriptor == STDOUT_FILENO ? patience_out_ms : patience_err_ms;
      std::int64_t left_ms = patience_ms;
      const Written written = write_within(descriptor, text, left_ms);
      patience_ms = left_ms;
      return written;
    }
  };
  const auto readers = std::make_shared<Readers>();
  environment.leave_readers = [readers](Environment::Unwaited unwaited) {
    readers->unwaited = unwaited;
    readers->patience_out_ms = readers->patience_err_ms = second_ms;
  };
  environment.out = [readers](std::string_view text) {
    return readers->write(STDOUT_FILENO, text, Environment::Unwaited::err);
  };
  environment.err = [readers](std::string_view text) {
    const NoPipeSignal none;  // a reader who has seen enough notes must not end a command in the middle of its writes
    static_cast<void>(readers->write(STDERR_FILENO, text, Environment::Unwaited::neither));
  };
  environment.read_input = [](std::size_t limit) -> Result<std::string, std::string> {
    std::string text;
    const bool is_whole = read_all(STDIN_FILENO, limit, text);
    std::string error = is_whole ? std::string() : std::strerror(errno);
    keep_from_children(STDIN_FILENO);
    if (is_whole) return text;
    return unexpected(std::move(error));
  };
  environment.has_input = [](std::int64_t ms) {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    return ::poll(&input, 1, static_cast<int>(ms)) > 0;
  };
  environment.read_line = [] { return read_one_line(STDIN_FILENO); };
  environment.ask = ask_terminal;
  environment.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  environment.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  environment.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  environment.variables = environment_variables();
  if (!environment.variable("XDG_RUNTIME_DIR")) {
    const auto folder = usual_runtime_folder("/run/user");
    if (folder) environment.variables.insert_or_assign("XDG_RUNTIME_DIR", folder->string());
  }
  if (environment.out_is_terminal) environment.out_columns = terminal_columns(environment);
  std::error_code gone;
  environment.working_folder = std::filesystem::current_path(gone);
  environment.clock = &clock;
  environment.random = fill_random;
  environment.sleep_ms = [](std::int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  const api::ProxyEnvironment proxies = proxies_of(environment);
  environment.connect = std::bind_front(connect_by_socket, proxies);
  environment.open_link = std::bind_front(open_link_by_socket, proxies);
  return environment;
}

}  // namespace svc::cli

void* operator new(std::size_t size) {
  while (true) {
    if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

// The library's own would do; with a sanitizer's, memory would come from one allocator and go to another.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}

void operator delete(void* block) noexcept {
  const bool wipes = svc::cli::freed_memory_is_wiped.load(std::memory_order_relaxed);
  if (wipes && block != nullptr) svc::wipe(block, ::malloc_usable_size(block));
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}
