#include <gtest/gtest.h>

#include <string>

#include "sim/gateway/rate_limiter.h"

namespace svc::sim {
namespace SVC_FILE {

using api::RateClass;
using api::Tier;

constexpr TimestampMs now_ms = 1'700'000'000'000;
const Address alice = *parse_address("0x00000000000000000000000000000000000000a1");
const Address bob = *parse_address("0x00000000000000000000000000000000000000b0");
const std::optional<std::string> here = "203.0.113.7";
const std::optional<std::string> unresolved;

Payer payer(const Address& account, Tier tier = Tier::pro) {
  return {.account = account, .tier = tier, .key_id = {}, .key_ceiling_per_second = 0, .client_address = here};
}

Payer with_key(Payer owner, std::string_view key_id, std::uint32_t ceiling_per_second) {
  owner.key_id = key_id;
  owner.key_ceiling_per_second = ceiling_per_second;
  return owner;
}

// The number of requests of cost 1 that pass at one instant.
int passes(RateLimiter& limiter, const Payer& who, RateClass rate) {
  int count = 0;
  while (count < 5'000 && limiter.charge(who, rate, 1, now_ms)) ++count;
  return count;
}

int passes(RateLimiter& limiter, const std::optional<std::string>& address, RateClass rate) {
  int count = 0;
  while (count < 5'000 && limiter.charge_client(address, rate, 1, now_ms)) ++count;
  return count;
}

TEST(RateLimiter, TheThreeClassesOfAnAccountShareNothing) {
  RateLimiter limiter({});
  EXPECT_EQ(passes(limiter, payer(alice), RateClass::order), 20);
  EXPECT_EQ(passes(limiter, payer(alice), RateClass::cancel), 20);
  EXPECT_EQ(passes(limiter, payer(alice), RateClass::request), 20);
  EXPECT_EQ(passes(limiter, payer(bob), RateClass::request), 20);
}

TEST(RateLimiter, ARefusalNamesItsBucketAndWhenToRetry) {
  RateLimiter limiter({});
  passes(limiter, payer(alice), RateClass::cancel);
  const auto refusal = limiter.charge(payer(alice), RateClass::cancel, 1, now_ms);
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().meter.bucket, Bucket::cancel);
  EXPECT_EQ(refusal.error().meter.limit, 20u);
  EXPECT_EQ(refusal.error().meter.remaining, 0u);
  EXPECT_EQ(refusal.error().meter.full_at_ms, now_ms + 1000);
  EXPECT_EQ(refusal.error().retry_after_s, 1);
  EXPECT_EQ(refusal.error().tier, Tier::pro);
}

TEST(RateLimiter, TheLowerOfKeyAndOwnerBinds) {
  struct Row {
    Tier tier;
    std::uint32_t ceiling;
    int passing;
    Bucket refusing;
  };
  for (const Row& row :
       {Row{Tier::pro, 20, 20, Bucket::key}, Row{Tier::pro, 5, 5, Bucket::key}, Row{Tier::pro, 2000, 20, Bucket::owner},
        Row{Tier::market_maker, 20, 20, Bucket::key}, Row{Tier::market_maker, 0, 2000, Bucket::owner}}) {
    RateLimiter limiter({});
    const Payer who = with_key(payer(alice, row.tier), "svc_1", row.ceiling);
    EXPECT_EQ(passes(limiter, who, RateClass::request), row.passing);
    EXPECT_EQ(limiter.charge(who, RateClass::request, 1, now_ms).error().meter.bucket, row.refusing);
  }
}

TEST(RateLimiter, TwoKeysOfOneOwnerShareTheOwnersBucket) {
  RateLimiter limiter({});
  EXPECT_EQ(passes(limiter, with_key(payer(alice), "svc_1", 15), RateClass::request), 15);
  EXPECT_EQ(passes(limiter, with_key(payer(alice), "svc_2", 15), RateClass::request), 5);
}

TEST(RateLimiter, ARefusedRequestIsChargedToNeitherBucket) {
  RateLimiter limiter({});
  const Payer first = with_key(payer(alice), "svc_1", 20);
  const Payer second = with_key(payer(alice), "svc_2", 10);
  EXPECT_EQ(passes(limiter, first, RateClass::request), 20);
  EXPECT_FALSE(limiter.charge(second, RateClass::request, 1, now_ms));  // the owner's is empty
  for (const Meter& meter : limiter.buckets_of(second, now_ms)) {
    EXPECT_EQ(meter.remaining, meter.bucket == Bucket::key ? 10u : meter.bucket == Bucket::owner ? 0u : 20u);
  }
}

TEST(RateLimiter, TheMeterShownIsTheOneWithLessLeft) {
  RateLimiter limiter({});
  const auto meter = limiter.charge(with_key(payer(alice), "svc_1", 7), RateClass::request, 5, now_ms);
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->bucket, Bucket::key);
  EXPECT_EQ(meter->limit, 7u);
  EXPECT_EQ(meter->remaining, 2u);
  EXPECT_EQ(limiter.charge(with_key(payer(bob), "svc_2", 2000), RateClass::request, 5, now_ms)->bucket, Bucket::owner);
}

TEST(RateLimiter, OrderWritesAreNotChargedToTheKeysBucket) {
  RateLimiter limiter({});
  EXPECT_EQ(passes(limiter, with_key(payer(alice, Tier::market_maker), "svc_1", 20), RateClass::order), 2000);
}

TEST(RateLimiter, UnlimitedCallersPayFromTheirAddressInEveryClass) {
  RateLimiter limiter({});
  const Payer gateway = with_key(payer(alice, Tier::unlimited), "svc_1", 20);
  EXPECT_TRUE(limiter.buckets_of(gateway, now_ms).empty());
  EXPECT_EQ(passes(limiter, gateway, RateClass::order), 50);
  const auto refusal = limiter.charge(gateway, RateClass::cancel, 1, now_ms);
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().meter.bucket, Bucket::ip);
  EXPECT_EQ(refusal.error().tier, Tier::unlimited);
}

TEST(RateLimiter, ClientAddressesHaveTheirOwnPoolsAndUnknownOnesShareASmallOne) {
  RateLimiter limiter({});
  EXPECT_EQ(passes(limiter, here, RateClass::request), 50);
  EXPECT_EQ(passes(limiter, here, RateClass::login), 5);
  EXPECT_EQ(passes(limiter, "203.0.113.8", RateClass::request), 50);
  EXPECT_EQ(passes(limiter, unresolved, RateClass::request), 5);
  EXPECT_EQ(passes(limiter, unresolved, RateClass::login), 5);
  EXPECT_EQ(limiter.charge_client(here, RateClass::login, 1, now_ms).error().meter.bucket, Bucket::login);
  EXPECT_EQ(limiter.charge_client(here, RateClass::request, 1, now_ms).error().meter.bucket, Bucket::ip);
}

TEST(RateLimiter, ATierChangeFillsAllBucketsAndKeysKeepTheirCeilings) {
  RateLimiter limiter({});
  const Payer who = with_key(payer(alice), "svc_1", 20);
  passes(limiter, who, RateClass::request);
  passes(limiter, who, RateClass::order);
  const std::string keys[] = {"svc_1"};
  limiter.reset(alice, keys);
  EXPECT_EQ(passes(limiter, who, RateClass::order), 20);
  const Payer promoted = with_key(payer(alice, Tier::market_maker), "svc_1", 20);
  EXPECT_EQ(passes(limiter, promoted, RateClass::request), 20);
  EXPECT_EQ(limiter.charge(promoted, RateClass::request, 1, now_ms).error().meter.bucket, Bucket::key);
}

TEST(RateLimiter, CanBeScaledAndSwitchedOff) {
  RateLimiter tenfold({.multiplier = 10});
  EXPECT_EQ(passes(tenfold, payer(alice), RateClass::order), 200);
  EXPECT_EQ(passes(tenfold, here, RateClass::login), 50);
  RateLimiter off({.multiplier = 0});
  EXPECT_EQ(passes(off, payer(alice), RateClass::order), 5'000);
  EXPECT_EQ(off.charge(payer(alice), RateClass::order, 1, now_ms)->remaining, 20u);
}

TEST(RateLimiter, PeekingCostsNothing) {
  RateLimiter limiter({});
  passes(limiter, payer(alice), RateClass::request);
  EXPECT_EQ(limiter.peek(payer(alice), RateClass::request, now_ms).remaining, 0u);
  EXPECT_EQ(limiter.buckets_of(payer(alice), now_ms).size(), 3u);
  EXPECT_EQ(limiter.buckets_of(with_key(payer(bob), "svc_1", 20), now_ms).size(), 4u);
}

// Two nodes: one keeps the budgets of all accounts, the other asks it.
struct TwoNodes : testing::Test {
  TwoNodes() {
    asking.set_keepers([this](const Address&, const std::string& question) {
      return is_reached ? std::optional(keeper.answer(question)) : std::nullopt;
    });
  }
  bool is_reached = true;
  RateLimiter keeper{{}};
  RateLimiter asking{{}};
};

TEST_F(TwoNodes, ShareTheBudgetOfAnAccountAndItsKey) {
  const int alone = [] {
    RateLimiter one{{}};
    return passes(one, with_key(payer(alice), "key", 7), RateClass::request);
  }();
  EXPECT_EQ(alone, 7);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(keeper.charge(with_key(payer(alice), "key", 7), RateClass::request, 1, now_ms));
  EXPECT_EQ(passes(asking, with_key(payer(alice), "key", 7), RateClass::request), 4);
  EXPECT_EQ(passes(keeper, with_key(payer(alice), "key", 7), RateClass::request), 0);
  const auto refused = asking.charge(with_key(payer(alice), "key", 7), RateClass::request, 1, now_ms);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().meter.bucket, Bucket::key);
  EXPECT_EQ(refused.error().meter.limit, 7u);
  EXPECT_EQ(asking.buckets_of(payer(alice), now_ms).front().remaining,
            keeper.buckets_of(payer(alice), now_ms).front().remaining);
  asking.reset(alice, std::vector<std::string>{"key"});
  EXPECT_EQ(passes(keeper, with_key(payer(alice), "key", 7), RateClass::request), 7);
}

TEST_F(TwoNodes, UseABudgetOfTheirOwnWhileTheOtherDoesNotAnswer) {
  const int whole = passes(keeper, payer(bob), RateClass::order);
  EXPECT_EQ(passes(asking, payer(bob), RateClass::order), 0);
  is_reached = false;
  EXPECT_EQ(passes(asking, payer(bob), RateClass::order), whole);
}

TEST_F(TwoNodes, ChargeAddressesEachForItself) {
  const int whole = passes(keeper, here, RateClass::request);
  EXPECT_EQ(passes(asking, here, RateClass::request), whole);
  const Payer unlimited = payer(alice, Tier::unlimited);
  EXPECT_EQ(passes(keeper, unlimited, RateClass::order), 0);
  EXPECT_EQ(passes(asking, unlimited, RateClass::order), 0);
  RateLimiter other{{}};
  other.set_keepers([](const Address&, const std::string&) -> std::optional<std::string> {
    ADD_FAILURE() << "nobody else keeps it";
    return std::nullopt;
  });
  EXPECT_GT(passes(other, unlimited, RateClass::order), 0);
}

TEST(RateLimiterAnswer, RefusesWhatIsNoQuestion) {
  RateLimiter keeper{{}};
  EXPECT_NE(keeper.answer("?"), "");
  EXPECT_EQ(keeper.answer(""), keeper.answer("?"));
}

}  // namespace SVC_FILE
}  // namespace svc::sim
