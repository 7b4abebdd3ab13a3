// Times two commands in turn, A B A B ..., and prints the median of the ratios A/B, with the tenth and the ninetieth
// percentile.
//
//   pair RUNS -- COMMAND_A [ARG...] -- COMMAND_B [ARG...]
//
// A command may have the word READY: it is replaced by the number of a descriptor. Such a command is timed until it
// closes the descriptor, and is then stopped.
//
// Taking turns lets both see the same noise, so the ratio holds where single times do not.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Command = std::vector<char*>;

double run_ms(Command command, posix_spawn_file_actions_t* quiet) {
  const auto ready = std::find(command.begin(), command.end(), std::string_view("READY"));
  int ends[2] = {-1, -1};
  std::string number;
  if (ready != command.end()) {
    if (pipe(ends) != 0) std::exit(2);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    number = std::to_string(ends[1]);
    *ready = number.data();
  }
  command.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  if (posix_spawnp(&pid, command[0], quiet, nullptr, command.data(), environ) != 0) {
    std::fprintf(stderr, "pair: cannot start %s\n", command[0]);
    std::exit(2);
  }
  int status = 0;
  if (ends[0] < 0) {
    waitpid(pid, &status, 0);
  } else {
    close(ends[1]);
    for (char bytes[4096]; read(ends[0], bytes, sizeof bytes) > 0;) continue;
  }
  const auto end = std::chrono::steady_clock::now();
  if (ends[0] >= 0) {
    close(ends[0]);
    kill(pid, SIGTERM);
    waitpid(pid, &status, 0);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "pair: %s did not exit with 0\n", command[0]);
    std::exit(2);
  }
  return std::chrono::duration<double, std::milli>(end - start).count();
}

double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 0;
  std::vector<Command> commands;
  for (int i = 2; i < argc; ++i) {
    if (std::string(argv[i]) == "--") {
      commands.emplace_back();
    } else if (!commands.empty()) {
      commands.back().push_back(argv[i]);
    }
  }
  if (runs < 1 || commands.size() != 2 || commands[0].empty() || commands[1].empty()) {
    std::fprintf(stderr, "usage: pair RUNS -- COMMAND_A [ARG...] -- COMMAND_B [ARG...]\n");
    return 2;
  }
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);

  std::vector<double> ratios;
  constexpr int warmups = 3;
  for (int i = -warmups; i < runs; ++i) {
    const double a_ms = run_ms(commands[0], &quiet);
    const double b_ms = run_ms(commands[1], &quiet);
    if (i < 0) continue;
    ratios.push_back(a_ms / b_ms);
  }
  std::printf("%.3f (%.3f to %.3f)\n", percentile(ratios, 0.5), percentile(ratios, 0.1), percentile(ratios, 0.9));
}
