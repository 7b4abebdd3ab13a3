// Secrets are stored encrypted, in private files, per network, and are never shown.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/encoding.h"
#include "base/files.h"
#include "cli/client_machine.h"
#include "cli/machine/paths.h"
#include "cli/machine/private_file.h"
#include "cli/store/api_key_store.h"
#include "cli/store/session.h"
#include "cli/store/wallet_store.h"
#include "signing/keystore.h"
#include "sim/sandbox_options.h"

namespace svc::cli {
namespace SVC_FILE {

namespace fs = std::filesystem;

// Well-known and worthless: account 0 of the development mnemonic.
constexpr std::string_view dev_key = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
constexpr std::string_view other_key = "4646464646464646464646464646464646464646464646464646464646464646";

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

Paths paths_of(const ClientMachine& machine) {
  Environment environment;
  environment.variables = machine.variables;
  return find_paths(environment).value();
}

// The only open session.
Session session_of(const ClientMachine& machine) {
  auto sessions = load_sessions(paths_of(machine), "local", machine.clock.now_ms());
  EXPECT_TRUE(sessions.has_value() && sessions->all.size() == 1);
  EXPECT_TRUE(sessions->all.front().open());
  return sessions->all.front();
}

// The content of all files below the folder.
std::string everything_below(const fs::path& folder) {
  std::string all;
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
    if (entry.is_regular_file()) all += entry.path().string() + "\n" + file_text(entry.path()) + "\n";
  }
  return all;
}

TEST(Secrets, FilesAreReadableOnlyByTheirOwner) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("network add testnet --rest https://testnet.example/v1").exit, 0);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(machine.home())) {
    if (entry.path().string().find("/svc") == std::string::npos) continue;
    EXPECT_EQ(mode_of(entry.path()), entry.is_directory() ? 0700u : 0600u) << entry.path();
    if (!entry.is_directory()) ++files;
  }
  EXPECT_GE(files, 8u);  // wallet, ring, API key, session, nonces, lock, journal, metadata, configuration
}

