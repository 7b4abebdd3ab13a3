// A guard killed with -9: its bot and all that the bot started are killed, and its orders are cancelled.
#include <gtest/gtest.h>

#include <fstream>

#include "base/process.h"
#include "cli/trader_home.h"

namespace svc::cli {
namespace SVC_FILE {

// The bot, a child of it, one in its own session, an orphan in another session, and one with an empty environment; each
// writes its process id.
constexpr const char* bot = R"(
  svc=$(readlink /proc/$PPID/exe)
  $svc buy 0.1 BTC-USDX-PERP @ 50000 --client-id ${SVC_CLIENT_ID_PREFIX}1 >/dev/null
  $svc buy 0.1 BTC-USDX-PERP @ 50001 --client-id mine >/dev/null
  echo $$ >"$HOME/bot"
  sh -c 'echo $$ >"$HOME/child"; exec sleep 600' &
  env -i HOME="$HOME" PATH="$PATH" sh -c 'echo $$ >"$HOME/bare"; exec sleep 600' &
  setsid sh -c 'echo $$ >"$HOME/session"; exec sleep 600' &
  (setsid sh -c 'echo $$ >"$HOME/orphan"; exec sleep 600' &)
  until [ -s "$HOME/child" ] && [ -s "$HOME/bare" ] && [ -s "$HOME/session" ] && [ -s "$HOME/orphan" ]; do sleep 0.05; done
  $svc buy 0.1 BTC-USDX-PERP @ 50002 --client-id ${SVC_CLIENT_ID_PREFIX}2 >/dev/null
  while :; do sleep 0.1; done
)";

TEST(GuardKilled, ItsBotWithChildrenIsKilledAndItsOrdersAreCancelled) {
  const TraderHome home;
  Program guard({"-n", "local", "guard", "--", "sh", "-c", bot}, home.path());
  ASSERT_NE(guard.line().find("\"type\":\"start\""), std::string::npos);
  while (home.open_orders() < 3) {
  }
  guard.cut();
  const std::string said = guard.rest();  // written by the keeper, until it ends
  EXPECT_NE(said.find("guard_killed"), std::string::npos) << said;
  EXPECT_NE(said.find("\"clean\":true,\"cancelled\":2"), std::string::npos) << said;
  for (const char* name : {"bot", "child", "bare", "session", "orphan"}) {
    pid_t process = 0;
    std::ifstream(home.path() / name) >> process;
    ASSERT_GT(process, 0) << name;
    EXPECT_NE(process_state(process), ProcessState::runs) << name;
  }
  const Json left = home.run({"orders", "list"});
  ASSERT_EQ(left.find("data")->items().size(), 1u);
  EXPECT_EQ(left.find("data")->items().front().string_at("client_id"), "mine");
}

TEST(GuardKilled, ANormalEndStopsTheKeeper) {
  const TraderHome home;
  Program guard({"-n", "local", "guard", "--", "true"}, home.path());
  const std::string said = guard.rest();
  EXPECT_EQ(guard.wait(), 0);
  EXPECT_EQ(said.find("guard_killed"), std::string::npos) << said;
}

}  // namespace SVC_FILE
}  // namespace svc::cli
