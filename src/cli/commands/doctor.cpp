// status, doctor
#include <sys/stat.h>

#include <cstdlib>

#include "api/contract/account.h"
#include "api/contract/venue.h"
#include "api/version.h"
#include "base/process.h"
#include "cli/arguments/durations.h"
#include "cli/client/client_id.h"
#include "cli/client/credentials.h"
#include "cli/client/outgoing.h"
#include "cli/client/signers.h"
#include "cli/commands/read.h"
#include "cli/machine/private_file.h"
#include "cli/store/allow_list.h"
#include "cli/store/api_key_store.h"
#include "cli/store/nonce_file.h"
#include "cli/store/session.h"
#include "cli/store/wallet_store.h"
#include "cli/terminal/jq_filter.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

enum class Finding : std::uint8_t {
  good,
  note,   // information
  warn,   // will become a problem
  wrong,  // is a problem now
};

struct Check {
  std::string name;
  Finding finding = Finding::good;
  std::string detail;
  std::optional<std::string> action{};  // a command that fixes it
};

std::string message_of(const Failure& failure) {
  return failure.is_plan() ? "not asked in a dry run" : failure.message;
}

std::optional<std::string> action_of(const Failure& failure) {
  return failure.actions.empty() ? std::nullopt : std::optional(failure.actions.front());
}

// Our own files and folders that others can read or write.
std::vector<fs::path> loose_below(const fs::path& folder) {
  std::vector<fs::path> loose;
  std::error_code none;
  const auto look = [&](const fs::path& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0 || S_ISLNK(status.st_mode) || S_ISSOCK(status.st_mode)) return;
    if ((status.st_mode & 077) != 0) loose.push_back(path);
  };
  if (!fs::exists(folder, none)) return loose;
  look(folder);
  for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, none);
       !none && at != fs::recursive_directory_iterator(); at.increment(none)) {
    look(at->path());
  }
  return loose;
}

bool close_to_others(const fs::path& path) {
  std::error_code failed;
  fs::permissions(path, fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove, failed);
  return !failed;
}

struct SandboxFiles {
  std::vector<fs::path> dead{};   // their process is gone
  std::vector<Failure> unread{};  // why they cannot be read: their sandboxes may run
};

SandboxFiles look_at_sandbox_files(const Paths& paths) {
  SandboxFiles files;
  for (const std::string& name : list_private(paths.sandboxes())) {
    const fs::path file = paths.sandboxes() / name;
    if (!name.ends_with(".json")) continue;
    const auto text = read_private(file);
    if (!text) {
      files.unread.push_back(text.error());
      continue;
    }
    const Json report = json_or_null(text->value_or(""));
    const auto pid = report.integer_at("pid");
    const auto start = static_cast<std::uint64_t>(report.integer_at("start_ticks").value_or(0));
    if (!pid || *pid <= 0 || process_state(static_cast<pid_t>(*pid), start) == ProcessState::gone)
      files.dead.push_back(file);
  }
  return files;
}

// Wallets in the unlock agent, of all networks.
Check check_unlocked(Context& context) {
  const auto held = unlock::list(context);
  if (!held) return {"unlocked", Finding::warn, held.error().message};
  if (held->items().empty()) return {"unlocked", Finding::note, "no wallet"};
  const auto wallet = [](const Json& one) {
    const auto uses = one.integer_at("uses_left");
    return concat(one.text_at("wallet"), " of ", one.text_at("network"), " until ",
                  rfc3339(one.integer_at("unlocked_until_ms").value_or(0)),
                  uses ? concat(", ", *uses, uses == 1 ? " use" : " uses", " left") : "");
  };
  return {"unlocked", Finding::good, joined(held->items(), wallet, "; ")};
}

