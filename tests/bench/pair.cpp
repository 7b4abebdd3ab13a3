// Times two commands in turn, A B A B ..., and prints the medians and the ratio A/B.
//
//   pair RUNS -- COMMAND_A [ARG...] -- COMMAND_B [ARG...]
//
// Taking turns lets both see the same noise, so the ratio holds where single times do not.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Command = std::vector<char*>;

double run_ms(Command& command, posix_spawn_file_actions_t* quiet) {
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  if (posix_spawnp(&pid, command[0], quiet, nullptr, command.data(), environ) != 0) {
    std::fprintf(stderr, "pair: cannot start %s\n", command[0]);
    std::exit(2);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  const auto end = std::chrono::steady_clock::now();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "pair: %s did not exit with 0\n", command[0]);
    std::exit(2);
  }
  return std::chrono::duration<double, std::milli>(end - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
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

  std::vector<double> times[2];
  std::vector<double> ratios;
  for (auto& command : commands) command.push_back(nullptr);
  constexpr int warmups = 3;
  for (int i = -warmups; i < runs; ++i) {
    const double a_ms = run_ms(commands[0], &quiet);
    const double b_ms = run_ms(commands[1], &quiet);
    if (i < 0) continue;
    times[0].push_back(a_ms);
    times[1].push_back(b_ms);
    ratios.push_back(a_ms / b_ms);
  }
  std::printf("A %8.2f ms   B %8.2f ms   A/B %.3f   (medians of %d)\n", median(times[0]), median(times[1]),
              median(ratios), runs);
}
