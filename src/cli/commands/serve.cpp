// serve --local
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <streambuf>

#include "api/http/url.h"
#include "api/network.h"
#include "api/version.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "cli/arguments/durations.h"
#include "cli/client/key_input.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/read.h"
#include "cli/machine/private_file.h"
#include "cli/store/wallet_store.h"
#include "sim/sim.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array log_words{"none"sv, "pretty"sv, "json"sv, "failed"sv};
constexpr std::array auth_words{"strict"sv, "lenient"sv};
constexpr std::array fields_words{"refuse"sv, "accept"sv};

// A stream that writes to the environment's standard output.
class OutputBuffer final : public std::streambuf {
 public:
  explicit OutputBuffer(Environment& environment) : environment_(environment) {}

  [[nodiscard]] Written written() const { return written_; }

 protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return 0;
    const char one = static_cast<char>(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    if (written_ == Written::whole) written_ = environment_.out({text, static_cast<std::size_t>(count)});
    return written_ == Written::whole ? count : 0;
  }

 private:
  Environment& environment_;
  Written written_ = Written::whole;
};

class Serve final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--local", local_, "run the exchange on this machine");
    arguments.text("--host", host_, "ADDR", "address to listen on (default localhost: 127.0.0.1 and ::1)");
    arguments.integer("--port", port_, "N", "port (default 9090; 0: any free one)");
    arguments.flag("--allow-remote", options_.allow_remote, "allow an address that others can reach");
    arguments.text("--advertise", advertise_, "HOST[:PORT]",
                   "where the other nodes of a cluster reach this one (default: where it listens)");
    arguments.text("--name", name_, "NAME", "name under which `svc local` finds it (default: default)");
    arguments.choice("--as", identity_, api::network_texts, "which network it is (default local)");
    arguments.text("--networks", networks_, "LIST", "serve several at once, told apart by Host: local,testnet,mainnet");
    arguments.text("--domain-name", options_.domain_name, "NAME",
                   "name of its signing domains (default Svc Exchange, Svc Exchange Testnet, ...)");
    arguments.text("--deployment", options_.deployment, "NAME",
                   "deployment text of signed actions (default svc-NETWORK)");
    arguments.integer("--seed", seed_, "N", "seed of everything random in it (default 1)");
    arguments.integer("--open-orders", open_orders_, "N", "orders that an account may have open (default 1000)");
    arguments.integer("--accounts", accounts_, "N", "development accounts (default 10)");
    arguments.decimal("--balance", balance_, "USDX", "balance of each (default 100000)");
    arguments.flag("--faucet", options_.faucet, "offer the faucet on local as well");
    admin_secret_.declare(arguments);
    arguments.text("--control-token-file", control_token_file_, "FILE",
                   "file with the token that opens /_svc to others than this machine (mode 0600)");
    arguments.text("--min-api-version", min_version_, "V", "oldest API version that is served (default 0.8.0)");
    arguments.text("--deprecated-below", deprecated_below_, "V", "older API versions are told that they will end");
    arguments.text("--deprecated-since", deprecated_since_, "TIME", "since when, for the Deprecation header");
    arguments.text("--sunset", sunset_, "TIME", "when they end: 426 from then on");
    arguments.text("--faults", faults_, "FILE", "faults that are set from the start: one JSON object per line");
    arguments.flag("--require-api-version", options_.versions.header_required,
                   "end the grace: requests must name their API version");
    arguments.flag("--require-action", options_.require_action, "refuse order writes without a signed action");
    arguments.flag("--session-stream-tokens", options_.session_mints_stream_tokens,
                   "POST /ws/token takes session tokens, as older contracts had it");
    arguments.give_way("--auth");
    arguments.choice("--auth", auth_, auth_words, "lenient: timestamps of signed requests may be anything");
    arguments.flag("--strict-market-id", options_.strict_market_ids, "paths of single orders need ?market_id=");
    arguments.flag("--strict-query", options_.strict_query, "query parameters that an operation does not take are 400");
    arguments.flag("--bare-streams", options_.bare_streams,
                   "local serves /ws and /stream without /v1 too, as it once did");
    arguments.flag("--no-operator", no_operator_, "a halted market stays halted: no resume, no settle");
    arguments.text("--markets", markets_, "FILE", "markets of your own: a JSON array");
    arguments.text("--latency", latency_, "DELAY", "hold every answer back so long (real time): 5ms, or 5ms+-2");
    arguments.text("--load", load_, "FILE", "begin with a state that --dump or svc local dump wrote");
    arguments.text("--dump", dump_, "FILE", "write the whole state to this file at the end");
    arguments.text("--config-out", config_out_, "FILE", "write the ready line and all settings to this file");
    arguments.integer("--chain-block-ms", chain_block_ms_, "N", "block time of the bridge's chain (default 12000)");
    arguments.integer("--chain-confirmations", chain_confirmations_, "N",
                      "blocks after which deposits and withdrawals are final (default 12)");
    arguments.text("--switch-off", switched_off_, "LIST", "services that are off at the start: " + switchable_list());
    arguments.text("--flow", flow_, "bots|none|tape:FILE", "who trades besides the clients (default bots)");
    arguments.give_way("--record");  // the global flag records requests of clients
    arguments.text("--record", record_, "FILE", "record every command on a tape for --flow tape:FILE");
    arguments.text("--clock", clock_, "real|manual|xN", "its clock (default real)");
    arguments.text("--at", at_, "TIME", "time it starts at (default: now)");
    arguments.text("--limits", limits_, "on|off|xN", "rate limits: as documented, none, or N times as high");
    arguments.choice("--unknown-fields", unknown_fields_, fields_words, "what becomes of unknown body fields");
    arguments.text("--client-ip-header", client_ip_header_, "NAME", "header that carries the client's address");
    arguments.choice("--log", log_, log_words, "request log on standard error (default pretty; failed: refusals only)");
    arguments.text("--state", state_, "DIR",
                   "keep everything in this folder, or on etcd://HOST:PORT,..., and go on from there");
    arguments.text("--ready-file", ready_file_, "FILE", "write the ready line to this file as well");
    arguments.integer("--ready-fd", ready_fd_, "N", "write the ready line to this descriptor as well");
  }

  Result<Answer, Failure> run(Context& context) override {
    if (!local_) return unexpected(usage_error("svc serve needs --local: it runs the exchange on this machine"));
    SVC_TRY(fill(context));
    if (const auto problem = sim::refusal(options_)) return unexpected(usage_error(*problem));
    if (context.globals().dry_run)
      return unexpected(planned(
          "serve",
          Json::object(
              {{"name", options_.name}, {"host", options_.host}, {"port", options_.port}, {"seed", options_.seed}})));
    options_.running_file = SVC_TRY(running_file(context));
    if (options_.allow_remote) {
      context.say("warning: listening on " + options_.host + ": others can reach this sandbox, its keys are public");
      if (options_.seed_given)
        context.say("warning: with --seed, session tokens and API secrets follow from it: who knows it can be anybody");
    }

    OutputBuffer out_buffer(context.environment());
    std::ostream out(&out_buffer);
    const auto served = sim::serve(options_, out, sim::log_to(STDERR_FILENO));
    if (out_buffer.written() != Written::whole)
      return Answer{.printed = true, .failure = unwritable(context, out_buffer.written())};
    if (!served) return unexpected(failed(ExitCode::internal, "cannot_serve", served.error()));
    return Answer{.printed = true};
  }

 private:
  // The file by which `svc local` finds the sandbox; none where nothing can be stored, such as in a container.
  Result<std::filesystem::path, Failure> running_file(Context& context) const {
    const auto paths = context.paths();
    Result<void, Failure> usable;
    if (!paths) {
      usable = unexpected(paths.error());
    } else {
      const std::filesystem::path folder = (*paths)->sandboxes();
      usable = make_private_folder(folder);
      if (!usable && usable.error().code != file_error_code) return unexpected(usable.error());
      if (usable && ::access(folder.c_str(), W_OK | X_OK) == 0) return folder / (options_.name + ".json");
      if (usable) usable = unexpected(file_error(folder, "cannot write to"));
    }
    context.say("note: " + usable.error().message + "; svc local does not find this sandbox");
    return std::filesystem::path();
  }

  Result<void, Failure> fill(Context& context) {
    sim::SandboxOptions& options = options_;
    if (host_) options.host = *host_;
    constexpr std::uint64_t port_max = 65'535;
    SVC_TRY(take(port_, options.port, 0, port_max, "--port must be at most 65535"));
    if (!options.allow_remote && !options.host.empty() && options.host != "localhost" &&
        !api::is_loopback(options.host)) {
      return unexpected(usage_error("--host " + options.host +
                                    " is reachable from other machines; say --allow-remote if that is meant"));
    }
    if (advertise_) options.advertise = *advertise_;
    if (name_) {
      SVC_TRY(check_wallet_name(*name_));
      options.name = *name_;
    }
    if (identity_) options.network = api::parse_network(*identity_).value_or(options.network);
    if (networks_) {
      if (identity_) return unexpected(usage_error("--as and --networks exclude each other"));
      SVC_TRY(take_list(*networks_, api::parse_network, options.networks, [](const std::string& word) {
        return "--networks takes local, testnet and mainnet, separated by commas, not \"" + word + "\"";
      }));
    }
    options.seed_given = seed_.has_value();
    options.seed = seed_.value_or(options.seed);
    SVC_TRY(take(open_orders_, options.open_orders, 1, limits::open_orders_max,
                 concat("--open-orders must be from 1 to ", limits::open_orders_max)));
    SVC_TRY(take(accounts_, options.accounts, 0, limits::dev_accounts_max,
                 concat("--accounts must be at most ", limits::dev_accounts_max)));
    if (balance_) {
      const auto amount = parse_scaled(*balance_, usdx_decimals);
      if (!amount) return unexpected(usage_error("--balance " + std::string(to_string(amount.error()))));
      options.balance = Usdx{*amount};
    }
    if (client_ip_header_ == "") return unexpected(usage_error("--client-ip-header takes the name of one HTTP header"));
    if (client_ip_header_) options.client_ip_header = *client_ip_header_;
    take_choice(unknown_fields_, fields_words, options.unknown_fields);
    SVC_TRY(fill_flow());
    take_choice(log_, log_words, options.log);
    if (state_ && sim::is_etcd_address(*state_)) {
      auto address = sim::parse_etcd_address(*state_);
      if (!address) return unexpected(usage_error("--state: " + address.error()));
      options.etcd = std::move(*address);
    } else if (state_) {
      options.state_folder = *state_;
    }
    SVC_TRY(take_file("--ready-file", ready_file_, options.ready_file));
    if (ready_fd_) {
      constexpr std::uint64_t descriptor_max = 1u << 20;
      if (*ready_fd_ > descriptor_max) return unexpected(usage_error("--ready-fd is no descriptor"));
      options.ready_fd = static_cast<int>(*ready_fd_);
      const int mode = ::fcntl(*options.ready_fd, F_GETFL);
      if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
        return unexpected(usage_error("--ready-fd " + std::to_string(*ready_fd_) + " is not open for writing"));
    }
    SVC_TRY(take_parsed("--clock", clock_, sim::parse_clock_pace, options.clock));
    options.clock_given = clock_.has_value();
    if (at_) options.start_at_ms = SVC_TRY(parse_time("--at", *at_));
    SVC_TRY(take_parsed("--limits", limits_, sim::parse_limit_scale, options.limits));
    SVC_TRY(fill_money(options.money));
    SVC_TRY(fill_versions(options.versions));
    take_choice(auth_, auth_words, options.auth);
    options.operator_exits = !no_operator_;
    SVC_TRY(take_parsed("--latency", latency_, sim::parse_latency, options.latency));
    if (markets_) {
      const auto text = SVC_TRY(read_bytes(context, *markets_, "--markets file"));
      auto file = sim::parse_markets_file(text);
      if (!file) return unexpected(usage_error("--markets: " + file.error()));
      options.markets = std::move(file->markets);
      options.start_prices = std::move(file->prices);
    }
    SVC_TRY(take_file("--load", load_, options.load_file));
    SVC_TRY(take_file("--dump", dump_, options.dump_file));
    SVC_TRY(take_file("--config-out", config_out_, options.config_file));
    if (faults_) options.faults = SVC_TRY(read_bytes(context, *faults_, "--faults file"));
    if (control_token_file_) {
      options.control_token = SVC_TRY(read_secret(context, {.what = "the control token",
                                                            .flag = "--control-token-file",
                                                            .file = control_token_file_,
                                                            .descriptor = {},
                                                            .prompt = false}));
      if (options.control_token.empty()) return unexpected(usage_error("--control-token-file holds no token"));
    }
    const auto variable = context.environment().variable("ADMIN_SECRET");
    if (admin_secret_.file || admin_secret_.descriptor)
      options.admin_secret = SVC_TRY(admin_secret_.read(context));
    else if (variable)
      options.admin_secret = Secret(*variable);
    return {};
  }

  // Each of these leaves the setting as it is if the flag is not given.

  template <class Number>
  static Result<void, Failure> take(const std::optional<std::uint64_t>& given, Number& into, std::uint64_t least,
                                    std::uint64_t most, const std::string& problem) {
    if (!given) return {};
    if (*given < least || *given > most) return unexpected(usage_error(problem));
    into = static_cast<Number>(*given);
    return {};
  }
  // One of these words, in the order of the enumerators.
  template <std::size_t N, class Enum>
  static void take_choice(const std::optional<std::string>& given, const std::array<std::string_view, N>& words,
                          Enum& into) {
    if (given) into = static_cast<Enum>(std::ranges::find(words, *given) - words.begin());
  }
  static Result<void, Failure> take_file(std::string_view flag, const std::optional<std::string>& given,
                                         std::filesystem::path& into) {
    if (!given) return {};
    if (given->empty()) return unexpected(usage_error(std::string(flag) + " names no file"));
    into = *given;
    return {};
  }
  template <class Parse, class Value>
  static Result<void, Failure> take_parsed(const std::string& flag, const std::optional<std::string>& given,
                                           Parse parse, Value& into) {
    if (!given) return {};
    auto value = parse(*given);
    if (!value) return unexpected(usage_error(flag + ": " + value.error()));
    into = std::move(*value);
    return {};
  }
  // Words separated by commas; `problem` tells what is wrong with one.
  template <class Parse, class Value, class Problem>
  static Result<void, Failure> take_list(std::string_view list, Parse parse, std::vector<Value>& into,
                                         const Problem& problem) {
    while (true) {
      const std::size_t comma = list.find(',');
      const auto value = parse(list.substr(0, comma));
      if (!value) return unexpected(usage_error(problem(std::string(list.substr(0, comma)))));
      into.push_back(*value);
      if (comma == std::string_view::npos) return {};
      list.remove_prefix(comma + 1);
    }
  }

  Result<void, Failure> fill_flow() {
    constexpr std::string_view tape = "tape:";
    const std::string flow = flow_.value_or("bots");
    if (flow.starts_with(tape)) {
      options_.flow = sim::FlowKind::tape;
      options_.tape_file = flow.substr(tape.size());
    } else if (flow == "bots" || flow == "none") {
      options_.flow = flow == "bots" ? sim::FlowKind::bots : sim::FlowKind::none;
    } else {
      return unexpected(usage_error("--flow must be bots, none or tape:FILE, not \"" + flow + "\""));
    }
    return take_file("--record", record_, options_.record_file);
  }

  static std::string switchable_list() { return joined(sim::switchable_texts); }

  Result<void, Failure> fill_money(sim::MoneyTerms& money) const {
    SVC_TRY(take(chain_block_ms_, money.chain.block_ms, 0, static_cast<std::uint64_t>(limits::chain_block_ms_max),
                 "--chain-block-ms is 1 to " + std::to_string(limits::chain_block_ms_max)));
    auto& confirmations = money.chain.deposit_confirmations;
    SVC_TRY(take(chain_confirmations_, confirmations, 0, limits::chain_confirmations_max,
                 "--chain-confirmations is at most " + std::to_string(limits::chain_confirmations_max)));
    if (chain_confirmations_) money.chain.withdrawal_confirmations = confirmations;
    if (!switched_off_) return {};
    return take_list(*switched_off_, sim::parse_switchable, money.switched_off, [&](const std::string&) {
      return "--switch-off takes " + switchable_list() + ", separated by commas, not \"" + *switched_off_ + "\"";
    });
  }

  Result<void, Failure> fill_versions(sim::VersionTerms& versions) const {
    const auto read = [](const std::string& flag, const std::optional<std::string>& text,
                         auto& into) -> Result<void, Failure> {
      if (!text) return {};
      const auto version = api::parse_version(*text);
      if (!version) return unexpected(usage_error(flag + " must be such as 0.8.0, not \"" + *text + "\""));
      into = *version;
      return {};
    };
    SVC_TRY(read("--min-api-version", min_version_, versions.policy.minimum));
    SVC_TRY(read("--deprecated-below", deprecated_below_, versions.policy.deprecated_below));
    if (deprecated_since_) versions.deprecated_since_ms = SVC_TRY(parse_time("--deprecated-since", *deprecated_since_));
    if (sunset_) versions.sunset_ms = SVC_TRY(parse_time("--sunset", *sunset_));
    return {};
  }

  sim::SandboxOptions options_;  // flags that need no check are read into it directly
  bool local_ = false, no_operator_ = false;
  std::optional<std::string> host_, advertise_, name_, identity_, networks_, balance_, flow_, clock_, at_, limits_,
      unknown_fields_, switched_off_, client_ip_header_, log_, state_, ready_file_, record_, auth_, markets_, latency_,
      load_, dump_, config_out_, control_token_file_, faults_, min_version_, deprecated_below_, deprecated_since_,
      sunset_;
  std::optional<std::uint64_t> port_, seed_, open_orders_, accounts_, ready_fd_, chain_block_ms_, chain_confirmations_;
  AdminSecretFlags admin_secret_;
};

}  // namespace

std::span<const CommandRow> serve_commands() {
  static const CommandRow rows[]{{"serve", "--local", "Run the exchange on this machine", make<Serve>}};
  return rows;
}

}  // namespace svc::cli
