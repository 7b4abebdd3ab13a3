// serve --local
#include <fcntl.h>
#include <unistd.h>

#include <ranges>

#include "api/network.h"
#include "api/version.h"
#include "cli/arguments/durations.h"
#include "cli/client/key_input.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/control_call.h"
#include "cli/commands/read.h"
#include "cli/machine/private_file.h"
#include "sim/sim.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array log_words{"none"sv, "pretty"sv, "json"sv, "failed"sv};
constexpr std::array auth_words{"strict"sv, "lenient"sv};
constexpr std::array fields_words{"refuse"sv, "accept"sv};

// Readers of one setting each.

// `parse` returns a Result with a sentence, or an optional; then `expected` is the sentence.
template <class Parse, class Value>
Arguments::Reader parsed_by(Parse parse, Value& into, std::string_view expected = {}) {
  return [parse, &into, expected](const std::string& given) -> std::string {
    auto value = parse(given);
    if (value) {
      into = std::move(*value);
      return {};
    }
    if constexpr (requires { value.error(); })
      return std::move(value.error());
    else
      return concat(expected, ", not \"", given, "\"");
  };
}

// Words separated by commas.
template <class Parse, class Value>
Arguments::Reader list_of(Parse parse, std::vector<Value>& into, std::string expected) {
  return [parse, &into, expected = std::move(expected)](const std::string& given) -> std::string {
    for (const auto word : std::views::split(given, ',')) {
      const auto value = parse(std::string_view(word.begin(), word.end()));
      if (!value) return concat("takes ", expected, ", separated by commas, not \"", given, "\"");
      into.push_back(*value);
    }
    return {};
  };
}

constexpr std::string_view version_expected = "must be such as 0.8.0";

