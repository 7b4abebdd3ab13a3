// why
//
// Hypotheses about a request that was refused, with their evidence.
//
// The service answers every failed authentication alike, on purpose. So everything is derived again here: the string
// that was signed, the signer, the clock's skew, where the key is stored.

#include "api/contract/account.h"
#include "api/contract/agents.h"
#include "api/contract/auth.h"
#include "api/error_catalog.h"
#include "base/encoding.h"
#include "cli/client/credentials.h"
#include "cli/client/proof.h"
#include "cli/commands/control_call.h"
#include "cli/commands/read.h"
#include "cli/store/api_key_store.h"
#include "cli/store/journal_reader.h"
#include "cli/store/nonce_file.h"
#include "cli/store/session.h"
#include "cli/store/wallet_store.h"
#include "cli/terminal/order_views.h"
#include "cli/terminal/render.h"
#include "signing/hash.h"

namespace svc::cli::why {
namespace {

enum class Verdict : std::uint8_t { confirmed, possible, ruled_out };
using enum Verdict;

struct Hypothesis {
  Verdict verdict = possible;
  std::string evidence;
  std::string name{};  // if it is not that of its test
};
using Said = std::optional<Hypothesis>;  // nullopt where the question does not arise

// A request that failed, as keep_failure() keeps it.
struct Case {
  Context& context;
  Exchange& exchange;
  const Json& record;

