// Key files: an existing name is taken by any file, also if several processes try at the same time.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/client_machine.h"
#include "cli/machine/private_file.h"
#include "cli/program.h"
#include "cli/store/api_key_store.h"
#include "cli/store/session.h"
#include "signing/keystore.h"

namespace svc::cli {
namespace SVC_FILE {

namespace fs = std::filesystem;

const std::string key_of_other_tools =
    R"({"crypto":{"cipher":"aes-128-ctr","cipherparams":{"iv":"6087dab2f9fdbbfaddc31a909735c1e6"},)"
    R"("ciphertext":"5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46","kdf":"pbkdf2",)"
    R"("kdfparams":{"c":262144,"dklen":32,"prf":"hmac-sha256","salt":"ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"},)"
    R"("mac":"517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"},"id":"3198bc9c-6672-5ab3-d995-4942343ae5b6","version":3})";

TEST(Keystore, ANameIsTakenByAnyFile) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("-n local keystore new alice" + machine.with_password).exit, 0);
  const auto hex = machine.write("hex", std::string(64, '4'));
  for (const std::string& text : {key_of_other_tools, std::string("{\"version\":3,\"crypto\":{"), std::string()}) {
    machine.write(".local/share/svc/keys/local/bob.json", text);
    for (const std::string& line : {std::string("keystore new bob"), "keystore import bob --from " + hex.string(),
                                    std::string("keystore rename alice bob"), std::string("agents new bob")}) {
      const RunResult ran = machine.run("-n local " + line + machine.with_password);
      EXPECT_EQ(ran.exit, 6) << line << ran.err;
    }
    EXPECT_EQ(machine.read(".local/share/svc/keys/local/bob.json"), text);
    EXPECT_TRUE(has(machine.run("-n local keystore list").err, "wallet bob of network local is damaged"));
  }
  fs::remove(machine.data() / "keys/local/bob.json");
  fs::create_symlink(machine.home() / "nowhere", machine.data() / "keys/local/bob.json");
  EXPECT_EQ(machine.run("-n local keystore new bob" + machine.with_password).exit, 6);
  EXPECT_FALSE(fs::exists(machine.home() / "nowhere"));
  EXPECT_EQ(machine.run("-n local keystore show alice").exit, 0);
}

TEST(Keystore, AnInterruptedRenameIsFinishedByItsRepeat) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("-n local keystore new alice" + machine.with_password).exit, 0);
  // A symbolic link is not a second copy of the key.
  fs::create_symlink("alice.json", machine.data() / "keys/local/bob.json");
  EXPECT_EQ(machine.run("-n local keystore rename alice bob").exit, 6);
  EXPECT_EQ(machine.run("-n local keystore show alice").exit, 0);
  fs::remove(machine.data() / "keys/local/bob.json");
  fs::create_hard_link(machine.data() / "keys/local/alice.json", machine.data() / "keys/local/bob.json");
  EXPECT_EQ(machine.run("-n local keystore rename alice bob").exit, 0);
  EXPECT_EQ(machine.run("-n local keystore show alice").exit, 5);
  EXPECT_EQ(machine.run("-n local keystore show bob").exit, 0);
}

TEST(PrivateFile, IsLinkedOnlyToAFreeName) {
  ClientMachine machine;
  const fs::path folder = machine.home() / "svc";
  EXPECT_TRUE(write_new_private(folder / "a", "one").value());
  EXPECT_FALSE(write_new_private(folder / "a", "two").value());
  EXPECT_TRUE(write_new_private(folder / "b", "three").value());
  EXPECT_FALSE(rename_to_new(folder / "b", folder / "a").value());
  EXPECT_TRUE(rename_to_new(folder / "b", folder / "c").value());
  EXPECT_EQ(machine.read("svc/a") + machine.read("svc/c"), "onethree");
  EXPECT_EQ(list_private(folder), (std::vector<std::string>{"a", "c"})) << "and nothing is left beside them";
}

