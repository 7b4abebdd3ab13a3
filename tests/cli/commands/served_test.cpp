// The binary: a sandbox on a port, commands through sockets, a clean stop; and the shell on a terminal.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/terminal/json.h"

namespace svc::cli {
namespace SVC_FILE {

TEST(Served, TheBinaryServesRequestsAndStops) {
  const FreshHome folder;
  const std::filesystem::path& home = folder.path();
  {
    Program sandbox({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none"}, home);
    const auto ready = parse_json(sandbox.line());
    ASSERT_TRUE(ready.has_value());
    const std::string url = ready->text_at("url");
    EXPECT_TRUE(url.starts_with("http://127.0.0.1:")) << url;
    EXPECT_EQ(ready->find("accounts")->items().size(), 10u);

    Program shown({"--json", "-n", "local", "network", "show"}, home);
    const auto network = parse_json(shown.rest());
    EXPECT_EQ(shown.wait(), 0);
    ASSERT_TRUE(network.has_value());
    EXPECT_EQ(network->string_at("data.rest"), url) << "found through the runtime folder";

    Program markets({"-n", "local", "markets", "list"}, home);
    EXPECT_TRUE(markets.rest().starts_with("market\tbase\t"));
    EXPECT_EQ(markets.wait(), 0);

    sandbox.terminate();
    EXPECT_EQ(sandbox.wait(), 0);
  }
  EXPECT_TRUE(std::filesystem::is_empty(home / "svc/local")) << "the running sandbox's file is gone";
}

// What a user sees: the hint while typing, completion, answers, Ctrl-C, and a clean exit.
TEST(Served, AShellOnATerminal) {
  const FreshHome folder;
  Program sandbox({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none"}, folder.path());
  ASSERT_FALSE(sandbox.line().empty());
  const std::filesystem::path password = folder.path() / "password";
  std::ofstream(password) << "of a person at a terminal";
  std::filesystem::permissions(password, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  using Words = std::vector<std::string>;
  for (const Words& line :
       {Words{"keystore", "new", "alice"}, Words{"login", "--wallet", "alice"}, Words{"keys", "create"}}) {
    Words words{"-n", "local", "--password-file", password.string()};
    words.insert(words.end(), line.begin(), line.end());
    Program step(words, folder.path());
    ASSERT_EQ(step.wait(), 0) << line.front();
  }
  Program shell({"-n", "local", "shell"}, folder.path(), Program::Stdio::terminal);
  EXPECT_NE(shell.read_until("> ").find("local"), std::string::npos);
  shell.type("buy ");
  EXPECT_NE(shell.read_until("[@ PRICE]").find("SIZE MARKET"), std::string::npos);
  shell.type("\x03");
  static_cast<void>(shell.read_until("^C"));
  shell.type("markets li\t\r");
  EXPECT_NE(shell.read_until("SOL-USDX-PERP").find("ETH-USDX-PERP"), std::string::npos);
  shell.type("\033[200~markets list\nmarkets list\033[201~");
  EXPECT_NE(shell.read_until("[y/N]").find("run these 2 lines"), std::string::npos);
  shell.type("n\r");
  static_cast<void>(shell.read_until("nothing was run"));
  // A terminal that does not mark what is pasted, and a paste that ends its mark itself.
  for (const std::string_view pasted :
       {"markets list\rmarkets list\r", "\033[200~markets list\033[201~\nmarkets list\r"}) {
    shell.type(pasted);
    EXPECT_NE(shell.read_until("[y/N]").find("run these 2 lines"), std::string::npos);
    shell.type("n\r");
    static_cast<void>(shell.read_until("nothing was run"));
  }
  // A full-screen page is left with Ctrl-C, and the shell is back.
  shell.type("watch trades BTC-USDX-PERP\r");
  static_cast<void>(shell.read_until("pauses"));
  shell.type("\x03");
  // What is typed before the page is closed belongs to the page: a new line has begun.
  static_cast<void>(shell.read_until("\033[?1049l"));
  static_cast<void>(shell.read_until("\033[?2004h"));
  shell.type("\\set there again\r");
  // Two lines that arrive as one are a paste: the next is typed once a new line has begun.
  static_cast<void>(shell.read_until("\033[?2004l"));
  static_cast<void>(shell.read_until("\033[?2004h"));
  shell.type(":there\r");
  static_cast<void>(shell.read_until("unknown command \"again\""));
  shell.type("\\q\r");
  static_cast<void>(shell.rest());
  EXPECT_EQ(shell.wait(), 0);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