TEST(Secrets, NoKeySecretOrTokenIsOnDiskInTheClear) {
  ClientMachine machine;
  std::vector<std::string> secrets;
  machine.intercept = nullptr;
  const auto key_file = machine.write("key", std::string(other_key) + "\n");
  ASSERT_EQ(machine.run("-n local keystore import alice --from " + key_file.string() + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
  const auto secret_file = machine.home() / "api-secret";
  ASSERT_EQ(machine.run("-n local keys create --print-secret-to " + secret_file.string()).exit, 0);
  EXPECT_EQ(mode_of(secret_file), 0600u);
  const std::string api_secret = file_text(secret_file).substr(0, 64);
  ASSERT_EQ(api_secret.size(), 64u);
  fs::remove(key_file);
  fs::remove(secret_file);
  const Session session = session_of(machine);
  ASSERT_EQ(session.token.reveal().size(), 64u);
  ASSERT_EQ(session.rings.size(), 1u);
  for (const auto& entry : fs::recursive_directory_iterator(machine.home())) {
    if (!entry.is_regular_file()) continue;
    const std::string text = file_text(entry.path());
    EXPECT_FALSE(has(text, other_key)) << entry.path();
    EXPECT_FALSE(has(text, api_secret)) << entry.path();
    EXPECT_FALSE(has(text, session.token.reveal())) << entry.path();
    EXPECT_FALSE(has(text, to_hex(session.rings.front()))) << entry.path();
  }
}

// A session's key is in the runtime folder, which is not on disk, and is removed with the session.
TEST(Session, OpensOnlyWithItsKeyFile) {
  ClientMachine machine;
  machine.variables["XDG_RUNTIME_DIR"] = (machine.home() / "runtime").string();
  machine.add_trader("alice");
  const fs::path keys = machine.home() / "runtime/svc/sessions";
  ASSERT_EQ(list_private(keys).size(), 1u);
  EXPECT_EQ(machine.run("-n local account show").exit, 0);
  machine.variables["XDG_RUNTIME_DIR"] = (machine.home() / "elsewhere").string();
  const RunResult refused = machine.run("-n local account show");
  EXPECT_EQ(refused.exit, 4);
  EXPECT_TRUE(has(refused.err, "cannot be opened from here"));
  EXPECT_EQ(machine.run("-n local account show" + machine.with_password).exit, 0) << "the wallet opens its keys itself";
  EXPECT_EQ(machine.run("-n local keys list" + machine.with_password).exit, 4) << "there is no token for it";
  EXPECT_TRUE(has(machine.run("-n local status").out, "runtime folder"));
  EXPECT_EQ(machine.run("-n local --json whoami").document().string_at("data.session"), "out of reach");
  // Another account's login leaves it unchanged.
  ASSERT_EQ(machine.run("-n local keystore new bob" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("-n local login --wallet bob" + machine.with_password).exit, 0);
  machine.variables["XDG_RUNTIME_DIR"] = (machine.home() / "runtime").string();
  EXPECT_EQ(machine.run("-n local --signer alice keys list").exit, 0);
  EXPECT_EQ(machine.run("-n local logout --all").exit, 0);
  EXPECT_TRUE(list_private(keys).empty());
}

TEST(Session, AKeyFileThatOthersCanReadIsRefusedForThat) {
  ClientMachine machine;
  machine.variables["XDG_RUNTIME_DIR"] = (machine.home() / "runtime").string();
  machine.add_trader("alice");
  const fs::path folder = machine.home() / "runtime/svc/sessions";
  const fs::path key = folder / list_private(folder).front();
  fs::permissions(key, fs::perms::others_read, fs::perm_options::add);
  const RunResult refused = machine.run("-n local account show");
  EXPECT_EQ(refused.exit, 14);
  EXPECT_TRUE(has(refused.err, key.string() + " can be read or written by others"));
  const RunResult doctor = machine.run("-n local doctor");
  EXPECT_EQ(doctor.exit, 1);
  EXPECT_TRUE(has(doctor.out, "chmod go-rwx '" + key.string() + "'"));
  EXPECT_EQ(machine.run("-n local doctor --fix").exit, 0);
  EXPECT_EQ(machine.run("-n local account show").exit, 0);
}

TEST(Session, ALogoutOnAFullDiskRemovesTheKey) {
  ClientMachine machine;
  machine.variables["XDG_RUNTIME_DIR"] = (machine.home() / "runtime").string();
  machine.add_trader("alice");
  const fs::path file = machine.state() / "sessions/local.json";
  ASSERT_TRUE(fs::exists(file));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit full{.rlim_cur = 0, .rlim_max = before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  const RunResult logout = machine.run("-n local logout");
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(logout.exit, 1);
  EXPECT_TRUE(has(logout.err, "the keys that open the ended sessions, 1"));
  EXPECT_TRUE(list_private(machine.home() / "runtime/svc/sessions").empty());
  EXPECT_EQ(machine.run("-n local account show").exit, 4);
  EXPECT_EQ(machine.run("-n local logout").exit, 0);
  EXPECT_EQ(machine.run("-n local --json whoami").document().string_at("data.session"), "none");
}

// As on a disk that has become read-only: no file of a lock can be opened.
TEST(Session, ALogoutWithoutALockRemovesTheKeyToo) {
  for (const std::string line : {"logout", "keystore lock"}) {
    ClientMachine machine;
    machine.variables["XDG_RUNTIME_DIR"] = (machine.home() / "runtime").string();
    machine.add_trader("alice");
    const fs::path lock = machine.state() / "sessions/local.json.lock";
    fs::remove(lock);
    fs::create_directory(lock);
    const RunResult ended = machine.run("-n local " + line);
    EXPECT_EQ(ended.exit, 1) << line;
    EXPECT_TRUE(has(ended.err, "the keys that open the ended sessions, 1"));
    EXPECT_TRUE(list_private(machine.home() / "runtime/svc/sessions").empty());
    EXPECT_EQ(machine.run("-n local account show").exit, 4);
  }
}

TEST(Session, WithoutTheVariableUsesTheSystemsPrivateRuntimeFolder) {
  ClientMachine machine;
  const fs::path folder = machine.home() / std::to_string(::geteuid());
  EXPECT_EQ(usual_runtime_folder(machine.home()), std::nullopt);
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::owner_all);
  EXPECT_EQ(usual_runtime_folder(machine.home()), folder);
  fs::permissions(folder, fs::perms::owner_all | fs::perms::group_exec);
  EXPECT_EQ(usual_runtime_folder(machine.home()), std::nullopt) << "somebody else may enter";
  fs::remove(folder);
  fs::create_directory_symlink(machine.home(), folder);
  EXPECT_EQ(usual_runtime_folder(machine.home()), std::nullopt) << "a link leads anywhere";
}

TEST(Session, IsSealedAgainAtEachLoginAndItsOldKeyIsRemoved) {
  TraderMachine machine;
  const fs::path keys = paths_of(machine).session_key("x").parent_path();
  const auto first = list_private(keys);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
  EXPECT_EQ(list_private(keys).size(), 1u);
  EXPECT_NE(list_private(keys), first);
  for (const char* line : {"logout", "keystore lock", "keystore lock alice"}) {
    ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
    ASSERT_EQ(machine.run("-n local " + std::string(line)).exit, 0);
    EXPECT_TRUE(list_private(keys).empty()) << line;
  }
  ASSERT_EQ(machine.run("-n local login --ttl 24h --wallet alice" + machine.with_password).exit, 0);
  machine.clock.advance(day_ms + 1);
  EXPECT_EQ(machine.run("-n local account show").exit, 4);
  EXPECT_TRUE(list_private(keys).empty()) << "its time was over";
}

TEST(Session, ThatHasEndedOpensNoPresentKey) {
  TraderMachine machine;
  const Session before = session_of(machine);
  ASSERT_EQ(machine.run("-n local logout").exit, 0);
  ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("-n local keys create").exit, 0);
  const Session now = session_of(machine);
  const auto records = list_api_keys(paths_of(machine), "local").records;
  ASSERT_EQ(records.size(), 2u) << "the one made before, and the one made after";
  for (const ApiKeyRecord& record : records) {
    EXPECT_FALSE(open_api_key(paths_of(machine), record, before.rings).has_value()) << record.name;
    EXPECT_TRUE(open_api_key(paths_of(machine), record, now.rings).has_value()) << record.name;
  }
}

TEST(Keys, ADamagedFileOfOneKeyHidesNothingElse) {
  TraderMachine machine;
  machine.write(".local/share/svc/keys/local/api/broken.json", "{");
  for (const std::string line : {"whoami", "status", "keystore list", "keys list", "account show", "markets list",
                                 "keys create", "login --wallet alice", "orders cancel-all"}) {
    const RunResult ran = machine.run("-n local " + line + machine.with_password);
    EXPECT_EQ(ran.exit, 0) << line << ran.err;
  }
  const RunResult checked = machine.run("-n local doctor --json" + machine.with_password);
  EXPECT_TRUE(has(checked.out, "broken.json is damaged"));
  const std::string key_id = machine.run("-n local whoami --json").document().text_at("data.key_id");
  EXPECT_EQ(machine.run("-n local keys delete " + key_id + " --yes").exit, 0);
  // Killed at the rename, a write leaves a temporary file, which is no second agent.
  ASSERT_EQ(machine.run("-n local agents new bot" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("-n local --signer alice agents register bot" + machine.with_password).exit, 0);
  const fs::path agents = machine.data() / "keys/local/agents";
  const fs::path file = *fs::directory_iterator(agents);
  fs::copy(file, file.string() + ".tmp");
  const RunResult traded = machine.run("-n local --auth agent buy 0.1 BTC-USDX-PERP @ 59000" + machine.with_password);
  EXPECT_EQ(traded.exit, 0) << traded.err;
}

TEST(Keystore, IsLockedWhateverIsDamaged) {
  TraderMachine machine;
  const std::string folder = ".local/share/svc/keys/local/";
  machine.write(folder + "alice.json", "{");
  ASSERT_EQ(machine.run("-n local keystore lock alice").exit, 0) << "its session was open";
  EXPECT_NE(machine.run("-n local keystore lock alice").exit, 0) << "nothing was";
  // An agent that is stopped may hold keys.
  TraderMachine other;
  other.agent_is_stopped = true;
  const RunResult held = other.run("-n local keystore unlocked");
  EXPECT_EQ(held.exit, 1);
  EXPECT_TRUE(has(held.err, "may still hold keys"));
  const RunResult ran = other.run("-n local keystore lock");
  EXPECT_EQ(ran.exit, 1);
  EXPECT_TRUE(has(ran.err, "does not answer"));
  EXPECT_EQ(other.run("-n local account show").exit, 4) << "sessions are closed all the same";
}

// Killed at the rename, a login leaves the file that was to become the session file.
TEST(Session, OfAKilledLoginIsRemoved) {
  TraderMachine machine;
  const fs::path file = machine.state() / "sessions/local.json";
  const fs::path keys = paths_of(machine).session_key("x").parent_path();
  for (const char* line : {"logout", "keystore lock", "logout --all", "login --wallet alice"}) {
    ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
    const std::string killed = file_text(file);
    const auto its_keys = list_private(keys);
    const std::string its_key = file_text(keys / its_keys.at(0));
    ASSERT_EQ(machine.run("-n local logout --all").exit, 0);
    machine.write(".local/state/svc/sessions/local.json.aB3dE6", killed);
    machine.write(fs::relative(keys / its_keys.at(0), machine.home()).string(), its_key);
    ASSERT_EQ(machine.run("-n local " + std::string(line) + machine.with_password).exit, 0) << line;
    for (const std::string& name : list_private(file.parent_path())) {
      EXPECT_TRUE(name == "local.json" || name == "local.json.lock") << line << name;
    }
    EXPECT_FALSE(fs::exists(keys / its_keys.at(0))) << line;
    EXPECT_FALSE(has(everything_below(machine.home()), "t0ken")) << line;
  }
}

// Killed before the key of an ended session was removed: no file refers to it any more.
TEST(Session, AKeyWithoutASessionIsRemoved) {
  TraderMachine machine;
  const fs::path keys = paths_of(machine).session_key("x").parent_path();
  for (const char* line : {"logout", "keystore lock", "logout --all", "login --wallet alice"}) {
    ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
    const fs::path key = keys / list_private(keys).at(0);
    const std::string text = file_text(key);
    ASSERT_EQ(machine.run("-n local logout --all").exit, 0);
    const std::string folder = fs::relative(keys, machine.home()).string() + "/";
    machine.write(folder + key.filename().string(), text);
    machine.write(folder + key.filename().string() + ".aB3dE6", text);
    machine.write(folder + "of-another-home", std::string(64, 'a') + "\n/elsewhere/local.json\n");
    ASSERT_EQ(machine.run("-n local " + std::string(line) + machine.with_password).exit, 0) << line;
    EXPECT_FALSE(fs::exists(key)) << line;
    EXPECT_FALSE(fs::exists(key.string() + ".aB3dE6")) << line;
    EXPECT_TRUE(fs::exists(keys / "of-another-home")) << line;
    fs::remove(keys / "of-another-home");
  }
}

TEST(Keys, TemporaryFilesOfKilledWritersAreRemoved) {
  TraderMachine machine;
  const std::string folder = ".local/share/svc/keys/local/";
  const std::vector<std::string> names{"alice.json.aB3dE6", "api/ID.json.aB3dE6", "rings/0x1.json.aB3dE6"};
  for (const char* line : {"logout", "keystore lock", "login --wallet alice"}) {
    for (const std::string& name : names) machine.write(folder + name, "{}\n");
    ASSERT_EQ(machine.run("-n local " + std::string(line) + machine.with_password).exit, 0) << line;
    for (const std::string& name : names) EXPECT_FALSE(fs::exists(machine.home() / (folder + name))) << line << name;
    EXPECT_TRUE(fs::exists(machine.home() / (folder + "alice.json")));
  }
}

TEST(Keys, APipeInPlaceOfAWalletDoesNotBlock) {
  TraderMachine machine;
  ASSERT_EQ(::mkfifo((machine.data() / "keys/local/X.json").c_str(), 0600), 0);
  const RunResult list = machine.run("-n local keystore list");
  EXPECT_EQ(list.exit, 0) << list.err;
  EXPECT_TRUE(has(list.out, "alice"));
  EXPECT_EQ(machine.run("-n local keystore new X" + machine.with_password).exit, 6);
  EXPECT_EQ(machine.run("-n local keystore new Y" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run("-n local keystore rename Y X").exit, 6);
}

// After an interruption at any step of a login every key still opens, and the next login completes the renewal.
TEST(Rings, OpenEveryKeyWhereverTheirRenewalWasInterrupted) {
  TraderMachine machine;
  for (int made = 0; made < 3; ++made) ASSERT_EQ(machine.run("-n local keys create").exit, 0);
  const Paths paths = paths_of(machine);
  const auto key =
      signing::read_keystore(machine.read(".local/share/svc/keys/local/alice.json"), Secret("correct horse"));
  const KeySigner wallet(*key);
  Environment environment;
  std::uint8_t chance = 0;
  environment.random = [&](std::span<std::uint8_t> bytes) { std::fill(bytes.begin(), bytes.end(), ++chance); };
  const auto openable = [&](const Rings& rings) {
    std::size_t count = 0;
    const auto records = list_api_keys(paths, "local").records;
    for (const ApiKeyRecord& record : records) {
      count += open_api_key(paths, record, rings).has_value() ? 1u : 0u;
    }
    return count;
  };
  const fs::path folder = paths.keys("local");
  const fs::path before = machine.home() / "before";
  std::vector<Rings> kept;
  const auto keep = [&](std::size_t calls) {
    return [&, calls](const Rings& rings) -> Result<void, Failure> {
      kept.push_back(rings);
      if (kept.size() == 1) fs::copy(folder, before, fs::copy_options::recursive);
      if (kept.size() > calls) return unexpected(internal_error("cut off"));
      return {};
    };
  };
  // Before any key is sealed again.
  EXPECT_FALSE(renew_rings(paths, "local", wallet, environment, keep(0)).has_value());
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].size(), 2u);
  EXPECT_EQ(openable(kept[0]), 4u);
  EXPECT_EQ(openable(session_of(machine).rings), 4u) << "the session before it as well";
  kept.clear();
  fs::remove_all(before);
  // After the last key, before the session holds only the new ring key.
  EXPECT_FALSE(renew_rings(paths, "local", wallet, environment, keep(1)).has_value());
  EXPECT_EQ(openable(kept[0]), 4u);
  EXPECT_EQ(openable(*open_rings(paths, "local", wallet)), 4u);
  // In between: some keys have the old seal, some the new one.
  const auto names = list_private(folder / "api");
  for (std::size_t i = 0; i < names.size(); i += 2) {
    fs::copy_file(before / "api" / names[i], folder / "api" / names[i], fs::copy_options::overwrite_existing);
  }
  for (const std::string& name : list_private(before / "rings")) {
    fs::copy_file(before / "rings" / name, folder / "rings" / name, fs::copy_options::overwrite_existing);
  }
  EXPECT_EQ(openable(kept[0]), 4u);
  kept.clear();
  fs::remove_all(before);
  EXPECT_TRUE(renew_rings(paths, "local", wallet, environment, keep(2)).has_value());
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[1].size(), 1u);
  EXPECT_EQ(openable(kept[1]), 4u);
  // If renewals never succeed, the number of ring keys is limited.
  for (int round = 0; round < 40; ++round) {
    kept.clear();
    fs::remove_all(before);
    EXPECT_FALSE(renew_rings(paths, "local", wallet, environment, keep(0)).has_value());
  }
  EXPECT_LE(kept[0].size(), 16u);
  EXPECT_EQ(openable(kept[0]), 4u);
}

TEST(Secrets, AreNeverPrintedByAnyCommand) {
  TraderMachine machine;
  const Session session = session_of(machine);
  const std::string token(session.token.reveal());
  const std::string ring = to_hex(session.rings.front());
  ASSERT_EQ(token.size(), 64u);
  std::string signature;
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (const auto header = request.headers.find("X-Signature")) signature = std::string(*header);
    return {};
  };
  for (const std::string line : {"keys create", "keys list", "whoami", "account show", "buy 0.1 BTC-USDX-PERP @ 59000",
                                 "keystore list", "keystore show alice", "logout --all"}) {
    for (const std::string flags :
         {"", " --json", " --debug-http --print-canonical -v", " -o raw", " --dry-run --json", " --curl"}) {
      if (line == "logout --all" && !flags.empty()) continue;
      if (line == "keys create" && flags == " -o raw") continue;
      const RunResult ran =
          machine.run("-n local " + line + flags + (line.starts_with("buy") ? machine.with_password : ""));
      const std::string all = ran.out + ran.err;
      for (const std::string& secret : {token, ring, std::string("correct horse")}) {
        EXPECT_FALSE(has(all, secret)) << line << flags;
      }
      EXPECT_TRUE(signature.empty() || all.find(signature) == std::string::npos) << line << flags;
      EXPECT_FALSE(has(all, "\"secret\":\"0")) << line << flags;
    }
  }
}

