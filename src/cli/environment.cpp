#include "cli/environment.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <thread>

#include "base/assert.h"
#include "base/decimal.h"
#include "cli/files/paths.h"
#include "cli/files/private_file.h"
#include "cli/socket_route.h"
#include "cli/terminal.h"
#include "signing/entropy.h"

namespace svc::cli {
namespace {

Written write_output(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 && errno == EPIPE ? Written::reader_gone : Written::failed;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return Written::whole;
}

std::optional<std::string> read_all(int descriptor, std::size_t limit) {
  std::string text;
  char buffer[16'384];
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > limit) return std::nullopt;
  }
}

// One byte at a time: whoever reads after us must find the rest.
std::optional<std::string> read_one_line(int descriptor) {
  std::string line;
  for (;;) {
    char c = 0;
    const ssize_t count = ::read(descriptor, &c, 1);
    if (count < 0 && errno == EINTR) continue;
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

// As the terminal says, unless COLUMNS says otherwise.
std::size_t terminal_columns(const Environment& environment) {
  constexpr std::size_t columns_max = 10'000;
  if (const auto said = environment.variable("COLUMNS")) {
    const auto number = parse_scaled(*said, 0);
    if (number && *number > 0 && *number < static_cast<std::int64_t>(columns_max)) {
      return static_cast<std::size_t>(*number);
    }
  }
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// A grandchild, so that nobody is left to be waited for; it keeps none of our streams.
void start_this_program(const std::vector<std::string>& words) {
  std::vector<std::string> kept{"svc"};
  kept.insert(kept.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : kept) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child > 0) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (child != 0) return;
  ::setsid();
  if (::fork() == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
    ::closefrom(STDERR_FILENO + 1);
    ::execv("/proc/self/exe", arguments.data());
  }
  ::_exit(0);
}

}  // namespace

std::optional<std::string> Environment::variable(std::string_view name) const {
  const auto found = variables.find(name);
  // An empty variable counts as unset, as in the XDG rules.
  if (found == variables.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

std::int64_t machine_uptime_ms() {
  timespec since_start{};
  ::clock_gettime(CLOCK_BOOTTIME, &since_start);
  return since_start.tv_sec * second_ms + since_start.tv_nsec / 1'000'000;
}

Environment process_environment() {
  static const SystemClock clock;
  Environment environment;
  environment.out = [](std::string_view text) { return write_output(STDOUT_FILENO, text); };
  environment.err = [](std::string_view text) { static_cast<void>(write_output(STDERR_FILENO, text)); };
  environment.read_input = [](std::size_t limit) {
    auto text = read_all(STDIN_FILENO, limit);
    keep_from_children(STDIN_FILENO);
    return text;
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
  environment.random = signing::fill_random;
  environment.sleep_ms = [](std::int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  environment.start_apart = start_this_program;
  environment.start_keeper = start_keeper;
  environment.say_before_end = [](LastWords words) -> std::shared_ptr<void> {
    return std::make_shared<SaysLastWords>(std::move(words));
  };
  environment.connect = [proxies = proxies_of(environment)](const Route& route) {
    return connect_by_socket(route, proxies);
  };
  environment.open_link = [proxies = proxies_of(environment)](const Route& route, const std::string& target) {
    return open_link_by_socket(route, target, proxies);
  };
  return environment;
}

}  // namespace svc::cli
