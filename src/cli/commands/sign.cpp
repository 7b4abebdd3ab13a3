// sign message, typed, action, request, register-agent, withdrawal; verify: offline, without a network.
//
// All print one JSON object with the same members, null where one does not apply, so that any implementation can be
// compared with this one.
#include <limits>

#include "api/operation_list.h"
#include "base/encoding.h"
#include "base/limits.h"
#include "cli/client/key_input.h"
#include "cli/commands/read.h"
#include "cli/machine/private_file.h"
#include "cli/store/wallet_store.h"
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

  [[nodiscard]] Json json() const {
    const auto hex = [](const std::optional<signing::Hash32>& hash) { return hash ? Json(to_hex_0x(*hash)) : Json(); };
    return Json::object({{"canonical", canonical},
                         {"type", type},
                         {"domain_separator", hex(domain_separator)},
                         {"struct_hash", hex(struct_hash)},
                         {"digest", hex(digest)},
                         {"signature", signature},
                         {"address", address}});
  }
};

Result<std::string> network_of_wallet(Context& context, const std::string& wallet) {
  if (context.globals().network || context.environment().variable("SVC_NETWORK")) {
    const auto name = SVC_TRY(context.network_name());
    return name.text;
  }
  const auto paths = SVC_TRY(context.paths());
  std::vector<std::string> holders;
  for (const std::string& network : networks_with_keys(*paths)) {
    if (find_wallet(*paths, network, wallet)) holders.push_back(network);
  }
  if (holders.size() == 1) return holders.front();
  if (holders.empty()) {
    return absent("wallet_not_found", "no wallet \"", wallet, "\" is filed under any network")
        .to_try({"svc keystore list"});
  }
  return usage_error("networks ", joined(holders), " each have a wallet \"", wallet, "\"; say which with -n");
}

// The text of a --key-file. One that others can read is refused. (D-307)
Result<Secret> read_key_file(Context& context, const std::string& file) {
  const Secret whole(SVC_TRY(
      context.read_given_or_input(file, "the file of --key-file", limits::secret_bytes_max, LooseMode::refuse)));
  return Secret(std::string(trimmed(whole.reveal(), " \t\r\n")));
}

// The key to sign with: a wallet by name, or a file of hex digits; nullopt if neither is given.
// Without -n a wallet is found if exactly one network has one of that name. (D-308)
struct KeyFlags {
  std::optional<std::string> wallet;
  std::optional<std::string> file;

  void declare(Arguments& arguments) {
    arguments.add(wallet, {"--wallet", "sign with this wallet of the key store", "NAME"});
    arguments.add(file, {"--key-file", "sign with the key in this file: 64 hex digits", "FILE"});
  }

  Result<std::optional<signing::PrivateKey>> open(Context& context) const {
    if (wallet && file) return usage_error("--wallet and --key-file exclude each other");
    if (wallet)
      return std::optional(SVC_TRY(unlock_wallet(context, SVC_TRY(network_of_wallet(context, *wallet)), *wallet)));
    if (!file) return std::optional<signing::PrivateKey>{};
    auto key = parse_private_key(SVC_TRY(read_key_file(context, *file)).reveal());
    if (!key) return usage_error("the file of --key-file must hold a private key: 64 hex digits");
    return std::optional(std::move(*key));
  }
};

// Printed as JSON in every format.
Answer signing_answer(Context& context, Json data) {
  std::string text = context.environment().for_out(data.dump() + "\n");
  return {.data = std::move(data), .text = std::move(text)};
}

Result<Answer> signed_by(Context& context, const KeyFlags& flags, SigningFacts facts) {
  const auto key = SVC_TRY(flags.open(context));
  if (key && facts.digest) {
    facts.signature = signing::to_string(key->sign(*facts.digest));
    facts.address = key->address();
  }
  return signing_answer(context, facts.json());
}

SigningFacts message_facts(std::string text) {
  return {.canonical = text, .digest = signing::personal_message_digest(text)};
}

template <class Struct>
SigningFacts struct_facts(std::string_view type, const signing::Domain& domain, const Struct& signed_struct) {
  const signing::Hash32 separator = signing::separator(domain);
  const signing::Hash32 hash = signing::struct_hash(signed_struct);
  return {.type = std::string(type),
          .domain_separator = separator,
          .struct_hash = hash,
          .digest = signing::typed_data_digest(separator, hash)};
}

Result<SigningFacts> document_facts(const std::string& document) {
  const auto hashes = signing::hash_typed_data(document);
  if (!hashes) return usage_error(hashes.error());
  return SigningFacts{.type = hashes->type,
                      .domain_separator = hashes->domain_separator,
                      .struct_hash = hashes->struct_hash,
                      .digest = hashes->digest};
}

