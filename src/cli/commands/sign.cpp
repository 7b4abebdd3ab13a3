// sign message, typed, action, request, register-agent, withdrawal; verify: offline, without a network.
//
// All print one JSON object with the same members, null where one does not apply, so that any implementation can be
// compared with this one.
#include <algorithm>
#include <array>
#include <limits>

#include "api/operation_list.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "cli/client/key_input.h"
#include "cli/commands/read.h"
#include "signing/action_request.h"
#include "signing/actions.h"
#include "signing/domain.h"
#include "signing/hmac.h"
#include "signing/typed_data.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array scheme_words{"hmac"sv, "agent"sv};

struct SigningFacts {
  std::optional<std::string> canonical{};  // of a request, or a message
  std::optional<std::string> type{};       // of a struct, with the types it refers to
  std::optional<signing::Hash32> domain_separator{}, struct_hash{}, digest{};
  std::optional<std::string> signature{};
  std::optional<Address> address{};

  // Signs the digest if there is a key.
  void sign(const std::optional<signing::PrivateKey>& key) {
    if (!key || !digest) return;
    signature = signing::to_string(key->sign(*digest));
    address = key->address();
  }

  [[nodiscard]] Json json() const {
    const auto hex = [](const std::optional<signing::Hash32>& hash) { return hash ? Json(to_hex_0x(*hash)) : Json(); };
    return Json::object({{"canonical", canonical},
                         {"type", type},
                         {"domain_separator", hex(domain_separator)},
                         {"struct_hash", hex(struct_hash)},
                         {"digest", hex(digest)},
                         {"signature", signature},
                         {"address", address ? Json(to_string(*address)) : Json()}});
  }
};

// Printed as JSON in every format.
Answer signing_answer(Json data) {
  std::string text = data.dump() + "\n";
  return {.data = std::move(data), .text = std::move(text)};
}

// Signs the digest that a derived command computes.
class SignCommand : public Command {
 public:
  void declare(Arguments& arguments) override { key_.declare(arguments); }
  Result<Answer, Stop> run(Context& context) override {
    auto facts = SVC_TRY(compute(context));
    const auto key = SVC_TRY(key_.open(context));
    facts.sign(key);
    return signing_answer(facts.json());
  }

 protected:
  [[nodiscard]] virtual Result<SigningFacts, Failure> compute(Context& context) = 0;

 private:
  KeyFlags key_;
};

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

SigningFacts message_facts(std::string text) {
  return {.canonical = text, .digest = signing::personal_message_digest(text)};
}

SigningFacts struct_facts(std::string_view type, const signing::Domain& domain, const signing::Hash32& struct_hash) {
  const signing::Hash32 separator = signing::separator(domain);
  return {.type = std::string(type),
          .domain_separator = separator,
          .struct_hash = struct_hash,
          .digest = signing::typed_data_digest(separator, struct_hash)};
}

Result<SigningFacts, Failure> document_facts(const std::string& document) {
  const auto hashes = signing::hash_typed_data(document);
  if (!hashes) return unexpected(usage_error(hashes.error()));
  return SigningFacts{.type = hashes->type,
                      .domain_separator = hashes->domain_separator,
                      .struct_hash = hashes->struct_hash,
                      .digest = hashes->digest};
}

// Exit 2 unless one of NAME and --file is given.
Result<void, Failure> check_one_given(const std::string& name, bool by_name, bool by_flag) {
  if (by_name != by_flag) return {};
  return unexpected(usage_error(by_name ? name + " and --file exclude each other" : "missing " + name + ", or --file"));
}

class SignMessage final : public SignCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("TEXT", text_, "the text (EIP-191, personal_sign)");
    arguments.text("--file", file_, "FILE", "the text from a file, byte by byte; - for standard input");
    SignCommand::declare(arguments);
  }

 protected:
  Result<SigningFacts, Failure> compute(Context& context) override {
    SVC_TRY(check_one_given("TEXT", text_.has_value(), file_.has_value()));
    return message_facts(text_ ? *text_ : SVC_TRY(read_bytes(context, *file_, "--file file")));
  }

 private:
  std::optional<std::string> text_, file_;
};

