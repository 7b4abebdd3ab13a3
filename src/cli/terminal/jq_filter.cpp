#include "cli/terminal/jq_filter.h"

#include <dlfcn.h>

extern "C" {
#include <jq.h>
#include <jv.h>
}

namespace svc::cli {
namespace {

struct Library {
  decltype(&::jq_init) init;
  decltype(&::jq_teardown) teardown;
  decltype(&::jq_set_error_cb) set_error_callback;
  decltype(&::jq_compile) compile;
  decltype(&::jq_start) start;
  decltype(&::jq_next) next;
  decltype(&::jv_parse_sized) parse;
  decltype(&::jv_get_kind) kind;
  decltype(&::jv_copy) copy;
  decltype(&::jv_free) release;
  decltype(&::jv_invalid_has_msg) has_message;
  decltype(&::jv_invalid_get_msg) message;
  decltype(&::jv_string_value) text;
  decltype(&::jv_string_length_bytes) bytes;
  decltype(&::jv_dump_string) dump;
};

template <class Function>
bool find(void* handle, const char* name, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(handle, name));
  return into != nullptr;
}

// Null if the library is missing or lacks one of these functions. It stays loaded until the process ends.
const Library* library() {
  static const Library* const loaded = []() -> const Library* {
    static Library found{};
    void* handle = ::dlopen("libjq.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return nullptr;
    const bool whole =
        find(handle, "jq_init", found.init) && find(handle, "jq_teardown", found.teardown) &&
        find(handle, "jq_set_error_cb", found.set_error_callback) && find(handle, "jq_compile", found.compile) &&
        find(handle, "jq_start", found.start) && find(handle, "jq_next", found.next) &&
        find(handle, "jv_parse_sized", found.parse) && find(handle, "jv_get_kind", found.kind) &&
        find(handle, "jv_copy", found.copy) && find(handle, "jv_free", found.release) &&
        find(handle, "jv_invalid_has_msg", found.has_message) && find(handle, "jv_invalid_get_msg", found.message) &&
        find(handle, "jv_string_value", found.text) && find(handle, "jv_string_length_bytes", found.bytes) &&
        find(handle, "jv_dump_string", found.dump);
    return whole ? &found : nullptr;
  }();
  return loaded;
}

// A string without quotes, or anything else as JSON. Takes ownership of the value.
std::string text_of(const Library& jq, ::jv value) {
  const ::jv shown = jq.kind(value) == JV_KIND_STRING ? value : jq.dump(value, 0);
  const auto bytes = static_cast<std::size_t>(jq.bytes(jq.copy(shown)));
  std::string text(jq.text(shown), bytes);
  jq.release(shown);
  return text;
}

}  // namespace

struct JqFilter::Machine {
  const Library& jq;
  ::jq_state* state;
  std::string complaints;

  explicit Machine(const Library& library) : jq(library), state(library.init()) {}
  ~Machine() {
    if (state != nullptr) jq.teardown(&state);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  static void complain(void* machine, ::jv message) {
    auto& self = *static_cast<Machine*>(machine);
    const std::string line = text_of(self.jq, message);
    // The first line is the message; the others show the place in the expression.
    if (self.complaints.empty()) self.complaints = line.substr(0, line.find('\n'));
  }
};

JqFilter::JqFilter(std::unique_ptr<Machine> machine) : machine_(std::move(machine)) {}
JqFilter::JqFilter(JqFilter&&) noexcept = default;
JqFilter& JqFilter::operator=(JqFilter&&) noexcept = default;
JqFilter::~JqFilter() = default;

Result<JqFilter, Failure> JqFilter::compile(const std::string& expression) {
  const Library* jq = library();
  if (jq == nullptr) {
    return unexpected(
        usage_error("--jq needs the library libjq.so.1, which is not installed").to_try({"apt-get install libjq1"}));
  }
  auto machine = std::make_unique<Machine>(*jq);
  if (machine->state == nullptr) return unexpected(internal_error("libjq cannot be started"));
  jq->set_error_callback(machine->state, &Machine::complain, machine.get());
  if (jq->compile(machine->state, expression.c_str()) == 0) {
    return unexpected(usage_error("--jq: " + machine->complaints));
  }
  return JqFilter(std::move(machine));
}

Result<std::string, std::string> JqFilter::apply(std::string_view document) const {
  const Library& jq = machine_->jq;
  const ::jv input = jq.parse(document.data(), static_cast<int>(document.size()));
  if (jq.kind(input) == JV_KIND_INVALID) {
    jq.release(input);
    return unexpected("the document cannot be read by libjq");
  }
  jq.start(machine_->state, input, 0);
  std::string out;
  for (;;) {
    const ::jv result = jq.next(machine_->state);
    if (jq.kind(result) != JV_KIND_INVALID) {
      out += text_of(jq, result) + "\n";
      continue;
    }
    if (jq.has_message(jq.copy(result)) == 0) {
      jq.release(result);
      return out;
    }
    return unexpected(text_of(jq, jq.message(result)));
  }
}

}  // namespace svc::cli
