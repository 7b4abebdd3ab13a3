#include <gtest/gtest.h>

#include "sim/engine/account.h"

namespace svc::engine {
namespace SVC_FILE {

std::vector<std::uint32_t> listed(const AccountSet& set) {
  std::vector<std::uint32_t> all;
  set.each([&](AccountIndex account) { all.push_back(account.value); });
  return all;
}

TEST(AccountSet, IsWalkedInAscendingOrder) {
  AccountSet set;
  for (const std::uint32_t account : {700u, 0u, 63u, 64u, 65u, 128u}) set.add({account});
  set.add({64});
  EXPECT_EQ(listed(set), (std::vector<std::uint32_t>{0, 63, 64, 65, 128, 700}));
  set.remove({64});
  EXPECT_EQ(listed(set), (std::vector<std::uint32_t>{0, 63, 65, 128, 700}));
  EXPECT_FALSE(set.contains({64}));
  EXPECT_TRUE(set.contains({65}));
  EXPECT_FALSE(set.contains({100'000})) << "beyond all of them";
}

TEST(AccountSet, AWalkMayRemoveWhatItIsGiven) {
  AccountSet set;
  for (std::uint32_t account = 0; account < 200; ++account) set.add({account});
  std::uint32_t next = 0;
  set.each([&](AccountIndex account) {
    EXPECT_EQ(account.value, next++);
    set.remove(account);
  });
  EXPECT_EQ(next, 200u);
  EXPECT_EQ(listed(set), std::vector<std::uint32_t>{});
}

}  // namespace SVC_FILE
}  // namespace svc::engine
