// Documents for other signers have the same digest as our own signatures.
#include "signing/domain.h"
#include "signing/typed_data.h"

#include <gtest/gtest.h>

namespace svc::signing {
namespace SVC_FILE {

const ActionContext context{
    .account = Address{{1}}, .domain = "svc-local", .timestamp_ms = 1, .nonce = ~std::uint64_t{0}};
const OrderParams order{.market_id = "BTC-USDX-PERP",
                        .side = "Buy",
                        .order_type = "Limit",
                        .price = "60000.5",
                        .quantity = "0.1",
                        .time_in_force = "GTC",
                        .reduce_only = true,
                        .client_id = "say \"hi\"\n"};

template <class Struct>
void expect_same_digest(const Domain& domain, const Struct& one) {
  const std::string text = typed_data_text(domain, one);
  const auto read = hash_typed_data(text);
  ASSERT_TRUE(read.has_value()) << read.error() << "\n" << text;
  EXPECT_EQ(read->digest, typed_data_digest(separator(domain), struct_hash(one))) << text;
}

TEST(TypedDataText, OfEveryActionHasItsDigest) {
  const Domain domain = action_domain("Exchange");
  const ActionStruct actions[] = {PlaceOrder{context, order},
                                  PlaceOrders{context, {order, order}},
                                  PlaceOrders{context, {}},
                                  AmendOrder{context, "M", "1", "2", "3"},
                                  CancelOrder{context, "M", "1"},
                                  CancelAllOrders{context, ""},
                                  AdjustMargin{context, "M", "5", "add"},
                                  SetMarginMode{context, "M", "cross"},
                                  SetLeverage{context, "M", 5}};
  for (const ActionStruct& action : actions) expect_same_digest(domain, action);
}

TEST(TypedDataText, OfEveryStructOfOwnersHasItsDigest) {
  const Domain domain = action_domain("Exchange");
  const Address other{{2}};
  expect_same_digest(domain, EnrollTransferAccount{context.account, "svc-local", 1, 2});
  expect_same_digest(domain, TransferIntent{context.account, "svc-local", other, "5.5", "id", 1, 2});
  expect_same_digest(domain, ListTransfers{context.account, "svc-local", "", "next", 1});
  expect_same_digest(domain, ReadTransfer{context.account, "svc-local", "t", 1});
  expect_same_digest(domain, WithdrawIntent{.amount = 25'000'000, .nonce = 2});
  expect_same_digest(registration_domain("Exchange", 7, "testnet"), RegisterAgent{other, 1, 2});
}

}  // namespace SVC_FILE
}  // namespace svc::signing
