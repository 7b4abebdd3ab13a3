// The settings of a sandbox. The command line fills them in; tests write them by hand.
#pragma once

#include <filesystem>

#include "api/network.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/limits.h"
#include "base/result.h"
#include "sim/control/controlled_venue.h"
#include "sim/engine/market_spec.h"
#include "sim/etcd/etcd_client.h"
#include "sim/gateway/gateway.h"
#include "sim/sequencer/sandbox_clock.h"

namespace svc::sim {

// "5ms", or "5ms±2" (also 5ms+-2): the delay of each answer, and its jitter.
[[nodiscard]] Result<AnswerLatency, std::string> parse_latency(std::string_view text);

// "on", "off" or "xN" with N from 1 to limits::limit_scale_max.
[[nodiscard]] Result<RateLimitScale, std::string> parse_limit_scale(std::string_view text);

enum class FlowKind : std::uint8_t { none, bots, tape };

struct SandboxOptions : GatewayOptions, NetworkTerms {
  // Where it listens.
  std::string host = "localhost";  // both 127.0.0.1 and ::1
  std::uint16_t port = 9090;       // 0: any free port
  bool allow_remote = false;       // without it a host that is not loopback is refused
  std::string advertise;           // HOST or HOST:PORT at which other nodes reach this one; empty: host and port
  std::string name = "default";

  // Which network.
  // Local prints and funds development accounts; the other two do neither, and serve REST under their bases only.
  api::NetworkId network = api::NetworkId::local;
  // Several networks at once, selected by the Host of a request; empty: `network` alone, under any name.
  std::vector<api::NetworkId> networks;
  // The names in what is signed; by default each network has its own. (domain_name_of, deployment_of)
  std::optional<std::string> domain_name;  // <DOMAIN_NAME> of every signing domain and the login message
  std::optional<std::string> deployment;   // the `domain` text of signed actions
  bool seed_given = false;                 // secrets then follow from the seed in any case (NetworkSettings::secrets)

  // The accounts at the start (local only).
  std::size_t accounts = 10;
  Usdx balance{100'000 * usdx_one};

  // How it behaves.
  bool faucet = false;                                      // testnet has it in any case
  bool operator_exits = true;                               // false: a halted market stays halted
  std::uint32_t open_orders = limits::open_orders_default;  // limit per account; a folder keeps its first
  std::vector<engine::MarketSpec> markets;                  // empty: the standard ones
  std::vector<std::string> start_prices;                    // of those markets, in their order
  Secret control_token;                                     // empty: the control surface answers loopback peers only
  FlowKind flow = FlowKind::none;     // `svc serve` has bots by default; a Sandbox in a process has none
  std::filesystem::path tape_file;    // of FlowKind::tape
  std::filesystem::path record_file;  // every command is recorded on this tape; empty: none
  ClockPace clock;
  bool clock_given = false;                // then it also counts for a folder that already has a clock
  std::optional<TimestampMs> start_at_ms;  // --at; absent: the machine's time
  std::string faults;                      // rules set from the start: one per line, as POST /_svc/faults takes them
  LogStyle log = LogStyle::pretty;

  // Where it reports.
  std::filesystem::path ready_file;  // empty: none
  std::optional<int> ready_fd;
  std::filesystem::path running_file;  // $XDG_RUNTIME_DIR/svc/local/NAME.json; empty: none
  std::filesystem::path state_folder;  // --state; empty: everything is in memory
  std::optional<EtcdAddress> etcd;     // --state etcd://...; the state is there instead of in a folder
  EtcdDial etcd_dial;                  // the way to its members; empty: HTTP
  std::string state_disk;              // SQLite VFS of the journals (sequencer/state_folder.h); empty: the machine's
  std::filesystem::path load_file;     // start from this document of GET /_svc/state; empty: none
  std::filesystem::path dump_file;     // write such a document at the end; empty: none
  std::filesystem::path config_file;   // write the effective settings here, as JSON; empty: none
};

// The served networks, in the order in which they were named.
[[nodiscard]] std::vector<api::NetworkId> served_networks(const SandboxOptions& options);
// The host names of the network; empty: any. A network served alone has every name. (D-028)
[[nodiscard]] std::vector<std::string> hosts_of(const SandboxOptions& options, api::NetworkId network);
// The `domain` text of signed actions: each network has its own, unless a network served alone is given one.
// (D-028)
[[nodiscard]] std::string deployment_of(const SandboxOptions& options, api::NetworkId network);
// The name of its signing domains: each network has its own, unless one is given for all. (D-645)
[[nodiscard]] std::string domain_name_of(const SandboxOptions& options, api::NetworkId network);
// If several networks were given one name, the network that owns it: the first. (D-646)
[[nodiscard]] std::optional<api::NetworkId> owner_of_shared_name(const SandboxOptions& options);

// The result; an error begins with what it is about: "--state: ...".
template <class T>
[[nodiscard]] Result<T, std::string> about(std::string_view what, Result<T, std::string> result) {
  if (!result) result.error().insert(0, what);
  return result;
}

// A message about the first setting that cannot be honoured; nullopt if all can.
[[nodiscard]] std::optional<std::string> refusal(const SandboxOptions& options);

// The user's own markets: a JSON array, one object per market, with the price it starts at.
//
//   [{"id":"DOGE-USDX-PERP","price":"0.2","tick_size":"0.00001","lot_size":"1","max_leverage":20}]
//
// `id` and `price` are required. A market with a standard name has the standard terms unless it overrides them; any
// other market also needs tick_size and lot_size. Terms: max_leverage, max_order_size, min_notional,
// open_interest_cap, impact_notional, maker_fee_ppm, taker_fee_ppm.
struct MarketsFile {
  std::vector<engine::MarketSpec> markets;
  std::vector<std::string> prices;
};

// The error is one sentence that names the market.
[[nodiscard]] Result<MarketsFile, std::string> parse_markets_file(std::string_view text);

// The accounts that a local sandbox starts with. Their keys are public knowledge: the seed is that of "test test test
// test test test test test test test test junk", the phrase of common development tools. Deriving it at each start
// would double the time until a sandbox is ready.
inline constexpr std::string_view dev_seed_hex =
    "9dfc3c64c2f8bede1533b6a79f8570e5943e0b8fd1cf77107adf7b72cef42185"
    "d564a3aee24cab43f80e3c4538087d70fc824eabbad596a23c97b6ee8322ccc0";

// Accounts 0 to count-1 at m/44'/60'/0'/0/index, each to be given `balance`.
[[nodiscard]] std::vector<DevAccount> dev_accounts(std::size_t count, Usdx balance);

}  // namespace svc::sim
