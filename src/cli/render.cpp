#include "cli/render.h"

#include "base/utc_text.h"

namespace svc::cli {
namespace {

Json error_document(const Failure& failure) {
  Json actions = Json::array();
  for (const std::string& action : failure.actions) actions.push(action);
  return Json::object({{"code", failure.code},
                       {"category", meaning_of(failure.exit).category},
                       {"message", failure.message},
                       {"retryable", failure.retryable},
                       {"retry_after_ms", failure.retry_after_ms},
                       {"details", failure.details},
                       {"actions", std::move(actions)}});
}

const Failure* failure_of(const Answer* answer, const Failure* failure) {
  if (failure != nullptr || answer == nullptr || !answer->failure) return failure;
  return &*answer->failure;
}

}  // namespace

// Text from a server must not move the cursor or rename the window of a terminal.
std::string escaped(std::string_view text, std::string_view kept) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1_control = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    const bool plain = (byte >= 0x20 && byte != 0x7F) || kept.find(text[i]) != std::string_view::npos;
    if (plain && !c1_control) {
      out += text[i];
      continue;
    }
    const auto code = c1_control ? static_cast<unsigned char>(text[++i]) : byte;
    switch (code) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: out += std::string("\\x") + digits[code >> 4] + digits[code & 0xF];
    }
  }
  return out;
}

std::string render_envelope(const Answer* answer, const Failure* failure, const EnvelopeFacts& facts, Lines lines) {
  const Failure* why = failure_of(answer, failure);
  Json warnings = Json::array();
  for (const Warning& one : facts.warnings) {
    warnings.push(Json::object({{"code", one.code}, {"message", one.message}}));
  }
  const Json document = Json::object({{"schema", facts.schema},
                                      {"ok", why == nullptr},
                                      {"network", facts.network},
                                      {"account", facts.account},
                                      {"data", answer == nullptr ? Json() : answer->data},
                                      {"warnings", std::move(warnings)},
                                      {"error", why == nullptr ? Json() : error_document(*why)},
                                      {"meta", facts.meta}});
  constexpr auto large = LargeIntegers::as_text;
  return (lines == Lines::many ? document.indented(large) : document.dump(large)) + "\n";
}

std::string render_records(const Answer& answer) {
  std::string out;
  if (answer.data.is(Json::Kind::array)) {
    for (const Json& row : answer.data.items()) out += row.dump(LargeIntegers::as_text) + "\n";
  } else if (!answer.data.is(Json::Kind::null)) {
    out += answer.data.dump(LargeIntegers::as_text) + "\n";
  }
  return out;
}

std::string render_end(const Failure* failure, const EnvelopeFacts& facts) {
  const Json end = Json::object({{"type", "end"},
                                 {"schema", facts.schema},
                                 {"ok", failure == nullptr},
                                 {"error", failure == nullptr ? Json() : error_document(*failure)},
                                 {"meta", facts.meta}});
  return end.dump(LargeIntegers::as_text) + "\n";
}

std::string render_ndjson(const Answer* answer, const Failure* failure, const EnvelopeFacts& facts) {
  return (answer == nullptr ? std::string() : render_records(*answer)) + render_end(failure_of(answer, failure), facts);
}

std::string render_failure(const Failure& failure) {
  std::string out = "svc: " + escaped(failure.message);
  if (failure.code != meaning_of(failure.exit).category) out += " (" + escaped(failure.code) + ")";
  out += "\n";
  for (const std::string& action : failure.actions) out += "  try: " + escaped(action) + "\n";
  return out;
}

std::string rfc3339(std::int64_t unix_ms) {
  // What a server calls a time may be anything.
  constexpr std::int64_t year_10000_ms = 253'402'300'800'000;
  return unix_ms < 0 || unix_ms >= year_10000_ms ? std::to_string(unix_ms) : utc_text(unix_ms);
}

std::string cell_text(const Json* value) {
  if (value == nullptr) return "-";
  switch (value->kind()) {
    case Json::Kind::null: return "-";
    case Json::Kind::boolean: return value->truth() ? "true" : "false";
    case Json::Kind::number: return value->text();
    case Json::Kind::string: return value->text().empty() ? "-" : value->text();
    case Json::Kind::array:
    case Json::Kind::object: return value->dump();
  }
  return "-";
}

}  // namespace svc::cli