// The printed address, and the exit code.
struct Printed {
  int exit = 0;
  std::string address;
};

class ConcurrentWallets : public testing::Test {
 protected:
  ConcurrentWallets() {
    std::ofstream(home_.path() / "password") << "correct horse\n";
    fs::permissions(home_.path() / "password", fs::perms::owner_read | fs::perms::owner_write);
  }
  std::vector<Printed> run(const std::vector<std::string>& lines) {
    std::deque<Program> running;
    for (const std::string& line : lines) {
      std::vector<std::string> words{"-n", "local", "--json", "--password-file", (home_.path() / "password").string()};
      std::istringstream text(line);
      for (std::string word; text >> word;) words.push_back(word);
      running.emplace_back(words, home_.path());
    }
    std::vector<Printed> told;
    for (Program& program : running) {
      const auto document = parse_json(program.rest());
      told.push_back({program.wait(), std::string(document ? document->string_at("data.address").value_or("") : "")});
    }
    return told;
  }

  FreshHome home_;
};

TEST_F(ConcurrentWallets, OneGetsTheNameAndItsKeyStays) {
  const std::vector<Printed> told = run(std::vector<std::string>(8, "keystore new alice"));
  std::string kept;
  for (const Printed& one : told) {
    EXPECT_TRUE(one.exit == 6 || (one.exit == 0 && kept.empty())) << one.exit;
    if (one.exit == 0) kept = one.address;
  }
  EXPECT_EQ(run({"keystore show alice"}).at(0).address, kept);
}

TEST_F(ConcurrentWallets, RenamesToTheSameNameLoseNoKey) {
  std::set<std::string> before, after;
  for (const Printed& one : run({"keystore new a", "keystore new b", "keystore new c", "keystore new d"}))
    before.insert(one.address);
  ASSERT_EQ(before.size(), 4u);
  int renamed = 0;
  for (const Printed& one :
       run({"keystore rename a x", "keystore rename b x", "keystore rename c x", "keystore rename d x"})) {
    renamed += one.exit == 0 ? 1 : 0;
  }
  EXPECT_EQ(renamed, 1);
  for (const Printed& one :
       run({"keystore show a", "keystore show b", "keystore show c", "keystore show d", "keystore show x"})) {
    if (one.exit == 0) after.insert(one.address);
  }
  EXPECT_EQ(after, before);
}

TEST_F(ConcurrentWallets, OneChangesThePassword) {
  ASSERT_EQ(run({"keystore new a"}).at(0).exit, 0);
  std::vector<std::string> changes;
  for (const char* name : {"p1", "p2", "p3", "p4"}) {
    const fs::path file = home_.path() / name;
    std::ofstream(file) << name << " battery staple\n";
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    changes.push_back("keystore passwd a --new-password-file " + file.string());
  }
  int changed = 0;
  for (const Printed& one : run(changes)) changed += one.exit == 0 ? 1 : 0;
  EXPECT_EQ(changed, 1);
}

TEST(Keystore, ANewPasswordKeepsTheGuessingCost) {
  ClientMachine machine;
  ASSERT_EQ(machine.run("-n local keystore new first" + machine.with_password).exit, 0) << "makes the folder";
  // n = 4096 with p = 6, as light clients write it; and n = 2, which is trivial to guess.
  for (const auto& [n, p, kept] : {std::array{4096, 6, 8192}, std::array{2, 1, 8192}, std::array{16384, 1, 16384}}) {
    const std::string name = "w" + std::to_string(n);
    const auto key = signing::PrivateKey::from_hex(std::string(63, '5') + std::to_string(p));
    const std::string text =
        signing::write_keystore(*key, Secret("correct horse"),
                                {.n = static_cast<std::uint64_t>(n), .r = 8, .p = static_cast<std::uint32_t>(p)}, {});
    machine.write(".local/share/svc/keys/local/" + name + ".json", text);
    machine.write("new", "battery staple\n");
    ASSERT_EQ(machine
                  .run("-n local keystore passwd " + name + machine.with_password + " --new-password-file " +
                       (machine.home() / "new").string())
                  .exit,
              0);
    const auto document = parse_json(machine.read(".local/share/svc/keys/local/" + name + ".json"));
    EXPECT_EQ(document->integer_at("crypto.kdfparams.n"), kept);
    EXPECT_EQ(document->integer_at("crypto.kdfparams.p"), p);
    fs::remove(machine.data() / "keys/local" / (name + ".json"));
  }
}

