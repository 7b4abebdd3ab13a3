// Secrets are kept encrypted, in files that nobody else can read, per network, and are never shown.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "cli/desk.h"
#include "cli/secrets/dev_keys.h"
#include "sim/dev_accounts.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

// Well-known and worthless: account 0 of the development phrase.
constexpr std::string_view dev_key = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
constexpr std::string_view other_key = "4646464646464646464646464646464646464646464646464646464646464646";

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST(Secrets, FilesAreOursAlone) {
  Desk desk;
  desk.seat("alice");
  ASSERT_EQ(
      desk.run("-n local buy 0.1 BTC-USDX-PERP @ 59000 --password-file " + (desk.home() / "password").string()).exit,
      0);
  ASSERT_EQ(desk.run("network add testnet --rest https://testnet.example/v1").exit, 0);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(desk.home())) {
    if (entry.path().string().find("/svc") == std::string::npos) continue;
    EXPECT_EQ(mode_of(entry.path()), entry.is_directory() ? 0700u : 0600u) << entry.path();
    if (!entry.is_directory()) ++files;
  }
  EXPECT_GE(files, 8u);  // wallet, ring, API key, session, nonces, lock, journal, metadata, configuration
}

TEST(Secrets, NoKeySecretOrTokenIsOnDiskInTheClear) {
  Desk desk;
  std::vector<std::string> secrets;
  desk.intercept = nullptr;
  const auto key_file = desk.write("key", std::string(other_key) + "\n");
  const std::string password = " --password-file " + (desk.home() / "password").string();
  ASSERT_EQ(desk.run("-n local keystore import alice --from " + key_file.string() + password).exit, 0);
  ASSERT_EQ(desk.run("-n local login --wallet alice" + password).exit, 0);
  const auto secret_file = desk.home() / "api-secret";
  ASSERT_EQ(desk.run("-n local keys create --print-secret-to " + secret_file.string()).exit, 0);
  EXPECT_EQ(mode_of(secret_file), 0600u);
  const std::string api_secret = text_of(secret_file).substr(0, 64);
  ASSERT_EQ(api_secret.size(), 64u);
  fs::remove(key_file);
  fs::remove(secret_file);
  for (const auto& entry : fs::recursive_directory_iterator(desk.home())) {
    if (!entry.is_regular_file()) continue;
    const std::string text = text_of(entry.path());
    EXPECT_EQ(text.find(other_key), std::string::npos) << entry.path();
    EXPECT_EQ(text.find(api_secret), std::string::npos) << entry.path();
  }
}

TEST(Secrets, NothingSecretIsPrintedWhateverIsAskedFor) {
  Desk desk;
  desk.seat("alice");
  const std::string session = text_of(desk.state() / "sessions/local.json");
  const auto document = parse_json(session);
  ASSERT_TRUE(document.has_value());
  const Json& entry = document->at("sessions")->items().at(0);
  const std::string token(entry.string_at("token").value_or(""));
  const std::string ring(entry.string_at("ring").value_or(""));
  ASSERT_EQ(token.size(), 64u);
  std::string signature;
  desk.intercept =
      [&](const api::HttpRequest& request) -> std::optional<Result<api::HttpResponse, api::TransportError>> {
    if (const auto header = request.headers.find("X-Signature")) signature = std::string(*header);
    return {};
  };
  const std::string password = " --password-file " + (desk.home() / "password").string();
  for (const std::string line : {"keys create", "keys list", "whoami", "account show", "buy 0.1 BTC-USDX-PERP @ 59000",
                                 "keystore list", "keystore show alice", "logout --all"}) {
    for (const std::string flags :
         {"", " --json", " --debug-http --print-canonical -v", " -o raw", " --dry-run --json", " --curl"}) {
      if (line == "logout --all" && !flags.empty()) continue;
      if (line == "keys create" && flags == " -o raw") continue;
      const Ran ran = desk.run("-n local " + line + flags + (line.starts_with("buy") ? password : ""));
      const std::string all = ran.out + ran.err;
      for (const std::string& secret : {token, ring, std::string("correct horse")}) {
        EXPECT_EQ(all.find(secret), std::string::npos) << line << flags;
      }
      EXPECT_TRUE(signature.empty() || all.find(signature) == std::string::npos) << line << flags;
      EXPECT_EQ(all.find("\"secret\":\"0"), std::string::npos) << line << flags;
    }
  }
}

