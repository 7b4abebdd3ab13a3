// A row is written as its record is.
#include "api/list_text.h"

#include <gtest/gtest.h>

#include "api/contract/account.h"
#include "api/contract/orders.h"
#include "base/random.h"

namespace svc::api {
namespace SVC_FILE {

template <class Record>
void expect_same(const Record& record, const typename Record::Row& row) {
  ListText<typename Record::Row> rows;
  ListText<Record> records;
  for (int i = 0; i < 3; ++i) {
    rows.add(row);
    records.add(record);
  }
  const std::string text = to_json(record);
  EXPECT_EQ(std::move(rows).text(), "[" + text + "," + text + "," + text + "]");
  EXPECT_EQ(std::move(records).text(), "[" + text + "," + text + "," + text + "]");
}

// With every member, or with those alone that may not be absent.
template <class Form>
Form order_as(bool is_full, const std::string& text) {
  Form order{.id = RowText(&write_uuid<UuidKind::order>, 0x1234'5678'9abc'def0),
             .market_id = text,
             .account_id = {{1, 2, 3, 0xfe, 0xff}},
             .side = Side::sell,
             .order_type = OrderType::trailing_limit,
             .price = Decimal{-590'000, 1},
             .quantity = Decimal{10'000, 8},
             .filled_qty = Decimal{},
             .status = OrderStatus::partially_filled};
  if (!is_full) return order;
  order.cancellation_reason = CancellationReason{.word = {}, .stp = StpMode::cancel_oldest};
  order.limit_offset_bps = 0;
  order.stp = StpMode::decrement_and_cancel;
  order.max_slippage_bps = 4'294'967'295;
  order.created_at = -1;
  order.updated_at = 1'767'225'600'000;
  order.client_id = RowText(text);
  order.reduce_only = true;
  order.trigger_price = Decimal{7, 199};
  order.trailing_offset_bps = 9'999;
  order.triggered_at = 9'223'372'036'854'775'807;
  return order;
}

TEST(ListText, WritesARowAsItsRecord) {
  for (const std::string& text : {std::string(), std::string("BTC-USDX-PERP"), std::string("a \"quoted\"\n\x01 \\ one"),
                                  std::string("\xff is no UTF-8, \xc3\xa9 is"), std::string(10'000, 'x')}) {
    expect_same(order_as<Order>(false, text), order_as<Order::Row>(false, text));
    expect_same(order_as<Order>(true, text), order_as<Order::Row>(true, text));
  }
}

TEST(ListText, LeavesOutWhatARecordLeavesOut) {
  expect_same(Fill{.liquidation_fee = {}}, Fill::Row{.liquidation_fee = {}});
  expect_same(Fill{.side = Side::sell, .liquidation_fee = Decimal{15, 1}},
              Fill::Row{.side = Side::sell, .liquidation_fee = Decimal{15, 1}});
  expect_same(ActivityRow{.reference = RowText(&write_digits, 20)},
              ActivityRow::Row{.reference = RowText(&write_digits, 20)});
  EXPECT_EQ(ListText<Fill::Row>().text(), "[]");
  expect_same(OrderResult{.outcome = Outcome::err, .error = "X", .message = "y"},
              OrderResult::Row{.outcome = Outcome::err, .error = "X", .message = "y"});
}

TEST(ListText, WritesRowsInARow) {
  const std::string text = "a \"quoted\" one";
  const auto order = order_as<Order>(true, text);
  const auto row = order_as<Order::Row>(true, text);
  expect_same(OrderResponse{.order = order, .fills = {}}, OrderResponse::Row{.order = row, .fills = {}});
  expect_same(OrderResponse{.order = order, .fills = {Fill(), Fill{.size = Decimal{15, 1}}}},
              OrderResponse::Row{.order = row, .fills = {Fill::Row(), Fill::Row{.size = Decimal{15, 1}}}});
  expect_same(OrderResult{.order = order, .fills = std::vector(20, Fill())},
              OrderResult::Row{.order = row, .fills = std::vector(20, Fill::Row())});
}

}  // namespace SVC_FILE
}  // namespace svc::api
