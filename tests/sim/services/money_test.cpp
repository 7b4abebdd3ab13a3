// The stores behind withdrawals, transfers and the bridge: bounds, arithmetic, and restoring.
#include <gtest/gtest.h>

#include "base/archive.h"
#include "signing/key.h"
#include "sim/services/money_services.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs start_ms = 1'700'000'000'000;
constexpr std::int64_t block_ms = 12'000;

Address account(std::uint8_t number) {
  Address address;
  address.bytes.back() = number;
  return address;
}

MoneyServices services() {
  return MoneyServices(api::NetworkId::local, {});
}

ChainMovement movement(const MoneyServices& money, ChainMovements& store, TimestampMs at_ms, std::uint8_t owner = 1) {
  ChainMovement made = money.movement_of(account(owner), Usdx{5 * usdx_one}, 12, at_ms);
  made.number = store.take_number();
  return made;
}

bool any(const ChainMovement&) {
  return true;
}

TEST(ChainBlocks, ComeAtEveryFullBlockTime) {
  struct Row {
    TimestampMs seen_ms;
    std::uint32_t confirmations;
    TimestampMs confirmed_ms;
  };
  for (const Row& row :
       {Row{0, 1, 12'000}, Row{11'999, 1, 12'000}, Row{12'000, 1, 24'000}, Row{12'001, 3, 48'000}, Row{7, 0, 7}}) {
    EXPECT_EQ(confirmed_ms(row.seen_ms, row.confirmations, block_ms), row.confirmed_ms) << row.seen_ms;
    if (row.confirmations == 0) continue;
    EXPECT_EQ(blocks_since(row.seen_ms, row.confirmed_ms, block_ms), row.confirmations);
    EXPECT_EQ(blocks_since(row.seen_ms, row.confirmed_ms - 1, block_ms), row.confirmations - 1);
  }
}

TEST(ChainMovements, CountConfirmationsByTheClockAlone) {
  MoneyServices money = services();
  const ChainMovement made = movement(money, money.withdrawals, start_ms);
  EXPECT_EQ(made.final_ms, (start_ms / block_ms + 12) * block_ms);
  std::uint32_t before = 0;
  for (TimestampMs now_ms = start_ms; now_ms <= made.final_ms; now_ms += 1'000) {
    const std::uint32_t now = made.confirmations(now_ms);
    EXPECT_TRUE(now == before || now == before + 1);
    EXPECT_LE(made.updated_ms(now_ms), now_ms);
    EXPECT_EQ(made.confirmations(made.updated_ms(now_ms)), now);
    before = now;
  }
  EXPECT_EQ(made.confirmations(made.final_ms - 1), 11u);
  EXPECT_EQ(made.confirmations(made.final_ms), 12u);
  EXPECT_EQ(made.confirmations(made.final_ms + day_ms), 12u);
}

TEST(ChainMovements, IdsHaveOneSpelling) {
  const ChainMovements store(RecordTable::withdrawals, "wd_", Finality::by_clock);
  EXPECT_EQ(store.id_of(255), "wd_00000000000000ff");
  EXPECT_EQ(store.number_of("wd_00000000000000ff"), 255u);
  for (const char* text : {"", "wd_", "wd_ff", "wd_00000000000000FF", "dep_00000000000000ff", "wd_00000000000000fg",
                           "wd_000000000000000ff", "wd_-0000000000000ff"})
    EXPECT_EQ(store.number_of(text), std::nullopt) << text;
}

TEST(ChainMovements, BeyondTheBoundTheOldestFinalOneIsForgotten) {
  MoneyServices money = services();
  ChainMovements store(RecordTable::withdrawals, "wd_", Finality::by_clock, 3);
  RecordBatch records;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(store.has_room(account(1), start_ms));
    store.put(movement(money, store, start_ms), start_ms, records);
  }
  EXPECT_TRUE(records.empty());
  EXPECT_FALSE(store.has_room(account(1), start_ms)) << "all of them are open";
  EXPECT_TRUE(store.has_room(account(2), start_ms));
  const TimestampMs later_ms = start_ms + hour_ms;
  EXPECT_TRUE(store.has_room(account(1), later_ms));
  store.put(movement(money, store, later_ms), later_ms, records);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].key, to_archive(std::uint64_t{1}));
  EXPECT_FALSE(records[0].value.has_value());
  EXPECT_FALSE(store.find(1).has_value());
  EXPECT_EQ(store.newest_of(account(1), 10, any).size(), 3u);
}

