// The stores behind withdrawals, transfers and the bridge: bounds, arithmetic, and restoring.
#include <gtest/gtest.h>

#include "base/archive.h"
#include "sim/account_of.h"
#include "sim/services/account_settings.h"
#include "sim/services/bridge.h"
#include "sim/services/payments.h"
#include "sim/services/serve.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs start_ms = 1'700'000'000'000;
constexpr std::int64_t block_ms = 12'000;

ChainMovement movement(MovementKind kind, TimestampMs at_ms, std::uint8_t owner = 1) {
  return movement_of(on_chain_of(api::NetworkId::local, {}), kind, account_of(owner), Usdx{5 * usdx_one}, at_ms);
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
  const ChainMovement made = movement(MovementKind::withdrawal, start_ms);
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

TEST(ChainMovements, AreSettledByTheClockExceptForDepositsWhichHaveToBeCredited) {
  for (const MovementKind kind : {MovementKind::withdrawal, MovementKind::bridge_withdrawal}) {
    const ChainMovement made = movement(kind, start_ms);
    EXPECT_EQ(made.fate(made.final_ms - 1), MovementFate::open);
    EXPECT_EQ(made.fate(made.final_ms), MovementFate::settled);
  }
  const ChainMovement deposit = movement(MovementKind::bridge_deposit, start_ms);
  EXPECT_EQ(deposit.fate(deposit.final_ms + day_ms), MovementFate::open);
}

TEST(ChainMovements, IdsHaveOneSpelling) {
  EXPECT_EQ(to_string(MovementId{.kind = MovementKind::withdrawal, .number = 255}), "wd_00000000000000ff");
  EXPECT_EQ(to_string(MovementId{.kind = MovementKind::bridge_withdrawal, .number = 1}), "wdl_0000000000000001");
  for (const MovementKind kind :
       {MovementKind::withdrawal, MovementKind::bridge_withdrawal, MovementKind::bridge_deposit}) {
    const auto id = parse_movement_id(to_string(MovementId{.kind = kind, .number = 255}));
    ASSERT_TRUE(id);
    EXPECT_EQ(id->kind, kind);
    EXPECT_EQ(id->number, 255u);
  }
  for (const char* text : {"", "wd_", "wd_ff", "wd_00000000000000FF", "xyz_00000000000000ff", "wd_00000000000000fg",
                           "wd_000000000000000ff", "wd_-0000000000000ff"})
    EXPECT_FALSE(parse_movement_id(text)) << text;
}

TEST(ChainMovements, BeyondTheBoundTheOldestFinalOneIsForgotten) {
  ChainMovements store(MovementKind::withdrawal, 3);
  for (std::uint64_t number = 1; number <= 3; ++number) {
    EXPECT_TRUE(store.has_room(account_of(1), start_ms));
    EXPECT_EQ(store.next_number(), number);
    EXPECT_EQ(store.add(movement(MovementKind::withdrawal, start_ms), start_ms).id.number, number);
  }
  EXPECT_FALSE(store.has_room(account_of(1), start_ms)) << "all of them are open";
  EXPECT_TRUE(store.has_room(account_of(2), start_ms));
  const TimestampMs later_ms = start_ms + hour_ms;
  EXPECT_TRUE(store.has_room(account_of(1), later_ms));
  EXPECT_EQ(store.add(movement(MovementKind::withdrawal, later_ms), later_ms).id.number, 4u);
  EXPECT_FALSE(store.find(1).has_value());
  EXPECT_EQ(store.newest_of(account_of(1), 10, any).size(), 3u);
  EXPECT_EQ(store.newest_of(account_of(1), 1, any).front().id.number, 4u);
}

TEST(ChainMovements, NoWithdrawalWhoseKeyMayBeRepeatedIsForgotten) {
  ChainMovements store(MovementKind::bridge_withdrawal, 2);
  ChainMovement slow = movement(MovementKind::bridge_withdrawal, start_ms);
  slow.final_ms = start_ms + 12 * day_ms;
  (void)store.add(slow, start_ms);
  const ChainMovement fast = movement(MovementKind::bridge_withdrawal, start_ms + day_ms);
  (void)store.add(fast, fast.created_ms);
  const TimestampMs later_ms = fast.created_ms + hour_ms;
  ASSERT_EQ(store.find(2)->fate(later_ms), MovementFate::settled);
  EXPECT_FALSE(store.has_room(account_of(1), later_ms)) << "the first is open, the key of the second may be repeated";
  const TimestampMs free_ms = fast.created_ms + limits::idempotency_key_lifetime_ms;
  EXPECT_FALSE(store.has_room(account_of(1), free_ms - 1));
  EXPECT_TRUE(store.has_room(account_of(1), free_ms));
  (void)store.add(slow, free_ms);
  EXPECT_FALSE(store.find(2).has_value());
  EXPECT_TRUE(store.find(1).has_value());
}

TEST(ChainMovements, KnowTheUndecidedOneThatIsFinalFirst) {
  ChainMovements store(MovementKind::bridge_deposit);
  EXPECT_EQ(store.next_final(), nullptr);
  const ChainMovement first = store.add(movement(MovementKind::bridge_deposit, start_ms), start_ms);
  const ChainMovement second = store.add(movement(MovementKind::bridge_deposit, start_ms + hour_ms), start_ms);
  EXPECT_EQ(store.next_final()->id.number, first.id.number);
  store.confirm(second.id.number, start_ms);
  EXPECT_EQ(store.next_final()->id.number, second.id.number) << "it has its last confirmation now";
  EXPECT_EQ(store.find(second.id.number)->confirmations(start_ms), 12u);
  store.decide(second.id.number, MovementFate::settled, start_ms + 1);
  EXPECT_EQ(store.find(second.id.number)->fate(start_ms + 1), MovementFate::settled);
  EXPECT_EQ(store.find(second.id.number)->updated_ms(start_ms + hour_ms), start_ms + 1);
  EXPECT_EQ(store.next_final()->id.number, first.id.number);
  store.decide(first.id.number, MovementFate::failed, start_ms + 2);
  EXPECT_EQ(store.next_final(), nullptr);
}

TEST(TransferStore, RefusesPaymentsBeyondTheReceiptLimit) {
  TransferStore store(2);
  EXPECT_EQ(store.enroll(account_of(1), start_ms), start_ms);
  EXPECT_EQ(store.enroll(account_of(2), start_ms), start_ms);
  EXPECT_EQ(store.enroll(account_of(1), start_ms + 1), start_ms) << "is in already";
  for (const char* id : {"a", "b"}) {
    EXPECT_FALSE(store.is_full());
    store.put({.number = store.next_number(),
               .client_transfer_id = id,
               .sender = account_of(1),
               .recipient = account_of(2),
               .amount = Usdx{1},
               .committed_ms = start_ms});
  }
  EXPECT_TRUE(store.is_full());
  EXPECT_EQ(store.find(account_of(1), "b")->number, 2u);
  const TransferPage first = store.page(account_of(2), std::nullopt, 1);
  ASSERT_EQ(first.rows.size(), 1u);
  EXPECT_EQ(first.rows.front().number, 2u);
  EXPECT_EQ(store.page(account_of(2), first.next, 1).rows.front().number, 1u);
  EXPECT_FALSE(store.page(account_of(2), first.next, 1).next);
}

TEST(IdempotencyKeys, DropExpiredOnesAndBoundTheLiveOnes) {
  IdempotencyKeys keys(2);
  keys.put(account_of(1), "a", {.amount = Usdx{1}, .withdrawal = 1, .first_used_ms = start_ms});
  EXPECT_FALSE(keys.is_full(account_of(1), start_ms));
  keys.put(account_of(1), "b", {.amount = Usdx{1}, .withdrawal = 2, .first_used_ms = start_ms + 1});
  EXPECT_TRUE(keys.is_full(account_of(1), start_ms + 1));
  EXPECT_FALSE(keys.is_full(account_of(2), start_ms + 1));
  const TimestampMs later_ms = start_ms + limits::idempotency_key_lifetime_ms;
  EXPECT_FALSE(keys.is_full(account_of(1), later_ms));
  EXPECT_FALSE(keys.find(account_of(1), "a", later_ms).has_value());
  EXPECT_TRUE(keys.find(account_of(1), "b", later_ms).has_value());
  keys.put(account_of(1), "c", {.amount = Usdx{1}, .withdrawal = 3, .first_used_ms = later_ms});
  EXPECT_FALSE(keys.find(account_of(1), "a", start_ms).has_value()) << "it is dropped for good";
  std::vector<std::uint64_t> live;
  EXPECT_TRUE(keys.all_live(later_ms, [&](const KeyedRequest& request) {
    live.push_back(request.withdrawal);
    return true;
  }));
  EXPECT_EQ(live, (std::vector<std::uint64_t>{2, 3}));
}

TEST(BridgeWallets, AChallengeIsForOneRegistrationOfItsWalletByItsAccount) {
  BridgeWallets wallets("local");
  const Address wallet = account_of(100);
  const WalletChallenge given = wallets.challenge(account_of(1), wallet, start_ms);
  EXPECT_NE(given.message, wallets.challenge(account_of(1), wallet, start_ms).message);
  const auto refusal = [&](const Address& who, const Address& what, const std::string& message,
                           const std::optional<Address>& signer, TimestampMs at_ms = start_ms) {
    const auto added = wallets.add(who, what, message, signer, at_ms);
    return added ? std::nullopt : std::optional(added.error().code);
  };
  using enum api::ErrorCode;
  EXPECT_EQ(refusal(account_of(1), wallet, "hello", wallet), invalid_challenge);
  EXPECT_EQ(refusal(account_of(1), account_of(101), given.message, wallet), invalid_challenge);
  EXPECT_EQ(refusal(account_of(2), wallet, given.message, wallet), account_mismatch);
  EXPECT_EQ(refusal(account_of(1), wallet, given.message, wallet, given.expires_ms), challenge_expired);
  EXPECT_EQ(refusal(account_of(1), wallet, given.message, account_of(101)), signature_mismatch);
  EXPECT_EQ(refusal(account_of(1), wallet, given.message, std::nullopt), signature_mismatch);
  EXPECT_EQ(refusal(account_of(1), wallet, given.message, wallet, given.expires_ms - 1), std::nullopt);
  EXPECT_EQ(refusal(account_of(1), wallet, given.message, wallet), invalid_challenge) << "it was used";
  const WalletChallenge other = wallets.challenge(account_of(2), wallet, start_ms);
  EXPECT_EQ(refusal(account_of(2), wallet, other.message, wallet), wallet_already_registered);
}

TEST(BridgeWallets, AreBoundedPerAccountAndTheFirstIsTheDefault) {
  BridgeWallets wallets("local");
  const auto add = [&](std::uint8_t number) {
    const WalletChallenge given = wallets.challenge(account_of(1), account_of(number), start_ms);
    return wallets.add(account_of(1), account_of(number), given.message, account_of(number), start_ms);
  };
  EXPECT_TRUE(*add(100));
  for (std::uint8_t i = 1; i < limits::bridge_wallets_max; ++i) EXPECT_FALSE(*add(static_cast<std::uint8_t>(100 + i)));
  const auto too_many = add(200);
  EXPECT_EQ(too_many.error().code, api::ErrorCode::wallet_registration_unavailable);
  EXPECT_EQ(too_many.error().message, "the account has as many wallets as it may have");
  EXPECT_TRUE(*add(100)) << "is in already";
  EXPECT_EQ(wallets.of(account_of(1)).size(), limits::bridge_wallets_max);
  EXPECT_EQ(wallets.of(account_of(1)).front(), account_of(100));
}

TEST(BridgeWallets, TheOldestOfTooManyChallengesIsVoid) {
  BridgeWallets wallets("local");
  std::vector<WalletChallenge> given;
  for (std::size_t i = 0; i <= limits::wallet_challenges_max; ++i)
    given.push_back(wallets.challenge(account_of(1), account_of(100), start_ms));
  EXPECT_EQ(wallets.add(account_of(1), account_of(100), given[0].message, account_of(100), start_ms).error().code,
            api::ErrorCode::invalid_challenge);
  EXPECT_TRUE(wallets.add(account_of(1), account_of(100), given[1].message, account_of(100), start_ms));
}

TEST(BridgeAddresses, BelongToAnAccountAndAChain) {
  BridgeAddresses addresses("devchain");
  EXPECT_FALSE(addresses.of(account_of(1)));
  const DepositAddress opened = addresses.open(account_of(1), start_ms);
  EXPECT_EQ(opened.address, addresses.address_of(account_of(1)));
  EXPECT_EQ(addresses.open(account_of(1), start_ms + 1).created_ms, start_ms) << "the first call creates it";
  EXPECT_EQ(addresses.owner_of(opened.address), account_of(1));
  EXPECT_FALSE(addresses.owner_of(addresses.address_of(account_of(2)))) << "not opened";
  BridgeAddresses same("devchain");
  ASSERT_TRUE(restore(same, to_archive(addresses)));
  EXPECT_EQ(same.owner_of(opened.address), account_of(1));
  BridgeAddresses elsewhere("otherchain");
  ASSERT_TRUE(restore(elsewhere, to_archive(addresses))) << "the network may have been bridged to another chain";
  EXPECT_FALSE(elsewhere.of(account_of(1)));
  EXPECT_FALSE(elsewhere.owner_of(opened.address));
  EXPECT_NE(elsewhere.address_of(account_of(1)), opened.address);
}

TEST(RestoredMoney, MovementsThatCannotBeAreRefused) {
  using Rows = std::map<std::uint64_t, ChainMovement>;
  ChainMovement made = movement(MovementKind::withdrawal, start_ms);
  made.id.number = 1;
  const auto taken = [](std::uint64_t last, const Rows& rows) {
    ChainMovements store(MovementKind::withdrawal);
    return restore(store, bytes_of(last, rows));
  };
  const auto with = [&](auto change) {
    ChainMovement changed = made;
    change(changed);
    return Rows{{1, changed}};
  };
  EXPECT_TRUE(taken(1, {{1, made}}));
  EXPECT_FALSE(taken(0, {{1, made}})) << "its number was never given out";
  EXPECT_FALSE(taken(2, {{2, made}})) << "under another number";
  EXPECT_FALSE(taken(limits::counter_max + 1, {}));
  EXPECT_FALSE(taken(1, with([](ChainMovement& row) { row.id.kind = MovementKind::bridge_deposit; })));
  EXPECT_FALSE(taken(1, with([](ChainMovement& row) { row.amount = Usdx{}; })));
  EXPECT_FALSE(taken(1, with([](ChainMovement& row) { row.fee = Usdx{-1}; })));
  EXPECT_FALSE(taken(1, with([](ChainMovement& row) { row.block_ms = 0; })));
  EXPECT_FALSE(taken(1, with([](ChainMovement& row) { row.final_ms = -1; })));
  EXPECT_FALSE(taken(1, with([](ChainMovement& row) { row.chain = "\xff"; })));
  EXPECT_FALSE(
      taken(1, with([](ChainMovement& row) { row.required_confirmations = limits::chain_confirmations_max + 1; })));
}

TEST(RestoredMoney, TransfersKeysAndWalletsThatCannotBeAreRefused) {
  using Enrolled = std::map<Address, TimestampMs>;
  using Paid = std::map<std::uint64_t, Transfer>;
  const auto transfers_taken = [](const Enrolled& enrolled, const Paid& paid) {
    TransferStore store;
    return restore(store, bytes_of(enrolled, paid));
  };
  const Transfer one{.number = 1, .client_transfer_id = "rent", .amount = Usdx{7}, .committed_ms = start_ms};
  EXPECT_TRUE(transfers_taken({{account_of(1), start_ms}}, {{1, one}}));
  EXPECT_FALSE(transfers_taken({{account_of(1), -1}}, {}));
  EXPECT_FALSE(transfers_taken({}, {{2, one}}));
  EXPECT_FALSE(transfers_taken({}, {{1, Transfer{.number = 1, .amount = Usdx{-7}}}}));
  EXPECT_FALSE(transfers_taken({}, {{1, Transfer{.number = 1, .client_transfer_id = "\xff"}}}));

  const auto key_taken = [](const std::string& key, const KeyedRequest& request) {
    IdempotencyKeys keys;
    return restore(keys,
                   bytes_of(std::map<Address, std::map<std::string, KeyedRequest>>{{account_of(1), {{key, request}}}}));
  };
  EXPECT_TRUE(key_taken("key", {Usdx{1}, 1, start_ms}));
  EXPECT_FALSE(key_taken("a b", {Usdx{1}, 1, start_ms}));
  EXPECT_FALSE(key_taken("key", {Usdx{-1}, 1, start_ms}));
  EXPECT_FALSE(key_taken("key", {Usdx{1}, 1, INT64_MAX}));

  using Challenges = std::map<std::string, WalletChallenge>;
  using Registered = std::map<Address, std::vector<Address>>;
  const auto wallets_taken = [](std::uint64_t last, const Challenges& challenges, const Registered& registered) {
    BridgeWallets wallets("local");
    return restore(wallets, bytes_of(last, challenges, registered));
  };
  const WalletChallenge given{.number = 1, .account = account_of(1), .message = "sign", .expires_ms = start_ms};
  EXPECT_TRUE(wallets_taken(1, {{"sign", given}}, {{account_of(1), {account_of(9)}}}));
  EXPECT_FALSE(wallets_taken(0, {{"sign", given}}, {}));
  EXPECT_FALSE(wallets_taken(1, {{"other", given}}, {}));
  EXPECT_FALSE(wallets_taken(1, {}, {{account_of(1), {}}})) << "no wallet";
  EXPECT_FALSE(wallets_taken(1, {}, {{account_of(1), {account_of(9)}}, {account_of(2), {account_of(9)}}}))
      << "of two accounts";
  EXPECT_FALSE(wallets_taken(1, {}, {{account_of(1), std::vector<Address>(limits::bridge_wallets_max + 1)}}));
}

TEST(OperatorSwitches, StartWithTheDeploymentsSettingsWhichAStoredSwitchOverrides) {
  OperatorSwitches switches({Switchable::credits, Switchable::transfers});
  EXPECT_FALSE(switches.is_on(Switchable::credits));
  EXPECT_TRUE(switches.is_on(Switchable::bridge_chain));
  switches.turn(Switchable::credits, true);
  OperatorSwitches again({Switchable::credits, Switchable::transfers});
  ASSERT_TRUE(restore(again, to_archive(switches)));
  EXPECT_TRUE(again.is_on(Switchable::credits));
  EXPECT_FALSE(again.is_on(Switchable::transfers));
  EXPECT_EQ(api::parse<Switchable>("wallet_registration"), Switchable::wallet_registration);
  EXPECT_EQ(api::parse<Switchable>("trading"), std::nullopt);
}

TEST(OperatorSwitches, BoundTheFrozenAccounts) {
  OperatorSwitches switches({});
  Address last;
  for (std::size_t i = 0; i < limits::frozen_accounts_max; ++i) {
    last.bytes[0] = static_cast<std::uint8_t>(i);
    last.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    ASSERT_TRUE(switches.freeze(last));
  }
  const Address other{{0, 0, 1}};
  EXPECT_FALSE(switches.freeze(other));
  EXPECT_TRUE(switches.freeze(last)) << "is frozen already";
  switches.unfreeze(last);
  EXPECT_FALSE(switches.is_frozen(last));
  EXPECT_TRUE(switches.freeze(other));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
