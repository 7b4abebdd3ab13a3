#include "signing/actions.h"
#include "signing/domain.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "signing/key.h"

// The hashes come from ethers 6; tests/interop compares random structs the same way.
namespace svc::signing {
namespace SVC_FILE {

const Address account = *parse_address("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266");
const ActionContext context{account, "svc-local", 1'700'000'000'000, 7};

const OrderParams plain_order{.market_id = "BTC-USDX-PERP",
                              .side = "Buy",
                              .order_type = "Limit",
                              .price = "50000",
                              .quantity = "0.1",
                              .time_in_force = "GTC"};

const OrderParams full_order{.market_id = "ETH-USDX-PERP",
                             .side = "Sell",
                             .order_type = "TrailingLimit",
                             .price = "1",
                             .quantity = "2.50",
                             .time_in_force = "IOC",
                             .reduce_only = true,
                             .stop_price = "3",
                             .trigger_price = "4",
                             .trailing_offset_bps = "5",
                             .limit_offset_bps = "0",
                             .stp = "CancelNewest",
                             .client_id = "cl\xC3\xA9-\xE2\x9C\x93",
                             .max_slippage_bps = "4294967295"};

constexpr const char* order_id = "00000000-0000-4000-8000-000000000001";

TEST(Actions, HashAsInOtherImplementations) {
  struct Row {
    ActionStruct action;
    std::string_view hash;
  };
  const Row rows[] = {
      {PlaceOrder{context, plain_order}, "6e9885e7349006cb7455050b28b380c1d94ad747a60bc827ab2dc9a9d1d470ea"},
      {PlaceOrder{context, full_order}, "ba7409a99e4a2888c2426bfa9e67b9b26ee7d667aa996dfdc0feb473fc3c0c46"},
      {PlaceOrders{context, {}}, "b7956c4ba249369e90e90f5a90e76f7af16cdf416c1de76f7e9c4e73663872d4"},
      {PlaceOrders{context, {plain_order}}, "89f93f62c0f262f29aab11420ee68733fbb489b1a7c9cae5e1dae4ff719bb41b"},
      {PlaceOrders{context, {plain_order, full_order}},
       "49f3f389edcc5923d45d19885d9f5ca8e6d4b730f6c8ff71bca39112992c190e"},
      {AmendOrder{context, "BTC-USDX-PERP", order_id, "50001", ""},
       "1557f80bb0641eed374ae7a1d0293456421610ff6c698a36f15eb38c687122c8"},
      {CancelOrder{context, "BTC-USDX-PERP", order_id},
       "50aff7a35e2ce2d3cd5942344635161ac063a30c4e5713d635212bba6b6d5f85"},
      {CancelAllOrders{context, ""}, "6fa3daf0ca5260dafbb638f32e5cd1eaafeb67e362ad3311e11f6a12928cfed0"},
      {AdjustMargin{context, "BTC-USDX-PERP", "12.5", "add"},
       "e6334dfa8941e32e94440ea82c48175c369ca9edae68b91b3a7679cbe2a09052"},
      {SetMarginMode{context, "BTC-USDX-PERP", "isolated"},
       "feebd5f92787f33ba003bf5ad04925a91bb95c1ccde265811d1e817ce02acd56"},
      {SetLeverage{context, "BTC-USDX-PERP", 20}, "2ee19ac31269af12ef6b6252ea8c6e5e3c6474176f5430b14218f045c5b7ff69"},
      {CancelAllOrders{{account, "", UINT64_MAX, UINT64_MAX}, ""},
       "8c203a48ba062fb484e53fe5a962219b768bdbdedd60a7e786223cbd16f505d9"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(to_hex(struct_hash(row.action)), row.hash) << type_string(row.action);
    EXPECT_EQ(std::visit([](const ActionContext& one) { return one.account; }, row.action), account);
  }
}

TEST(Actions, HaveTheKnownTypeHashes) {
  const std::string_view place_order = type_string(PlaceOrder{});
  EXPECT_EQ(to_hex(keccak256(place_order)), "54f3ce3ea25c7ee1011eb6d9dd737f4d8268e1c82bd72b3a1ab60886998f872a");
  EXPECT_EQ(to_hex(keccak256(place_order.substr(place_order.find("OrderParams(")))),
            "31db9b8445ece8d93a5c3445ed5a1afc6febd91b2144fa2d8d33e56361482a9b");
}

TEST(Actions, SignUnderTheActionDomainAsInOtherImplementations) {
  const auto key = PrivateKey::from_hex("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
  const Hash32 digest =
      typed_data_digest(separator(action_domain("Svc Exchange")), struct_hash(PlaceOrder{context, plain_order}));
  EXPECT_EQ(to_hex(digest), "2c3cb6b10e5145cf97cb41c2e9de825fe13814708713d5dced20b5c9fd7ff059");
  EXPECT_EQ(
      to_string(key->sign(digest)),
      "0x5693603eb6b73fe95c26dc21ddc21074675708f75814a7457e570cfd32d5b422263d92d079823ba70b8178ce7073b313aedc4d99fcc6"
      "4b9edff2e21e7517578b1c");
}

TEST(Actions, EachMemberChangesTheHash) {
  const Hash32 original = struct_hash(PlaceOrder{context, full_order});
  std::string OrderParams::*const texts[] = {&OrderParams::market_id,
                                             &OrderParams::side,
                                             &OrderParams::order_type,
                                             &OrderParams::price,
                                             &OrderParams::quantity,
                                             &OrderParams::time_in_force,
                                             &OrderParams::stop_price,
                                             &OrderParams::trigger_price,
                                             &OrderParams::trailing_offset_bps,
                                             &OrderParams::limit_offset_bps,
                                             &OrderParams::stp,
                                             &OrderParams::client_id,
                                             &OrderParams::max_slippage_bps};
  for (const auto member : texts) {
    OrderParams changed = full_order;
    changed.*member += "0";
    EXPECT_NE(struct_hash(PlaceOrder{context, changed}), original);
  }
  OrderParams not_reducing = full_order;
  not_reducing.reduce_only = false;
  EXPECT_NE(struct_hash(PlaceOrder{context, not_reducing}), original);
}

}  // namespace SVC_FILE
}  // namespace svc::signing