TEST(Secrets, LooseModesAreRefusedWithTheCommandThatCorrectsThem) {
  TraderMachine machine;
  const fs::path session = machine.state() / "sessions/local.json";
  const fs::path password = machine.home() / "password";
  const fs::path wallet = machine.data() / "keys/local/alice.json";
  for (const fs::path& file : {session, password, wallet}) {
    ::chmod(file.c_str(), 0644);
    const RunResult ran = machine.run("-n local login --wallet alice --password-file " + password.string());
    EXPECT_EQ(ran.exit, 14) << file << ran.err;
    EXPECT_TRUE(has(ran.err, "chmod 600 " + file.string()));
    ::chmod(file.c_str(), 0600);
  }
  ::chmod(machine.state().c_str(), 0755);
  const RunResult ran = machine.run("-n local account show");
  EXPECT_EQ(ran.exit, 14);
  EXPECT_TRUE(has(ran.err, "chmod 700 " + machine.state().string()));
}

TEST(Secrets, TheCommandThatCorrectsAModeQuotesThePath) {
  ClientMachine machine;
  const fs::path file = machine.data() / "it's mine";
  ASSERT_TRUE(write_private(file, "").has_value());
  ::chmod(file.c_str(), 0644);
  const std::string quoted = "'" + machine.data().string() + "/it'\\''s mine'";
  const RunResult doctor = machine.run("--json doctor --offline");
  EXPECT_TRUE(has(doctor.out, Json("chmod go-rwx " + quoted).dump()));
  const auto read = read_private(file);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().actions, std::vector{"chmod 600 " + quoted});
}

