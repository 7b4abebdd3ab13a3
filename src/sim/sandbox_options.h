// What a sandbox is started with. The command line fills it in; tests write it by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/network.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/secret.h"
#include "sim/control/request_lines.h"
#include "sim/control/controlled_venue.h"
#include "sim/engine/market_spec.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/version_gate.h"
#include "sim/sequencer/sandbox_clock.h"
#include "sim/services/money_services.h"

namespace svc::sim {

// How the budgets of API: Limits apply: as written, multiplied, or not at all.
struct LimitScale {
  std::uint32_t multiplier = 1;  // 0: off
};

// "5ms", or "5ms±2" (also 5ms+-2): held back so long, give or take.
[[nodiscard]] Result<AnswerLatency, std::string> parse_latency(std::string_view text);

// "on", "off" or "xN" with N from 1 to limits::limit_scale_max.
[[nodiscard]] Result<LimitScale, std::string> parse_limit_scale(std::string_view text);

enum class FlowKind : std::uint8_t { none, bots, tape };
enum class UnknownFields : std::uint8_t { refuse, accept };
enum class AuthStyle : std::uint8_t { strict, lenient };  // lenient: timestamps are not compared with the clock

struct SandboxOptions {
  // Where it listens.
  std::string host = "localhost";  // both 127.0.0.1 and ::1
  std::uint16_t port = 9090;       // 0: any free port
  bool allow_remote = false;       // without it a host that is not loopback is refused
  std::string name = "default";

  // What it is.
  // Local prints and funds development accounts; the other two do neither, and serve REST under their
  // bases only.
  api::NetworkId network = api::NetworkId::local;
  // Several at once, told apart by the Host of a request; empty: `network` alone, under any name.
  std::vector<api::NetworkId> networks;
  // What is signed names these; without them each network has its own. (domain_name_of, deployment_of)
  std::optional<std::string> domain_name;  // <DOMAIN_NAME> of every signing domain and the login message
  std::optional<std::string> deployment;   // the `domain` text of signed actions
  std::uint64_t seed = 1;
  bool seed_given = false;  // then secrets follow from it in any case (NetworkSettings::secrets)

  // Who is there at the start (local only).
  std::size_t accounts = 10;
  Usdx balance{100'000 * usdx_one};

  // How it behaves.
  bool faucet = false;                       // on testnet it exists in any case
  bool require_action = false;               // refuse order-path writes without a signed action
  bool session_mints_stream_tokens = false;  // POST /ws/token takes session tokens, as older contracts had it
  AuthStyle auth = AuthStyle::strict;
  bool strict_market_ids = false;                           // paths of single orders need ?market_id=
  bool operator_exits = true;                               // without: a halted market stays halted
  std::uint32_t open_orders = limits::open_orders_default;  // that an account may have; of a folder as at its start
  AnswerLatency latency;
  std::vector<engine::MarketSpec> markets;  // empty: the standard ones
  std::vector<std::string> start_prices;    // of those markets, in their order
  MoneyTerms money;                         // the chain behind the bridge, and what is switched off at the start
  Secret admin_secret;                      // empty: every admin request is refused
  Secret control_token;                     // empty: the control surface answers loopback peers only
  FlowKind flow = FlowKind::none;     // `svc serve` has bots unless told otherwise; a desk in a process has nobody
  std::filesystem::path tape_file;    // of FlowKind::tape
  std::filesystem::path record_file;  // every command goes on this tape; empty: none
  ClockPace clock;
  bool clock_given = false;                // it counts for a folder that has a clock already
  std::optional<TimestampMs> start_at_ms;  // --at; absent: the machine's time
  LimitScale limits;
  UnknownFields unknown_fields = UnknownFields::refuse;
  bool strict_query = false;     // query parameters that an operation does not take are refused
  bool bare_streams = false;     // local serves /ws and /stream at its root as well as under /v1
  std::string client_ip_header;  // empty: the peer's address
  VersionTerms versions;
  std::string faults;  // set from the start: one rule per line, as POST /_svc/faults takes it
  LogStyle log = LogStyle::pretty;

  // Where it reports.
  std::filesystem::path ready_file;  // empty: none
  std::optional<int> ready_fd;
  std::filesystem::path running_file;  // $XDG_RUNTIME_DIR/svc/local/NAME.json; empty: none
  std::filesystem::path state_folder;  // --state; empty: everything is in memory
  std::string state_disk;              // an SQLite VFS for the journals (sequencer/state_folder.h); empty: the machine's
  std::filesystem::path load_file;     // a document of GET /_svc/state to begin with; empty: none
  std::filesystem::path dump_file;     // written at the end, likewise; empty: none
  std::filesystem::path config_file;   // what it runs with, as JSON; empty: none
};

// The networks that are served, in the order in which they were named.
[[nodiscard]] std::vector<api::NetworkId> served_networks(const SandboxOptions& options);
// Under which names; empty: any. One alone has them all. (D-028)
[[nodiscard]] std::vector<std::string> hosts_of(const SandboxOptions& options, api::NetworkId network);
// The `domain` text of its signed actions: each network has its own, unless one alone is given one. (D-028)
[[nodiscard]] std::string deployment_of(const SandboxOptions& options, api::NetworkId network);
// The name of its signing domains: each network has its own, unless one is given for all. (D-645)
[[nodiscard]] std::string domain_name_of(const SandboxOptions& options, api::NetworkId network);
// Of several networks that were given one name, the one whose name it is: the first. (D-646)
[[nodiscard]] std::optional<api::NetworkId> owner_of_shared_name(const SandboxOptions& options);

// The first setting that cannot be honoured, said so that the user can mend it; nullopt if all can.
[[nodiscard]] std::optional<std::string> refusal(const SandboxOptions& options);

// Markets of one's own: a JSON array, one object per market, and the price it starts with.
//
//   [{"id":"DOGE-USDX-PERP","price":"0.2","tick_size":"0.00001","lot_size":"1","max_leverage":20}]
//
// `id` and `price` are needed. A market of a standard name has its standard terms unless it says otherwise; another one
// needs tick_size and lot_size as well. Terms: max_leverage, max_order_size, min_notional, open_interest_cap,
// impact_notional, maker_fee_ppm, taker_fee_ppm.

struct MarketsFile {
  std::vector<engine::MarketSpec> markets;
  std::vector<std::string> prices;
};

// The error is one sentence, with the market it is about.
[[nodiscard]] Result<MarketsFile, std::string> parse_markets_file(std::string_view text);

// The accounts that a local sandbox starts with. Their keys are public knowledge.

// The phrase that development tools of this family share, so that their keys work here as well.
inline constexpr std::string_view dev_mnemonic = "test test test test test test test test test test test junk";

// Accounts 0 to count-1 at m/44'/60'/0'/0/index, each to be given `balance`.
[[nodiscard]] std::vector<DevAccount> dev_accounts(std::size_t count, Usdx balance);

}  // namespace svc::sim