class Serve final : public Command {
 public:
  void declare(Arguments& arguments) override {
    sim::SandboxOptions& options = options_;
    options.flow = sim::FlowKind::bots;
    arguments.add(local_, {"--local", "run the exchange on this machine"});
    arguments.read({"--host", "address to listen on (default localhost: 127.0.0.1 and ::1)", "ADDR"},
                   [this](const std::string& given) { return take_host(given); });
    constexpr std::uint64_t port_max = 65'535;
    arguments.bounded("--port", options.port, 0, port_max, "N",
                      "port (default 9090, of local run a free one; 0: any free one)");
    arguments.add(options.allow_remote, {"--allow-remote", "allow an address that others can reach"});
    arguments.add(options.advertise,
                  {"--advertise", "where the other nodes of a cluster reach this one (default: where it listens)",
                   "HOST[:PORT]"});
    arguments.add(name_, {"--name", "name under which `svc local` finds it (default: default)", "NAME"});
    arguments.add(identity_, {"--as", "which network it is (default local)", {}, api::network_texts});
    arguments.read({"--networks", "serve several at once, told apart by Host: local,testnet,mainnet", "LIST"},
                   list_of(api::parse<api::NetworkId>, options.networks, "local, testnet and mainnet"));
    arguments.add(
        options.domain_name,
        {"--domain-name", "name of its signing domains (default Svc Exchange, Svc Exchange Testnet, ...)", "NAME"});
    arguments.add(options.deployment,
                  {"--deployment", "deployment text of signed actions (default svc-NETWORK)", "NAME"});
    arguments.add(seed_, {"--seed", "seed of everything random in it (default 1)", "N"});
    arguments.bounded("--open-orders", options.open_orders, 1, limits::open_orders_max, "N",
                      "orders that an account may have open (default 1000)");
    arguments.bounded("--accounts", options.accounts, 0, limits::dev_accounts_max, "N",
                      "development accounts (default 10)");
    arguments.add(balance_, decimal("--balance", "balance of each (default 100000)", "USDX"));
    arguments.add(options.faucet, {"--faucet", "offer the faucet and credit on local as well"});
    admin_secret_.declare(arguments);
    arguments.add(control_token_file_,
                  {"--control-token-file",
                   "file with the token that opens /_svc to others than this machine (mode 0600)", "FILE"});
    arguments.read({"--min-api-version", "oldest API version that is served (default 0.8.0)", "V"},
                   parsed_by(api::parse_version, options.versions.policy.minimum, version_expected));
    arguments.read({"--deprecated-below", "older API versions are told that they will end", "V"},
                   parsed_by(api::parse_version, options.versions.policy.deprecated_below, version_expected));
    arguments.add(deprecated_since_, {"--deprecated-since", "since when, for the Deprecation header", "TIME"});
    arguments.add(sunset_, {"--sunset", "when they end: 426 from then on", "TIME"});
    arguments.add(faults_, {"--faults", "faults that are set from the start: one JSON object per line", "FILE"});
    arguments.add(options.versions.header_required,
                  {"--require-api-version", "end the grace: requests must name their API version"});
    arguments.add(options.require_action, {"--require-action", "refuse order writes without a signed action"});
    arguments.add(options.session_mints_stream_tokens,
                  {"--session-stream-tokens", "POST /ws/token takes session tokens, as older contracts had it"});
    arguments.add(options.auth,
                  hiding_global({"--auth", "lenient: timestamps of signed requests may be anything", {}, auth_words}));
    arguments.add(options.strict_market_ids, {"--strict-market-id", "paths of single orders need ?market_id="});
    arguments.add(options.strict_query, {"--strict-query", "query parameters that an operation does not take are 400"});
    arguments.add(options.bare_streams,
                  {"--bare-streams", "local serves /ws and /stream without /v1 too, as it once did"});
    arguments.add(no_operator_, {"--no-operator", "a halted market stays halted: no resume, no settle"});
    arguments.add(markets_, {"--markets", "markets of your own: a JSON array", "FILE"});
    arguments.read({"--latency", "hold every answer back so long (real time): 5ms, or 5ms+-2", "DELAY"},
                   parsed_by(sim::parse_latency, options.latency));
    arguments.add(options.load_file, {"--load", "begin with a state that --dump or svc local dump wrote", "FILE"});
    arguments.add(options.dump_file, {"--dump", "write the whole state to this file at the end", "FILE"});
    arguments.add(options.config_file, {"--config-out", "write the ready line and all settings to this file", "FILE"});
    arguments.bounded("--chain-block-ms", options.money.chain.block_ms, 1, limits::chain_block_ms_max, "N",
                      "block time of the bridge's chain (default 12000); a state folder keeps its first");
    arguments.bounded(
        "--chain-confirmations", confirmations_, 0, limits::chain_confirmations_max, "N",
        "blocks after which deposits and withdrawals are final (default 12); a state folder keeps its first");
    const std::string switchable = joined(sim::Switchable_texts);
    arguments.read({"--switch-off", "services that are off when the exchange begins: " + switchable, "LIST"},
                   list_of(api::parse<sim::Switchable>, options.money.switched_off, switchable));
    arguments.read({"--flow", "who trades besides the clients (default bots)", "bots|none|tape:FILE"},
                   [this](const std::string& given) { return take_flow(given); });
    // The global flag records requests of clients.
    arguments.add(options.record_file,
                  hiding_global({"--record", "record every command on a tape for --flow tape:FILE", "FILE"}));
    arguments.read({"--clock", "its clock (default real)", "real|manual|xN"}, [this](const std::string& given) {
      options_.clock_given = true;
      return parsed_by(sim::parse_clock_pace, options_.clock)(given);
    });
    arguments.add(at_, {"--at", "time it starts at (default: now)", "TIME"});
    arguments.read({"--limits", "rate limits: as documented, none, or N times as high", "on|off|xN"},
                   parsed_by(sim::parse_limit_scale, options.limits));
    arguments.add(options.unknown_fields,
                  {"--unknown-fields", "what becomes of unknown body fields", {}, fields_words});
    arguments.add(options.client_ip_header, {"--client-ip-header", "header that carries the client's address", "NAME"});
    arguments.add(options.log,
                  {"--log", "request log on standard error (default pretty; failed: refusals only)", {}, log_words});
    arguments.read(
        {"--state", "keep everything in this folder, or on etcd://HOST:PORT,..., and go on from there", "DIR"},
        [this](const std::string& given) { return take_state(given); });
    arguments.add(options.ready_file, {"--ready-file", "write the ready line to this file as well", "FILE"});
    arguments.read({"--ready-fd", "write the ready line to this descriptor as well", "N"},
                   [this](const std::string& given) { return take_descriptor(given); });
  }

  Result<Answer> run(Context& context) override {
    if (!local_) return usage_error("svc serve needs --local: it runs the exchange on this machine");
    SVC_TRY(fill(context));
    if (const auto problem = sim::refusal(options_)) return usage_error(*problem);
    if (context.globals().dry_run)
      return planned(
          "serve",
          Json::object(
              {{"name", options_.name}, {"host", options_.host}, {"port", options_.port}, {"seed", options_.seed}}));
    options_.running_file = SVC_TRY(running_file(context));
    if (options_.allow_remote) {
      context.say("warning: listening on " + options_.host + ": others can reach this sandbox, its keys are public");
      if (options_.seed_given)
        context.say("warning: with --seed, session tokens and API secrets follow from it: who knows it can be anybody");
    }

    Written written = Written::whole;
    const auto out = [&](std::string_view line) {
      written = context.environment().out(line);
      return written == Written::whole ? line.size() : 0;
    };
    const auto served = sim::serve(options_, out, sim::log_to(STDERR_FILENO));
    if (written != Written::whole) return Answer{.printed = true, .failure = unwritable(context, written)};
    if (!served) return failed("cannot_serve", served.error());
    return Answer{.printed = true};
  }

 private:
  // The file by which `svc local` finds the sandbox; none where nothing can be stored, such as in a container.
  Result<std::filesystem::path> running_file(Context& context) const {
    const auto paths = context.paths();
    Result<void> usable;
    if (!paths) {
      usable = paths.error();
    } else {
      const std::filesystem::path folder = (*paths)->sandboxes();
      usable = make_private_folder(folder);
      if (!usable && usable.error().code != file_error_code) return usable.error();
      if (usable && ::access(folder.c_str(), W_OK | X_OK) == 0) return folder / (options_.name + ".json");
      if (usable) usable = file_error(folder, "cannot write to");
    }
    context.say("note: " + usable.error().message + "; svc local does not find this sandbox");
    return std::filesystem::path();
  }

