// The built program is interrupted at every point of a write: killed as by a power cut, or its connection drops.
// Afterwards each order exists at most once, and the outbox tells which.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "base/clock.h"
#include "cli/cutting_proxy.h"
#include "cli/program.h"
#include "cli/terminal/json.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace SVC_FILE {

namespace fs = std::filesystem;
using Where = CutPoint::Where;

// Signatures are valid for thirty seconds, and a skew of more than 25 is refused: so the sandbox begins behind by less
// than that, and ends ahead by less than that, in one step.
constexpr std::int64_t behind_ms = 22'000;
constexpr const char* step = "46s";

struct Case {
  const char* name;
  CutPoint point;
  bool arrives;
};

const std::vector<Case> cases = {
    {"looking-up", {Where::look_up}, false},
    {"entry-made", {Where::entry}, false},
    {"sent-unread", {Where::request, Piece::nothing}, false},
    {"byte-sent", {Where::request, Piece::first_byte}, false},
    {"head-half-sent", {Where::request, Piece::half_the_head}, false},
    {"head-sent", {Where::request, Piece::head}, false},
    {"last-byte-missing", {Where::request, Piece::all_but_one_byte}, false},
    {"answer-held", {Where::answer, Piece::nothing}, true},
    {"answer-begun", {Where::answer, Piece::first_byte}, true},
    {"answer-half-a-head", {Where::answer, Piece::half_the_head}, true},
    {"answer-head", {Where::answer, Piece::head}, true},
    {"answer-nearly-whole", {Where::answer, Piece::all_but_one_byte}, true},
    {"answer-whole", {Where::answer, Piece::everything}, true},
};

class PowerCut : public ::testing::Test {
 protected:
  PowerCut()
      : sandbox_({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none", "--at",
                  rfc3339(SystemClock{}.now_ms() - behind_ms)},
                 runtime_.path()) {
    const auto ready = parse_json(sandbox_.line());
    EXPECT_TRUE(ready.has_value());
    url_ = std::string(ready ? ready->string_at("url").value_or("") : "");
    std::ofstream(trader_.path() / "password") << "correct horse\n";
    fs::permissions(trader_.path() / "password", fs::perms::owner_read | fs::perms::owner_write);
    const std::string password = (trader_.path() / "password").string();
    run(trader_.path(), {"keystore", "new", "alice", "--password-file", password});
    run(trader_.path(), {"login", "--wallet", "alice", "--password-file", password});
    run(trader_.path(), {"keys", "create"});
    run(trader_.path(), {"deposits", "submit", "--amount", "10000"});
    run(trader_.path(), order("first"));
  }

  static std::vector<std::string> order(const std::string& client_id) {
    return {"--no-reconcile", "buy", "0.01", "BTC-USDX-PERP", "@", "59000", "--client-id", client_id};
  }

  Json run(const fs::path& home, std::vector<std::string> words, std::optional<int> exit = 0) const {
    words.insert(words.begin(), {"-n", "local", "--json"});
    Program program(words, home, Program::Stdio::pipe, {"SVC_LOCAL_URL=" + url_});
    const std::string out = program.rest();
    const int ended = program.wait();
    EXPECT_EQ(ended, exit.value_or(ended)) << words[3] << " " << out;
    const auto document = parse_json(out);
    return document ? *document : Json();
  }

  // A home folder for each case: a copy of the trader's, with its own outbox.
  fs::path home_of(const std::string& name) {
    const fs::path home = homes_.path() / name;
    fs::copy(trader_.path(), home, fs::copy_options::recursive);
    return home;
  }

  void cut_off(const Case& one, bool by_power) {
    const fs::path home = home_of(one.name);
    CuttingProxy proxy(static_cast<std::uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1))));
    std::vector<std::string> words = order(one.name);
    words.insert(words.begin(), {"-n", "local", "--json"});
    Program client(words, home, Program::Stdio::pipe, {"SVC_LOCAL_URL=" + proxy.url()});
    const fs::path log = home / ".local/state/svc/journal/local";
    EXPECT_TRUE(proxy.carry_until(one.point, log, one.name, [&] {
      if (by_power) client.cut();
    })) << one.name;
    if (by_power) return;
    static_cast<void>(client.rest());
    const int exit = client.wait();
    const bool whole = one.point.where == Where::answer && one.point.piece == Piece::everything;
    const bool never_sent = one.point.where == Where::look_up;
    EXPECT_EQ(exit, whole ? 0 : never_sent ? 10 : 11) << one.name;
  }

  // The number of orders by client id.
  std::map<std::string, int> orders() const {
    std::map<std::string, int> count;
    const Json list = run(trader_.path(), {"orders", "list"});
    if (const Json* rows = list.find("data"))
      for (const Json& row : rows->items()) ++count[row.text_at("client_id")];
    return count;
  }

  void settle_and_compare(const std::vector<Case>& cut) {
    run(trader_.path(), {"local", "time", "advance", step});
    const auto there = orders();
    for (const Case& one : cut) {
      const fs::path home = homes_.path() / one.name;
      const auto found = there.find(one.name);
      EXPECT_EQ(found == there.end() ? 0 : found->second, one.arrives ? 1 : 0) << one.name;
      const Json left = run(home, {"outbox", "list"});
      // An intent that was cut off while being written does not count, and nothing was sent.
      const bool nothing_open =
          one.point.where == Where::look_up || one.point.where == Where::entry || one.point.piece == Piece::everything;
      EXPECT_TRUE(nothing_open || left.find("data")->items().size() == 1u) << one.name << left.dump();
      bool stays = false;
      const Json settled = run(home, {"outbox", "resolve"}, std::nullopt);
      for (const Json& row : settled.find("data")->items()) {
        EXPECT_EQ(row.string_at("client_id"), one.name);
        // That the order cannot arrive any more takes a minute of this machine's uptime, whatever the sandbox's clock.
        stays = row.string_at("verdict") == "not_seen";
        const bool is_true =
            one.arrives ? row.string_at("verdict") == "accepted" : stays || row.string_at("verdict") == "not_accepted";
        EXPECT_TRUE(is_true) << one.name << row.dump();
      }
      run(home, {"orders", "reconcile", one.name}, one.arrives ? 0 : 5);
      EXPECT_EQ(run(home, {"outbox", "list"}).find("data")->items().empty(), !stays) << one.name;
    }
    EXPECT_EQ(orders(), there) << "settling sends nothing";
  }

  FreshHome runtime_, trader_, homes_;
  Program sandbox_;
  std::string url_;
};

TEST_F(PowerCut, AtAnyPointOfAWriteLeavesAtMostOneOrderWithAKnownOutcome) {
  for (const Case& one : cases) cut_off(one, true);
  settle_and_compare(cases);
}

TEST_F(PowerCut, ADroppedConnectionAtAnyPointLeavesAtMostOneOrderWithAKnownOutcome) {
  std::vector<Case> dropped = cases;
  // At that point there is no connection that could drop.
  std::erase_if(dropped, [](const Case& one) { return one.point.where == Where::entry; });
  for (const Case& one : dropped) cut_off(one, false);
  settle_and_compare(dropped);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