class SignTyped final : public SignCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("FILE", file_, "eth_signTypedData_v4 document; - for standard input");
    arguments.text("--file", flag_file_, "FILE", "same as FILE");
    SignCommand::declare(arguments);
  }

 protected:
  Result<SigningFacts, Failure> compute(Context& context) override {
    SVC_TRY(check_one_given("FILE", file_.has_value(), flag_file_.has_value()));
    return document_facts(SVC_TRY(read_bytes(context, file_ ? *file_ : *flag_file_, "FILE file")));
  }

 private:
  std::optional<std::string> file_, flag_file_;
};

// The parts of a request, which is not sent.
struct RequestFlags {
  std::optional<std::string> method, path, query, body_file, same_body_file;
  std::optional<std::uint64_t> timestamp_ms, nonce;
  std::string body;

  void declare(Arguments& arguments) {
    arguments.text("--method", method, "M", "GET, POST, PUT, PATCH or DELETE");
    arguments.text("--path", path, "P", "signed logical path: /orders, /api/v1/orders");
    arguments.text("--query", query, "Q", "exact bytes after '?'");
    arguments.text("--body", body_file, "FILE", "exact bytes of the body; - for standard input");
    arguments.text("--file", same_body_file, "FILE", "same as --body");
    arguments.integer("--timestamp-ms", timestamp_ms, "N", "Unix milliseconds");
    arguments.integer("--nonce", nonce, "N", "nonce");
  }

  Result<signing::RequestParts, Failure> read(Context& context) {
    if (!method || !path || !timestamp_ms)
      return unexpected(usage_error("--method, --path and --timestamp-ms are required"));
    if (!path->starts_with('/')) return unexpected(usage_error("--path must begin with /"));
    if (path->find('?') != std::string::npos) return unexpected(usage_error("the query goes into --query"));
    if (body_file && same_body_file) return unexpected(usage_error("--body and --file exclude each other"));
    if (!body_file) body_file = same_body_file;
    if (body_file) body = SVC_TRY(read_bytes(context, *body_file, "--body file"));
    return signing::RequestParts{
        .method = *method, .path = *path, .query = query ? *query : std::string_view(), .body = body};
  }
};

class SignAction final : public SignCommand {
 public:
  void declare(Arguments& arguments) override {
    request_.declare(arguments);
    arguments.text("--deployment", deployment_, "TEXT", "deployment text, the `domain` of the struct");
    arguments.text("--domain-name", domain_name_, "TEXT", "name of the EIP-712 domain");
    arguments.integer("--chain-id", chain_id_, "N", "chain id of the domain (default 20056)");
    SignCommand::declare(arguments);
  }

 protected:
  Result<SigningFacts, Failure> compute(Context& context) override {
    // The account that trades is the global --account.
    const std::optional<Address> account = context.globals().account;
    if (!account || !deployment_ || !domain_name_ || !request_.nonce)
      return unexpected(usage_error("--account, --deployment, --domain-name and --nonce are required"));
    const auto parts = SVC_TRY(request_.read(context));
    const auto action = api::action_at(parts, {.account = *account,
                                               .domain = *deployment_,
                                               .timestamp_ms = *request_.timestamp_ms,
                                               .nonce = *request_.nonce});
    if (!action) return unexpected(usage_error(action.error()));
    const auto domain = signing::action_domain(*domain_name_, chain_id_.value_or(signing::action_chain_id));
    return struct_facts(signing::type_string(*action), domain, signing::struct_hash(*action));
  }

 private:
  RequestFlags request_;
  std::optional<std::string> deployment_, domain_name_;
  std::optional<std::uint64_t> chain_id_;
};