TEST(Secrets, AnInputThatIsThePasswordIsReadAsNothingElse) {
  TraderMachine machine;
  machine.sent.clear();
  machine.input = "correct horse\n";
  for (const char* line :
       {"-n local orders cancel -f - --password-file -", "-n local api POST /orders -d - --password-file -",
        "-n local orders batch -f - --password-file -", "-n local apply -f - --password-file -",
        "-n local keystore import z --from - --password-file -",
        "-n local keystore passwd alice --password-file - --new-password-file -"}) {
    const RunResult ran = machine.run(line);
    EXPECT_EQ(ran.exit, 2) << line;
    EXPECT_TRUE(has(ran.err, "standard input cannot be both")) << line << ran.err;
  }
  EXPECT_TRUE(has(machine.run("-n local orders cancel -f - --password-fd 0").err, "the password of --password-fd and"));
  machine.variables["SVC_PASSWORD_FILE"] = "-";
  EXPECT_EQ(machine.run("-n local orders cancel -f -").exit, 2) << "by a variable";
  machine.variables.erase("SVC_PASSWORD_FILE");
  EXPECT_EQ(machine.run("config set password_file -").exit, 0);
  EXPECT_EQ(machine.run("-n local orders cancel -f -").exit, 2) << "by the configuration";
  EXPECT_TRUE(machine.sent.empty());
}

