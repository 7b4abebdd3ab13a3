#include "cli/terminal/jq_filter.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "base/descriptor.h"
#include "base/loaded_library.h"

extern "C" {
#include <jq.h>
#include <jv.h>
}

namespace svc::cli {
namespace {

struct Library : LoadedLibrary {
  Library() : LoadedLibrary("libjq.so.1") {}

  decltype(&::jq_init) init = find("jq_init");
  decltype(&::jq_teardown) teardown = find("jq_teardown");
  decltype(&::jq_set_error_cb) set_error_callback = find("jq_set_error_cb");
  decltype(&::jq_compile) compile = find("jq_compile");
  decltype(&::jq_start) start = find("jq_start");
  decltype(&::jq_next) next = find("jq_next");
  decltype(&::jq_halted) halted = find("jq_halted");
  decltype(&::jq_get_exit_code) exit_code = find("jq_get_exit_code");
  decltype(&::jq_get_error_message) error_message = find("jq_get_error_message");
  decltype(&::jq_set_attr) set_attribute = find("jq_set_attr");
  decltype(&::jv_string) string = find("jv_string");
  decltype(&::jv_array) array = find("jv_array");
  decltype(&::jv_parse_sized) parse = find("jv_parse_sized");
  decltype(&::jv_get_kind) kind = find("jv_get_kind");
  decltype(&::jv_copy) copy = find("jv_copy");
  decltype(&::jv_free) release = find("jv_free");
  decltype(&::jv_invalid_has_msg) has_message = find("jv_invalid_has_msg");
  decltype(&::jv_invalid_get_msg) message = find("jv_invalid_get_msg");
  decltype(&::jv_string_value) text = find("jv_string_value");
  decltype(&::jv_string_length_bytes) bytes = find("jv_string_length_bytes");
  decltype(&::jv_dump_string) dump = find("jv_dump_string");
};

// Null if the library, or one of these functions, is missing.
const Library* library() {
  static const Library loaded;
  return loaded.is_whole() ? &loaded : nullptr;
}

// A string without quotes, or anything else as JSON. Takes ownership of the value.
std::string text_of(const Library& jq, ::jv value) {
  if (jq.kind(value) == JV_KIND_INVALID) value = jq.message(value);  // libjq aborts the program if such a one is shown
  const ::jv shown = jq.kind(value) == JV_KIND_STRING ? value : jq.dump(value, 0);
  const auto bytes = static_cast<std::size_t>(jq.bytes(jq.copy(shown)));
  std::string text(jq.text(shown), bytes);
  jq.release(shown);
  return text;
}

struct JqMachine {
  const Library& jq;
  ::jq_state* state;
  JqUser user;  // `warn` is null once it was told
  std::string complaints{};

  JqMachine(const Library& library, JqUser whose) : jq(library), state(library.init()), user(std::move(whose)) {}
  ~JqMachine() {
    if (state != nullptr) jq.teardown(&state);
  }
  JqMachine(JqMachine&&) = delete;

