// serve --local
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <ostream>
#include <streambuf>
#include <tuple>

#include "api/http/url.h"
#include "api/network.h"
#include "api/version.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "cli/client/key_input.h"
#include "cli/commands/command.h"
#include "cli/commands/listing.h"
#include "cli/commands/sign.h"
#include "cli/machine/private_file.h"
#include "cli/store/wallet_store.h"
#include "sim/sim.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array log_words{"none"sv, "pretty"sv, "json"sv, "failed"sv};
constexpr std::array auth_words{"strict"sv, "lenient"sv};
constexpr std::array fields_words{"refuse"sv, "accept"sv};

// A stream over one of the environment's outputs.
class OutputBuffer final : public std::streambuf {
 public:
  explicit OutputBuffer(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

 protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return 0;
    const char one = static_cast<char>(c);
    write_({&one, 1});
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    write_({text, static_cast<std::size_t>(count)});
    return count;
  }

 private:
  std::function<void(std::string_view)> write_;
};

template <class E, std::size_t N>
E choice_of(const std::array<std::string_view, N>& words, const std::string& word) {
  return static_cast<E>(std::find(words.begin(), words.end(), word) - words.begin());
}

class Serve final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--local", local_, "run the exchange on this machine");
    arguments.text("--host", host_, "ADDR", "address to listen on (default localhost: 127.0.0.1 and ::1)");
    arguments.integer("--port", port_, "N", "port (default 9090; 0: any free one)");
    arguments.flag("--allow-remote", allow_remote_, "allow an address that others can reach");
    arguments.text("--name", name_, "NAME", "name under which `svc local` finds it (default: default)");
    arguments.choice("--as", identity_, api::network_texts, "which network it is (default local)");
    arguments.text("--networks", networks_, "LIST", "serve several at once, told apart by Host: local,testnet,mainnet");
    arguments.text("--domain-name", domain_name_, "TEXT",
                   "name of its signing domains (default Svc Exchange, Svc Exchange Testnet, ...)");
    arguments.text("--deployment", deployment_, "TEXT", "deployment text of signed actions (default svc-NETWORK)");
    arguments.integer("--seed", seed_, "N", "seed of everything random in it (default 1)");
    arguments.integer("--open-orders", open_orders_, "N", "orders that an account may have open (default 1000)");
    arguments.integer("--accounts", accounts_, "N", "development accounts (default 10)");
    arguments.decimal("--balance", balance_, "USDX", "balance of each (default 100000)");
    arguments.flag("--faucet", faucet_, "offer the faucet on local as well");
    admin_secret_.declare(arguments);
    arguments.text("--control-token-file", control_token_file_, "FILE",
                   "file with the token that opens /_svc to others than this machine (mode 0600)");
    arguments.text("--min-api-version", min_version_, "V", "oldest API version that is served (default 0.8.0)");
    arguments.text("--deprecated-below", deprecated_below_, "V", "older API versions are told that they will end");
    arguments.text("--deprecated-since", deprecated_since_, "TIME", "since when, for the Deprecation header");
    arguments.text("--sunset", sunset_, "TIME", "when they end: 426 from then on");
    arguments.text("--faults", faults_, "FILE", "faults that are set from the start: one JSON object per line");
    arguments.flag("--require-api-version", require_version_, "end the grace: requests must name their API version");
    arguments.flag("--require-action", require_action_, "refuse order writes without a signed action");
    arguments.flag("--session-stream-tokens", session_stream_tokens_,
                   "POST /ws/token takes session tokens, as older contracts had it");
    arguments.give_way("--auth");
    arguments.choice("--auth", auth_, auth_words, "lenient: timestamps of signed requests may be anything");
    arguments.flag("--strict-market-id", strict_market_id_, "paths of single orders need ?market_id=");
    arguments.flag("--strict-query", strict_query_, "query parameters that an operation does not take are 400");
    arguments.flag("--bare-streams", bare_streams_, "local serves /ws and /stream without /v1 too, as it once did");
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
    arguments.give_way("--record");  // what passes over the wire is recorded by its clients
    arguments.text("--record", record_, "FILE", "record every command on a tape for --flow tape:FILE");
    arguments.text("--clock", clock_, "real|manual|xN", "its clock (default real)");
    arguments.text("--at", at_, "TIME", "time it starts at (default: now)");
    arguments.text("--limits", limits_, "on|off|xN", "rate limits: as documented, none, or N times as high");
    arguments.choice("--unknown-fields", unknown_fields_, fields_words, "what becomes of unknown body fields");
    arguments.text("--client-ip-header", client_ip_header_, "NAME", "header that carries the client's address");
    arguments.choice("--log", log_, log_words, "request log on standard error (default pretty; failed: refusals only)");
    arguments.text("--state", state_, "DIR", "keep everything in this folder, and go on from there");
    arguments.text("--ready-file", ready_file_, "FILE", "write the ready line to this file as well");
    arguments.integer("--ready-fd", ready_fd_, "N", "write the ready line to this descriptor as well");
  }

  Result<Answer, Stop> run(Context& context) override {
    if (!local_) return unexpected(Stop(usage_error("svc serve needs --local: it runs the exchange on this machine")));
    sim::SandboxOptions options;
    SVC_TRY(fill(context, options));
    if (const auto problem = sim::refusal(options)) return unexpected(Stop(usage_error(*problem)));
    const auto paths = SVC_TRY(context.paths());
    if (context.globals().dry_run) {
      return unexpected(dry_run(Json::object({{"dry_run", true},
                                                  {"operation", "serve"},
                                                  {"name", options.name},
                                                  {"host", options.host},
                                                  {"port", options.port},
                                                  {"seed", options.seed}})));
    }
    SVC_TRY(make_private_folder(paths->sandboxes()));
    options.running_file = paths->sandboxes() / (options.name + ".json");
    if (options.allow_remote) {
      context.say("warning: listening on " + options.host + ": others can reach this sandbox, its keys are public");
      if (options.seed_given)
        context.say("warning: with --seed, session tokens and API secrets follow from it: who knows it can be anybody");
    }

    Environment& environment = context.environment();
    OutputBuffer out_buffer([&](std::string_view text) { static_cast<void>(environment.out(text)); });
    std::ostream out(&out_buffer);
    if (const auto served = sim::serve(options, out, sim::log_to(STDERR_FILENO)); !served) {
      Failure failure = internal_error(served.error());
      failure.code = "cannot_serve";
      return unexpected(Stop(std::move(failure)));
    }
    return Answer{.printed = true};
  }

 private:
  Result<void, Failure> fill(Context& context, sim::SandboxOptions& options) {
    if (host_) options.host = *host_;
    if (port_) {
      constexpr std::uint64_t port_max = 65'535;
      if (*port_ > port_max) return unexpected(usage_error("--port must be at most 65535"));
      options.port = static_cast<std::uint16_t>(*port_);
    }
    options.allow_remote = allow_remote_;
    if (!allow_remote_ && !options.host.empty() && options.host != "localhost" && !api::is_loopback(options.host)) {
      return unexpected(usage_error("--host " + options.host +
                                    " is reachable from other machines; say --allow-remote if that is meant"));
    }
    if (name_) {
      if (const auto valid = check_wallet_name(*name_); !valid) return valid;
      options.name = *name_;
    }
    if (identity_) options.network = api::parse_network(*identity_).value_or(options.network);
    if (networks_) {
      if (identity_) return unexpected(usage_error("--as and --networks exclude each other"));
      auto named = SVC_TRY(parse_networks(*networks_));
      options.networks = std::move(named);
    }
    if (domain_name_) options.domain_name = *domain_name_;
    if (deployment_) options.deployment = *deployment_;
    if (seed_) {
      options.seed = *seed_;
      options.seed_given = true;
    }
    if (open_orders_) {
      if (*open_orders_ < 1 || *open_orders_ > limits::open_orders_max)
        return unexpected(usage_error("--open-orders must be from 1 to " + std::to_string(limits::open_orders_max)));
      options.open_orders = static_cast<std::uint32_t>(*open_orders_);
    }
    if (accounts_) {
      if (*accounts_ > limits::dev_accounts_max) {
        return unexpected(usage_error("--accounts must be at most " + std::to_string(limits::dev_accounts_max)));
      }
      options.accounts = static_cast<std::size_t>(*accounts_);
    }
    if (balance_) {
      const auto amount = parse_scaled(*balance_, usdx_decimals);
      if (!amount) return unexpected(usage_error("--balance " + std::string(to_string(amount.error()))));
      options.balance = Usdx{*amount};
    }
    options.faucet = faucet_;
    options.require_action = require_action_;
    options.session_mints_stream_tokens = session_stream_tokens_;
    if (client_ip_header_) options.client_ip_header = *client_ip_header_;
    if (unknown_fields_) options.unknown_fields = choice_of<sim::UnknownFields>(fields_words, *unknown_fields_);
    if (const auto filled = fill_flow(options); !filled) return filled;
    if (log_) options.log = choice_of<sim::LogStyle>(log_words, *log_);
    if (state_) options.state_folder = *state_;
    if (ready_file_) {
      if (ready_file_->empty()) return unexpected(usage_error("--ready-file names no file"));
      options.ready_file = *ready_file_;
    }
    if (ready_fd_) {
      constexpr std::uint64_t descriptor_max = 1u << 20;
      if (*ready_fd_ > descriptor_max) return unexpected(usage_error("--ready-fd is no descriptor"));
      options.ready_fd = static_cast<int>(*ready_fd_);
      const int mode = ::fcntl(*options.ready_fd, F_GETFL);
      if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY) {
        return unexpected(usage_error("--ready-fd " + std::to_string(*ready_fd_) + " is not open for writing"));
      }
    }
    if (const auto filled = fill_time(options); !filled) return filled;
    if (const auto filled = fill_money(options.money); !filled) return filled;
    if (const auto filled = fill_versions(options.versions); !filled) return filled;
    if (const auto filled = fill_extras(context, options); !filled) return filled;
    if (faults_) {
      auto text = SVC_TRY(read_document(context, "--faults", *faults_));
      options.faults = std::move(text);
    }
    if (control_token_file_) {
      auto token = SVC_TRY(read_secret(context, {.what = "the control token",
                                                 .flag = "--control-token-file",
                                                 .file = control_token_file_,
                                                 .descriptor = {},
                                                 .prompt = false}));
      if (token.empty()) return unexpected(usage_error("--control-token-file holds no token"));
      options.control_token = std::move(token);
    }
    return fill_admin_secret(context, options);
  }

  Result<void, Failure> fill_flow(sim::SandboxOptions& options) const {
    constexpr std::string_view tape = "tape:";
    const std::string flow = flow_.value_or("bots");
    if (flow.starts_with(tape)) {
      options.flow = sim::FlowKind::tape;
      options.tape_file = flow.substr(tape.size());
    } else if (flow == "bots" || flow == "none") {
      options.flow = flow == "bots" ? sim::FlowKind::bots : sim::FlowKind::none;
    } else {
      return unexpected(usage_error("--flow must be bots, none or tape:FILE, not \"" + flow + "\""));
    }
    if (record_) {
      if (record_->empty()) return unexpected(usage_error("--record names no file"));
      options.record_file = *record_;
    }
    return {};
  }

  Result<void, Failure> fill_extras(Context& context, sim::SandboxOptions& options) const {
    if (auth_) options.auth = choice_of<sim::AuthStyle>(auth_words, *auth_);
    options.strict_market_ids = strict_market_id_;
    options.strict_query = strict_query_;
    options.bare_streams = bare_streams_;
    options.operator_exits = !no_operator_;
    if (latency_) {
      const auto latency = sim::parse_latency(*latency_);
      if (!latency) return unexpected(usage_error("--latency: " + latency.error()));
      options.latency = *latency;
    }
    if (markets_) {
      const auto text = SVC_TRY(read_document(context, "--markets", *markets_));
      auto file = sim::parse_markets_file(text);
      if (!file) return unexpected(usage_error("--markets: " + file.error()));
      options.markets = std::move(file->markets);
      options.start_prices = std::move(file->prices);
    }
    for (const auto& [flag, name, into] : {std::tuple{"--load", &load_, &options.load_file},
                                           {"--dump", &dump_, &options.dump_file},
                                           {"--config-out", &config_out_, &options.config_file}}) {
      if (!*name) continue;
      if ((*name)->empty()) return unexpected(usage_error(std::string(flag) + " names no file"));
      *into = **name;
    }
    return {};
  }

  static std::string switchable_list() {
    std::string list;
    for (const std::string_view service : sim::switchable_texts) list.append(list.empty() ? "" : ", ").append(service);
    return list;
  }

  static Result<std::vector<api::NetworkId>, Failure> parse_networks(std::string_view list) {
    std::vector<api::NetworkId> named;
    while (true) {
      const std::size_t comma = list.find(',');
      const auto network = api::parse_network(list.substr(0, comma));
      if (!network)
        return unexpected(usage_error("--networks takes local, testnet and mainnet, separated by commas, not \"" +
                                      std::string(list.substr(0, comma)) + "\""));
      named.push_back(*network);
      if (comma == std::string_view::npos) return named;
      list.remove_prefix(comma + 1);
    }
  }

  Result<void, Failure> fill_money(sim::MoneyTerms& money) {
    if (chain_block_ms_) {
      if (*chain_block_ms_ > static_cast<std::uint64_t>(limits::chain_block_ms_max))
        return unexpected(usage_error("--chain-block-ms is 1 to " + std::to_string(limits::chain_block_ms_max)));
      money.chain.block_ms = static_cast<std::int64_t>(*chain_block_ms_);
    }
    if (chain_confirmations_) {
      if (*chain_confirmations_ > limits::chain_confirmations_max)
        return unexpected(
            usage_error("--chain-confirmations is at most " + std::to_string(limits::chain_confirmations_max)));
      money.chain.deposit_confirmations = static_cast<std::uint32_t>(*chain_confirmations_);
      money.chain.withdrawal_confirmations = money.chain.deposit_confirmations;
    }
    std::string_view rest = switched_off_ ? std::string_view(*switched_off_) : std::string_view{};
    while (switched_off_) {
      const std::size_t comma = rest.find(',');
      const auto service = sim::parse_switchable(rest.substr(0, comma));
      if (!service)
        return unexpected(usage_error("--switch-off takes " + switchable_list() + ", separated by commas, not \"" +
                                      *switched_off_ + "\""));
      money.switched_off.push_back(*service);
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    return {};
  }

  Result<void, Failure> fill_time(sim::SandboxOptions& options) {
    if (clock_) {
      const auto pace = sim::parse_clock_pace(*clock_);
      if (!pace) return unexpected(usage_error("--clock: " + pace.error()));
      options.clock = *pace;
      options.clock_given = true;
    }
    if (at_) {
      const auto time_ms = SVC_TRY(parse_time("--at", *at_));
      options.start_at_ms = time_ms;
    }
    if (limits_) {
      const auto scale = sim::parse_limit_scale(*limits_);
      if (!scale) return unexpected(usage_error("--limits: " + scale.error()));
      options.limits = *scale;
    }
    return {};
  }

  Result<void, Failure> fill_versions(sim::VersionTerms& versions) const {
    const auto read = [](std::string_view flag, const std::optional<std::string>& text,
                         auto& into) -> Result<void, Failure> {
      if (!text) return {};
      const auto version = api::parse_version(*text);
      if (!version) return unexpected(usage_error(std::string(flag) + " must be such as 0.8.0, not \"" + *text + "\""));
      into = *version;
      return {};
    };
    if (const auto done = read("--min-api-version", min_version_, versions.policy.minimum); !done) return done;
    if (const auto done = read("--deprecated-below", deprecated_below_, versions.policy.deprecated_below); !done)
      return done;
    for (const auto& [flag, text, into] :
         {std::tuple{"--deprecated-since", &deprecated_since_, &versions.deprecated_since_ms},
          {"--sunset", &sunset_, &versions.sunset_ms}}) {
      if (!*text) continue;
      const auto time_ms = SVC_TRY(parse_time(flag, **text));
      *into = time_ms;
    }
    versions.header_required = require_version_;
    return {};
  }

  Result<void, Failure> fill_admin_secret(Context& context, sim::SandboxOptions& options) {
    const auto variable = context.environment().variable("ADMIN_SECRET");
    if (admin_secret_.file || admin_secret_.descriptor) {
      auto secret = SVC_TRY(admin_secret_.read(context));
      options.admin_secret = std::move(secret);
    } else if (variable) {
      options.admin_secret = Secret(*variable);
    }
    return {};
  }

  bool strict_market_id_ = false, strict_query_ = false, bare_streams_ = false, no_operator_ = false,
       session_stream_tokens_ = false;
  bool local_ = false, allow_remote_ = false, faucet_ = false, require_action_ = false, require_version_ = false;
  std::optional<std::string> host_, name_, identity_, networks_, domain_name_, deployment_, balance_, flow_, clock_,
      at_, limits_, unknown_fields_, switched_off_, client_ip_header_, log_, state_, ready_file_, record_, auth_,
      markets_, latency_, load_, dump_, config_out_, control_token_file_, faults_, min_version_, deprecated_below_,
      deprecated_since_, sunset_;
  std::optional<std::uint64_t> port_, seed_, open_orders_, accounts_, ready_fd_, chain_block_ms_, chain_confirmations_;
  AdminSecretFlags admin_secret_;
};

}  // namespace

std::span<const CommandRow> serve_commands() {
  static const CommandRow rows[]{{"serve", "--local", "Run the exchange on this machine", make<Serve>}};
  return rows;
}

}  // namespace svc::cli