TEST(Secrets, WhatIsTypedForAFileIsNotShown) {
  ClientMachine machine;
  machine.input = "seen by everybody\n";
  machine.in_is_terminal = true;
  machine.answers = {"test test test test test test test test test test test junk"};
  EXPECT_EQ(
      machine.run("-n local keystore import a --mnemonic --kdf scrypt:4096 --from -" + machine.with_password).exit, 0);
  EXPECT_TRUE(has(machine.asked, "that the file of --from would hold (not shown)"));
  for (const std::string line : {"login --wallet a --password-file -", "login --wallet a --password-fd 0"}) {
    machine.answers = {"correct horse"};
    const RunResult ran = machine.run("-n local " + line);
    EXPECT_EQ(ran.exit, 0) << line << ran.err;
    EXPECT_TRUE(machine.answers.empty()) << line;
  }
  for (const std::string line : {"login --wallet a --password-file -", "login --wallet a --password-fd 0"})
    EXPECT_EQ(machine.run("-n local --no-input " + line).exit, 3) << line;
  EXPECT_EQ(machine.input, "seen by everybody\n");
}

TEST(Secrets, ANewPasswordThatIsTypedForAFileIsAskedForTwice) {
  TraderMachine machine;
  machine.in_is_terminal = true;
  for (const std::string& line : {std::string("keystore new be --kdf scrypt:4096 --password-file -"),
                                  std::string("keystore new ce --kdf scrypt:4096 --password-fd 0"),
                                  "keystore passwd alice --new-password-file -" + machine.with_password,
                                  "keystore passwd alice --new-password-fd 0" + machine.with_password}) {
    machine.answers = {"correct horse", "correct hrose"};
    EXPECT_EQ(machine.run("-n local " + line).exit, 2) << line << ": two entries that differ";
    EXPECT_TRUE(machine.answers.empty()) << line;
    machine.answers = {"correct horse", "correct horse"};
    EXPECT_EQ(machine.run("-n local " + line).exit, 0) << line;
    EXPECT_TRUE(machine.answers.empty()) << line;
  }
  machine.answers = {"correct horse", "correct horse", "correct horse"};
  EXPECT_EQ(machine.run("-n local keystore passwd alice --password-file - --new-password-file -").exit, 2);
}

