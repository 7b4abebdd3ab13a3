#include "cli/programs/last_words.h"

#include <unistd.h>

#include <atomic>
#include <utility>

namespace svc::cli {
namespace {

// Read by the handler, which may not follow what is being changed.
std::atomic<const LastWords*> words_now{nullptr};

void say(int descriptor, const std::string& text) {
  static_cast<void>(!::write(descriptor, text.data(), text.size()));
}

extern "C" void speak_and_end(int number) {
  if (const LastWords* words = words_now.load()) {
    const bool interrupted = number == SIGINT;
    say(STDERR_FILENO, interrupted ? words->interrupted_err : words->terminated_err);
    say(STDOUT_FILENO, interrupted ? words->interrupted_out : words->terminated_out);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

SaysLastWords::SaysLastWords(LastWords words) : words_(std::move(words)) {
  before_ = words_now.exchange(&words_);
  struct sigaction action {};
  action.sa_handler = speak_and_end;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    struct sigaction before {};
    if (::sigaction(signals_[i], nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    taken_[i] = ::sigaction(signals_[i], &action, nullptr) == 0;
  }
}

SaysLastWords::~SaysLastWords() {
  // Where others stand before these, they took the signals and keep them.
  for (std::size_t i = 0; i < signals_.size(); ++i)
    if (taken_[i]) ::signal(signals_[i], SIG_DFL);
  words_now.store(before_);
}

}  // namespace svc::cli
