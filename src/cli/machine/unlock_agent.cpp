#include "cli/machine/unlock_agent.h"

#include <sys/mman.h>

#include <algorithm>

#include "base/encoding.h"
#include "cli/client/signer.h"
#include "cli/machine/private_file.h"
#include "signing/key.h"

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

namespace {

Json question(std::string_view op, std::string_view network, std::string_view wallet) {
  return Json::object({{"op", op}, {"network", network}, {"wallet", wallet}});
}

// nullopt if there is no agent.
std::optional<Json> ask(Context& context, const Json& asked, const Secret& key = {}) {
  const auto paths = context.paths();
  if (!paths) return std::nullopt;
  const auto line = context.environment().ask_agent((*paths)->agent_socket(), asked.dump(), key);
  if (!line) return std::nullopt;
  auto answer = parse_json(*line);
  return answer ? std::optional(std::move(*answer)) : std::nullopt;
}

// The agent says how long it will hold a key; people want to know until when.
Json end_of(Context& context, const Json& held) {
  const auto left_ms = held.integer_at("left_ms");
  return left_ms ? Json(context.now_ms() + *left_ms) : Json();
}

Failure locked(std::string_view network, std::string_view wallet) {
  return {.exit = ExitCode::authentication,
          .code = "wallet_locked",
          .message = "the unlock agent does not hold wallet " + std::string(wallet) + " any more",
          .actions = {"svc -n " + std::string(network) + " keystore unlock " + std::string(wallet)}};
}

class HeldSigner final : public Signer {
 public:
  HeldSigner(Context& context, std::string_view network, std::string wallet, const Address& address)
      : context_(context), network_(network), wallet_(std::move(wallet)), address_(address) {}

  const Address& address() const override { return address_; }
  Result<signing::Signature, Failure> sign(const TypedText& typed) const override { return sign_digest(typed.digest); }
  Result<signing::Signature, Failure> sign_message(std::string_view text) const override {
    return sign_digest(signing::personal_message_digest(text));
  }
  Result<signing::Signature, Failure> sign_digest(const signing::Hash32& digest) const override {
    // What is not sent takes no use.
    if (context_.globals().dry_run) return signing::Signature{};
    Json asked = question("sign", network_, wallet_);
    asked.set("digest", to_hex(digest));
    const auto answer = ask(context_, asked);
    const auto signature = signing::parse_signature(answer ? answer->string_at("signature").value_or("") : "");
    if (!signature || signing::recover(digest, *signature) != address_) return unexpected(locked(network_, wallet_));
    return *signature;
  }
  Result<signing::SealKey, Failure> ring_seal(std::string_view network) const override {
    const auto answer = ask(context_, question("ring", network, wallet_));
    const auto ring = from_hex_exact<32>(answer ? answer->string_at("ring").value_or("") : "");
    if (!ring) return unexpected(locked(network_, wallet_));
    return signing::SealKey(*ring);
  }

 private:
  Context& context_;
  std::string network_, wallet_;
  Address address_;
};

}  // namespace

bool holds(Context& context, std::string_view network, std::string_view wallet) {
  const auto answer = ask(context, question("show", network, wallet));
  return answer && answer->string_at("address").has_value();
}

Result<std::unique_ptr<Signer>, Failure> open(Context& context, std::string_view network, const std::string& wallet) {
  const auto answer = ask(context, question("show", network, wallet));
  const auto address = parse_address(answer ? answer->string_at("address").value_or("") : "");
  if (!address) return unexpected(locked(network, wallet));
  return std::unique_ptr<Signer>(std::make_unique<HeldSigner>(context, network, wallet, *address));
}

Result<void, Failure> start(Context& context) {
  const auto paths = SVC_TRY(context.paths());
  const auto socket = paths->agent_socket();
  SVC_TRY(make_private_folder(socket.parent_path()));
  if (const auto started = context.environment().start_agent(socket); !started) {
    return unexpected(internal_error("the unlock agent cannot be started: " + started.error()));
  }
  return {};
}

Result<Json, Failure> hold(Context& context, std::string_view network, const std::string& wallet,
                           const signing::PrivateKey& key, const Lease& lease) {
  Json asked = question("hold", network, wallet);
  asked.set("ttl_ms", lease.ttl_ms).set("uses", lease.uses);
  auto answer = ask(context, asked, key.to_hex());
  if (!answer) {  // it has just ended with another key
    SVC_TRY(start(context));
    answer = ask(context, asked, key.to_hex());
  }
  if (!answer) return unexpected(internal_error("the unlock agent does not answer"));
  if (const auto error = answer->string_at("error")) {
    return unexpected(internal_error("the unlock agent refuses: " + std::string(*error)));
  }
  return Json::object({{"unlocked_until_ms", end_of(context, *answer)}, {"uses_left", answer->integer_at("uses_left")}});
}

std::optional<Json> list(Context& context) {
  const auto answer = ask(context, Json::object({{"op", "list"}}));
  const Json* held = answer ? answer->find("held") : nullptr;
  if (held == nullptr) return std::nullopt;
  Json rows = Json::array();
  for (const Json& one : held->items()) {
    rows.push(Json::object({{"network", one.string_at("network")},
                            {"wallet", one.string_at("wallet")},
                            {"address", one.string_at("address")},
                            {"unlocked_until_ms", end_of(context, one)},
                            {"uses_left", one.integer_at("uses_left")}}));
  }
  return rows;
}

std::int64_t lock(Context& context, std::string_view network, const std::optional<std::string>& wallet) {
  const auto answer = ask(context, wallet ? question("lock", network, *wallet) : Json::object({{"op", "lock"}}));
  return answer ? answer->integer_at("locked").value_or(0) : 0;
}

}  // namespace svc::cli::unlock