Check check_session(const Session& session, TimestampMs now_ms, std::int64_t within_ms,
                    std::optional<std::int64_t> ahead_ms, const std::string& prefix) {
  const std::string login = prefix + "login --wallet " + session.wallet;
  if (session.out_of_reach() && session.key_unreadable)
    return {"session", Finding::wrong, session.key_unreadable->message, action_of(*session.key_unreadable)};
  if (session.out_of_reach())
    return {"session", Finding::wrong, "its key is not in the runtime folder (XDG_RUNTIME_DIR) of this run", login};
  const TimestampMs ends_at_ms = session.open() && ahead_ms ? session.ends_at_ms(*ahead_ms) : session.expires_at_ms;
  const bool trades_on = session.open() && session.keys_stay;
  const std::string on = trades_on ? "; API keys go on until the logout" : "";
  if (!session.has_token() || ends_at_ms <= now_ms)
    return {"session", trades_on ? Finding::note : Finding::wrong, "ended at " + rfc3339(ends_at_ms) + on, login};
  const bool soon = ends_at_ms - now_ms < within_ms;
  const Finding near = trades_on ? Finding::note : Finding::warn;
  return {"session", soon ? near : Finding::good, "until " + rfc3339(ends_at_ms) + on,
          soon ? std::optional(login) : std::nullopt};
}

// The key that signs with --auth agent.
Check check_agent(Context& context, const std::string& network, const std::string& prefix, std::int64_t within_ms) {
  const std::string list = prefix + "agents list";
  const std::int64_t ahead_ms = server_ahead_ms(context);
  const auto choice = choose_agent(context, network, ahead_ms);
  if (!choice) return {"agent", Finding::wrong, choice.error().message, list};
  if (choice->own_key && choice->refused)
    return {"agent", Finding::note, choice->refused->message + "; its API key signs", list};
  if (choice->refused) return {"agent", Finding::wrong, choice->refused->message, list};
  const AgentRecord& agent = choice->agents.front();
  if (!agent.expires_at_ms) return {"agent", Finding::good, agent.wallet};
  const bool soon = *agent.expires_at_ms - (context.now_ms() + ahead_ms) < within_ms;
  return {"agent", soon ? Finding::warn : Finding::good, agent.wallet + " until " + rfc3339(*agent.expires_at_ms),
          soon ? std::optional(prefix + "agents register " + agent.wallet) : std::nullopt};
}

Check check_clock(const ServerFacts& facts, const Network& network) {
  if (!facts.skew_ms) return {"clock", Finding::good, "the server sends none"};
  const std::string apart = concat(*facts.skew_ms, " ms from the server's");
  const auto near = check_skew(facts, network);
  if (!near) return {"clock", Finding::wrong, near.error().message, near.error().actions.front()};
  // The user may set the clock of a sandbox.
  if (std::abs(*facts.skew_ms) > limits::skew_refused_above_ms)
    return {"clock", Finding::note, apart + "; the sandbox's clock was set, and timestamps follow it",
            "svc local time show"};
  return {"clock", Finding::good, apart};
}

Check check_network(const Result<Identity>& identity, const ServerFacts& facts, const Network& network) {
  if (!identity) return {"identity", Finding::wrong, identity.error().message};
  if (*identity == Identity::silent)
    return {"identity", Finding::warn,
            "the server does not say which network it serves; what is signed for it, and secrets, need --confirm " +
                network.name};
  return {"identity", Finding::good, facts.serves(network).value_or("")};
}

Check check_domain(const ServerFacts& facts, const Network& network) {
  const auto name = domain_name(facts, network);
  const auto terms = signing_terms(facts, network);
  if (terms) return {"signing_domain", Finding::good, *name};
  const Failure why = nothing_signed(terms.error(), network);
  return {"signing_domain", Finding::warn, why.message, why.actions.back()};
}