  [[nodiscard]] std::string text(std::string_view path) const { return record.text_at(path); }
  [[nodiscard]] bool was_unauthorized() const { return record.integer_at("status") == 401; }
};

constexpr std::string_view verdict_words[] = {"confirmed", "possible", "ruled out"};  // in the order of Verdict

// True if the service refused the credential itself.
bool refused_credential(const Failure& failure) {
  return failure.raw && failure.exit == ExitCode::authentication;
}

// A token or a key that is valid here and unknown there belongs to another exchange.
Hypothesis started_anew(const std::string& unknown, const std::string& what_to_do) {
  return {confirmed, concat(unknown, "; ", what_to_do, " (--state FOLDER keeps a sandbox's accounts)"),
          "this sandbox was started anew"};
}

// A sandbox keeps notes of its requests.
Said sandbox_says(const Case& one) {
  if (!one.exchange.network().is_local()) return std::nullopt;
  const auto log = one.exchange.call(call_of<api::control::ListRequests>());
  if (!log) return std::nullopt;
  const std::string target = one.text("target");
  const std::string path = target.substr(0, target.find('?'));
  const Json* latest = nullptr;
  for (const Json& row : log->body.items_at("requests")) {
    const bool same = row.string_at("method") == one.text("method") && row.string_at("path") == path &&
                      row.integer_at("status") == one.record.integer_at("status");
    const bool newer = latest == nullptr || row.integer_at("number") > latest->integer_at("number");
    if (same && newer) latest = &row;
  }
  if (latest == nullptr) return std::nullopt;
  const std::string rule = latest->text_at("rule");
  const std::string note = latest->text_at("note");
  if (rule.empty() && note.empty()) return std::nullopt;
  return Hypothesis{confirmed, rule + (note.empty() ? "" : ": " + note)};
}

Said clock_is_off(const Case& one) {
  const bool is_signed = one.text("scheme") != "bearer" || !one.text("action.signer").empty();
  if (!is_signed || !one.record.integer_at("signed_at_ms")) return std::nullopt;
  std::optional<std::int64_t> skew_ms = one.record.integer_at("skew_ms");
  const std::int64_t corrected_ms = *one.record.integer_at("signed_at_ms") - one.record.integer_at("at_ms").value_or(0);
  if (const auto now = one.exchange.fresh_facts()) skew_ms = (*now)->skew_ms;
  if (!skew_ms) return Hypothesis{possible, "the server sends no usable Date, so the skew is not known"};
  const std::int64_t off_ms = *skew_ms - corrected_ms;
  const std::string told = "this clock is " + seconds_text(std::abs(*skew_ms)) +
                           (*skew_ms > 0 ? " behind" : " ahead of") +
                           " the server's, and the timestamp was corrected by " + seconds_text(corrected_ms);
  const bool beyond = std::abs(off_ms) > limits::auth_window_ms;
  return Hypothesis{beyond ? confirmed : ruled_out, told + "; 30 s are allowed"};
}

Said path_is_not_the_logical_one(const Case& one) {
  const std::string path = one.text("signed_path");
  if (path.empty() || one.text("scheme") == "bearer") return std::nullopt;
  const bool with_base = logical_path(path) != path;
  return Hypothesis{with_base ? confirmed : ruled_out, "signed " + path + ", sent " + one.text("target")};
}

Said key_is_of_another_network(const Case& one) {
  const std::string key_id = one.text("key_id");
  if (key_id.empty()) return std::nullopt;
  const Paths& paths = **one.context.paths();
  std::string elsewhere;
  for (const std::string& network : networks_with_keys(paths)) {
    const ApiKeys keys = list_api_keys(paths, network);
    for (const ApiKeyRecord& record : keys.records) {
      if (record.key_id != key_id) continue;
      if (network == one.exchange.network().name)
        return Hypothesis{ruled_out, "key " + key_id + " is filed under " + network};
      elsewhere = network;
    }
  }
  if (!elsewhere.empty()) return Hypothesis{confirmed, "key " + key_id + " is filed under " + elsewhere};
  return Hypothesis{possible, "key " + key_id + " is filed nowhere here; it came from the environment"};
}

// The session kept here of the account that asked.
std::optional<Session> session_of(const Case& one) {
  const auto account = parse_address(one.text("account"));
  if (!account) return std::nullopt;
  const auto sessions = load_sessions(**one.context.paths(), one.exchange.network().name, one.context.now_ms());
  const Session* session = sessions ? sessions->find(*account) : nullptr;
  return session == nullptr ? std::nullopt : std::optional(*session);
}

// By our clock; a sandbox's own may have been moved since the login.
TimestampMs end_of(const Session& session, const Case& one) {
  const auto facts = one.exchange.fresh_facts();
  const auto ahead_ms = facts ? (*facts)->skew_ms : std::nullopt;
  return ahead_ms ? session.ends_at_ms(*ahead_ms) : session.expires_at_ms;
}

bool had_ended(const Session& session, TimestampMs ends_ms, const Case& one) {
  return !session.has_token() || ends_ms <= one.record.integer_at("at_ms").value_or(0);
}

// The owner's session can ask which keys the server has.
Said server_does_not_know_the_key(const Case& one) {
  const std::string key_id = one.text("key_id");
  if (key_id.empty()) return std::nullopt;
  const auto keys = one.exchange.call(call_of<api::ops::ListKeys>());
  const std::string prefix = "svc -n " + one.exchange.network().name + " ";
  if (!keys) {
    if (const auto session = session_of(one); session && had_ended(*session, end_of(*session, one), one))
      return Hypothesis{possible, "the session has ended, so the server's keys cannot be listed"};
    if (!refused_credential(keys.error()) || !one.exchange.network().is_local())
      return Hypothesis{possible, "no open session to list the server's keys with"};
    return started_anew("it knows neither key " + key_id + " nor the session",
                        prefix + "login --wallet NAME, then " + prefix + "keys create");
  }
  const Json* row = outbox::find_row(keys->body, [&](const Json& k) { return k.string_at("key_id") == key_id; });
  if (row != nullptr) return Hypothesis{ruled_out, "the server lists key " + key_id};
  const std::string owner = one.text("account");
  const std::string asked = one.context.facts().account.value_or(owner);
  if (!owner.empty() && asked != owner)
    return Hypothesis{possible, "the open session lists the keys of " + asked + ", and this one is of " + owner};
  return Hypothesis{confirmed,
                    "the server lists no key " + key_id + ": deleted, or minted elsewhere; " + prefix + "keys create"};
}

// Signs the same string with the secret that is stored now.
Said secret_differs(const Case& one) {
  const std::string canonical = one.text("canonical");
  if (canonical.empty() || one.text("signature_sha256").empty()) return std::nullopt;
  const Call call = call_of<api::ops::GetAccount>();
  const auto credential = choose_credential(one.context, one.exchange.network(), call);
  const auto* hmac = credential ? std::get_if<HmacCredential>(&credential->how) : nullptr;
  if (hmac == nullptr || hmac->key_id != one.text("key_id"))
    return Hypothesis{possible, "the secret of key " + one.text("key_id") + " is not at hand"};
  const std::string again = to_hex(signing::sha256(hmac->key->sign_hex(canonical)));
  if (again == one.text("signature_sha256"))
    return Hypothesis{ruled_out, "signing the same string again gives the same signature"};
  return Hypothesis{confirmed, "signing the same string again gives another signature: the secret was replaced"};
}

Said token_is_too_old(const Case& one) {
  if (one.text("scheme") != "bearer" || !parse_address(one.text("account"))) return std::nullopt;
  const auto session = session_of(one);
  if (!session) return Hypothesis{confirmed, "no session of that account is kept here"};
  const TimestampMs ends_ms = end_of(*session, one);
  const std::string login = "svc -n " + one.exchange.network().name + " login --wallet NAME";
  if (had_ended(*session, ends_ms, one))
    return Hypothesis{confirmed, "it ended at " + rfc3339(ends_ms) + " of this clock; " + login};
  const auto keys = one.exchange.call(call_of<api::ops::ListKeys>());
  if (keys) return Hypothesis{ruled_out, "the server takes its token, until " + rfc3339(ends_ms)};
  if (!refused_credential(keys.error())) return Hypothesis{possible, "the server cannot be asked now"};
  if (one.exchange.network().is_local()) return started_anew("it does not know the session", login);
  return Hypothesis{confirmed,
                    "the server no longer takes its token, which was to last until " + rfc3339(ends_ms) + "; " + login};
}

Said agent_is_not_active(const Case& one) {
  const auto signer = parse_address(one.text("action.signer"));
  const auto account = parse_address(one.text("account"));
  if (!signer || !account || *signer == *account) return std::nullopt;
  const auto agents = one.exchange.call(call_of<api::ops::ListAgents>());
  if (!agents) return Hypothesis{possible, "the account's agents cannot be listed now"};
  const Json* row =
      outbox::find_row(agents->body, [&](const Json& agent) { return agent.address_at("address") == signer; });
  if (row == nullptr) return Hypothesis{confirmed, to_string(*signer) + " is not among the account's agents"};
  const std::int64_t expires_ms = row->integer_at("expiresAt").value_or(0);
  const bool over = expires_ms != 0 && expires_ms <= one.record.integer_at("at_ms").value_or(0);
  return Hypothesis{over ? confirmed : ruled_out,
                    to_string(*signer) + (over ? " expired at " : " is registered until ") + rfc3339(expires_ms)};
}

Said nonce_was_used(const Case& one) {
  const auto signer = parse_address(one.text("action.signer"));
  if (!signer) return std::nullopt;
  const auto next = peek_nonce(**one.context.paths(), one.exchange.network().name, *signer, one.context.now_ms());
  if (!next) return std::nullopt;
  return Hypothesis{possible, "it was " + one.text("action.nonce") + ", the next of this machine is " +
                                  std::to_string(*next) +
                                  "; another machine that signs with this key keeps its own count"};
}

Said catalogue_says(const Case& one) {
  if (one.was_unauthorized()) return std::nullopt;
  const std::string code = one.text("code");
  const auto known = api::find_error(code);
  const std::string meaning =
      known ? concat(api::info(*known).meaning, "; retry: ", api::to_string(api::info(*known).retry))
            : one.text("message");
  return Hypothesis{confirmed, meaning, "code " + code};
}

struct Test {
  std::string_view name;
  Said (*look)(const Case&);
  bool only_of_401 = true;
};

constexpr Test tests[] = {{"what the sandbox itself noted", sandbox_says, false},
                          {"the clock is off", clock_is_off},
                          {"the signed path is not the logical one", path_is_not_the_logical_one},
                          {"the key belongs to another network", key_is_of_another_network},
                          {"the server does not know the key", server_does_not_know_the_key},
                          {"the signature is not the key's", secret_differs},
                          {"the session has ended", token_is_too_old},
                          {"the agent that signed is not active", agent_is_not_active, false},
                          {"the nonce was not higher than the last", nonce_was_used},
                          {"", catalogue_says, false}};  // which names the code

Result<Answer> explain_refusal(Context& context, const std::optional<std::string>& id, bool last) {
  if (id && last) return usage_error("REQUEST_ID and --last exclude each other");
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto found = SVC_TRY(find_failure(**context.paths(), exchange.network().name, id));
  if (!found) {
    return absent("no_failure", "no failed request of network ", exchange.network().name, (id ? " with id " + *id : ""),
                  " is on record");
  }
  const Json& record = *found;
  context.say(concat(record.text_at("method"), " ", record.text_at("target"), ": ", record.text_at("code"), ", ",
                     time_at(record, "at_ms")));
  std::vector<Hypothesis> hypotheses;
  const Case refused{.context = context, .exchange = exchange, .record = record};
  for (const Test& test : tests) {
    auto answer = test.only_of_401 && !refused.was_unauthorized() ? std::nullopt : test.look(refused);
    if (!answer) continue;
    if (answer->name.empty()) answer->name = test.name;
    hypotheses.push_back(std::move(*answer));
  }
  std::ranges::stable_sort(hypotheses, {}, &Hypothesis::verdict);
  Json rows = Json::list(hypotheses, [](const Hypothesis& one) {
    return Json::object({{"hypothesis", one.name},
                         {"verdict", verdict_words[static_cast<std::size_t>(one.verdict)]},
                         {"evidence", one.evidence}});
  });
  Answer answer{.data = record};
  answer.data.set("hypotheses", rows);
  answer.rows = std::move(rows);
  return answer;
}

}  // namespace
}  // namespace svc::cli::why

namespace svc::cli {

std::vector<CommandRow> why_commands() {
  return {{"why", "[REQUEST_ID]", "Find out why the last request was refused", "# why the last command failed",
           Output{"version:integer id at_ms:integer signed_at_ms:integer command operation -sent_to method target "
                  "signed_path scheme canonical? key_id? account? signature_sha256? -action:signed_action "
                  "skew_ms:integer? status:integer? code exit:integer message hypotheses:[hypothesis]",
                  "hypothesis verdict evidence"},
           calls(why::explain_refusal, {{"REQUEST_ID", "a failed request (default: the latest)"},
                                        {"--last", "the latest, which is the default"}})}};
}

}  // namespace svc::cli
