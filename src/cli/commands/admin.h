#pragma once

#include "api/contract/admin.h"
#include "base/address.h"
#include "cli/client/key_input.h"
#include "cli/commands/plain_write.h"

// Brings the accounts' tiers to those of a CSV.
//
//   address,tier,expect,note
//   0x...,MarketMaker,Pro,desk 7
//
// `address` and `tier` are required. The whole file is refused if `expect` is not the present tier. `note` is for
// people.

namespace svc::cli {

struct WantedTier {
  std::size_t line = 0;
  Address address;
  api::Tier tier{};
  std::optional<api::Tier> expect;
};

struct TierChange {
  Address address;
  std::string old_tier;
  api::Tier new_tier{};
  bool reset = false;  // removes the setting instead of replacing it
  [[nodiscard]] std::string_view action() const { return reset ? "reset" : "set"; }
};

// It is typed without case. `name` is that of the argument.
Result<api::Tier> read_tier(std::string_view name, const std::string& typed);

// Every line or none; the error names the line.
Result<std::vector<WantedTier>> parse_tiers(std::string_view csv);

// What the operator's commands share: the secret, and the audit file of changes.
class OperatorAccess {
 public:
  void declare(Arguments& arguments) { secret_.declare(arguments); }
  // Of commands that change tiers: with a reason.
  void declare_change(Arguments& arguments);

  // On real funds a change needs a reason (exit 2).
  Result<void> check_reason(const Exchange& exchange) const;

  Result<Reply> call(Context& context, Exchange& exchange, Call call, const PlainWrite& write = PlainWrite());

  // Sets or resets a tier. Appends to $XDG_STATE_HOME/svc/audit/NET.ndjson before it is sent, and the result; exit 1 if
  // the first line cannot be written.
  Result<Reply> change(Context& context, Exchange& exchange, const TierChange& change);

 private:
  AdminSecretFlags secret_;
  std::optional<Secret> opened_;
  std::optional<std::string> reason_;
  PlainWrite write_;
};

}  // namespace svc::cli
