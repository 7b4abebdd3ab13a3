#include "cli/client/signers.h"

#include "api/http/url.h"
#include "base/encoding.h"
#include "cli/machine/private_file.h"
#include "cli/machine/unlock_agent.h"
#include "cli/store/wallet_store.h"
#include "signing/typed_data.h"

namespace svc::cli {

namespace {

constexpr std::size_t answer_bytes_max = 64 * 1024;
constexpr int protocol_version = 1;

template <class... Parts>
Failure signer_refused(const Parts&... parts) {
  return failed("signer_failed", "the signer ", parts...);
}

// The transport of requests to an external signer.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual Result<std::string> address() = 0;
  virtual Result<std::string> sign_typed(const std::string& address, const std::string& document) = 0;
  virtual Result<std::string> sign_message(const std::string& address, std::string_view text) = 0;
};

// One JSON object in, one out.
class ExecChannel final : public Channel {
 public:
  ExecChannel(Context& context, std::string command) : context_(context), command_(std::move(command)) {}

  Result<std::string> address() override { return ask(Json::object({{"method", "address"}}), "address"); }
  Result<std::string> sign_typed(const std::string& address, const std::string& document) override {
    Json question = Json::object({{"method", "sign_typed_data"}, {"address", address}});
    return ask(question.set("typed_data", json_or_null(document)), "signature");
  }
  Result<std::string> sign_message(const std::string& address, std::string_view text) override {
    return ask(Json::object({{"method", "sign_message"}, {"address", address}, {"message", text}}), "signature");
  }

 private:
  Result<std::string> ask(Json question, std::string_view wanted) {
    question.set("version", protocol_version);
    const auto answer = context_.environment().run_helper({.words = shell_words(command_),
                                                           .input = question.dump() + "\n",
                                                           .bytes_max = answer_bytes_max,
                                                           .timeout_ms = context_.helper_patience_ms()});
    if (!answer) return signer_refused(command_ + " failed: " + answer.error());
    const Json document = json_or_null(*answer);
    if (const auto error = document.string_at("error")) return signer_refused("refused: ", *error);
    if (const auto text = document.string_at(wanted)) return std::string(*text);
    return signer_refused(command_, " answered no JSON object with \"", wanted, "\"");
  }

  Context& context_;
  std::string command_;
};

class RpcChannel final : public Channel {
 public:
  RpcChannel(std::unique_ptr<api::Transport> transport, std::string target, std::string wanted)
      : transport_(std::move(transport)), target_(std::move(target)), wanted_(std::move(wanted)) {}

  // The address after '#', else the signer's only one.
  Result<std::string> address() override {
    const auto accounts = SVC_TRY(ask("eth_accounts", Json::array()));
    if (wanted_.empty() && accounts.items().size() == 1) return accounts.items().front().text();
    if (wanted_.empty() && accounts.items().empty()) return signer_refused("has no account");
    for (const Json& account : accounts.items()) {
      const auto address = parse_address(account.text());
      if (address && address == parse_address(wanted_)) return account.text();
    }
    if (!wanted_.empty()) return signer_refused("has no account ", wanted_);
    return unexpected(
        signer_refused("has ", accounts.items().size(), " accounts; say which with #ADDRESS after its address"));
  }
  Result<std::string> sign_typed(const std::string& address, const std::string& document) override {
    return text_of(ask("eth_signTypedData_v4", Json::array({Json(address), Json(document)})));
  }
  Result<std::string> sign_message(const std::string& address, std::string_view text) override {
    return text_of(ask("personal_sign", Json::array({Json(to_hex_0x(as_bytes(text))), Json(address)})));
  }

 private:
  static Result<std::string> text_of(Result<Json> answer) {
    SVC_TRY(answer);
    return answer->is(Json::Kind::string) ? answer->text() : std::string();
  }

  Result<Json> ask(std::string_view method, Json params) {
    Json question = Json::object({{"jsonrpc", "2.0"}, {"id", ++number_}, {"method", method}});
    question.set("params", std::move(params));
    const auto response = transport_->send({.method = "POST",
                                            .target = target_,
                                            .headers = {{"Content-Type", "application/json"}},
                                            .body = question.dump()});
    if (!response) return signer_refused("does not answer: " + response.error().reason);
    const Json document = json_or_null(response->body);
    const Json* result = document.find("result");
    const auto message = document.string_at("error.message");
    if (result != nullptr && !message) return *result;
    return signer_refused("refused ", method, ": ",
                          message ? std::string(*message) : concat("status ", response->status));
  }

  std::unique_ptr<api::Transport> transport_;
  std::string target_;
  std::string wanted_;
  int number_ = 0;
};

class ExternalSigner final : public Signer {
 public:
  ExternalSigner(std::unique_ptr<Channel> channel, std::string spelled, const Address& address)
      : channel_(std::move(channel)), spelled_(std::move(spelled)), address_(address) {}

  const Address& address() const override { return address_; }