// Exit 2 unless one of NAME and --file is given.
Result<void> check_one_given(const std::string& name, bool by_name, bool by_flag) {
  if (by_name != by_flag) return {};
  return usage_error(by_name ? name + " and --file exclude each other" : "missing " + name + ", or --file");
}

Result<Answer> sign_message(Context& context, const std::optional<std::string>& text,
                            const std::optional<std::string>& file, const KeyFlags& key) {
  SVC_TRY(check_one_given("TEXT", text.has_value(), file.has_value()));
  const auto message = text ? *text : SVC_TRY(read_bytes(context, *file, "--file file"));
  return signed_by(context, key, message_facts(message));
}

Result<Answer> sign_typed(Context& context, const std::optional<std::string>& file,
                          const std::optional<std::string>& same_file, const KeyFlags& key) {
  SVC_TRY(check_one_given("FILE", file.has_value(), same_file.has_value()));
  const auto document = SVC_TRY(read_bytes(context, file ? *file : *same_file, "FILE file"));
  const auto facts = SVC_TRY(document_facts(document));
  return signed_by(context, key, facts);
}

// The parts of a request, which is not sent.
struct RequestFlags {
  std::optional<std::string> method, path, query, body_file, same_body_file;
  std::optional<std::uint64_t> timestamp_ms, nonce;
  std::string body;

  void declare(Arguments& arguments) {
    arguments.add(method, {"--method", "GET, POST, PUT, PATCH or DELETE", "M"});
    arguments.add(path, {"--path", "signed logical path: /orders, /api/v1/orders", "P"});
    arguments.add(query, {"--query", "exact bytes after '?'", "Q"});
    arguments.add(body_file, {"--body", "exact bytes of the body; - for standard input", "FILE"});
    arguments.add(same_body_file, {"--file", "same as --body", "FILE"});
    arguments.add(timestamp_ms, {"--timestamp-ms", "Unix milliseconds", "N"});
    arguments.add(nonce, {"--nonce", "nonce", "N"});
  }

  Result<signing::RequestParts> read(Context& context) {
    if (!method || !path || !timestamp_ms) return usage_error("--method, --path and --timestamp-ms are required");
    if (!path->starts_with('/')) return usage_error("--path must begin with /");
    if (path->find('?') != std::string::npos) return usage_error("the query goes into --query");
    if (body_file && same_body_file) return usage_error("--body and --file exclude each other");
    if (!body_file) body_file = same_body_file;
    if (body_file) body = SVC_TRY(read_bytes(context, *body_file, "--body file"));
    return signing::RequestParts{
        .method = *method, .path = *path, .query = query ? *query : std::string_view(), .body = body};
  }
};

Result<Answer> sign_action(Context& context, RequestFlags request, const std::optional<std::string>& deployment,
                           const std::optional<std::string>& domain_name, const std::optional<std::uint64_t>& chain_id,
                           const KeyFlags& key) {
  // The account that trades is the global --account.
  const std::optional<Address> account = context.globals().account;
  if (!account || !deployment || !domain_name || !request.nonce)
    return usage_error("--account, --deployment, --domain-name and --nonce are required");
  const auto parts = SVC_TRY(request.read(context));
  const auto action = api::action_at(
      parts,
      {.account = *account, .domain = *deployment, .timestamp_ms = *request.timestamp_ms, .nonce = *request.nonce});
  if (!action) return usage_error(action.error());
  const auto domain = signing::action_domain(*domain_name, chain_id.value_or(signing::action_chain_id));
  return signed_by(context, key, struct_facts(signing::type_string(*action), domain, *action));
}

Result<Answer> sign_by_hmac(Context& context, RequestFlags& request, const KeyFlags& key) {
  if (key.wallet) return usage_error("--scheme hmac signs with a secret text: use --key-file");
  const auto parts = SVC_TRY(request.read(context));
  constexpr auto time_max = static_cast<std::uint64_t>(std::numeric_limits<TimestampMs>::max());
  if (*request.timestamp_ms > time_max) return usage_error("--timestamp-ms is no time");
  SigningFacts facts{.canonical = signing::hmac_canonical(parts, static_cast<TimestampMs>(*request.timestamp_ms))};
  if (key.file) {
    const auto text = SVC_TRY(read_key_file(context, *key.file));
    const auto secret = signing::HmacKey::from_hex(text.reveal());
    if (!secret) return usage_error("the file of --key-file must hold the secret of an API key: hex digits");
    facts.signature = secret->sign_hex(*facts.canonical);
  }
  return signing_answer(context, facts.json());
}

