// The order book behind a plain C interface, so that any driver of that interface can measure it. The interface is
// that of a public matching-engine benchmark: one engine per process, operations in, 64-byte reports out.
#include <cstdint>
#include <memory>

#include "bench/book_matcher.h"
#include "bench/report.h"

namespace {

using svc::bench::BookMatcher;
using svc::bench::order_report;
using svc::bench::Report;
using svc::bench::ReportType;
using svc::bench::trade_report;

struct NewOrder {
  std::uint64_t id, sequence;
  std::int64_t price;
  std::uint32_t quantity;
  std::uint8_t side, immediate, pad[2];
};
struct Cancel {
  std::uint64_t id, sequence;
};
struct Modify {
  std::uint64_t id, sequence;
  std::int64_t price;
  std::uint32_t quantity;
  std::uint8_t side, pad[3];
};
struct Transport {
  void* (*create)(std::uint32_t);
  int (*push)(void*, const Report*);
  std::uint32_t (*drain)(void*, Report*, std::uint32_t);
  void (*flush)(void*);
  void (*destroy)(void*);
};
static_assert(sizeof(NewOrder) == 32 && sizeof(Cancel) == 16 && sizeof(Modify) == 32);

constexpr std::size_t ids_max = 4u << 20;

struct Session {
  BookMatcher matcher{ids_max};
  const Transport* transport = nullptr;
  void* context = nullptr;

  void report(const Report& report) const { transport->push(context, &report); }

  // Reports every trade; returns what is left.
  std::uint32_t match(BookMatcher::Order order, std::uint64_t sequence) {
    return matcher.submit(order, [&](std::uint32_t maker, std::int32_t ticks, std::uint32_t lots) {
      report(trade_report(static_cast<std::uint8_t>(order.side), sequence, maker, order.id, ticks, lots));
    });
  }
};

std::unique_ptr<Session> session;  // the interface has no handle

svc::engine::Side side_of(std::uint8_t side) {
  return side == 0 ? svc::engine::Side::buy : svc::engine::Side::sell;
}

Report answer(ReportType type, std::uint64_t sequence, std::uint64_t id) {
  Report report;
  report.type = type;
  report.sequence = sequence;
  report.id = id;
  return report;
}

}  // namespace

extern "C" {

void engine_init(std::uint64_t, const Transport* transport, void* context) {
  session = std::make_unique<Session>();
  session->transport = transport;
  session->context = context;
}

void engine_shutdown() {
  session.reset();
}

[[gnu::flatten]] void engine_on_new_order(const NewOrder* order) {
  const bool rests = order->immediate == 0;
  Report report =
      order_report(ReportType::accepted, order->side, order->sequence, order->id, order->price, order->quantity);
  session->report(report);
  const std::uint32_t left = session->match({static_cast<std::uint32_t>(order->id), side_of(order->side),
                                             static_cast<std::int32_t>(order->price), order->quantity, rests},
                                            order->sequence);
  if (left == 0 || rests) return;
  report.type = ReportType::cancelled;
  report.quantity = left;
  session->report(report);
}

[[gnu::flatten]] void engine_on_cancel(const Cancel* cancel) {
  const auto& book = session->matcher.book();
  const auto id = static_cast<std::uint32_t>(cancel->id);
  if (!book.contains(id)) {
    session->report(answer(ReportType::cancel_rejected, cancel->sequence, cancel->id));
    return;
  }
  Report report = answer(ReportType::cancelled, cancel->sequence, cancel->id);
  report.side = book.side(id) == svc::engine::Side::sell;
  report.price = book.price(id).value;
  report.quantity = static_cast<std::uint32_t>(book.remaining(id).value);
  session->matcher.cancel(id);
  session->report(report);
}

// Cancel and new order under the same id, acknowledged once.
void engine_on_modify(const Modify* modify) {
  const auto& book = session->matcher.book();
  const auto id = static_cast<std::uint32_t>(modify->id);
  if (!book.contains(id)) {
    session->report(answer(ReportType::modify_rejected, modify->sequence, modify->id));
    return;
  }
  const svc::engine::Side side = book.side(id);
  session->matcher.cancel(id);
  session->match({id, side, static_cast<std::int32_t>(modify->price), modify->quantity, true}, modify->sequence);
  Report report = answer(ReportType::modified, modify->sequence, modify->id);
  report.side = static_cast<std::uint8_t>(side);
  report.price = modify->price;
  report.quantity = modify->quantity;
  session->report(report);
}

void engine_flush() {}

std::int64_t engine_query_best_bid() {
  const auto best = session->matcher.book().best(svc::engine::Side::buy);
  return best ? best->value : INT64_MIN;
}

std::int64_t engine_query_best_ask() {
  const auto best = session->matcher.book().best(svc::engine::Side::sell);
  return best ? best->value : INT64_MAX;
}

std::uint64_t engine_query_depth_at(std::int64_t price, std::uint8_t) {
  return static_cast<std::uint64_t>(session->matcher.book().level({price}).lots);
}

}  // extern "C"