// The key is a secret text for hmac, a private key for agent.
class SignRequest final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--scheme", scheme_, scheme_words, "credential");
    request_.declare(arguments);
    key_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    if (!scheme_) return unexpected(usage_error("--scheme must be hmac or agent"));
    const auto facts = SVC_TRY(scheme_ == "hmac" ? hmac(context) : agent(context));
    return signing_answer(facts.json());
  }

 private:
  Result<SigningFacts, Failure> hmac(Context& context) {
    if (key_.wallet) return unexpected(usage_error("--scheme hmac signs with a secret text: use --key-file"));
    const auto parts = SVC_TRY(request_.read(context));
    constexpr auto time_max = static_cast<std::uint64_t>(std::numeric_limits<TimestampMs>::max());
    if (*request_.timestamp_ms > time_max) return unexpected(usage_error("--timestamp-ms is no time"));
    SigningFacts facts{.canonical = signing::hmac_canonical(parts, static_cast<TimestampMs>(*request_.timestamp_ms))};
    if (!key_.file) return facts;
    const auto secret = SVC_TRY(read_key_file(context, *key_.file));
    const auto key = signing::HmacKey::from_hex(secret.reveal());
    if (!key) return unexpected(usage_error("the file of --key-file must hold the secret of an API key: hex digits"));
    facts.signature = key->sign_hex(*facts.canonical);
    return facts;
  }

  Result<SigningFacts, Failure> agent(Context& context) {
    if (!request_.nonce) return unexpected(usage_error("--nonce is required"));
    const auto parts = SVC_TRY(request_.read(context));
    SigningFacts facts{.canonical = agent_text(parts, *request_.nonce)};
    facts.digest = signing::agent_request_digest(*facts.canonical);
    const auto key = SVC_TRY(key_.open(context));
    facts.sign(key);
    return facts;
  }

  // The field is a uint64, wider than TimestampMs: the given digits replace a zero.
  [[nodiscard]] std::string agent_text(const signing::RequestParts& parts, std::uint64_t nonce) const {
    std::string text = signing::agent_canonical(parts, 0, nonce);
    const std::size_t zero = text.rfind('\n') - 1;
    return text.replace(zero, 1, std::to_string(*request_.timestamp_ms));
  }

  std::optional<std::string> scheme_;
  RequestFlags request_;
  KeyFlags key_;
};

class SignRegisterAgent final : public SignCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.address("--agent", agent_, "address of the agent key");
    arguments.integer("--expires-ms", expires_ms_, "N", "Unix milliseconds");
    arguments.integer("--nonce", nonce_, "N", "nonce");
    arguments.text("--domain-name", domain_name_, "TEXT", "name of the EIP-712 domain");
    arguments.integer("--chain-id", chain_id_, "N", "chain id of the domain");
    arguments.text("--salt-network", salt_network_, "NAME", "salt the domain with this network's name");
    SignCommand::declare(arguments);
  }

 protected:
  Result<SigningFacts, Failure> compute(Context&) override {
    if (!agent_ || !expires_ms_ || !nonce_ || !domain_name_ || !chain_id_)
      return unexpected(usage_error("--agent, --expires-ms, --nonce, --domain-name and --chain-id are required"));
    if (salt_network_ && salt_network_->empty()) return unexpected(usage_error("--salt-network names no network"));
    const signing::Domain domain =
        salt_network_ ? signing::registration_domain(*domain_name_, *chain_id_, lower_case(*salt_network_))
                      : signing::plain_registration_domain(*domain_name_, *chain_id_);
    const signing::RegisterAgent registration{.agent = *agent_, .expires_at_ms = *expires_ms_, .nonce = *nonce_};
    return struct_facts(signing::type_string<signing::RegisterAgent>(), domain, signing::struct_hash(registration));
  }

 private:
  std::optional<Address> agent_;
  std::optional<std::uint64_t> expires_ms_, nonce_, chain_id_;
  std::optional<std::string> domain_name_, salt_network_;
};

class SignWithdrawal final : public SignCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--amount", amount_, "N", "the struct's uint256, in 0.000001 USDX");
    arguments.integer("--nonce", nonce_, "N", "nonce");
    arguments.address("--asset", asset_, "asset (default 0xcc…cc, which stands for USDX)");
    arguments.text("--domain-name", domain_name_, "TEXT", "name of the EIP-712 domain");
    arguments.integer("--chain-id", chain_id_, "N", "chain id of the domain (default 20056)");
    SignCommand::declare(arguments);
  }

 protected:
  Result<SigningFacts, Failure> compute(Context&) override {
    if (!amount_ || !nonce_ || !domain_name_)
      return unexpected(usage_error("--amount, --nonce and --domain-name are required"));
    const auto amount = signing::parse_uint256(*amount_);
    if (!amount)
      return unexpected(usage_error("--amount must be a whole number below 2^256, not \"" + *amount_ + "\""));
    const signing::WithdrawIntent intent{
        .amount = *amount, .asset = asset_.value_or(signing::usdx_asset), .nonce = *nonce_};
    const auto domain = signing::action_domain(*domain_name_, chain_id_.value_or(signing::action_chain_id));
    return struct_facts(signing::type_string<signing::WithdrawIntent>(), domain, signing::struct_hash(intent));
  }

 private:
  std::optional<std::string> amount_, domain_name_;
  std::optional<std::uint64_t> nonce_, chain_id_;
  std::optional<Address> asset_;
};

