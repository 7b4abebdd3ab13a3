// Flags that every command takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/result.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/render.h"

namespace svc::cli {

class Arguments;

enum class RateMode : std::uint8_t { wait, fail, off };
enum class Surface : std::uint8_t { v1, direct };
enum class AuthChoice : std::uint8_t { automatic, hmac, agent, owner, admin, none };

struct Globals {
  std::optional<std::string> network;  // as typed after -n; the environment is not looked at here
  std::optional<Address> account;
  std::optional<std::string> account_wallet;  // that -a named instead of an address, until it is looked up
  std::optional<std::string> signer;  // name of a wallet in the key store
  AuthChoice auth = AuthChoice::automatic;
  std::optional<Format> format;  // nullopt: table on a terminal, tsv in a pipe
  std::vector<std::string> fields;
  std::optional<std::string> jq;
  bool jq_alone = false;  // without -o: of the one document, or of each line of a stream
  std::optional<std::string> text_template;
  bool no_header = false;
  bool wide = false;
  std::optional<std::string> time_zone;
  std::optional<std::string> profile;      // as typed after -P
  std::optional<std::string> config_file;  // in place of the user's own
  std::optional<std::string> record_file;
  bool quiet = false;
  bool verbose = false;
  bool debug_http = false;
  bool curl = false;
  bool print_canonical = false;
  bool dry_run = false;
  bool yes = false;
  std::optional<std::string> confirm;
  bool no_input = false;
  std::int64_t timeout_ms = 0;
  int retries = 0;
  RateMode rate = RateMode::wait;
  std::optional<std::uint32_t> rate_share_percent;  // of the shared budget; cancels excepted
  bool no_reconcile = false;
  bool allow_duplicate = false;
  std::optional<std::string> api_version;
  Surface surface = Surface::v1;
  std::optional<std::string> proxy;
  std::optional<std::string> ca;
  std::optional<std::string> color;
  std::optional<std::string> password_file;
  std::optional<std::uint64_t> password_fd;
  std::optional<std::string> password_command;  // from the configuration or the environment only
  std::optional<std::int64_t> idle_lock_ms;  // of a shell; nullopt: never
};

// As typed, before the texts are understood.
struct GlobalWords {
  Globals globals;
  std::optional<std::string> account, auth, output, rate, timeout, surface, fields, retries, rate_share, idle_lock;
  bool json = false;
};

// A global flag that may also be set by an environment variable, a profile or a configuration file.
struct Setting {
  std::string_view key;       // in [defaults] of config.toml
  std::string_view variable;  // "SVC_OUTPUT"
  std::optional<std::string>& (*word)(GlobalWords&);
  bool in_project = false;         // a folder's own file may set it: how things look and how long they take
  std::string_view built_in = {};  // what holds if nobody says anything, for people to read
};
[[nodiscard]] std::span<const Setting> settings();
// What was expected, if the setting cannot have this value: "tz: no time zone is called ...".
[[nodiscard]] std::optional<std::string> problem_of(const Setting& setting, const std::string& value);

void declare_globals(Arguments& arguments, GlobalWords& words);
[[nodiscard]] Result<Globals, Failure> understand(GlobalWords words);

// What --signer may say: a wallet by its name (letters, digits, '-' and '_', at most 64: it names a file), or a signer
// outside, exec:CMD or http://...
[[nodiscard]] Result<void, Failure> check_wallet_name(std::string_view name);
[[nodiscard]] bool is_external_signer(std::string_view name);

// True if the word is a flag whose value is the next word; so that the command's name can be found
// among global flags that stand before it.
[[nodiscard]] bool takes_next_word(const Arguments& globals, std::string_view word);

// What the user wants to see, when the words cannot be parsed far enough to ask properly.
[[nodiscard]] Format wanted_format(const std::vector<std::string>& words, const std::optional<std::string>& variable);
[[nodiscard]] std::optional<std::string> named_network(const std::vector<std::string>& words);

}  // namespace svc::cli