// By the metadata, and by the answer to a request that names the version.
Check check_version(Context& context, const Json& metadata, const Result<Reply>& reply) {
  const std::string ours = context.globals().api_version.value_or(std::string(api::client_version));
  const std::string detail = concat("ours ", ours, ", served from ", text_in(metadata, "min_api_version", "?"), " to ",
                                    text_in(metadata, "current_api_version", "?"));
  const auto* failure = failure_in(reply);
  if (failure != nullptr && failure->exit == ExitCode::version)
    return {"version", Finding::wrong, detail + "; refused: " + failure->message,
            command_line(context, "venue metadata --check")};
  const auto standing = standing_of(ours, metadata);
  if (standing == api::VersionVerdict::silent) return {"version", Finding::warn, detail};
  if (standing == api::VersionVerdict::served) return {"version", Finding::good, detail};
  if (standing == api::VersionVerdict::refused)
    return {"version", Finding::wrong, detail, command_line(context, "venue metadata --check")};
  const auto sunset = metadata.string_at("api_version.sunset");
  return {"version", Finding::warn,
          detail + "; ours ends" + (sunset ? " at " + std::string(*sunset) : ", no date is named"),
          command_line(context, "venue metadata --check")};
}

// Whether the server accepts the credential of commands. A missing credential has a row of its own; a refusal by the
// server itself has the server's bytes.
Check check_accepted(const Result<Reply>& reply, const Network& network) {
  if (reply) return {"credential", Finding::good, "accepted; tier " + text_in(reply->body, "tier", "?")};
  const auto* failure = failure_in(reply);
  const bool refused = failure != nullptr && failure->raw &&
                       (failure->exit == ExitCode::authentication || failure->exit == ExitCode::forbidden);
  if (refused && network.is_local()) {
    const std::string prefix = "svc -n " + network.name + " ";
    return {"credential", Finding::wrong,
            "refused by the server: a sandbox that was started anew knows no session and no key of before",
            prefix + "login --wallet NAME && " + prefix + "keys create"};
  }
  return {"credential", refused ? Finding::wrong : Finding::note,
          (refused ? "refused by the server: " : "") + message_of(reply.error()), action_of(reply.error())};
}

Json check_row(const Check& check) {
  constexpr std::array<std::string_view, 4> states{"ok", "note", "warn", "fail"};
  return Json::object({{"check", check.name},
                       {"state", states[static_cast<std::size_t>(check.finding)]},
                       {"detail", check.detail},
                       {"action", check.action}});
}

// Credentials of the network: session, API key, wallet; and what is unlocked. What ends within `within_ms` is a
// warning. `ahead_ms`: the server's clock minus ours, if it was measured; the server ends sessions by its own.
Result<std::vector<Check>> check_credentials(Context& context, std::int64_t within_ms,
                                             std::optional<std::int64_t> ahead_ms) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  const std::string prefix = "svc -n " + network.text + " ";
  std::vector<Check> checks;

  const auto wallets = SVC_TRY(list_wallets(*paths, network.text));
  checks.push_back(
      wallets.empty() ? Check{"wallet", Finding::note, "none is filed under this network", prefix + "keystore new NAME"}
                      : Check{"wallet", Finding::good, joined(wallets, &WalletInfo::name)});

  const auto by_environment = context.environment().variable("SVC_API_KEY");
  const auto loaded = load_sessions(*paths, network.text, context.now_ms());
  const Sessions sessions = loaded ? *loaded : Sessions();
  const Globals& globals = context.globals();
  const Session* session = globals.signer    ? sessions.find_wallet(*globals.signer)
                           : globals.account ? sessions.find(*globals.account)
                                             : sessions.current_session();
  // An agent signs without either.
  const bool by_agent = globals.auth == AuthChoice::agent;
  const Finding missing = by_agent ? Finding::note : Finding::warn;
  if (!loaded) {
    checks.push_back({"session", Finding::wrong, loaded.error().message, joined(loaded.error().actions, {}, "; ")});
  } else if (by_environment) {
    checks.push_back({"session", Finding::note, "SVC_API_KEY stands for it"});
  } else if (session == nullptr) {
    const bool is_named = globals.signer || globals.account;
    const std::string detail = is_named               ? "none for the wallet or account that is named"
                               : sessions.all.empty() ? "none"
                                                      : "none is selected since the logout";
    checks.push_back({"session", missing, detail, prefix + "login"});
  } else {
    checks.push_back(check_session(*session, context.now_ms(), within_ms, ahead_ms, prefix));
  }

  const ApiKeys kept = list_api_keys(*paths, network.text);
  for (const Failure& why : kept.unreadable) checks.push_back({"api_key", Finding::wrong, why.message, action_of(why)});
  const auto& keys = kept.records;
  const auto account = session != nullptr ? std::optional(session->account) : globals.account;
  const auto own =
      std::find_if(keys.rbegin(), keys.rend(), [&](const ApiKeyRecord& key) { return key.account == account; });
  if (by_environment)
    checks.push_back({"api_key", Finding::good, *by_environment + " (SVC_API_KEY)"});
  else if (own == keys.rend())
    checks.push_back({"api_key", missing, "none for this account", prefix + "keys create"});
  else if (session == nullptr)
    checks.push_back({"api_key", Finding::note, own->key_id + ", which the wallet's password opens"});
  else if (const auto secret = open_api_key(*paths, *own, session->rings); session->open() && !secret)
    checks.push_back({"api_key", Finding::wrong, secret.error().message, action_of(secret.error())});
  else
    checks.push_back({"api_key", Finding::good, own->key_id});
  if (by_agent) checks.push_back(check_agent(context, network.text, prefix, within_ms));
  checks.push_back(check_unlocked(context));
  return checks;
}