  // Checks that the document means what we meant, and that the signature is the address's.
  Result<signing::Signature> sign(const TypedText& typed) const override {
    const std::string document = typed.document();
    const auto hashes = signing::hash_typed_data(document);
    if (!hashes || hashes->digest != typed.digest) return internal_error("the typed data has another digest");
    return checked(channel_->sign_typed(spelled_, document), typed.digest);
  }
  Result<signing::Signature> sign_message(std::string_view text) const override {
    return checked(channel_->sign_message(spelled_, text), signing::personal_message_digest(text));
  }
  Result<signing::Signature> sign_digest(const signing::Hash32&) const override {
    return usage_error("signers outside do not sign bare hashes");
  }
  // These signers must sign deterministically (RFC 6979): otherwise they could not open what they sealed.
  Result<signing::SealKey> ring_seal(std::string_view network) const override {
    const auto signature = SVC_TRY(sign_message("svc ring key, version 1\n" + std::string(network)));
    return signing::SealKey(signing::sha256(std::span<const std::uint8_t>(signature.bytes)));
  }

 private:
  Result<signing::Signature> checked(Result<std::string> text, const signing::Hash32& digest) const {
    SVC_TRY(text);
    const auto signature = signing::parse_signature(*text);
    if (!signature) {
      return signer_refused(
          "answered something that is no signature: 65 bytes in hex are expected, with v 27 or 28 and a low s");
    }
    if (signing::recover(digest, *signature) == address_) return *signature;
    return signer_refused("signed something else, or with another key than that of " + to_string(address_));
  }

  std::unique_ptr<Channel> channel_;
  std::string spelled_;
  Address address_;
};

Result<std::unique_ptr<Channel>> connect_rpc(Context& context, const std::string& spec) {
  const auto mark = spec.find('#');
  const std::string wanted = mark == std::string::npos ? "" : spec.substr(mark + 1);
  const auto url = api::parse_url(spec.substr(0, mark));
  if (!url) return usage_error("--signer " + spec + ": " + url.error());
  api::Url root = *url;
  root.prefix.clear();
  auto transport = context.environment().connect({.origin = api::to_string(root),
                                                  .timeout_ms = context.helper_patience_ms(),
                                                  .proxy = std::string("none"),
                                                  .ca = context.globals().ca});
  if (!transport) return usage_error("--signer " + spec + ": " + transport.error());
  const std::string target = url->prefix.empty() ? "/" : url->prefix;
  return std::unique_ptr<Channel>(std::make_unique<RpcChannel>(std::move(*transport), target, wanted));
}

Result<std::unique_ptr<Signer>> open_external_signer(Context& context, const std::string& spec) {
  constexpr std::string_view exec = "exec:";
  if (context.globals().dry_run) {
    return failed("dry_run", "a signer outside is not asked in a dry run").to_try({"leave out --dry-run"});
  }
  if (spec == exec) return usage_error("--signer exec: needs a command after the colon");
  std::unique_ptr<Channel> channel;
  if (spec.starts_with(exec))
    channel = std::make_unique<ExecChannel>(context, spec.substr(exec.size()));
  else
    channel = SVC_TRY(connect_rpc(context, spec));
  const auto spelled = SVC_TRY(channel->address());
  const auto address = parse_address(spelled);
  if (!address) return signer_refused("answered \"" + spelled + "\" where an address was expected");
  return std::unique_ptr<Signer>(std::make_unique<ExternalSigner>(std::move(channel), spelled, *address));
}

}  // namespace

WithoutPassword without_password(Context& context, std::string_view network, const std::string& wallet) {
  if (is_external_signer(wallet) || password_given(context)) return {.may_sign = true};
  auto held = unlock::open(context, network, wallet);
  return {.may_sign = held != nullptr, .held = std::move(held)};
}

Result<std::unique_ptr<Signer>> open_signer(Context& context, std::string_view network, const std::string& wallet,
                                            PasswordFrom from, std::unique_ptr<Signer> held) {
  std::unique_ptr<Signer> signer = std::move(held);
  if (is_external_signer(wallet))
    signer = SVC_TRY(open_external_signer(context, wallet));
  else if (!signer && from == PasswordFrom::anywhere)
    signer = unlock::open(context, network, wallet);
  if (!signer) signer = std::make_unique<KeySigner>(SVC_TRY(unlock_wallet(context, network, wallet, from)));
  SVC_TRY(refuse_dev_key(signer->address(), network));
  return signer;
}