TEST(ChainMovements, ADepositThatIsBeingCreditedCannotBeDecidedByHand) {
  MoneyServices money = services();
  ChainMovements& store = money.deposits.movements;
  RecordBatch records;
  const ChainMovement made = movement(money, store, start_ms);
  store.put(made, start_ms, records);
  EXPECT_FALSE(store.claim_due(made.final_ms - 1).has_value());
  ASSERT_TRUE(store.claim_due(made.final_ms).has_value());
  EXPECT_EQ(store.fail(made.number, made.final_ms).error(), DecisionRefusal::final_already);
  EXPECT_EQ(store.settle_now(made.number, made.final_ms).error(), DecisionRefusal::final_already);
  EXPECT_EQ(store.fail(7, start_ms).error(), DecisionRefusal::unknown);
  // The log refused: the movement is due again.
  ASSERT_TRUE(store.claim_due(made.final_ms).has_value());
  ChainMovement credited = made;
  credited.fate = MovementFate::settled;
  credited.decided_ms = made.final_ms;
  store.decide(credited);
  EXPECT_FALSE(store.claim_due(made.final_ms + day_ms).has_value());
}

TEST(ChainMovements, AnUnloggedDecisionIsUndone) {
  MoneyServices money = services();
  ChainMovements& store = money.withdrawals;
  RecordBatch records;
  const ChainMovement made = movement(money, store, start_ms);
  store.put(made, start_ms, records);
  const auto failed = store.fail(made.number, start_ms);
  ASSERT_TRUE(failed.has_value());
  EXPECT_EQ(store.fate(*store.find(made.number), start_ms), MovementFate::failed);
  store.take_back(*failed, made);
  EXPECT_EQ(store.fate(*store.find(made.number), start_ms), MovementFate::open);
  EXPECT_EQ(store.fate(*store.find(made.number), made.final_ms), MovementFate::settled);
}

TEST(TransferStore, RefusesPaymentsBeyondTheReceiptLimit) {
  TransferStore store(2, 2);
  RecordBatch records;
  EXPECT_TRUE(store.enroll(account(1), start_ms, records));
  EXPECT_TRUE(store.enroll(account(2), start_ms, records));
  EXPECT_FALSE(store.enroll(account(3), start_ms, records)) << "the bound";
  EXPECT_TRUE(store.enroll(account(1), start_ms + 1, records)) << "is in already";
  EXPECT_EQ(records.size(), 2u);
  for (const char* id : {"a", "b"}) {
    EXPECT_FALSE(store.is_full());
    store.put({.number = store.take_number(),
               .client_transfer_id = id,
               .sender = account(1),
               .recipient = account(2),
               .amount = Usdx{1},
               .committed_ms = start_ms});
  }
  EXPECT_TRUE(store.is_full());
}

TEST(IdempotencyKeys, DropExpiredOnesAndBoundTheLiveOnes) {
  IdempotencyKeys keys(2);
  RecordBatch records;
  const KeyedRequest first{.amount = Usdx{1}, .withdrawal = 1, .first_used_ms = start_ms};
  keys.put(account(1), "a", first, records);
  EXPECT_FALSE(keys.is_full(account(1), start_ms));
  keys.put(account(1), "b", {.amount = Usdx{1}, .withdrawal = 2, .first_used_ms = start_ms + 1}, records);
  EXPECT_TRUE(keys.is_full(account(1), start_ms + 1));
  EXPECT_FALSE(keys.is_full(account(2), start_ms + 1));
  EXPECT_TRUE(records.empty());
  const TimestampMs later_ms = start_ms + limits::idempotency_key_lifetime_ms;
  EXPECT_FALSE(keys.is_full(account(1), later_ms));
  EXPECT_FALSE(keys.find(account(1), "a", later_ms).has_value());
  EXPECT_TRUE(keys.find(account(1), "b", later_ms).has_value());
  keys.put(account(1), "c", {.amount = Usdx{1}, .withdrawal = 3, .first_used_ms = later_ms}, records);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_FALSE(records[0].value.has_value());
}

