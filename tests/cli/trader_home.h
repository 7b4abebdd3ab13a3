// For tests of the built program: a sandbox as a process, and a home folder with a logged-in wallet.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "cli/program.h"
#include "cli/terminal/json.h"

namespace svc::cli {

class TraderHome {
 public:
  TraderHome() : sandbox_({"serve", "--local", "--port", "0", "--flow", "none", "--log", "none"}, home_.path()) {
    const auto ready = parse_json(sandbox_.line());
    EXPECT_TRUE(ready.has_value());
    url_ = std::string(ready ? ready->string_at("url").value_or("") : "");
    const std::filesystem::path password = home_.path() / "password";
    std::ofstream(password) << "correct horse\n";
    std::filesystem::permissions(password, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    run({"keystore", "new", "alice", "--password-file", password.string()});
    run({"login", "--wallet", "alice", "--password-file", password.string()});
    run({"keys", "create"});
    run({"deposits", "submit", "--amount", "10000"});
  }

  Json run(std::vector<std::string> words) const {
    words.insert(words.begin(), {"-n", "local", "--json"});
    Program program(words, home_.path());
    const std::string out = program.rest();
    EXPECT_EQ(program.wait(), 0) << words[3] << " " << out;
    const auto document = parse_json(out);
    return document ? *document : Json();
  }
  [[nodiscard]] std::size_t open_orders() const { return run({"orders", "list"}).find("data")->items().size(); }

  [[nodiscard]] const std::filesystem::path& path() const { return home_.path(); }
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  FreshHome home_;
  Program sandbox_;
  std::string url_;
};

}  // namespace svc::cli