Result<Answer> sign_by_agent(Context& context, RequestFlags& request, const KeyFlags& key) {
  if (!request.nonce) return usage_error("--nonce is required");
  const auto parts = SVC_TRY(request.read(context));
  // The field is a uint64, wider than TimestampMs: the given digits replace a zero.
  std::string text = signing::agent_canonical(parts, 0, *request.nonce);
  text.replace(text.rfind('\n') - 1, 1, std::to_string(*request.timestamp_ms));
  return signed_by(context, key, {.canonical = text, .digest = signing::agent_request_digest(text)});
}

// The key is a secret text for hmac, a private key for agent.
Result<Answer> sign_request(Context& context, const std::optional<std::string>& scheme, RequestFlags request,
                            const KeyFlags& key) {
  if (!scheme) return usage_error("--scheme must be hmac or agent");
  return scheme == "hmac" ? sign_by_hmac(context, request, key) : sign_by_agent(context, request, key);
}

Result<Answer> sign_register_agent(Context& context, const std::optional<Address>& agent,
                                   const std::optional<std::uint64_t>& expires_ms,
                                   const std::optional<std::uint64_t>& nonce,
                                   const std::optional<std::string>& domain_name,
                                   const std::optional<std::uint64_t>& chain_id,
                                   const std::optional<std::string>& salt_network, const KeyFlags& key) {
  if (!agent || !expires_ms || !nonce || !domain_name || !chain_id)
    return usage_error("--agent, --expires-ms, --nonce, --domain-name and --chain-id are required");
  if (salt_network && salt_network->empty()) return usage_error("--salt-network names no network");
  const signing::Domain domain = salt_network
                                     ? signing::registration_domain(*domain_name, *chain_id, lower_case(*salt_network))
                                     : signing::plain_registration_domain(*domain_name, *chain_id);
  const signing::RegisterAgent registration{.agent = *agent, .expires_at_ms = *expires_ms, .nonce = *nonce};
  return signed_by(context, key, struct_facts(signing::type_string<signing::RegisterAgent>(), domain, registration));
}

Result<Answer> sign_withdrawal(Context& context, const std::optional<std::string>& amount,
                               const std::optional<std::uint64_t>& nonce, const std::optional<Address>& asset,
                               const std::optional<std::string>& domain_name,
                               const std::optional<std::uint64_t>& chain_id, const KeyFlags& key) {
  if (!amount || !nonce || !domain_name) return usage_error("--amount, --nonce and --domain-name are required");
  const auto units = signing::parse_uint256(*amount);
  if (!units) return usage_error("--amount must be a whole number below 2^256, not \"" + *amount + "\"");
  const signing::WithdrawIntent intent{.amount = *units, .asset = asset.value_or(signing::usdx_asset), .nonce = *nonce};
  const auto domain = signing::action_domain(*domain_name, chain_id.value_or(signing::action_chain_id));
  return signed_by(context, key, struct_facts(signing::type_string<signing::WithdrawIntent>(), domain, intent));
}

// What was signed: one of these is given.
struct SignedInput {
  std::optional<std::string> message, typed, file, digest;

  void declare(Arguments& arguments) {
    arguments.add(message, {"--message", "the text that was signed (EIP-191)", "TEXT"});
    arguments.add(typed, {"--typed", "the typed-data document that was signed; - for standard input", "FILE"});
    arguments.add(file,
                  {"--file", "what was signed: a typed-data document, or else a text; - for standard input", "FILE"});
    arguments.add(digest, {"--digest", "the digest that was signed", "HEX"});
  }

  Result<SigningFacts> facts(Context& context) const {
    if (message) return message_facts(*message);
    if (digest) {
      const auto hash = from_hex_exact<32>(strip_0x(*digest));
      if (!hash) return usage_error("--digest must be 64 hex digits");
      return SigningFacts{.digest = *hash};
    }
    const auto document =
        SVC_TRY(typed ? read_bytes(context, *typed, "--typed file") : read_bytes(context, *file, "--file file"));
    if (file && json_or_null(document).find("primaryType") == nullptr) return message_facts(document);
    return document_facts(document);
  }
};