constexpr std::size_t room_bytes = 64u << 10;  // more than an order writes down

// What orders and payments of the network need: files that can be read, and folders that can be written and have room.
Result<std::vector<Check>> check_use(Context& context) {
  const auto [network, paths] = SVC_TRY(context.network_files());
  std::vector<Check> checks;
  const auto is_well = [&](const auto& result) {
    if (!result) checks.push_back({"files", Finding::wrong, result.error().message, action_of(result.error())});
    return result.has_value();
  };
  (void)is_well(peek_nonce(*paths, network.text, Address{}, context.now_ms()));
  (void)is_well(guards::load_addresses(*paths, network.text));
  for (const fs::path& folder : {paths->state, paths->data}) {
    const fs::path probe = folder / ".writable";
    std::error_code none;
    if (!context.globals().dry_run && fs::exists(folder, none) &&
        is_well(write_private(probe, std::string(room_bytes, '.'))))
      (void)is_well(remove_private(probe));
  }
  return checks;
}

// What --fix does: it closes files that others can read, and removes leftovers of dead sandboxes. A dry run only tells
// which.
enum class Mending : std::uint8_t { none, only_told, done };

Result<std::vector<Check>> check_files(Context& context, Mending mending) {
  const auto paths = SVC_TRY(context.paths());
  std::vector<Check> checks;
  std::size_t closed = 0;
  std::vector<fs::path> roots{paths->config, paths->data, paths->state, paths->cache};
  if (paths->runtime.parent_path() != paths->state) roots.push_back(paths->runtime);
  for (const fs::path& root : roots) {
    for (const fs::path& path : loose_below(root)) {
      if (mending == Mending::only_told)
        checks.push_back({"files", Finding::note, "would close " + path.string() + " to others"});
      else if (mending == Mending::done && close_to_others(path))
        ++closed;
      else
        checks.push_back({"files", Finding::wrong, path.string() + " can be read or written by others",
                          "chmod go-rwx " + quoted_word(path.string())});
    }
  }
  if (closed > 0) checks.push_back({"files", Finding::note, "closed to others: " + std::to_string(closed)});
  if (checks.empty()) checks.push_back({"files", Finding::good, "nobody else can read or write them"});
  const SandboxFiles sandboxes = look_at_sandbox_files(*paths);
  for (const Failure& why : sandboxes.unread)
    checks.push_back(
        {"sandboxes", Finding::warn, "not read, so that its sandbox is not found: " + why.message, action_of(why)});
  for (const fs::path& file : sandboxes.dead) {
    if (mending == Mending::only_told)
      checks.push_back({"sandboxes", Finding::note, "would remove what is left of " + file.string()});
    else if (mending == Mending::done && remove_private(file))
      checks.push_back({"sandboxes", Finding::note, "removed what was left of " + file.string()});
    else
      checks.push_back({"sandboxes", Finding::warn, "a sandbox is gone and left " + file.string(), "svc doctor --fix"});
  }
  return checks;
}