namespace unlock {
namespace {

Json question(std::string_view op, std::string_view network, std::string_view wallet) {
  return Json::object({{"op", op}, {"network", network}, {"wallet", wallet}});
}

// Null if there is no agent.
Json ask(Context& context, const Json& asked, const Secret& key = {}) {
  const auto paths = context.paths();
  if (!paths) return {};
  return json_or_null(context.environment().ask_agent((*paths)->agent_socket(), asked.dump(), key).value_or(""));
}

// The agent tells how long it still holds a key; users want to know until when.
Json end_of(Context& context, const Json& held) {
  const auto left_ms = held.integer_at("left_ms");
  return left_ms ? Json(context.now_ms() + *left_ms) : Json();
}

Failure locked(std::string_view network, std::string_view wallet) {
  return failed("wallet_locked", "the unlock agent does not hold wallet ", wallet, " any more")
      .to_try({concat("svc -n ", network, " keystore unlock ", wallet)});
}

// The answer, whose member is of that kind; nullopt without an agent. An agent that does not answer so is a failure.
Result<std::optional<Json>> ask_for(Context& context, std::string_view member, Json::Kind kind, const Json& asked) {
  const auto socket = SVC_TRY(context.paths())->agent_socket();
  const auto line = context.environment().ask_agent(socket, asked.dump(), {});
  if (!line) return std::optional<Json>();
  Json answer = json_or_null(*line);
  const Json* found = answer.find(member);
  if (found != nullptr && found->is(kind)) return std::optional(std::move(answer));
  return internal_error("the unlock agent does not answer and may still hold keys; its process id is in ",
                        socket.string(), ".lock, and SIGKILL ends it");
}

class HeldSigner final : public Signer {
 public:
  HeldSigner(Context& context, std::string_view network, std::string wallet, const Address& address)
      : context_(context), network_(network), wallet_(std::move(wallet)), address_(address) {}

  const Address& address() const override { return address_; }
  Result<signing::Signature> sign_digest(const signing::Hash32& digest) const override {
    // A dry run must not consume a use.
    if (context_.globals().dry_run) return signing::Signature{};
    Json asked = question("sign", network_, wallet_);
    asked.set("digest", to_hex(digest));
    const auto signature = signing::parse_signature(ask(context_, asked).text_at("signature"));
    if (!signature || signing::recover(digest, *signature) != address_) return locked(network_, wallet_);
    return *signature;
  }
  Result<signing::SealKey> ring_seal(std::string_view network) const override {
    const auto ring = from_hex_exact<32>(ask(context_, question("ring", network, wallet_)).text_at("ring"));
    if (!ring) return locked(network_, wallet_);
    return signing::SealKey(*ring);
  }

 private:
  Context& context_;
  std::string network_, wallet_;
  Address address_;
};

}  // namespace

std::unique_ptr<Signer> open(Context& context, std::string_view network, const std::string& wallet) {
  const auto address = ask(context, question("show", network, wallet)).address_at("address");
  if (!address) return nullptr;
  // A wallet of that name may have been deleted and made anew while the key was held.
  const auto paths = context.paths();
  const auto stored = paths ? find_wallet(**paths, network, wallet) : unexpected(paths.error());
  if (stored && stored->address != *address) return nullptr;
  return std::make_unique<HeldSigner>(context, network, wallet, *address);
}

Result<void> start(Context& context) {
  const auto paths = SVC_TRY(context.paths());
  const auto socket = paths->agent_socket();
  SVC_TRY(make_private_folder(socket.parent_path()));
  if (const auto started = context.environment().start_agent(socket); !started) {
    return internal_error("the unlock agent cannot be started: " + started.error());
  }
  return {};
}

Result<Json> hold(Context& context, std::string_view network, const std::string& wallet, const signing::PrivateKey& key,
                  const Lease& lease) {
  Json asked = question("hold", network, wallet);
  asked.set("ttl_ms", lease.ttl_ms).set("uses", lease.uses);
  Json answer = ask(context, asked, key.to_hex());
  if (answer.is(Json::Kind::null)) {  // the agent has just ended
    SVC_TRY(start(context));
    answer = ask(context, asked, key.to_hex());
  }
  if (answer.is(Json::Kind::null)) return internal_error("the unlock agent does not answer");
  if (const auto error = answer.string_at("error")) return internal_error("the unlock agent refuses: ", *error);
  return Json::object({{"unlocked_until_ms", end_of(context, answer)}, {"uses_left", answer.integer_at("uses_left")}});
}

Result<Json> list(Context& context) {
  const auto answer = SVC_TRY(ask_for(context, "held", Json::Kind::array, Json::object({{"op", "list"}})));
  return Json::list(answer.value_or(Json()).items_at("held"), [&](const Json& one) {
    return Json::object({{"network", one.string_at("network")},
                         {"wallet", one.string_at("wallet")},
                         {"address", one.string_at("address")},
                         {"unlocked_until_ms", end_of(context, one)},
                         {"uses_left", one.integer_at("uses_left")}});
  });
}

Result<std::int64_t> drop_keys(Context& context, std::string_view network, const std::optional<std::string>& wallet) {
  const Json asked = wallet ? question("lock", network, *wallet) : Json::object({{"op", "lock"}});
  const auto answer = SVC_TRY(ask_for(context, "locked", Json::Kind::number, asked));
  return answer ? answer->integer_at("locked").value_or(0) : 0;
}

}  // namespace unlock
}  // namespace svc::cli
