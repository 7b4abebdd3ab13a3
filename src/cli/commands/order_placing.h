// What every command does that places one order: terms become absolute, then the order is sent, or asked
// about with --preview.
#pragma once

#include <optional>
#include <string>

#include "cli/client/order_waiter.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/plain_write.h"

namespace svc::cli {

struct PlacingFlags {
  ClientIdFlag client_id;
  ActionFlag action;
  WaitFlags wait;
  bool preview = false;

  void declare(Arguments& arguments);
};

[[nodiscard]] Result<Answer, Stop> place_order(Context& context, const OrderTerms& terms, const PlacingFlags& flags);

// What the order would do now. One that would be refused is shown and ends with the exit code of its refusal.
[[nodiscard]] Result<Answer, Stop> preview_order(Context& context, const OrderTerms& terms);

// The call that places this order; it knows where to look when its answer is lost.
[[nodiscard]] Call placing_call(Context& context, const api::OrderRequest& order, ActionChoice action);

}  // namespace svc::cli
