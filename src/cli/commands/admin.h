#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/result.h"
#include "cli/client/exchange.h"
#include "cli/client/key_input.h"
#include "cli/commands/plain_write.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/json.h"

// What it takes to bring the accounts' tiers to what a CSV says.
//
//   address,tier,expect,note
//   0x...,MarketMaker,Pro,desk 7
//
// `address` and `tier` must be there; `expect` refuses the whole unless it is the tier now; `note` is for people.

namespace svc::cli {

struct WantedTier {
  std::size_t line = 0;
  Address address;
  std::string tier;  // as api::tier_texts spells it
  std::optional<std::string> expect;
};

struct TierChange {
  Address address;
  std::string old_tier;
  std::string new_tier;
  bool reset = false;  // by forgetting the setting rather than by another one
  [[nodiscard]] std::string_view action() const { return reset ? "reset" : "set"; }
  bool operator==(const TierChange&) const = default;
};

// What the accounts have now; who is not listed has the default.
using PresentTiers = std::map<std::string, std::string, std::less<>>;  // by address text

[[nodiscard]] std::optional<std::string> tier_spelling(std::string_view text);  // without case

// Every line or none; the error names the line.
[[nodiscard]] Result<std::vector<WantedTier>, Failure> parse_tiers(std::string_view csv);

// In the order of the CSV; with `prune` then those that it does not name, back to the default, by address. Exit 14 if
// an account has not the tier that is expected.
[[nodiscard]] Result<std::vector<TierChange>, Failure> plan_tiers(const std::vector<WantedTier>& wanted,
                                                                  const PresentTiers& present, bool prune);

// A plan as a file that can be looked at, approved and compared.
[[nodiscard]] Json plan_document(std::string_view network, const std::vector<TierChange>& changes);

// What the operator's commands share: the secret, the tiers as they are, and the record of who changed what and why.

class OperatorAccess {
 public:
  // `changes`: the command changes tiers, and says why.
  void declare(Arguments& arguments, bool changes);

  // Before anything is sent: on real funds a change needs a reason (exit 2).
  [[nodiscard]] Result<void, Stop> check_reason(const Exchange& exchange) const;

  [[nodiscard]] Result<Reply, Stop> call(Context& context, Exchange& exchange, Call call,
                                         const PlainWrite& write = PlainWrite());
  [[nodiscard]] Result<PresentTiers, Stop> present(Context& context, Exchange& exchange);

  // Sets or resets, and writes what came of it to the audit file: $XDG_STATE_HOME/svc/audit/NET.ndjson.
  [[nodiscard]] Result<Reply, Stop> change(Context& context, Exchange& exchange, const TierChange& change);

 private:
  AdminSecretFlags secret_;
  std::optional<Secret> opened_;
  std::optional<std::string> reason_;
  PlainWrite write_;
};

}  // namespace svc::cli