// The program's surroundings: libraries, environment variables that hold secrets, settings.
std::vector<Check> check_surroundings(Context& context) {
  std::vector<Check> checks;
  checks.push_back(compile_jq(".").has_value()
                       ? Check{"libjq", Finding::good, "--jq can be used"}
                       : Check{"libjq", Finding::note, "not installed; --jq cannot be used", "apt-get install libjq1"});
  for (const auto& [name, value] : context.environment().variables) {
    if (value.empty() || !holds_secret(name)) continue;
    checks.push_back({"environment", Finding::warn,
                      name + " is set: other programs of this user can read it; keep it to containers"});
  }
  const auto config = context.config();
  if (!config) {
    checks.push_back({"configuration", Finding::wrong, config.error().message});
    return checks;
  }
  const std::size_t others = checks.size();
  // Errors that this command ignored in order to run.
  if (const auto whole = load_config(**context.paths()); !whole)
    checks.push_back({"configuration", Finding::wrong, whole.error().message});
  for (const std::string& warning : (*config)->warnings) checks.push_back({"configuration", Finding::warn, warning});
  for (const Explained& one : context.settings()) {
    for (const auto& [layer, problem] : one.unusable)
      checks.push_back({"configuration", Finding::warn, layer.place + ": " + problem + "; not used"});
  }
  if (checks.size() == others) checks.push_back({"configuration", Finding::good, (*config)->file.string()});
  return checks;
}

// A base that is not in use.
Check check_base(Context& context, Exchange& exchange, const ServerFacts& facts, const Base& base) {
  Network there = exchange.network();
  there.use(base);
  const auto told = ask_briefly(context, there);
  if (!told) return {"base", Finding::warn, there.origin() + ": " + told.error().message};
  if (const auto differs = contradiction(facts, exchange.network(), *told, base))
    return {"base", Finding::wrong, there.origin() + " is of another deployment: " + *differs};
  return {"base", Finding::good, there.origin()};
}

struct ServerChecks {
  std::vector<Check> rows{};
  std::optional<std::int64_t> ahead_ms{};  // its clock minus ours; nullopt if it was not measured
  std::optional<Failure> mismatch{};       // it serves another network
  std::optional<Failure> unanswered{};     // a question that it did not answer
  bool has_refused = false;                // the credential
};

ServerChecks check_server(Context& context) {
  ServerChecks found;
  std::vector<Check>& checks = found.rows;
  const auto network = context.network();
  if (!network) {
    const bool none_named = network.error().code == "no_network";
    checks.push_back({"network", none_named ? Finding::note : Finding::wrong, network.error().message,
                      none_named ? std::optional<std::string>("svc -n NETWORK doctor") : std::nullopt});
    return found;
  }
  auto exchange = Exchange::open(context);
  if (!exchange) {
    checks.push_back({"network", Finding::wrong, exchange.error().message});
    return found;
  }
  const auto facts = exchange->fresh_facts();
  if (!facts) {
    if (facts.error().exit == ExitCode::unavailable) found.unanswered = facts.error();
    checks.push_back({"network", Finding::wrong, message_of(facts.error()), action_of(facts.error())});
    if (facts.error().exit == ExitCode::local_guard) found.mismatch = facts.error();
    return found;
  }
  const Network& in_use = exchange->network();
  checks.push_back({"network", Finding::good,
                    in_use.name + " at " + in_use.origin() + ", " + std::string(to_string(in_use.funds)) + " funds"});
  const auto identity = check_identity(**facts, in_use, bound_network(**context.paths(), in_use));
  if (!identity) found.mismatch = identity.error();
  checks.push_back(check_network(identity, **facts, in_use));
  for (const Base& other : in_use.bases)
    if (other.rest != in_use.rest) checks.push_back(check_base(context, *exchange, **facts, other));
  checks.push_back(check_domain(**facts, in_use));
  checks.push_back(check_clock(**facts, in_use));
  if ((*facts)->skew_ms) found.ahead_ms = correction_ms(**facts);
  const Json metadata = (*facts)->metadata;
  const auto health = exchange->call(call_of<api::ops::GetStatus>());
  checks.push_back(check_version(context, metadata, health));
  if (!health) {
    if (health.error().exit == ExitCode::unavailable) found.unanswered = health.error();
    checks.push_back({"service", Finding::wrong, message_of(health.error())});
  } else {
    const bool good = is_operational(health->body);
    checks.push_back({"service", good ? Finding::good : Finding::warn, text_in(health->body, "status", "?"),
                      good ? std::nullopt : std::optional(command_line(context, "venue health"))});
  }
  checks.push_back(check_accepted(exchange->call(call_of<api::ops::GetRateLimit>()), in_use));
  found.has_refused = checks.back().finding == Finding::wrong;
  return found;
}