  // What needs more than the flag's own value.
  Result<void> fill(Context& context) {
    sim::SandboxOptions& options = options_;
    if (name_) {
      SVC_TRY(check_wallet_name(*name_));
      options.name = *name_;
    }
    if (identity_ && !options.networks.empty()) return usage_error("--as and --networks exclude each other");
    options.network = identity_.value_or(options.network);
    options.seed_given = seed_.has_value();
    options.seed = seed_.value_or(options.seed);
    if (balance_) {
      const auto amount = parse_scaled(*balance_, usdx_decimals);
      if (!amount) return usage_error("--balance " + std::string(to_string(amount.error())));
      options.balance = Usdx{*amount};
    }
    if (at_) options.start_at_ms = SVC_TRY(parse_time("--at", *at_));
    if (confirmations_)
      options.money.chain.deposit_confirmations = options.money.chain.withdrawal_confirmations = *confirmations_;
    if (deprecated_since_)
      options.versions.deprecated_since_ms = SVC_TRY(parse_time("--deprecated-since", *deprecated_since_));
    if (sunset_) options.versions.sunset_ms = SVC_TRY(parse_time("--sunset", *sunset_));
    options.operator_exits = !no_operator_;
    if (markets_) SVC_TRY(take_markets(context, *markets_, options));
    if (faults_) options.faults = SVC_TRY(read_bytes(context, *faults_, "--faults file"));
    if (control_token_file_) {
      options.control_token = SVC_TRY(read_secret(context, {.what = "the control token",
                                                            .flag = "--control-token-file",
                                                            .file = control_token_file_,
                                                            .descriptor = {},
                                                            .prompt = false}));
      if (options.control_token.empty()) return usage_error("--control-token-file holds no token");
    }
    const auto variable = context.environment().variable("ADMIN_SECRET");
    if (admin_secret_.file || admin_secret_.descriptor)
      options.admin_secret = SVC_TRY(admin_secret_.read(context));
    else if (variable)
      options.admin_secret = Secret(*variable);
    return {};
  }

  // An address may be in brackets, as in a URL.
  std::string take_host(const std::string& given) {
    const bool is_bracketed = given.starts_with('[') && given.ends_with(']');
    options_.host = is_bracketed ? given.substr(1, given.size() - 2) : given;
    return {};
  }

  std::string take_flow(const std::string& given) {
    constexpr std::string_view tape = "tape:";
    if (given != "bots" && given != "none" && !given.starts_with(tape))
      return "must be bots, none or tape:FILE, not \"" + given + "\"";
    options_.flow = given == "bots" ? sim::FlowKind::bots : given == "none" ? sim::FlowKind::none : sim::FlowKind::tape;
    if (options_.flow == sim::FlowKind::tape) options_.tape_file = given.substr(tape.size());
    return {};
  }

  // A mistyped etcd:// must not become a folder: each node would have an exchange of its own.
  std::string take_state(const std::string& given) {
    if (sim::is_etcd_address(given)) return parsed_by(sim::parse_etcd_address, options_.etcd)(given);
    if (given.find(':') < given.find('/'))
      return concat("takes a folder or etcd://HOST:PORT,..., not \"", given, "\"; a folder of that name is ./", given);
    options_.state_folder = given;
    return {};
  }

  std::string take_descriptor(const std::string& given) {
    constexpr int descriptor_max = 1 << 20;
    options_.ready_fd = parse_integer<int>(given);
    if (!options_.ready_fd || *options_.ready_fd < 0 || *options_.ready_fd > descriptor_max)
      return "is no descriptor: " + given;
    const int mode = ::fcntl(*options_.ready_fd, F_GETFL);
    return mode < 0 || (mode & O_ACCMODE) == O_RDONLY ? given + " is not open for writing" : "";
  }

  // As the flags say; those that need more are read into the members below.
  sim::SandboxOptions options_;
  bool local_ = false, no_operator_ = false;
  std::optional<std::string> name_, balance_, at_, markets_, control_token_file_, faults_, deprecated_since_, sunset_;
  std::optional<api::NetworkId> identity_;
  std::optional<std::uint64_t> seed_;
  std::optional<std::uint32_t> confirmations_;
  AdminSecretFlags admin_secret_;
};

}  // namespace

std::vector<CommandRow> serve_commands() {
  return {{"serve", "--local", "Run the exchange on this machine",
           "svc serve --local --port 0 --dry-run  # what the sandbox would be",
           Output{"name url ws control network deployment domain_name pid:integer seed:integer accounts:[account_key] "
                  "-networks:[served_network]",
                  "",
                  "One line, when requests are accepted, whatever is asked for with -o. What is refused before that, "
                  "and the plan of a dry run, are documents of the usual kind.",
                  As::lines},
           make<Serve>}};
}

}  // namespace svc::cli
