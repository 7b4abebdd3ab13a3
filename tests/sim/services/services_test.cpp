// Commands to the services: what they change, when they are refused, and that a state is the same after a restore.
#include "sim/services/service_commands.h"

#include <gtest/gtest.h>

#include "base/archive.h"
#include "signing/key.h"
#include "sim/account_of.h"
#include "sim/services/serve.h"

namespace svc::sim {
namespace SVC_FILE {

constexpr TimestampMs start_ms = 1'700'000'000'000;
constexpr Usdx five{5 * usdx_one};

const Address alice = account_of(1);
const Address bob = account_of(2);
const Address carol = account_of(3);
const Address agent = account_of(100);

Address numbered(std::size_t number, std::uint8_t kind) {
  Address address;
  address.bytes[0] = kind;
  for (std::size_t i = 1; number > 0; ++i, number >>= 8) address.bytes[i] = number & 0xff;
  return address;
}

// The services of one network and an engine without markets.
struct ServicesTest : testing::Test {
  Services services{ServiceTerms{}};
  engine::Engine engine{engine::EngineConfig{}};
  engine::EventLog events;
  engine::Outcome outcome;  // of the last command to the engine
  TimestampMs now_ms = start_ms;
  std::function<engine::Outcome(CommandBody)> to_engine = [this](CommandBody body) {
    outcome = engine.apply({.now_ms = now_ms, .body = std::move(body)}, events);
    return outcome;
  };

  Services::Turn turn() { return {.now_ms = now_ms, .engine = engine, .command = to_engine}; }

