// Starting a program, and what its end says to a shell.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace svc::cli {

using Variables = std::vector<std::pair<std::string, std::string>>;

// Ours, and a secret by its name: SVC_API_SECRET, SVC_ADMIN_SECRET, SVC_PASSWORD, SVC_TOKEN, ... A name that ends in
// _FILE or _COMMAND says where one is and is none.
[[nodiscard]] bool holds_secret(std::string_view variable);

struct Start {
  std::vector<std::string> words;  // the program, looked for in PATH, and its arguments
  Variables variables{};           // besides ours, or instead of ours; also such as hold a secret
  int input = -1;                  // descriptors that become its standard input and output; -1: ours
  int output = -1;
  bool own_group = false;  // signals to it reach what it starts, and those of the terminal do not
  bool own_session = false;   // the same, and it has no terminal
  bool dies_with_us = false;  // killed by the kernel as soon as this process is gone, however it ended
};

// The words that let a shell run a line.
[[nodiscard]] std::vector<std::string> shell_words(const std::string& line);

// The program gets none of our descriptors but 0 to 2, such as the one that a password came from, and no variable of ours
// that holds a secret. It has no signal blocked, and none ignored of those that we handle. The error is a sentence.
[[nodiscard]] Result<pid_t, std::string> start(const Start& program);

// Waits until it has ended; then its exit code, or 128 and the signal.
int wait_for(pid_t process);
[[nodiscard]] int exit_code_of(int status);

}  // namespace svc::cli