bool any(const std::vector<Check>& checks, Finding at_least) {
  return std::ranges::any_of(checks, [&](const Check& one) { return one.finding >= at_least; });
}

// Whether commands could send a request now, for cron: reads files only, unless --verify.
Result<Answer> show_status(Context& context, const std::optional<std::string>& within, bool exit_code, bool verify) {
  const std::int64_t within_ms = within ? SVC_TRY(parse_duration("--expires-within", *within)) : hour_ms;
  const ServerChecks server = verify ? check_server(context) : ServerChecks();
  auto checks = SVC_TRY(check_credentials(context, within_ms, server.ahead_ms));
  const bool are_good = !any(checks, Finding::warn) && !server.has_refused;
  std::ranges::copy(server.rows, std::back_inserter(checks));
  Answer answer{.data = Json::list(checks, check_row), .failure = server.mismatch};
  if (answer.failure || !exit_code || !any(checks, Finding::warn)) return answer;
  if (are_good && server.unanswered) {
    answer.failure = server.unanswered;
    return answer;
  }
  answer.failure = failed("expiring",
                          "a credential is missing or refused, has ended or ends too soon, or the server shows "
                          "something to look at; see the rows");
  return answer;
}

Result<Answer> run_doctor(Context& context, bool offline, bool fix) {
  std::vector<Check> checks = check_surroundings(context);
  const auto add = [&](const std::vector<Check>& more) { std::ranges::copy(more, std::back_inserter(checks)); };
  const bool dry_run = context.globals().dry_run;
  add(SVC_TRY(check_files(context, !fix ? Mending::none : dry_run ? Mending::only_told : Mending::done)));
  const bool asks = !offline && !dry_run;
  const ServerChecks server = asks ? check_server(context) : ServerChecks();
  if (context.network_name()) {
    add(SVC_TRY(check_credentials(context, hour_ms, server.ahead_ms)));
    add(SVC_TRY(check_use(context)));
  }
  add(server.rows);
  Answer answer{.data = Json::list(checks, check_row), .failure = server.mismatch};
  if (!answer.failure && any(checks, Finding::wrong))
    answer.failure = failed("unhealthy", "something is wrong; see the rows");
  return answer;
}

constexpr Output checks_output{"[] check state detail action?"};

}  // namespace

std::vector<CommandRow> health_commands() {
  return {
      {"status", "", "Show whether credentials are there and how long they last",
       "--expires-within 2h --exit-code  # for cron: fails two hours before what signs orders ends", checks_output,
       calls(show_status, {{"--expires-within", "warn of what ends within this time (default 1h)", "D"},
                           {"--exit-code", "exit 4 if there is a warning, 10 if the server does not answer"},
                           {"--verify", "ask the server as well (costs nothing)"}}),
       Repeats::yes},
      {"doctor", "", "Check files, settings and the server, and say what to do",
       "svc doctor --offline  # is everything in order here?", checks_output,
       calls(run_doctor,
             {{"--offline", "ask no server"}, {"--fix", "close files to others, remove what dead sandboxes left"}}),
       Repeats::yes},
  };
}

}  // namespace svc::cli