TEST(Secrets, APasswordComesFromFileStandardInputPromptOrCredentialsFolder) {
  ClientMachine machine;
  machine.input = "correct horse\n";
  EXPECT_EQ(machine.run("-n local keystore new a --password-file -").exit, 0);
  machine.in_is_terminal = true;
  machine.answers = {"correct horse", "correct horse"};
  EXPECT_EQ(machine.run("-n local keystore new b").exit, 0);
  machine.answers = {"correct horse", "another"};
  EXPECT_EQ(machine.run("-n local keystore new c").exit, 2);
  machine.answers = {};
  EXPECT_EQ(machine.run("-n local keystore new c").exit, 3);
  EXPECT_EQ(machine.run("-n local --no-input keystore new c").exit, 3);
  machine.in_is_terminal = false;
  fs::create_directory(machine.home() / "credentials");
  machine.write("credentials/svc-password", "correct horse");
  machine.variables["CREDENTIALS_DIRECTORY"] = (machine.home() / "credentials").string();
  EXPECT_EQ(machine.run("-n local keystore new d").exit, 0);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "correct horse\n", 14), 14);
  ::close(ends[1]);
  EXPECT_EQ(machine.run("-n local keystore new e --password-fd " + std::to_string(ends[0])).exit, 0);
  ::close(ends[0]);
  EXPECT_EQ(machine.run("-n local keystore new f --password-fd " + std::to_string(ends[0])).exit, 2) << "closed";
  for (const std::string name : {"a", "b", "d", "e"}) {
    EXPECT_EQ(machine.run("sign message hello --wallet " + name).exit, 0) << name;
  }
  const auto wrong = machine.write("wrong", "battery staple\n");
  EXPECT_EQ(machine.run("sign message hello --wallet a --password-file " + wrong.string()).exit, 4);
}

TEST(Secrets, AreStoredPerNetworkAndNeverUsedForAnother) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("network add testnet --rest http://localhost:9090").exit, 0);
  machine.sent.clear();
  EXPECT_EQ(machine.run("-n testnet account show").exit, 4);
  EXPECT_EQ(machine.run("-n testnet login --wallet alice" + machine.with_password).exit, 14)
      << "the sandbox says that it is local";
  EXPECT_EQ(machine.run("-n testnet keystore show alice").exit, 5);
  // Even if moved by hand, an API key does not open on another network.
  fs::create_directory(machine.data() / "keys/testnet");
  ::chmod((machine.data() / "keys/testnet").c_str(), 0700);
  fs::rename(machine.data() / "keys/local/api", machine.data() / "keys/testnet/api");
  const RunResult listed = machine.run("-n testnet keystore list --json");
  EXPECT_EQ(listed.document().find("data")->dump(), "[]") << listed.out;
  EXPECT_TRUE(has(listed.err, "was made for another key or network"));
}