  template <class Command>
  Result<ValueOf<Command>, api::ApiError> apply(Command command) {
    auto value = services.apply(ServiceCommand(std::move(command)), turn());
    if (!value) return unexpected(std::move(value).error());
    return std::get<ValueOf<Command>>(std::move(*value));
  }
  template <class Command>
  ValueOf<Command> done(Command command) {
    auto value = apply(std::move(command));
    EXPECT_TRUE(value.has_value());
    return value ? std::move(*value) : ValueOf<Command>{};
  }
  // Refused with that code, and nothing changed.
  void refused(ServiceCommand command, api::ErrorCode code, const char* what) {
    const std::string before = services.image();
    const auto hash = engine.state_hash();
    const auto value = services.apply(command, turn());
    ASSERT_FALSE(value.has_value()) << what;
    EXPECT_EQ(value.error().code, code) << what << ": " << value.error().message;
    EXPECT_EQ(services.image(), before) << what;
    EXPECT_EQ(engine.state_hash(), hash) << what;
  }
  void pay(const Address& who, Usdx amount) {
    (void)done(PayIn{.account = who, .amount = amount, .kind = engine::FundsKind::deposit});
  }
  Usdx balance(const Address& who) const { return engine.account(who).balance; }
  void pass(std::int64_t ms) {
    const TimestampMs until_ms = now_ms + ms;
    for (auto due_ms = services.next_due_ms(); due_ms && *due_ms <= until_ms; due_ms = services.next_due_ms()) {
      now_ms = *due_ms;
      services.do_due(turn());
    }
    now_ms = until_ms;
  }
};

TEST_F(ServicesTest, BeyondABoundWalletsWithoutMoneyGetNoAgents) {
  const auto registration = [&](const Address& who, const Address& key, TimestampMs ends_ms) {
    return RegisterAgent{.agent = key, .account = who, .label = {}, .expires_at_ms = ends_ms};
  };
  const TimestampMs soon_ms = start_ms + day_ms;
  for (std::size_t i = 0; i < limits::agents_max; ++i)
    ASSERT_TRUE(apply(registration(numbered(i, 1), numbered(i, 2), soon_ms)));
  EXPECT_EQ(apply(registration(alice, agent, soon_ms)).error().code, api::ErrorCode::too_many_agents);
  pay(alice, five);
  EXPECT_TRUE(apply(registration(alice, agent, soon_ms + day_ms)));
  pass(day_ms);
  EXPECT_TRUE(apply(registration(alice, account_of(101), soon_ms + day_ms)));
  EXPECT_EQ(services.look()->agents.size(), 2u) << "all others have expired";
  EXPECT_TRUE(apply(registration(bob, account_of(102), soon_ms + day_ms)));
}

TEST_F(ServicesTest, BeyondABoundWalletsWithoutMoneyGetNoKeys) {
  for (std::size_t i = 0; i < limits::api_keys_max; ++i) ASSERT_TRUE(apply(CreateKey{.account = numbered(i, 1)}));
  EXPECT_EQ(apply(CreateKey{.account = alice}).error().code, api::ErrorCode::too_many_keys);
  pay(alice, five);
  EXPECT_TRUE(apply(CreateKey{.account = alice}));
  for (const Address& other : {numbered(0, 1), numbered(1, 1)}) {
    const std::string id = services.look()->keys.of(other).front()->id;
    EXPECT_TRUE(apply(DeleteKey{.account = other, .id = id}));
  }
  EXPECT_TRUE(apply(CreateKey{.account = bob})) << "others are gone";
}

TEST_F(ServicesTest, BeyondABoundWalletsWithoutMoneyAreNotEnrolled) {
  for (std::size_t i = 0; i < limits::transfer_enrollments_max; ++i)
    ASSERT_TRUE(apply(EnrollForTransfers{numbered(i, 1)}));
  EXPECT_EQ(apply(EnrollForTransfers{alice}).error().code, api::ErrorCode::transfer_account_ineligible);
  EXPECT_TRUE(apply(EnrollForTransfers{numbered(0, 1)})) << "it is enrolled already";
  pay(alice, five);
  EXPECT_TRUE(apply(EnrollForTransfers{alice}));
}

TEST_F(ServicesTest, DepositsOfOnesOwnLeaveRoomForAllOtherMoney) {
  const auto own = [](const Address& who, Usdx amount) {
    return PayIn{.account = who, .amount = amount, .kind = engine::FundsKind::deposit};
  };
  for (std::uint8_t number = 50; number < 59; ++number) pay(account_of(number), Usdx{limits::own_deposits_account_max});
  refused(own(account_of(50), Usdx{1}), api::ErrorCode::invalid_amount, "the account has all that it may give itself");
  refused(own(alice, five), api::ErrorCode::invalid_amount, "the venue keeps the rest for others");
  EXPECT_EQ(done(ClaimFaucet{alice}).amount, limits::faucet_amount);
  const ChainMovement deposit = done(PayDepositAddress{.account = bob, .amount = five, .asset = "USDX"});
  pass(deposit.final_ms - now_ms);
  EXPECT_EQ(balance(bob), five);
  EXPECT_TRUE(to_engine(engine::FundInsurance{five}).ok());
}

TEST_F(ServicesTest, EngineRefusalsChangeNothingAndTheValueIsEmpty) {
  (void)done(EnrollForTransfers{alice});
  (void)done(EnrollForTransfers{bob});
  const std::string before = services.image();
  EXPECT_EQ(done(WithdrawToWallet{.account = alice, .amount = five}).id.number, 0u);
  EXPECT_FALSE(outcome.ok());
  outcome = {};
  EXPECT_EQ(done(WithdrawOverBridge{.account = alice, .amount = five, .idempotency_key = "k"}).id.number, 0u);
  EXPECT_FALSE(outcome.ok());
  outcome = {};
  EXPECT_EQ(done(TransferMoney{.sender = alice, .recipient = bob, .amount = five, .client_transfer_id = "rent"}).number,
            0u);
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(services.image(), before);
}

TEST_F(ServicesTest, ARefusedCredentialChangesNothing) {
  using enum api::ErrorCode;
  for (std::size_t i = 0; i < limits::api_keys_per_account_max; ++i) (void)done(CreateKey{.account = alice});
  const MintedKey key = done(CreateKey{.account = bob});
  (void)done(RegisterAgent{.agent = agent, .account = alice, .expires_at_ms = now_ms + day_ms});
  refused(CreateKey{.account = alice}, too_many_keys, "one more key");
  refused(DeleteKey{.account = alice, .id = key.id}, not_found, "the key of another");
  refused(RegisterAgent{.agent = agent, .account = bob, .expires_at_ms = now_ms + day_ms}, duplicate_agent,
          "the agent of another");
  refused(RevokeAgent{.account = bob, .agent = agent}, not_found, "likewise");
  refused(RedeemStreamToken{token_hash("guess")}, unauthorized, "a guessed token");
  refused(ResetTier{alice}, not_found, "the default tier");
}

TEST_F(ServicesTest, ARefusedMovementOfMoneyChangesNothing) {
  using enum api::ErrorCode;
  pay(alice, Usdx{1'000 * usdx_one});
  const auto transfer = [](const Address& from, const Address& to, Usdx amount = five) {
    return TransferMoney{
        .sender = from, .recipient = to, .amount = amount, .client_transfer_id = "rent", .recipient_is_known = true};
  };
  refused(transfer(alice, bob), transfer_account_ineligible, "the sender is not enrolled");
  (void)done(EnrollForTransfers{alice});
  refused(transfer(alice, alice), transfer_account_ineligible, "to oneself");
  refused(transfer(alice, bob), transfer_account_ineligible, "the recipient is not enrolled");
  TransferMoney to_nobody = transfer(alice, bob);
  to_nobody.recipient_is_known = false;
  refused(to_nobody, not_found, "the recipient is unknown");
  (void)done(EnrollForTransfers{bob});
  (void)done(transfer(alice, bob));
  refused(transfer(alice, bob, Usdx{1}), transfer_id_conflict, "the id stands for another payment");

  (void)done(WithdrawOverBridge{.account = alice, .amount = five, .idempotency_key = "k"});
  const auto over_bridge = [](Usdx amount, const char* key) {
    return WithdrawOverBridge{.account = alice, .amount = amount, .idempotency_key = key};
  };
  refused(over_bridge(Usdx{6 * usdx_one}, "k"), idempotency_conflict, "the key stands for another amount");
  refused(over_bridge(Usdx{usdx_one - 1}, "l"), amount_below_minimum, "too little");
  (void)done(TurnSwitches{{{Switchable::bridge_chain, false}}});
  refused(over_bridge(five, "l"), bridge_step_failed, "the chain is off");
  (void)done(FreezeAccount{.account = alice});
  refused(over_bridge(five, "l"), withdrawal_rejected, "frozen");
  refused(WithdrawToWallet{.account = alice, .amount = five}, withdrawal_rejected, "frozen");
  TransferMoney second = transfer(alice, bob);
  second.client_transfer_id = "again";
  refused(second, transfer_outflow_blocked, "frozen");
  (void)done(TurnSwitches{{{Switchable::bridge_withdrawals, false}, {Switchable::transfers, false}}});
  refused(over_bridge(five, "l"), bridge_withdrawals_unavailable, "switched off");
  refused(EnrollForTransfers{carol}, transfers_unavailable, "switched off");

  (void)done(ClaimFaucet{bob});
  refused(ClaimFaucet{bob}, faucet_cooldown, "twice a day");
  (void)done(ClaimCredit{.account = bob});
  refused(ClaimCredit{.account = bob}, daily_limit_exceeded, "twice a day");
  refused(AssignTier{.account = bob, .tier = api::Tier::unlimited}, unprocessable, "it has money");
  (void)done(AssignTier{.account = carol, .tier = api::Tier::unlimited});
  refused(PayIn{.account = carol, .amount = five, .kind = engine::FundsKind::deposit}, forbidden, "takes no funds");
  refused(ClaimFaucet{carol}, forbidden, "likewise");
  refused(ConfirmMovement{{.kind = MovementKind::withdrawal, .number = 7}}, not_found, "no such withdrawal");
  refused(FailMovement{{.kind = MovementKind::bridge_deposit, .number = 7}}, not_found, "no such deposit");
  refused(RegisterWallet{.account = alice, .wallet = agent, .message = "hello", .signer = agent}, invalid_challenge,
          "no such challenge");
}

TEST_F(ServicesTest, AnAgentTakesNoPartInTransfers) {
  (void)done(RegisterAgent{.agent = agent, .account = alice, .expires_at_ms = now_ms + day_ms});
  (void)done(EnrollForTransfers{alice});
  refused(EnrollForTransfers{agent}, api::ErrorCode::transfer_account_ineligible, "an agent");
  refused(TransferMoney{.sender = alice, .recipient = agent, .amount = five, .client_transfer_id = "x"},
          api::ErrorCode::transfer_account_ineligible, "to an agent");
}

TEST_F(ServicesTest, ARepeatedPaymentIsTheFirstOneAndPaidOnce) {
  pay(alice, Usdx{100 * usdx_one});
  (void)done(EnrollForTransfers{alice});
  (void)done(EnrollForTransfers{bob});
  const TransferMoney payment{.sender = alice, .recipient = bob, .amount = five, .client_transfer_id = "rent"};
  const WithdrawOverBridge withdrawal{.account = alice, .amount = five, .idempotency_key = "k"};
  const Transfer transfer = done(payment);
  const ChainMovement movement = done(withdrawal);
  const std::string before = services.image();
  now_ms += hour_ms;
  EXPECT_EQ(done(payment).number, transfer.number);
  EXPECT_EQ(done(withdrawal).id.number, movement.id.number);
  EXPECT_EQ(services.image(), before);
  EXPECT_EQ(balance(alice), Usdx{90 * usdx_one});
  EXPECT_EQ(balance(bob), five);
  now_ms += limits::idempotency_key_lifetime_ms;
  EXPECT_NE(done(withdrawal).id.number, movement.id.number) << "the key is unused again";
}

TEST_F(ServicesTest, SecretsOfTheSystemComeWithTheCommandAndTheAnswerBringsNoToken) {
  EXPECT_TRUE(done(OpenSession{.account = alice, .drawn = token_hash("session")}).empty());
  EXPECT_EQ(services.look()->sessions.find("session", now_ms), alice);
  EXPECT_TRUE(done(MintStreamToken{.grant = {.account = alice}, .drawn = token_hash("stream")}).empty());
  EXPECT_EQ(done(RedeemStreamToken{token_hash("stream")}), (StreamGrant{.account = alice}));
  const DrawnKey drawn = *key_drawn_before(SecretSource::system);
  const MintedKey key = done(CreateKey{.account = alice, .drawn = drawn});
  EXPECT_EQ(key.id, drawn.id);
  EXPECT_EQ(services.look()->keys.find(drawn.id)->secret.reveal(), drawn.secret);
  // The writer's own stream has not moved.
  Services fresh{ServiceTerms{}};
  EXPECT_EQ(done(OpenSession{.account = alice}).reveal(),
            served(fresh, OpenSession{.account = alice}, now_ms).reveal());
}

TEST_F(ServicesTest, NetworksDrawDifferentCredentials) {
  Services testnet{ServiceTerms{.network = api::NetworkId::testnet}};
  EXPECT_NE(done(OpenSession{.account = alice}).reveal(),
            served(testnet, OpenSession{.account = alice}, now_ms).reveal());
}

TEST_F(ServicesTest, AKeyKeepsTheCeilingOfTheTierUnderWhichItWasMinted) {
  const auto ceiling_of = [&](const MintedKey& key) { return services.look()->keys.find(key.id)->ceiling_per_second; };
  const MintedKey pro = done(CreateKey{.account = alice});
  (void)done(AssignTier{.account = alice, .tier = api::Tier::market_maker});
  const MintedKey maker = done(CreateKey{.account = alice});
  (void)done(AssignTier{.account = alice, .tier = api::Tier::unlimited});
  const MintedKey unlimited = done(CreateKey{.account = alice});
  EXPECT_EQ(ceiling_of(pro), key_ceiling_per_second(api::Tier::pro));
  EXPECT_EQ(ceiling_of(maker), key_ceiling_per_second(api::Tier::market_maker));
  EXPECT_EQ(ceiling_of(unlimited), 0u) << "none";
}

TEST_F(ServicesTest, AnAccountWithMoneyOnItsWayIsATradingAccount) {
  const AssignTier unlimited{.account = alice, .tier = api::Tier::unlimited};
  const ChainMovement deposit = done(PayDepositAddress{.account = alice, .amount = Usdx{usdx_one}, .asset = "USDX"});
  refused(unlimited, api::ErrorCode::unprocessable, "a deposit is on its way");
  (void)done(FailMovement{deposit.id});
  (void)done(unlimited);
}

TEST_F(ServicesTest, AFailedWithdrawalIsPaidBackAndIsFinal) {
  pay(alice, Usdx{100 * usdx_one});
  const ChainMovement to_wallet = done(WithdrawToWallet{.account = alice, .amount = five});
  const ChainMovement over_bridge = done(WithdrawOverBridge{.account = alice, .amount = five, .idempotency_key = "k"});
  EXPECT_EQ(balance(alice), Usdx{90 * usdx_one});
  for (const ChainMovement& movement : {to_wallet, over_bridge}) {
    EXPECT_EQ(done(FailMovement{movement.id}).fate(now_ms), MovementFate::failed);
    refused(FailMovement{movement.id}, api::ErrorCode::unprocessable, "it is final");
    refused(ConfirmMovement{movement.id}, api::ErrorCode::unprocessable, "likewise");
  }
  EXPECT_EQ(balance(alice), Usdx{100 * usdx_one});
  const ChainMovement confirmed = done(WithdrawToWallet{.account = alice, .amount = five});
  EXPECT_EQ(done(ConfirmMovement{confirmed.id}).fate(now_ms), MovementFate::settled);
  refused(FailMovement{confirmed.id}, api::ErrorCode::unprocessable, "it is settled");
}

TEST_F(ServicesTest, ADepositIsCreditedOnceAtItsLastConfirmationIfItIsLargeEnough) {
  const ChainMovement deposit = done(PayDepositAddress{.account = alice, .amount = five, .asset = "USDX"});
  const ChainMovement small = done(PayDepositAddress{.account = bob, .amount = Usdx{1}, .asset = "USDX"});
  EXPECT_EQ(services.next_due_ms(), deposit.final_ms);
  pass(deposit.final_ms - now_ms - 1);
  EXPECT_EQ(balance(alice), Usdx{});
  pass(1);
  EXPECT_EQ(balance(alice), five);
  EXPECT_EQ(services.look()->find(deposit.id)->decision, MovementFate::settled);
  EXPECT_EQ(services.look()->find(small.id)->decision, MovementFate::failed);
  EXPECT_EQ(balance(bob), Usdx{});
  EXPECT_EQ(services.next_due_ms(), std::nullopt);
  refused(FailMovement{deposit.id}, api::ErrorCode::unprocessable, "it was credited");
  refused(ConfirmMovement{deposit.id}, api::ErrorCode::unprocessable, "likewise");
}

TEST_F(ServicesTest, AConfirmedDepositIsDueAtOnce) {
  const ChainMovement deposit = done(PayDepositAddress{.account = alice, .amount = five, .asset = "USDX"});
  (void)done(ConfirmMovement{deposit.id});
  EXPECT_EQ(services.next_due_ms(), now_ms);
  pass(0);
  EXPECT_EQ(balance(alice), five);
}

TEST_F(ServicesTest, TheEarlierOfDepositAndTimerIsDueFirstAndTheDepositAtTheSameInstant) {
  const ChainMovement deposit = done(PayDepositAddress{.account = alice, .amount = five, .asset = "USDX"});
  const auto close_at = [&](const Address& who, TimestampMs at_ms) {
    const TimestampMs then = std::exchange(now_ms, at_ms);
    (void)done(SetCancelOnDisconnect{.account = who, .enabled = true});
    (void)done(NotePresence{.account = who, .connected = true});
    (void)done(NotePresence{.account = who, .connected = false});
    now_ms = then;
  };
  const std::int64_t grace_ms = limits::disconnect_grace_ms;
  close_at(bob, deposit.final_ms - grace_ms - 1);
  close_at(carol, deposit.final_ms - grace_ms);
  EXPECT_EQ(services.next_due_ms(), deposit.final_ms - 1);
  now_ms = deposit.final_ms - 1;
  services.do_due(turn());
  EXPECT_EQ(services.next_due_ms(), deposit.final_ms);
  now_ms = deposit.final_ms;
  services.do_due(turn());
  EXPECT_EQ(services.look()->find(deposit.id)->decision, MovementFate::settled);
  EXPECT_EQ(services.look()->disconnects.next()->account, carol);
  services.do_due(turn());
  EXPECT_EQ(services.next_due_ms(), std::nullopt);
}

TEST_F(ServicesTest, NoncesAreSpentOnceWhateverBecomesOfTheCommand) {
  const SpentNonces spent{{NonceSequence::requests, alice, 5}, {NonceSequence::owners, alice, 2}};
  EXPECT_TRUE(services.spend({}));
  EXPECT_TRUE(services.spend(spent));
  EXPECT_FALSE(services.spend(spent));
  EXPECT_FALSE(services.spend({{NonceSequence::requests, alice, 6}, {NonceSequence::owners, alice, 2}}));
  EXPECT_EQ(services.look()->nonces.highest(NonceSequence::requests, alice), 6u) << "the fresh one is spent as well";
}

// One of everything.
struct RestoredServices : ServicesTest {
  signing::PrivateKey wallet = *signing::PrivateKey::from_hex(std::string(64, '7'));
  Secret session;
  Secret stream_token;
  MintedKey key;
  DepositAddress address;
  WalletChallenge used;
  WalletChallenge open;

  void SetUp() override {
    pay(alice, Usdx{1'000 * usdx_one});
    session = done(OpenSession{.account = alice});
    key = done(CreateKey{.account = alice, .label = "desk"});
    (void)done(RegisterAgent{.agent = agent, .account = alice, .label = "bot", .expires_at_ms = now_ms + day_ms});
    stream_token = done(MintStreamToken{.grant = {.account = alice}});
    (void)done(AssignTier{.account = bob, .tier = api::Tier::market_maker});
    (void)done(SetCancelOnDisconnect{.account = alice, .enabled = true});
    (void)done(NotePresence{.account = alice, .connected = true});
    (void)done(ClaimFaucet{alice});
    (void)done(ClaimCredit{.account = alice, .amount = five});
    for (const char* text : {"first", "second"}) {
      (void)done(WithdrawToWallet{.account = alice, .amount = five});
      (void)done(WithdrawOverBridge{.account = alice, .amount = five, .idempotency_key = text});
      (void)done(PayDepositAddress{.account = alice, .amount = five, .asset = "USDX"});
    }
    for (const MovementKind kind :
         {MovementKind::withdrawal, MovementKind::bridge_withdrawal, MovementKind::bridge_deposit})
      (void)done(FailMovement{{.kind = kind, .number = 2}});
    (void)done(EnrollForTransfers{alice});
    (void)done(EnrollForTransfers{bob});
    (void)done(TransferMoney{.sender = alice, .recipient = bob, .amount = five, .client_transfer_id = "rent"});
    address = done(OpenDepositAddress{alice});
    used = done(IssueWalletChallenge{.account = alice, .wallet = wallet.address()});
    open = done(IssueWalletChallenge{.account = alice, .wallet = wallet.address()});
    EXPECT_TRUE(done(registration(used)));
    (void)done(TurnSwitches{{{Switchable::credits, false}}});
    (void)done(FreezeAccount{.account = carol});
    (void)done(FreezeAccount{.account = bob});
    (void)done(FreezeAccount{.account = bob, .frozen = false});
    EXPECT_TRUE(services.spend({{NonceSequence::requests, agent, 9}}));
  }

  RegisterWallet registration(const WalletChallenge& challenge) const {
    return {.account = alice, .wallet = wallet.address(), .message = challenge.message, .signer = wallet.address()};
  }
};

TEST_F(RestoredServices, AreTheSame) {
  const std::string image = services.image();
  EXPECT_EQ(image.find(session.reveal()), std::string::npos) << "hashes only";
  EXPECT_EQ(image.find(stream_token.reveal()), std::string::npos);
  (void)done(OpenSession{.account = bob});  // what came after the image is gone
  auto state = services.state_of(image, now_ms);
  ASSERT_TRUE(state);
  services.become(std::move(*state));
  EXPECT_EQ(services.image(), image);

  EXPECT_EQ(services.look()->sessions.find(session.reveal(), now_ms), alice);
  EXPECT_EQ(services.look()->sessions.size(), 1u);
  EXPECT_EQ(services.look()->keys.find(key.id)->secret.reveal(), key.secret.reveal());
  EXPECT_EQ(services.look()->agents.find(agent, now_ms)->account, alice);
  EXPECT_EQ(services.look()->tiers.of(bob), api::Tier::market_maker);
  EXPECT_TRUE(services.look()->disconnects.is_enabled(alice));
  EXPECT_TRUE(services.look()->disconnects.is_connected(alice));
  EXPECT_EQ(services.look()->transfers.enrolled_ms(alice), start_ms);
  EXPECT_EQ(services.look()->transfers.find(alice, "rent")->amount, five);
  EXPECT_EQ(services.look()->transfers.page(bob, std::nullopt, 10).rows.size(), 1u);
  EXPECT_EQ(services.look()->idempotency_keys.find(alice, "first", now_ms)->withdrawal, 1u);
  EXPECT_EQ(services.look()->addresses.owner_of(address.address), alice);
  EXPECT_EQ(services.look()->wallets.of(alice), std::vector{wallet.address()});
  EXPECT_FALSE(services.look()->switches.is_on(Switchable::credits));
  EXPECT_TRUE(services.look()->switches.is_on(Switchable::transfers));
  EXPECT_TRUE(services.look()->switches.is_frozen(carol));
  EXPECT_FALSE(services.look()->switches.is_frozen(bob));
  for (const MovementKind kind :
       {MovementKind::withdrawal, MovementKind::bridge_withdrawal, MovementKind::bridge_deposit}) {
    EXPECT_EQ(services.look()->find({.kind = kind, .number = 1})->decision, MovementFate::open);
    EXPECT_EQ(services.look()->find({.kind = kind, .number = 2})->decision, MovementFate::failed);
    EXPECT_EQ(services.look()->movements(kind).next_number(), 3u) << "no number is given out twice";
  }

  EXPECT_FALSE(services.spend({{NonceSequence::requests, agent, 9}}));
  EXPECT_EQ(done(RedeemStreamToken{token_hash(stream_token.reveal())}), (StreamGrant{.account = alice}));
  refused(RedeemStreamToken{token_hash(stream_token.reveal())}, api::ErrorCode::unauthorized, "it was redeemed");
  refused(ClaimFaucet{alice}, api::ErrorCode::faucet_cooldown, "claimed today");
  refused(registration(used), api::ErrorCode::invalid_challenge, "it was used");
  EXPECT_TRUE(done(registration(open)));
  pass(hour_ms);
  EXPECT_EQ(services.look()->find({.kind = MovementKind::bridge_deposit, .number = 1})->decision,
            MovementFate::settled);
}

// Two states that were equal once stay equal under the same commands.
TEST_F(RestoredServices, DoTheSameAfterwards) {
  Services copy{ServiceTerms{}};
  copy.become(std::move(*copy.state_of(services.image(), now_ms)));
  const ServiceCommand commands[] = {OpenSession{.account = bob},
                                     CreateKey{.account = bob},
                                     MintStreamToken{.grant = {.account = bob}},
                                     IssueWalletChallenge{.account = bob, .wallet = carol},
                                     OpenDepositAddress{bob},
                                     NoteStreamsLost{}};
  for (const ServiceCommand& command : commands) {
    ASSERT_TRUE(services.apply(command, turn()));
    ASSERT_TRUE(copy.apply(command, turn()));
    EXPECT_EQ(copy.image(), services.image()) << command.index();
  }
}

TEST_F(RestoredServices, AreNotMadeOfDamagedBytes) {
  const std::string image = services.image();
  EXPECT_FALSE(services.state_of("", now_ms));
  EXPECT_FALSE(services.state_of(image + "x", now_ms));
  for (std::size_t size = 0; size < image.size(); size += 7)
    EXPECT_FALSE(services.state_of(std::string_view(image).substr(0, size), now_ms)) << size;
  EXPECT_EQ(services.image(), image);
}

TEST_F(ServicesTest, AStateWhoseKeyStandsForNoWithdrawalIsRefused) {
  ServicesState state(services.terms());
  state.idempotency_keys.put(alice, "k", {.amount = five, .withdrawal = 1, .first_used_ms = now_ms});
  const std::string image = to_archive(state);
  const auto refusal = services.state_of(image, now_ms);
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error(), "a key of the image stands for a withdrawal that is not there");
  EXPECT_TRUE(services.state_of(image, now_ms + limits::idempotency_key_lifetime_ms)) << "the key is unused again";
}

TEST_F(ServicesTest, ATextThatIsNoUtf8IsUnusualWhereverItStands) {
  const std::string odd = "\xff";
  EXPECT_FALSE(is_usual(ServiceCommand(DeleteKey{.account = alice, .id = odd})));
  EXPECT_FALSE(is_usual(ServiceCommand(RegisterWallet{.account = alice, .wallet = bob, .message = odd})));
  EXPECT_TRUE(is_usual(ServiceCommand(DeleteKey{.account = alice, .id = "svc_1"})));
}

// One of each.
std::vector<ServiceCommand> one_of_each() {
  const MovementId id{.kind = MovementKind::bridge_deposit, .number = 300};
  return {
      OpenSession{.account = alice, .drawn = token_hash("x")},
      CreateKey{.account = alice, .label = "desk", .drawn = DrawnKey{"svc_1", std::string(64, 'a')}},
      DeleteKey{.account = alice, .id = "svc_1"},
      RegisterAgent{.agent = agent, .account = alice, .label = "bot", .expires_at_ms = start_ms},
      RevokeAgent{.account = alice, .agent = agent},
      MintStreamToken{.grant = {.account = alice, .channels = StreamChannels::public_only}, .drawn = token_hash("y")},
      RedeemStreamToken{token_hash("y")},
      AssignTier{.account = alice, .tier = api::Tier::market_maker},
      ResetTier{alice},
      SetCancelOnDisconnect{.account = alice, .enabled = true},
      NotePresence{.account = alice, .connected = true},
      NoteStreamsLost{},
      PayIn{.account = alice, .amount = five, .kind = engine::FundsKind::deposit},
      ClaimFaucet{alice},
      ClaimCredit{.account = alice, .amount = five},
      WithdrawToWallet{.account = alice, .amount = five},
      WithdrawOverBridge{.account = alice, .amount = five, .idempotency_key = "k"},
      EnrollForTransfers{alice},
      TransferMoney{
          .sender = alice, .recipient = bob, .amount = five, .client_transfer_id = "rent", .recipient_is_known = true},
      OpenDepositAddress{alice},
      IssueWalletChallenge{.account = alice, .wallet = bob},
      RegisterWallet{.account = alice, .wallet = bob, .message = "text", .signer = bob},
      TurnSwitches{{{Switchable::credits, false}, {Switchable::transfers, true}}},
      FreezeAccount{.account = alice, .frozen = false},
      PayDepositAddress{.account = alice, .amount = five, .asset = "USDX"},
      ConfirmMovement{id},
      FailMovement{id},
      NoteRestart{}};
}

TEST(ServiceCommands, SurviveAnArchive) {
  const std::vector<ServiceCommand> commands = one_of_each();
  ASSERT_EQ(commands.size(), std::variant_size_v<ServiceCommand::variant>);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_EQ(commands[i].index(), i);
    const std::string bytes = to_archive(commands[i]);
    const auto again = from_archive<ServiceCommand>(bytes);
    ASSERT_TRUE(again) << i;
    EXPECT_EQ(again->index(), i);
    EXPECT_EQ(to_archive(*again), bytes) << i;
    EXPECT_TRUE(is_usual(*again)) << i;
    EXPECT_FALSE(from_archive<ServiceCommand>(bytes + "x")) << i;
    EXPECT_FALSE(from_archive<ServiceCommand>(std::string_view(bytes).substr(0, bytes.size() - 1))) << i;
  }
}

// Logs come from outside.
TEST(ServiceCommands, WithUnusualPartsAreNotReplayed) {
  const std::string broken = "\xff";
  const ServiceCommand rows[] = {
      CreateKey{.account = alice, .label = broken},
      CreateKey{.account = alice, .drawn = DrawnKey{"a b", std::string(64, 'a')}},
      CreateKey{.account = alice, .drawn = DrawnKey{"svc_1", "zz"}},
      RegisterAgent{.agent = agent, .account = alice, .label = broken},
      RegisterAgent{.agent = agent, .account = alice, .expires_at_ms = -1},
      PayIn{.account = alice, .amount = Usdx{}},
      PayIn{.account = alice, .amount = Usdx{-1}},
      PayIn{.account = alice, .amount = Usdx{limits::order_value_max + 1}},
      ClaimCredit{.account = alice, .amount = Usdx{}},
      WithdrawToWallet{.account = alice, .amount = Usdx{-1}},
      WithdrawOverBridge{.account = alice, .amount = five, .idempotency_key = ""},
      WithdrawOverBridge{.account = alice, .amount = five, .idempotency_key = "a b"},
      TransferMoney{.sender = alice, .recipient = bob, .amount = five, .client_transfer_id = broken},
      PayDepositAddress{.account = alice, .amount = five, .asset = broken},
      ConfirmMovement{.id = {.number = limits::counter_max + 1}}};
  for (std::size_t i = 0; i < std::size(rows); ++i) EXPECT_FALSE(is_usual(rows[i])) << i;
  EXPECT_TRUE(is_usual(ClaimCredit{.account = alice})) << "all that is left";
}

}  // namespace SVC_FILE
}  // namespace svc::sim