TEST(Secrets, LooseModesAreRefusedWithTheCommandThatMendsThem) {
  Desk desk;
  desk.seat("alice");
  const fs::path session = desk.state() / "sessions/local.json";
  const fs::path password = desk.home() / "password";
  const fs::path wallet = desk.data() / "keys/local/alice.json";
  for (const fs::path& file : {session, password, wallet}) {
    ::chmod(file.c_str(), 0644);
    const Ran ran = desk.run("-n local login --wallet alice --password-file " + password.string());
    EXPECT_EQ(ran.exit, 14) << file << ran.err;
    EXPECT_NE(ran.err.find("chmod 600 " + file.string()), std::string::npos) << ran.err;
    ::chmod(file.c_str(), 0600);
  }
  ::chmod(desk.state().c_str(), 0755);
  const Ran ran = desk.run("-n local account show");
  EXPECT_EQ(ran.exit, 14);
  EXPECT_NE(ran.err.find("chmod 700 " + desk.state().string()), std::string::npos) << ran.err;
}

TEST(Secrets, APasswordComesFromFileStandardInputPromptOrCredentialsFolder) {
  Desk desk;
  desk.input = "correct horse\n";
  EXPECT_EQ(desk.run("-n local keystore new a --password-file -").exit, 0);
  desk.in_is_terminal = true;
  desk.answers = {"correct horse", "correct horse"};
  EXPECT_EQ(desk.run("-n local keystore new b").exit, 0);
  desk.answers = {"correct horse", "another"};
  EXPECT_EQ(desk.run("-n local keystore new c").exit, 2);
  desk.answers = {};
  EXPECT_EQ(desk.run("-n local keystore new c").exit, 3);
  EXPECT_EQ(desk.run("-n local --no-input keystore new c").exit, 3);
  desk.in_is_terminal = false;
  fs::create_directory(desk.home() / "credentials");
  desk.write("credentials/svc-password", "correct horse");
  desk.variables["CREDENTIALS_DIRECTORY"] = (desk.home() / "credentials").string();
  EXPECT_EQ(desk.run("-n local keystore new d").exit, 0);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "correct horse\n", 14), 14);
  ::close(ends[1]);
  EXPECT_EQ(desk.run("-n local keystore new e --password-fd " + std::to_string(ends[0])).exit, 0);
  ::close(ends[0]);
  EXPECT_EQ(desk.run("-n local keystore new f --password-fd " + std::to_string(ends[0])).exit, 2) << "closed";
  for (const std::string name : {"a", "b", "d", "e"}) {
    EXPECT_EQ(desk.run("sign message hello --wallet " + name).exit, 0) << name;
  }
  const auto wrong = desk.write("wrong", "battery staple\n");
  EXPECT_EQ(desk.run("sign message hello --wallet a --password-file " + wrong.string()).exit, 4);
}

TEST(Secrets, AreFiledPerNetworkAndNeverReadAcross) {
  Desk desk;
  desk.seat("alice");
  ASSERT_EQ(desk.run("network add testnet --rest http://localhost:9090").exit, 0);
  desk.sent.clear();
  EXPECT_EQ(desk.run("-n testnet account show").exit, 4);
  EXPECT_EQ(desk.run("-n testnet login --wallet alice --password-file " + (desk.home() / "password").string()).exit, 14)
      << "the sandbox says that it is local";
  EXPECT_EQ(desk.run("-n testnet keystore show alice").exit, 5);
  // Even moved by hand, an API key does not open elsewhere.
  fs::create_directory(desk.data() / "keys/testnet");
  ::chmod((desk.data() / "keys/testnet").c_str(), 0700);
  fs::rename(desk.data() / "keys/local/api", desk.data() / "keys/testnet/api");
  EXPECT_EQ(desk.run("-n testnet keystore list").exit, 4);
}

TEST(Secrets, OutliveTheSessionAndOpenWithTheWallet) {
  Desk desk;
  desk.seat("alice");
  desk.clock.advance(day_ms + 1);
  desk.sandbox.pass_time();
  const Ran expired = desk.run("-n local account show");
  EXPECT_EQ(expired.exit, 4);
  EXPECT_NE(expired.err.find("svc -n local login --wallet alice"), std::string::npos) << expired.err;
  EXPECT_EQ(desk.read(".local/state/svc/sessions/local.json").find("token"), std::string::npos);
  const std::string password = " --password-file " + (desk.home() / "password").string();
  EXPECT_EQ(desk.run("-n local account show" + password).exit, 0);
  ASSERT_EQ(desk.run("-n local login --wallet alice" + password).exit, 0);
  EXPECT_EQ(desk.run("-n local account show").exit, 0);
}

