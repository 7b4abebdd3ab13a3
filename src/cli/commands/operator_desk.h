// What the operator's commands share: the secret, the tiers as they are, and the record of who changed what and why.
#pragma once

#include <optional>
#include <string>

#include "cli/commands/plain_write.h"
#include "cli/commands/tier_plan.h"
#include "cli/exchange/exchange.h"
#include "cli/secrets/admin_secret.h"

namespace svc::cli {

class OperatorDesk {
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