// Restores all logged rows into an empty store.
TEST(MoneyServices, AreRestoredFromTheirRows) {
  MoneyServices money = services();
  RecordBatch rows;
  rows.reserve(32);
  ChainMovements* const stores[] = {&money.withdrawals, &money.bridge_withdrawals, &money.deposits.movements};
  for (ChainMovements* store : stores) {
    const ChainMovement made = movement(money, *store, start_ms);
    rows.push_back(store->row(made));
    store->put(made, start_ms, rows);
    const ChainMovement second = movement(money, *store, start_ms + 1);
    rows.push_back(store->row(second));
    store->put(second, start_ms, rows);
    rows.push_back(store->row(*store->fail(2, start_ms + 2)));
  }
  (void)money.transfers.enroll(account(1), start_ms, rows);
  const Transfer paid{.number = money.transfers.take_number(),
                      .client_transfer_id = "rent",
                      .sender = account(1),
                      .recipient = account(2),
                      .amount = Usdx{7},
                      .committed_ms = start_ms};
  rows.push_back(TransferStore::row(paid));
  money.transfers.put(paid);
  const KeyedRequest keyed{.amount = Usdx{1}, .withdrawal = 1, .first_used_ms = start_ms};
  rows.push_back(IdempotencyKeys::row(account(1), "key", keyed));
  const DepositAddress address = money.addresses.open(account(1), start_ms, rows);
  const auto wallet = *signing::PrivateKey::from_hex(std::string(64, '7'));
  const WalletChallenge used = money.wallets.challenge(account(1), wallet.address(), start_ms, rows);
  const WalletChallenge open = money.wallets.challenge(account(1), wallet.address(), start_ms, rows);
  ASSERT_TRUE(money.wallets.add(account(1), wallet.address(), used.message,
                                signing::to_string(wallet.sign(signing::personal_message_digest(used.message))),
                                start_ms, rows));
  money.switches.turn(Switchable::credits, false, rows);
  ASSERT_TRUE(money.switches.set_frozen(account(3), Freeze::impose, rows));
  ASSERT_TRUE(money.switches.set_frozen(account(4), Freeze::impose, rows));
  ASSERT_TRUE(money.switches.set_frozen(account(4), Freeze::lift, rows));

  MoneyServices again = services();
  for (int twice = 0; twice < 2; ++twice)
    for (const RecordChange& row : rows) EXPECT_TRUE(again.restore(row));
  ChainMovements* const restored[] = {&again.withdrawals, &again.bridge_withdrawals, &again.deposits.movements};
  for (ChainMovements* store : restored) {
    EXPECT_EQ(store->newest_of(account(1), 10, any).size(), 2u);
    EXPECT_EQ(store->find(1)->fate, MovementFate::open);
    EXPECT_EQ(store->find(2)->fate, MovementFate::failed);
    EXPECT_EQ(store->take_number(), 3u) << "no number is given out twice";
  }
  EXPECT_EQ(again.deposits.movements.claim_due(start_ms + hour_ms)->number, 1u);
  EXPECT_EQ(again.transfers.enrolled_ms(account(1)), start_ms);
  EXPECT_EQ(again.transfers.find(account(1), "rent")->amount, Usdx{7});
  EXPECT_EQ(again.transfers.page(account(2), std::nullopt, 10).rows.size(), 1u);
  EXPECT_EQ(again.transfers.take_number(), 2u);
  EXPECT_EQ(again.idempotency_keys.find(account(1), "key", start_ms)->withdrawal, 1u);
  EXPECT_EQ(again.addresses.owner_of(address.address), account(1));
  EXPECT_EQ(again.wallets.of(account(1)), std::vector{wallet.address()});
  RecordBatch forgotten;
  EXPECT_EQ(again.wallets.add(account(1), wallet.address(), used.message, "", start_ms, forgotten).error(),
            WalletRefusal::unknown_challenge)
      << "it was used";
  EXPECT_EQ(again.wallets.add(account(1), wallet.address(), open.message, "", start_ms, forgotten).error(),
            WalletRefusal::signature_mismatch);
  EXPECT_FALSE(again.switches.is_on(Switchable::credits));
  EXPECT_TRUE(again.switches.is_on(Switchable::transfers));
  EXPECT_TRUE(again.switches.is_frozen(account(3)));
  EXPECT_FALSE(again.switches.is_frozen(account(4)));
}

TEST(OperatorSwitches, StartWithTheDeploymentsSettings) {
  const OperatorSwitches switches({Switchable::credits});
  EXPECT_FALSE(switches.is_on(Switchable::credits));
  EXPECT_TRUE(switches.is_on(Switchable::bridge_chain));
  EXPECT_EQ(parse_switchable("wallet_registration"), Switchable::wallet_registration);
  EXPECT_EQ(parse_switchable("trading"), std::nullopt);
}

}  // namespace SVC_FILE
}  // namespace svc::sim