Result<Answer> verify(Context& context, const SignedInput& input, const std::optional<std::string>& signature,
                      const std::optional<Address>& expected) {
  const int given =
      input.message.has_value() + input.typed.has_value() + input.file.has_value() + input.digest.has_value();
  if (given != 1) return usage_error("give one of --message, --typed, --file and --digest");
  if (!signature) return usage_error("--signature is required");
  const auto raw = from_hex_exact<65>(strip_0x(*signature));
  if (!raw) return usage_error("--signature must be 130 hex digits: r, s and v");
  auto facts = SVC_TRY(input.facts(context));

  const auto parsed = signing::parse_signature(*signature);
  const auto recovered = parsed ? signing::recover(*facts.digest, *parsed) : std::nullopt;
  facts.signature = parsed ? signing::to_string(*parsed) : to_hex_0x(*raw);
  facts.address = recovered;
  const bool low_s = signing::has_low_s(*raw);
  const bool match = recovered && (!expected || *recovered == *expected);
  Json data = facts.json();
  data.set("recovered", Json(recovered)).set("expected", Json(expected));
  data.set("match", expected || !recovered ? Json(match) : Json()).set("low_s", low_s);
  Answer answer = signing_answer(context, std::move(data));
  if (!match)
    answer.failure = failed("wrong_signer", recovered ? "the signature is " + to_string(*recovered) + "'s, not " +
                                                            to_string(*expected) + "'s"
                                            : low_s ? "the signature is nobody's"
                                                    : "the signature has a high s, which is refused (EIP-2)");
  return answer;
}

constexpr Output signature_output{"canonical? type? domain_separator? struct_hash? digest? signature? address?"};

}  // namespace

std::vector<CommandRow> sign_commands() {
  static constexpr Argument domain_name{"--domain-name", "name of the EIP-712 domain", "NAME"};
  static constexpr Argument chain_id{"--chain-id", "chain id of the domain (default 20056)", "N"};
  static constexpr Argument nonce{"--nonce", "nonce", "N"};
  return {
      {"sign message", "TEXT", "Sign a text as a wallet does; offline",
       "'Sign in to Svc Exchange'  # every step of a personal_sign", signature_output,
       calls(sign_message, {{"TEXT", "the text (EIP-191, personal_sign)"},
                            {"--file", "the text from a file, byte by byte; - for standard input", "FILE"}})},
      {"sign typed", "FILE", "Sign a typed-data document; offline", "~/typed.json  # of an eth_signTypedData_v4",
       signature_output,
       calls(sign_typed,
             {{"FILE", "eth_signTypedData_v4 document; - for standard input"}, {"--file", "same as FILE", "FILE"}})},
      {"sign action", "--method M --path P --account ADDR", "Sign the action of a request; offline",
       "--method POST --path /orders --body ~/order.json --account $ADDR --deployment svc-local --timestamp-ms "
       "1700000000000 --nonce 1 --domain-name 'Svc Exchange'  # of a trading action",
       signature_output,
       calls(sign_action,
             {{"--deployment", "deployment text, the `domain` of the struct", "NAME"}, domain_name, chain_id})},
      {"sign request", "--scheme hmac|agent --method M --path P", "Sign a request; offline",
       "--scheme hmac --method GET --path /account --timestamp-ms 1700000000000 --key-file ~/hmac  # of a request",
       signature_output, calls(sign_request, {{"--scheme", "credential", {}, scheme_words}})},
      {"sign register-agent", "--agent ADDR", "Sign the registration of an agent; offline",
       "--agent $ADDR --expires-ms 1800000000000 --nonce 1 --domain-name 'Svc Exchange' --chain-id 20056  # of a "
       "registration",
       signature_output,
       calls(sign_register_agent, {{"--agent", "address of the agent key"},
                                   {"--expires-ms", "Unix milliseconds", "N"},
                                   nonce,
                                   domain_name,
                                   {"--chain-id", "chain id of the domain", "N"},
                                   {"--salt-network", "salt the domain with this network's name", "NAME"}})},
      {"sign withdrawal", "--amount N", "Sign a withdrawal; offline",
       "--amount 5 --nonce 1 --domain-name 'Svc Exchange'  # of a withdrawal", signature_output,
       calls(sign_withdrawal, {{"--amount", "the struct's uint256, in 0.000001 USDX", "N"},
                               nonce,
                               {"--asset", "asset (default 0xcc…cc, which stands for USDX)"},
                               domain_name,
                               chain_id})},
      {"verify", "--message TEXT|--typed FILE|--digest HEX --signature HEX", "Tell who signed; offline",
       "--message hello --signature $SIGNATURE  # who signed it",
       Output{"canonical? type? domain_separator? struct_hash? digest? signature? address? recovered? expected? "
              "match:boolean? low_s:boolean?"},
       calls(verify, {{"--signature", "65 bytes: r, s, v", "HEX"}, {"--address", "who should have signed"}})},
  };
}

}  // namespace svc::cli
