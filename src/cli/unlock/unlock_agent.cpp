#include "cli/unlock/unlock_agent.h"

#include <sys/mman.h>

#include <algorithm>

#include "base/hex.h"
#include "cli/secrets/signer.h"

namespace svc::cli::unlock {
namespace {

Json error(std::string_view text) {
  return Json::object({{"error", text}});
}

}  // namespace

UnlockAgent::Held::Held(const Json& question, const signing::PrivateKey& private_key, std::int64_t until)
    : network(question.string_at("network").value_or("")),
      wallet(question.string_at("wallet").value_or("")),
      key(private_key),
      until_ms(until),
      uses_left(question.integer_at("uses")) {
  // Not to be had (a small limit): then the key may reach the swap, as in any other process. Never unlocked again,
  // for the page may hold the next key as well.
  static_cast<void>(::mlock(&key, sizeof key));
}

void UnlockAgent::pass_time(std::int64_t now_ms) {
  held_.remove_if([&](const Held& held) { return held.until_ms <= now_ms; });
}

UnlockAgent::Held* UnlockAgent::find(const Json& question) {
  const auto found = std::find_if(held_.begin(), held_.end(), [&](const Held& held) {
    return question.string_at("network") == held.network && question.string_at("wallet") == held.wallet;
  });
  return found == held_.end() ? nullptr : &*found;
}

Json UnlockAgent::hold(const Json& question, std::string_view key_text, std::int64_t now_ms) {
  const auto key = signing::PrivateKey::from_hex(key_text);
  const auto ttl_ms = question.integer_at("ttl_ms").value_or(ttl_ms_default);
  const auto uses = question.integer_at("uses");
  if (!key || ttl_ms <= 0 || ttl_ms > ttl_ms_max || (uses && *uses <= 0)) return error("malformed");
  held_.remove_if([&](const Held& held) {
    return question.string_at("network") == held.network && question.string_at("wallet") == held.wallet;
  });
  if (held_.size() >= keys_max) return error("it holds as many keys as it can");
  const Held& held = held_.emplace_back(question, *key, now_ms + ttl_ms);
  return Json::object({{"left_ms", held.until_ms - now_ms}, {"uses_left", held.uses_left}});
}

Json UnlockAgent::sign(Held& held, const Json& question) {
  const auto digest = from_hex_exact<32>(question.string_at("digest").value_or(""));
  if (!digest) return error("malformed");
  Json answer = Json::object({{"signature", signing::to_string(held.key.sign(*digest))}});
  if (held.uses_left) --*held.uses_left;
  answer.set("uses_left", held.uses_left);
  if (held.uses_left == 0) held_.remove_if([&](const Held& one) { return &one == &held; });
  return answer;
}

Json UnlockAgent::list(std::int64_t now_ms) const {
  Json rows = Json::array();
  for (const Held& held : held_) {
    rows.push(Json::object({{"network", held.network},
                            {"wallet", held.wallet},
                            {"address", to_string(held.key.address())},
                            {"left_ms", held.until_ms - now_ms},
                            {"uses_left", held.uses_left}}));
  }
  return Json::object({{"held", std::move(rows)}});
}

Json UnlockAgent::lock(const Json& question) {
  const std::size_t before = held_.size();
  const bool one = question.find("wallet") != nullptr;
  held_.remove_if([&](const Held& held) {
    return !one || (question.string_at("network") == held.network && question.string_at("wallet") == held.wallet);
  });
  return Json::object({{"locked", before - held_.size()}});
}

std::string UnlockAgent::answer(std::string_view line, std::string_view key, std::int64_t now_ms) {
  pass_time(now_ms);
  const auto question = parse_json(line);
  const auto op = question ? question->string_at("op") : std::nullopt;
  if (!op) return error("malformed").dump();
  if (op == "hold") return hold(*question, key, now_ms).dump();
  if (op == "list") return list(now_ms).dump();
  if (op == "lock") return lock(*question).dump();
  Held* held = find(*question);
  if (held == nullptr) return error("locked").dump();
  if (op == "sign") return sign(*held, *question).dump();
  if (op == "ring") return Json::object({{"ring", to_hex(ring_seal_of(held->key, held->network))}}).dump();
  if (op == "show") return Json::object({{"address", to_string(held->key.address())}}).dump();
  return error("malformed").dump();
}

}  // namespace svc::cli::unlock
