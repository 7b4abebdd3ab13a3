#include "cli/unlock/unlock_client.h"

#include "base/hex.h"
#include "cli/files/private_file.h"
#include "signing/personal_message.h"

namespace svc::cli::unlock {
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