TEST(Secrets, OutliveTheSessionAndOpenWithTheWallet) {
  TraderMachine machine;
  ASSERT_EQ(machine.run("-n local login --ttl 24h --wallet alice" + machine.with_password).exit, 0);
  machine.clock.advance(day_ms + 1);
  machine.sandbox.pass_time();
  const RunResult expired = machine.run("-n local account show");
  EXPECT_EQ(expired.exit, 4);
  EXPECT_TRUE(has(expired.err, "svc -n local login --wallet alice"));
  EXPECT_FALSE(has(machine.read(".local/state/svc/sessions/local.json"), "sealed"));
  EXPECT_EQ(machine.run("-n local account show" + machine.with_password).exit, 0);
  ASSERT_EQ(machine.run("-n local login --wallet alice" + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run("-n local account show").exit, 0);
}

// Commands that need the session report it; API keys sign until a logout.
TEST(Secrets, ApiKeysStillSignAfterTheSessionHasExpired) {
  TraderMachine machine;
  const std::string token(session_of(machine).token.reveal());
  machine.clock.advance(3 * day_ms);
  machine.sandbox.pass_time();
  EXPECT_EQ(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  EXPECT_EQ(machine.run("-n local orders cancel-all").exit, 0);
  EXPECT_TRUE(session_of(machine).token.empty());
  EXPECT_EQ(machine.run("-n local keys list").exit, 4);
  EXPECT_EQ(machine.run("-n local --json whoami").document().string_at("data.session"), "expired");
  EXPECT_EQ(machine.run("-n local status --exit-code --expires-within 2h").exit, 0);
  ASSERT_EQ(machine.run("-n local logout").exit, 0);
  EXPECT_EQ(machine.run("-n local account show").exit, 4);
}

TEST(Secrets, AreStoredUnderAChosenName) {
  TraderMachine machine;
  const std::string create = "-n local --json keys create --store robot";
  const RunResult made = machine.run(create);
  ASSERT_EQ(made.exit, 0) << made.out;
  EXPECT_EQ(made.document().string_at("data.stored_as"), "keys/local/api/robot.json");
  EXPECT_FALSE(machine.read(".local/share/svc/keys/local/api/robot.json").empty());
  EXPECT_EQ(machine.run("-n local account show").exit, 0) << "the newest is used";
  machine.sent.clear();
  EXPECT_EQ(machine.run(create).exit, 6);
  for (const char* name : {"../x", "a/b", "''", "-x", "x.json"}) {
    EXPECT_EQ(machine.run("-n local keys create --store=" + std::string(name)).exit, 2) << name;
  }
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET") << "no key without a place";
  const std::string id = made.document().text_at("data.key_id");
  EXPECT_TRUE(has(machine.run("-n local keys list").out, id + "\t-\t2026-09-21T12:00:00.000Z\tPro\ttrue\trobot\n"));
  const RunResult gone = machine.run("-n local --json keys delete robot");
  EXPECT_EQ(gone.document().string_at("data.key_id"), id) << gone.out;
  EXPECT_FALSE(std::filesystem::exists(machine.data() / "keys/local/api/robot.json"));
  EXPECT_FALSE(has(machine.run("-n local keys list").out, id));
}

TEST(Secrets, LogoutClosesTheSession) {
  TraderMachine machine;
  const RunResult mistyped = machine.run("-n local --json --signer alise logout");
  EXPECT_EQ(mistyped.exit, 5);
  EXPECT_EQ(mistyped.code(), "wallet_not_found") << mistyped.out;
  EXPECT_EQ(machine.run("-n local logout").exit, 0);
  EXPECT_EQ(machine.run("-n local account show").exit, 4);
  EXPECT_EQ(machine.run("-n local --json logout").document().integer_at("data.removed"), 0);
  EXPECT_EQ(machine.run("-n local --signer alice logout").exit, 0) << "it is logged out already";
}

TEST(Secrets, AfterALogoutNoAccountIsSelected) {
  ClientMachine machine;
  machine.add_trader("bob");
  machine.add_trader("alice");
  ASSERT_EQ(machine.run("-n local logout").exit, 0);
  machine.sent.clear();
  const RunResult order = machine.run("-n local --json buy 0.1 BTC-USDX-PERP @ 59000");
  EXPECT_EQ(order.exit, 4);
  EXPECT_EQ(order.code(), "nobody_selected");
  EXPECT_TRUE(has(order.out, "add --signer bob"));
  for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(machine.run("-n local --signer bob buy 0.1 BTC-USDX-PERP @ 59000").exit, 0);
  EXPECT_EQ(machine.run("-n local --json whoami").document().string_at("data.wallet"), std::nullopt);
}

TEST(Secrets, FromTheEnvironmentSignWithoutASession) {
  TraderMachine machine;
  const auto file = machine.home() / "api-secret";
  const RunResult made = machine.run("-n local --json keys create --print-secret-to " + file.string());
  ASSERT_EQ(machine.run("-n local logout --all").exit, 0);
  machine.variables["SVC_API_KEY"] = made.document().text_at("data.key_id");
  EXPECT_EQ(machine.run("-n local account show").exit, 2) << "one without the other";
  machine.variables["SVC_API_SECRET"] = file_text(file).substr(0, 64);
  EXPECT_EQ(machine.run("-n local account show").exit, 0);
}

TEST(Secrets, AreNotMadeForAFileThatIsALinkToNowhere) {
  TraderMachine machine;
  const auto link = machine.home() / "api-secret";
  fs::create_symlink(machine.home() / "nowhere", link);
  machine.sent.clear();
  EXPECT_EQ(machine.run("-n local keys create --print-secret-to " + link.string()).exit, 2);
  EXPECT_TRUE(std::ranges::none_of(machine.sent, is_write));
}

// Exit 2 means that nothing was sent.
TEST(Secrets, AreNotMadeForAFileThatCannotBeMade) {
  TraderMachine machine;
  const std::string there = machine.write("there", "x").string();
  machine.sent.clear();
  for (const std::string& file : {there, std::string("/dev/null/x"), (machine.home() / "nodir/x").string()})
    for (const std::string line : {"keys create --print-secret-to ", "ws token --to "}) {
      EXPECT_EQ(machine.run("-n local " + line + file).exit, 2) << line << file;
      EXPECT_TRUE(std::ranges::none_of(machine.sent, is_write)) << line << file;
    }
}

TEST(Secrets, TellWhichKeyWasMadeIfItsSecretFileCannotBeWritten) {
  TraderMachine machine;
  const auto folder = machine.home() / "folder";
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method == "POST") fs::remove(folder);
    return std::nullopt;
  };
  fs::create_directory(folder);
  const RunResult made = machine.run("-n local --json keys create --print-secret-to " + (folder / "x").string());
  EXPECT_EQ(made.exit, 1) << made.out;
  const std::string id(machine.run("-n local --json keys list").rows().back().string_at("key_id").value_or("?"));
  EXPECT_TRUE(has(made.out, "key " + id + " was made"));
}