TEST(Secrets, AreKeptUnderANameOfChoice) {
  Desk desk;
  desk.seat("alice");
  const std::string create = "-n local --json keys create --store robot";
  const Ran made = desk.run(create);
  ASSERT_EQ(made.exit, 0) << made.out;
  EXPECT_EQ(made.document().string_at("data.stored_as"), "keys/local/api/robot.json");
  EXPECT_FALSE(desk.read(".local/share/svc/keys/local/api/robot.json").empty());
  EXPECT_EQ(desk.run("-n local account show").exit, 0) << "the newest is used";
  desk.sent.clear();
  EXPECT_EQ(desk.run(create).exit, 6);
  for (const char* name : {"../x", "a/b", "''", "-x", "x.json"}) {
    EXPECT_EQ(desk.run("-n local keys create --store=" + std::string(name)).exit, 2) << name;
  }
  for (const api::HttpRequest& request : desk.sent) EXPECT_EQ(request.method, "GET") << "no key without a place";
  const std::string id(made.document().string_at("data.key_id").value_or(""));
  EXPECT_NE(desk.run("-n local keys list").out.find(id + "\t-\t-\t-\tPro\ttrue\trobot\n"), std::string::npos)
      << desk.run("-n local keys list").out;
  const Ran gone = desk.run("-n local --json keys delete robot");
  EXPECT_EQ(gone.document().string_at("data.key_id"), id) << gone.out;
  EXPECT_FALSE(std::filesystem::exists(desk.data() / "keys/local/api/robot.json"));
  EXPECT_EQ(desk.run("-n local keys list").out.find(id), std::string::npos);
}

TEST(Secrets, LogoutClosesTheSession) {
  Desk desk;
  desk.seat("alice");
  EXPECT_EQ(desk.run("-n local logout").exit, 0);
  EXPECT_EQ(desk.run("-n local account show").exit, 4);
  EXPECT_EQ(desk.run("-n local --json logout").document().integer_at("data.removed"), 0);
}

TEST(Secrets, FromTheEnvironmentServeContainers) {
  Desk desk;
  desk.seat("alice");
  const auto file = desk.home() / "api-secret";
  const Ran made = desk.run("-n local --json keys create --print-secret-to " + file.string());
  ASSERT_EQ(desk.run("-n local logout --all").exit, 0);
  desk.variables["SVC_API_KEY"] = std::string(made.document().string_at("data.key_id").value_or(""));
  EXPECT_EQ(desk.run("-n local account show").exit, 2) << "one without the other";
  desk.variables["SVC_API_SECRET"] = text_of(file).substr(0, 64);
  EXPECT_EQ(desk.run("-n local account show").exit, 0);
}

TEST(DevKeys, AreTheAccountsOfTheDevelopmentPhrase) {
  for (const auto& account : sim::dev_accounts(20, Usdx{}))
    EXPECT_TRUE(is_dev_address(account.address)) << account.index;
  EXPECT_FALSE(is_dev_address(sim::dev_accounts(21, Usdx{}).back().address));
}

TEST(DevKeys, SignOnLocalOnly) {
  Desk desk;
  const auto file = desk.write("key", dev_key);
  const std::string import =
      "keystore import dev --from " + file.string() + " --password-file " + (desk.home() / "password").string();
  EXPECT_EQ(desk.run("-n local " + import).exit, 0);
  EXPECT_EQ(desk.run("-n testnet " + import).exit, 14);
  EXPECT_EQ(desk.run("-n mainnet " + import).exit, 14);
}

TEST(Keystore, TakesHexWordsAndFilesOfOtherTools) {
  Desk desk;
  const std::string password = " --password-file " + (desk.home() / "password").string();
  const auto hex = desk.write("hex", "0x" + std::string(other_key) + "\n");
  EXPECT_EQ(desk.run("-n local keystore import a --from " + hex.string() + password).exit, 0);
  EXPECT_EQ(desk.run("-n local keystore import b --from " + hex.string() + password).exit, 6) << "the same key twice";
  EXPECT_EQ(desk.run("-n local keystore import a --from " + hex.string() + password).exit, 6) << "the same name twice";
  const auto words = desk.write("words", "test test test test test test test test test test test junk\n");
  const Ran derived =
      desk.run("-n local --json keystore import c --mnemonic --index 1 --from " + words.string() + password);
  EXPECT_EQ(derived.document().string_at("data.address"), "0x70997970c51812dc3a010c7d01b50e0d17dc79c8");
  desk.input = desk.read(".local/share/svc/keys/local/a.json");
  const Ran v3 = desk.run("-n testnet --json keystore import a --kdf scrypt:4096 --from -" + password);
  EXPECT_EQ(v3.document().string_at("data.kdf"), "scrypt:4096") << v3.out;
  EXPECT_EQ(v3.document().string_at("data.address"),
            desk.run("-n local --json keystore show a").document().string_at("data.address"));
  const auto junk = desk.write("junk", "hello");
  EXPECT_EQ(desk.run("-n local keystore import d --from " + junk.string() + password).exit, 2);
  EXPECT_EQ(desk.run("-n local keystore import d --kdf scrypt:1000 --from " + junk.string() + password).exit, 2);
}

}  // namespace
}  // namespace svc::cli