TEST(Keystore, AnImportedFileKeepsItsGuessingCost) {
  ClientMachine machine;
  const auto key = signing::PrivateKey::from_hex(std::string(64, '5'));
  const auto file =
      machine.write("v3", signing::write_keystore(*key, Secret("correct horse"), {.n = 16384, .r = 8, .p = 2}, {}));
  ASSERT_EQ(machine.run("-n local keystore import a --from " + file.string() + machine.with_password).exit, 0);
  const auto document = parse_json(machine.read(".local/share/svc/keys/local/a.json"));
  EXPECT_EQ(document->integer_at("crypto.kdfparams.n"), 16384);
  EXPECT_EQ(document->integer_at("crypto.kdfparams.p"), 2);
}

TEST(Scrypt, IsRaisedPerParameterUpToTheAcceptedMaximum) {
  using signing::ScryptCost;
  const ScryptCost least{.n = 8192, .r = 8, .p = 1};
  const auto text = [](const ScryptCost& cost) {
    return std::to_string(cost.n) + " " + std::to_string(cost.r) + " " + std::to_string(cost.p);
  };
  EXPECT_EQ(text(signing::raised({.n = 4096, .r = 8, .p = 6}, least)), "8192 8 6");
  EXPECT_EQ(text(signing::raised({.n = 1 << 18, .r = 1, .p = 1}, least)), "262144 8 1");
  EXPECT_EQ(text(signing::raised({.n = 2, .r = 1, .p = 1 << 20}, least)), "8192 8 1");
}

// Two sandboxes with one seed make keys with the same id; each secret is shown only once.
TEST(ApiKeys, WithTheSameIdAreBothKept) {
  TraderMachine machine;
  Environment environment;
  environment.variables = machine.variables;
  const Paths paths = find_paths(environment).value();
  const auto secrets = [&] {
    std::vector<std::string> all;
    const auto sessions = load_sessions(paths, "local", machine.clock.now_ms());
    const auto records = list_api_keys(paths, "local").records;
    for (const ApiKeyRecord& record : records) {
      const auto secret = open_api_key(paths, record, sessions->all.front().rings);
      all.push_back(record.name + " " + (secret ? std::string(secret->reveal()) : "does not open"));
    }
    return all;
  };
  const auto first = secrets();
  ASSERT_EQ(first.size(), 1u);
  const std::string id = first[0].substr(0, first[0].find(' '));
  ClientMachine second;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    second.sandbox.pass_time();
    api::HttpRequest arriving = request;
    arriving.headers.set("Host", "localhost:9090");
    return second.sandbox.handle(std::move(arriving));
  };
  machine.clock.advance(second_ms);
  ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
  const RunResult made = machine.run("-n local --json keys create");
  ASSERT_EQ(made.exit, 0) << made.out;
  EXPECT_EQ(made.document().string_at("data.key_id"), id);
  EXPECT_EQ(made.document().string_at("data.stored_as"), "keys/local/api/" + id + "-2.json");
  ASSERT_EQ(secrets().size(), 2u);
  EXPECT_EQ(secrets()[0], first[0]);
  EXPECT_EQ(machine.run("-n local account show").exit, 0) << "the newest is used";
  EXPECT_TRUE(has(machine.run("-n local keys list").out, id + "-2"));
  ASSERT_EQ(machine.run("-n local keys delete " + id).exit, 0);
  EXPECT_EQ(secrets(), first) << "the newest goes, whose key it was";
}

}  // namespace SVC_FILE
}  // namespace svc::cli