// Such as exit 10, after which a script would make one more key.
TEST(Secrets, AKeyThatCouldNotBeKeptIsNoFailureToTryAgain) {
  TraderMachine machine;
  const auto rings = machine.data() / "keys/local/rings";
  ASSERT_TRUE(fs::exists(rings));
  machine.intercept = [&](const api::HttpRequest& request) -> Intercepted {
    if (request.method == "POST" && request.path() == "/keys") fs::permissions(rings, fs::perms::all);
    return std::nullopt;
  };
  const RunResult made = machine.run("-n local --json keys create");
  fs::permissions(rings, fs::perms::owner_all);
  EXPECT_EQ(made.exit, 1) << made.out;
  const Json error = *made.document().find("error");
  EXPECT_EQ(error.string_at("code"), "key_secret_lost");
  EXPECT_FALSE(error.truth_at("retryable"));
  EXPECT_EQ(error.texts_at("actions"), std::vector{"svc -n local keys delete " + error.text_at("details.key_id")});
}

TEST(DevKeys, AreTheAccountsOfTheDevelopmentMnemonic) {
  for (const auto& account : sim::dev_accounts(20, Usdx{}))
    EXPECT_TRUE(is_dev_address(account.address)) << account.index;
  EXPECT_FALSE(is_dev_address(sim::dev_accounts(21, Usdx{}).back().address));
}

TEST(DevKeys, SignOnLocalOnly) {
  ClientMachine machine;
  const auto file = machine.write("key", dev_key);
  const std::string import = "keystore import dev --from " + file.string() + machine.with_password;
  EXPECT_EQ(machine.run("-n local " + import).exit, 0);
  EXPECT_EQ(machine.run("-n testnet " + import).exit, 14);
  EXPECT_EQ(machine.run("-n mainnet " + import).exit, 14);
}

TEST(Keystore, ImportsHexMnemonicsAndFilesOfOtherTools) {
  ClientMachine machine;
  const auto hex = machine.write("hex", "0x" + std::string(other_key) + "\n");
  EXPECT_EQ(machine.run("-n local keystore import a --from " + hex.string() + machine.with_password).exit, 0);
  EXPECT_EQ(machine.run("-n local keystore import b --from " + hex.string() + machine.with_password).exit, 6)
      << "the same key twice";
  EXPECT_EQ(machine.run("-n local keystore import a --from " + hex.string() + machine.with_password).exit, 6)
      << "the same name twice";
  const auto words = machine.write("words", "test test test test test test test test test test test junk\n");
  const RunResult derived = machine.run("-n local --json keystore import c --mnemonic --index 1 --from " +
                                        words.string() + machine.with_password);
  EXPECT_EQ(derived.document().string_at("data.address"), "0x70997970c51812dc3a010c7d01b50e0d17dc79c8");
  machine.input = machine.read(".local/share/svc/keys/local/a.json");
  const RunResult v3 =
      machine.run("-n testnet --json keystore import a --kdf scrypt:4096 --from -" + machine.with_password);
  EXPECT_EQ(v3.document().string_at("data.kdf"), "scrypt:4096") << v3.out;
  EXPECT_EQ(v3.document().string_at("data.address"),
            machine.run("-n local --json keystore show a").document().string_at("data.address"));
  const auto junk = machine.write("junk", "hello");
  EXPECT_EQ(machine.run("-n local keystore import d --from " + junk.string() + machine.with_password).exit, 2);
  EXPECT_EQ(
      machine.run("-n local keystore import d --kdf scrypt:1000 --from " + junk.string() + machine.with_password).exit,
      2);
  const RunResult costly = machine.run("-n local keystore new d --kdf scrypt:1048576" + machine.with_password);
  EXPECT_EQ(costly.exit, 2);
  EXPECT_TRUE(has(costly.err, "from 4096 to 524288"));
}

}  // namespace SVC_FILE
}  // namespace svc::cli