// Half the order of the group, rounded down: a higher s is the malleable twin of a lower one (EIP-2).
constexpr std::string_view half_order = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

class Verify final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--message", message_, "TEXT", "the text that was signed (EIP-191)");
    arguments.text("--typed", typed_, "FILE", "the typed-data document that was signed; - for standard input");
    arguments.text("--file", file_, "FILE",
                   "what was signed: a typed-data document, or else a text; - for standard input");
    arguments.text("--digest", digest_, "HEX", "the digest that was signed");
    arguments.text("--signature", signature_, "HEX", "65 bytes: r, s, v");
    arguments.address("--address", expected_, "who should have signed");
  }

  Result<Answer, Stop> run(Context& context) override {
    const int given = message_.has_value() + typed_.has_value() + file_.has_value() + digest_.has_value();
    if (given != 1) return unexpected(usage_error("give one of --message, --typed, --file and --digest"));
    if (!signature_) return unexpected(usage_error("--signature is required"));
    const auto raw = from_hex_exact<65>(strip_0x(*signature_));
    if (!raw) return unexpected(usage_error("--signature must be 130 hex digits: r, s and v"));
    auto facts = SVC_TRY(compute(context));

    const auto signature = signing::parse_signature(*signature_);
    const auto recovered = signature ? signing::recover(*facts.digest, *signature) : std::nullopt;
    facts.signature = signature ? signing::to_string(*signature) : to_hex_0x(*raw);
    facts.address = recovered;
    const bool low_s = to_hex(std::span(*raw).subspan(32, 32)) <= half_order;
    const bool match = recovered && (!expected_ || *recovered == *expected_);
    Json data = facts.json();
    data.set("recovered", recovered ? Json(to_string(*recovered)) : Json());
    data.set("expected", expected_ ? Json(to_string(*expected_)) : Json());
    data.set("match", expected_ || !recovered ? Json(match) : Json());
    data.set("low_s", low_s);
    Answer answer = signing_answer(std::move(data));
    if (!match) {
      answer.failure = Failure{
          .exit = ExitCode::authentication,
          .code = "signature_mismatch",
          .message = recovered ? "the signature is " + to_string(*recovered) + "'s, not " + to_string(*expected_) + "'s"
                     : low_s   ? "the signature is nobody's"
                               : "the signature has a high s, which is refused (EIP-2)"};
    }
    return answer;
  }

 private:
  Result<SigningFacts, Failure> compute(Context& context) {
    if (message_) return message_facts(*message_);
    if (digest_) {
      const auto digest = from_hex_exact<32>(strip_0x(*digest_));
      if (!digest) return unexpected(usage_error("--digest must be 64 hex digits"));
      return SigningFacts{.digest = *digest};
    }
    const auto document =
        SVC_TRY(typed_ ? read_bytes(context, *typed_, "--typed file") : read_bytes(context, *file_, "--file file"));
    const auto json = parse_json(document);
    if (file_ && (!json || json->find("primaryType") == nullptr)) return message_facts(document);
    return document_facts(document);
  }

  std::optional<std::string> message_, typed_, file_, digest_, signature_;
  std::optional<Address> expected_;
};

}  // namespace

std::span<const CommandRow> sign_commands() {
  static const CommandRow rows[]{
      {"sign message", "TEXT", "Sign a text as a wallet does; offline", make<SignMessage>},
      {"sign typed", "FILE", "Sign a typed-data document; offline", make<SignTyped>},
      {"sign action", "--method M --path P --account ADDR", "Sign the action of a request; offline", make<SignAction>},
      {"sign request", "--scheme hmac|agent --method M --path P", "Sign a request; offline", make<SignRequest>},
      {"sign register-agent", "--agent ADDR", "Sign the registration of an agent; offline", make<SignRegisterAgent>},
      {"sign withdrawal", "--amount N", "Sign a withdrawal; offline", make<SignWithdrawal>},
      {"verify", "--message TEXT|--typed FILE|--digest HEX --signature HEX", "Tell who signed; offline", make<Verify>},
  };
  return rows;
}

}  // namespace svc::cli
