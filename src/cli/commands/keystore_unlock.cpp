// keystore unlock, lock, unlocked
#include <array>

#include "cli/commands/durations.h"
#include "cli/commands/groups.h"
#include "cli/commands/order_views.h"
#include "cli/commands/read.h"
#include "cli/secrets/dev_keys.h"
#include "cli/secrets/session.h"
#include "cli/secrets/wallet_store.h"
#include "cli/unlock/unlock_agent.h"
#include "cli/unlock/unlock_client.h"

namespace svc::cli {
namespace {

std::string until(const Json& row) {
  return time_at(row, "unlocked_until_ms");
}

class UnlockWallet final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "wallet");
    arguments.text("--ttl", ttl_, "D", "lock it again after this time (default 15m, at most 24h)");
    arguments.integer("--uses", uses_, "N", "lock it again after this many signatures");
  }
  Result<Answer, Stop> run(Context& context) override {
    unlock::Lease lease{.ttl_ms = unlock::ttl_ms_default, .uses = uses_};
    if (ttl_) {
      const auto ttl_ms = SVC_TRY(parse_duration("--ttl", *ttl_));
      lease.ttl_ms = ttl_ms;
    }
    if (lease.ttl_ms > unlock::ttl_ms_max) return unexpected(Stop(usage_error("--ttl is at most 24h")));
    if (lease.ttl_ms == 0) return unexpected(Stop(usage_error("--ttl must be longer than nothing")));
    if (uses_ == 0u) return unexpected(Stop(usage_error("--uses must be at least 1")));
    const auto network = SVC_TRY(context.network_name());
    const auto paths = SVC_TRY(context.paths());
    const auto wallet = SVC_TRY(find_wallet(*paths, network.text, name_));
    SVC_TRY(refuse_dev_key(wallet.address, network.text));
    Json data = Json::object({{"name", name_}, {"network", network.text}, {"address", to_string(wallet.address)}});
    if (context.globals().dry_run) return unexpected(Stop(DryRun{data}));
    SVC_TRY(unlock::start(context));
    const auto key = SVC_TRY(unlock_wallet(context, network.text, name_));
    const auto held = SVC_TRY(unlock::hold(context, network.text, name_, key, lease));
    data.set("unlocked_until_ms", held.integer_at("unlocked_until_ms")).set("uses_left", held.integer_at("uses_left"));
    return Answer{
        .data = std::move(data),
        .view = {
            {{"name", "name"}, {"network", "network"}, {"unlocked_until", "", until}, {"uses_left", "uses_left"}}}};
  }

 private:
  std::string name_;
  std::optional<std::string> ttl_;
  std::optional<std::uint64_t> uses_;
};

// Until somebody gives a password again: keys that the agent holds, and sessions.
class LockWallet final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("NAME", name_, "wallet (default: all of every network)");
  }
  Result<Answer, Stop> run(Context& context) override {
    const auto paths = SVC_TRY(context.paths());
    std::vector<std::string> networks = networks_with_keys(*paths);
    if (name_) {
      const auto chosen = SVC_TRY(context.network_name());
      SVC_TRY(find_wallet(*paths, chosen.text, *name_));
      networks = {chosen.text};
    }
    if (context.globals().dry_run) return unexpected(Stop(DryRun{Json::object({{"lock", name_}})}));
    const std::int64_t locked = unlock::lock(context, name_ ? networks.front() : "", name_);
    std::int64_t closed = 0;
    for (const std::string& network : networks) {
      const auto here = SVC_TRY(close_sessions(*paths, network, name_, context.now_ms()));
      closed += here;
    }
    return Answer{.data = Json::object({{"locked", locked}, {"sessions_closed", closed}}),
                  .view = {{{"locked", "locked"}, {"sessions_closed", "sessions_closed"}}}};
  }

 private:
  std::optional<std::string> name_;
};

class ListUnlocked final : public Command {
 public:
  void declare(Arguments&) override {}
  Result<Answer, Stop> run(Context& context) override {
    return Answer{.data = unlock::list(context).value_or(Json::array()),
                  .view = {{{"name", "wallet"},
                            {"network", "network"},
                            {"address", "address"},
                            {"unlocked_until", "", until},
                            {"uses_left", "uses_left"}},
                           Layout::rows}};
  }
};

constexpr std::array keystore_unlock_rows{
    CommandRow{"keystore unlock", "NAME", "Keep a wallet unlocked for a while", make<UnlockWallet>},
    CommandRow{"keystore lock", "[NAME]", "Forget unlocked wallets and close sessions", make<LockWallet>},
    CommandRow{"keystore unlocked", "", "List wallets that are unlocked", make<ListUnlocked>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> keystore_unlock_commands() {
  return keystore_unlock_rows;
}

}  // namespace svc::cli
