// Waits for an order to reach a state: by the stream, and by REST where the stream cannot tell.
#pragma once

#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/client/exchange.h"

namespace svc::cli {

enum class WaitFor : std::uint8_t {
  filled,    // completely
  open,      // resting or further: accepted and not refused
  terminal,  // filled, cancelled, rejected or expired
};
inline constexpr std::string_view order_ended_code = "order_ended";  // in another state than waited for
inline constexpr std::array<std::string_view, 3> wait_words{"filled", "open", "terminal"};

// Whether an order with this status (the wire's spelling) has reached the state, or never will.
enum class WaitVerdict : std::uint8_t { reached, not_yet, never };
[[nodiscard]] WaitVerdict judge(WaitFor wanted, std::string_view status);

struct WaitedOrder {
  Json order;
  Json fills{};  // of the order, oldest first; null if they could not be read
  WaitVerdict verdict = WaitVerdict::not_yet;
  std::int64_t waited_ms = 0;
  std::optional<Failure> unread{};  // why it could not be read last
};

// How many of the newest fills are read once orders were waited for; and those of one order, oldest first.
inline constexpr std::uint32_t waited_fills = 500;
[[nodiscard]] Json fills_of(const Json& newest_first, std::string_view order_id);

// The verdict is not_yet if the time ran out, also because the venue could not be read. Ctrl-C ends the wait with exit
// 130.
Result<WaitedOrder> wait_for_order(Context& context, const std::string& order_id, const std::string& market,
                                   WaitFor wanted, std::int64_t timeout_ms);

// The failure of an unsuccessful wait: exit 17, or exit 6 for an order that ended otherwise.
[[nodiscard]] std::optional<Failure> failure_of(const WaitedOrder& waited, WaitFor wanted, const std::string& order_id);

// --wait[=STATE] and --wait-timeout of commands that write an order.
struct WaitFlags {
  std::optional<std::string> state;
  std::optional<std::string> timeout;
  std::string_view timeout_flag = "--wait-timeout";
  bool takes_terminal_only = false;  // of cancels

  void declare(Arguments& arguments);
  // nullopt: without --wait.
  struct Wait {
    WaitFor wanted = WaitFor::filled;
    std::int64_t timeout_ms = 0;
  };
  Result<std::optional<Wait>> understand() const;
};

// Waits for the order of an answer {"order", "fills"}, and updates the answer. Its failure never says that nothing
// happened, nor that the command may be tried again: the order is placed.
Result<void> wait_in_answer(Context& context, const WaitFlags::Wait& wait, Answer& answer);

}  // namespace svc::cli