  static void complain(void* machine, ::jv message) {
    auto& self = *static_cast<JqMachine*>(machine);
    const std::string line = text_of(self.jq, message);
    // The first line is the message; the others show the place in the expression.
    if (self.complaints.empty()) self.complaints = line.substr(0, line.find('\n'));
  }
};

// What the expression gave to halt_error; nullopt if it did not end that way.
std::optional<std::string> said_by_halt_error(const Library& jq, ::jq_state* state) {
  if (jq.halted(state) == 0) return std::nullopt;
  const ::jv code = jq.exit_code(state);
  const bool is_error = jq.kind(code) != JV_KIND_INVALID;  // `halt` has none
  jq.release(code);
  if (!is_error) return std::nullopt;
  return "the expression ended with halt_error: " + text_of(jq, jq.error_message(state));
}

constexpr std::size_t digits_held = 15;          // of a decimal, by a binary number
constexpr std::size_t exponent_digits_held = 2;  // more may be beyond its range

// Of integers a document has only those that are held; the others are texts in it.
bool is_held(std::string_view number) {
  const auto exponent_at = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, exponent_at);
  std::string_view exponent = number.substr(exponent_at);
  if (exponent.empty() && mantissa.find('.') == std::string_view::npos) return true;
  exponent.remove_prefix(std::min(exponent.find_first_not_of("eE+-0"), exponent.size()));
  std::size_t digits = 0, zeros = 0;  // without zeros at both ends
  for (const char c : mantissa) {
    if (c == '0' && digits > 0) ++zeros;
    if (c >= '1' && c <= '9') digits += std::exchange(zeros, 0) + 1;
  }
  return digits <= digits_held && exponent.size() <= exponent_digits_held;
}

// Whether all numbers outside of texts are held.
bool are_all_held(std::string_view document) {
  while (!document.empty()) {
    std::size_t size = 1;
    if (document.front() == '"') {
      while (size < document.size() && document[size] != '"') size += document[size] == '\\' ? 2u : 1u;
      ++size;
    } else if (document.front() == '-' || (document.front() >= '0' && document.front() <= '9')) {
      size = std::min(document.find_first_not_of("0123456789.eE+-"), document.size());
      if (!is_held(document.substr(0, size))) return false;
    }
    document.remove_prefix(std::min(size, document.size()));
  }
  return true;
}

Result<std::string, std::string> filtered_by(JqMachine& machine, std::string_view document) {
  const Library& jq = machine.jq;
  const ::jv input = jq.parse(document.data(), static_cast<int>(document.size()));
  if (jq.kind(input) == JV_KIND_INVALID) {
    jq.release(input);
    return unexpected("the document cannot be read by libjq");
  }
  jq.start(machine.state, input, 0);
  std::string out;
  for (;;) {
    const ::jv result = jq.next(machine.state);
    if (jq.kind(result) != JV_KIND_INVALID) {
      out += text_of(jq, result) + "\n";
      continue;
    }
    if (jq.has_message(jq.copy(result)) == 0) {
      jq.release(result);
      if (auto said = said_by_halt_error(jq, machine.state)) return unexpected(std::move(*said));
      return out;
    }
    return unexpected(text_of(jq, jq.message(result)));
  }
}

bool is_signal_taken(int number) {
  struct sigaction now {};
  ::sigaction(number, nullptr, &now);
  return now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
}

// The rest of a child's life.
[[noreturn]] void evaluate_for_parent(JqMachine& machine, std::string_view document, int answer) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(answer, STDOUT_FILENO);
  ::closefrom(STDERR_FILENO + 1);  // no connection of ours stays open for as long as this goes on
  const auto result = filtered_by(machine, document);
  const bool is_told = write_all(STDOUT_FILENO, result ? "+" : "-") == Written::whole &&
                       write_all(STDOUT_FILENO, result ? *result : result.error()) == Written::whole;
  ::_exit(is_told ? 0 : 1);
}

// In a process of its own, because nothing ends what libjq began.
Result<std::string, std::string> filtered_apart(JqMachine& machine, std::string_view document) {
  auto line = Pipe::open();
  const pid_t us = ::getpid();
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);  // our handlers must not run in the child
  const pid_t child = line ? ::fork() : -1;
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != us) ::_exit(1);
    evaluate_for_parent(machine, document, line->write.get());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return filtered_by(machine, document);
  line->write.close();
  std::string answer;
  constexpr int look_ms = 50;
  constexpr std::size_t piece = 65'536;
  for (ssize_t count = 1; count != 0;) {
    pollfd told{line->read.get(), POLLIN, 0};
    if (machine.user.wants_end()) ::kill(child, SIGKILL);
    if (::poll(&told, 1, look_ms) <= 0) continue;
    const std::size_t size = answer.size();
    answer.resize(size + piece);
    count = ::read(line->read.get(), answer.data() + size, piece);
    answer.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  int status = 1;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0 || answer.empty()) return unexpected("interrupted");
  const bool is_result = answer.front() == '+';
  answer.erase(0, 1);
  if (is_result) return answer;
  return unexpected(std::move(answer));
}

Result<std::string, std::string> evaluated_by(JqMachine& machine, std::string_view document) {
  if (machine.user.warn && !are_all_held(document))
    std::exchange(machine.user.warn,
                  nullptr)("--jq: numbers of more than 15 digits may be rounded; -o json shows them all");
  const bool may_hang = machine.user.wants_end && (is_signal_taken(SIGINT) || is_signal_taken(SIGTERM));
  return may_hang ? filtered_apart(machine, document) : filtered_by(machine, document);
}

}  // namespace

Result<JqFilter> compile_jq(const std::string& expression, JqUser user) {
  const Library* jq = library();
  if (jq == nullptr) {
    return usage_error("--jq needs the library libjq.so.1, which is not installed").to_try({"apt-get install libjq1"});
  }
  auto machine = std::make_shared<JqMachine>(*jq, std::move(user));
  if (machine->state == nullptr) return internal_error("libjq cannot be started");
  jq->set_error_callback(machine->state, &JqMachine::complain, machine.get());
  // libjq aborts the program if an expression imports and it was not told where modules are. There are none.
  jq->set_attribute(machine->state, jq->string("JQ_LIBRARY_PATH"), jq->array());
  jq->set_attribute(machine->state, jq->string("JQ_ORIGIN"), jq->string("."));
  if (jq->compile(machine->state, expression.c_str()) == 0) return usage_error("--jq: " + machine->complaints);
  return JqFilter(
      [machine = std::move(machine)](std::string_view document) { return evaluated_by(*machine, document); });
}

}  // namespace svc::cli
