#include "cli/client/client_id.h"

#include "base/limits.h"
#include "cli/arguments/line_words.h"
#include "signing/hash.h"

namespace svc::cli {

namespace {

constexpr std::string_view crockford_digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t ulid_characters = 26;
constexpr std::size_t ulid_time_characters = 10;
constexpr std::string_view own_prefix = "svc-";

}  // namespace

std::string derive_client_id(std::string_view text) {
  const signing::Hash32 hash = signing::sha256(text);
  std::string id(own_prefix);
  for (std::size_t i = 0; i < ulid_characters; ++i) id += crockford_digits[hash[i] & 31];
  return id;
}

std::string make_ulid(const Environment& environment) {
  std::array<std::uint8_t, 10> chance{};
  environment.random(chance);
  __extension__ using Wide = unsigned __int128;
  Wide value = static_cast<std::uint64_t>(environment.clock->now_ms()) & 0xffff'ffff'ffffu;
  for (const std::uint8_t byte : chance) value = value << 8 | byte;
  std::string text(ulid_characters, '0');
  for (std::size_t i = ulid_characters; i-- > 0; value >>= 5)
    text[i] = crockford_digits[static_cast<std::size_t>(value & 31)];
  return text;
}

std::string make_client_id(const Environment& environment) {
  return std::string(own_prefix) + make_ulid(environment);
}

Result<void> check_client_id_prefix(std::string_view given_by, std::string_view prefix) {
  constexpr std::size_t chars_max = limits::client_id_chars_max - own_prefix.size() - ulid_characters;
  const bool printable = std::ranges::all_of(prefix, is_printable);
  if (prefix.size() <= chars_max && printable) return {};
  return usage_error(given_by, " must be at most ", chars_max,
                     " printable characters without blanks, for the ids of orders to begin with it");
}

Result<std::string> client_id_prefix(const Environment& environment) {
  const std::string prefix = environment.variable("SVC_CLIENT_ID_PREFIX").value_or("");
  SVC_TRY(check_client_id_prefix("SVC_CLIENT_ID_PREFIX", prefix));
  return prefix;
}

Result<std::string> make_order_id(const Environment& environment) {
  return SVC_TRY(client_id_prefix(environment)) + make_client_id(environment);
}

std::optional<std::string> wrong_client_id(std::string_view id) {
  if (!id.empty() && id.size() <= limits::client_id_chars_max && std::ranges::all_of(id, is_printable))
    return std::nullopt;
  return concat("must be 1 to ", limits::client_id_chars_max, " printable characters without blanks");
}

std::optional<std::string_view> without_guard_prefix(std::string_view client_id) {
  constexpr std::size_t characters = own_prefix.size() + ulid_characters;
  if (client_id.size() < characters) return std::nullopt;
  client_id = client_id.substr(client_id.size() - characters);
  return client_id.starts_with(own_prefix) ? std::optional(client_id) : std::nullopt;
}

std::optional<TimestampMs> client_id_made_ms(std::string_view client_id) {
  const auto own = without_guard_prefix(client_id);
  if (!own) return std::nullopt;
  TimestampMs ms = 0;
  for (const char c : own->substr(own_prefix.size(), ulid_time_characters)) {
    const auto digit = crockford_digits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    ms = ms << 5 | static_cast<TimestampMs>(digit);
  }
  return ms;
}

bool are_ours(const std::vector<std::string>& client_ids) {
  return std::ranges::all_of(client_ids, [](const std::string& id) { return client_id_made_ms(id).has_value(); });
}

std::string command_line(Context& context, std::string_view command) {
  const auto name = context.network_name();
  const Globals& globals = context.globals();
  std::string line = "svc ";
  if (name) line += "-n " + name->text + " ";
  if (context.is_typed("auth") && globals.auth == AuthChoice::agent) line += "--auth agent ";
  if (globals.signer) line += "--signer " + join_words({*globals.signer}) + " ";
  if (globals.account) line += "-a " + to_string(*globals.account) + " ";
  return line + std::string(command);
}

}  // namespace svc::cli
