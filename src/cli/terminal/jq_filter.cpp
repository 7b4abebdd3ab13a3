#include "cli/terminal/jq_filter.h"

#include <memory>
#include <optional>

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
  std::string complaints;

  explicit JqMachine(const Library& library) : jq(library), state(library.init()) {}
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

}  // namespace

Result<JqFilter> compile_jq(const std::string& expression) {
  const Library* jq = library();
  if (jq == nullptr) {
    return usage_error("--jq needs the library libjq.so.1, which is not installed").to_try({"apt-get install libjq1"});
  }
  auto machine = std::make_shared<JqMachine>(*jq);
  if (machine->state == nullptr) return internal_error("libjq cannot be started");
  jq->set_error_callback(machine->state, &JqMachine::complain, machine.get());
  // libjq aborts the program if an expression imports and it was not told where modules are. There are none.
  jq->set_attribute(machine->state, jq->string("JQ_LIBRARY_PATH"), jq->array());
  jq->set_attribute(machine->state, jq->string("JQ_ORIGIN"), jq->string("."));
  if (jq->compile(machine->state, expression.c_str()) == 0) return usage_error("--jq: " + machine->complaints);
  return JqFilter(
      [machine = std::move(machine)](std::string_view document) { return filtered_by(*machine, document); });
}

}  // namespace svc::cli
