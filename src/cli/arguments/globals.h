// Flags that every command takes.
#pragma once

#include "base/address.h"
#include "cli/arguments/arguments.h"
#include "cli/terminal/render.h"

namespace svc::cli {

enum class RateMode : std::uint8_t { wait, fail, off };
enum class Surface : std::uint8_t { v1, direct };
enum class AuthChoice : std::uint8_t { automatic, hmac, agent, owner, admin, none };

struct Globals {
  std::optional<std::string> network;  // as typed after -n, without the environment
  std::optional<Address> account;
  std::optional<std::string> account_wallet;  // the name given with -a, until it is resolved
  std::optional<std::string> signer;          // name of a wallet in the key store
  AuthChoice auth = AuthChoice::automatic;
  std::optional<Format> format;  // nullopt: table on a terminal, tsv in a pipe
  std::vector<std::string> fields;
  std::optional<std::string> jq;
  bool jq_alone = false;  // without -o: filters the one document, or each line of a stream
  std::optional<std::string> text_template;
  bool no_header = false;
  bool wide = false;
  std::optional<std::string> time_zone;
  std::optional<std::string> profile;      // as typed after -P
  std::optional<std::string> config_file;  // instead of the user's own
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
  std::optional<std::uint32_t> rate_share_percent;  // of the shared budget; cancels are exempt
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
  std::optional<std::int64_t> idle_lock_ms;     // of a shell; nullopt: never
};

// As typed, before validation.
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
  bool in_project = false;         // a project file may set it: it only affects display and waiting
  std::string_view built_in = {};  // the default, as shown to users
};
[[nodiscard]] std::span<const Setting> settings();
// The error if the value is invalid: "tz: no time zone is called ..."; nullopt if it is valid. `local_zone` is what the
// variable TZ says where the value is used.
[[nodiscard]] std::optional<std::string> problem_of(const Setting& setting, const std::string& value,
                                                    const std::optional<std::string>& local_zone = std::nullopt);

// The flags of every line, and the words that were given for them.
struct LineFlags {
  LineFlags();
  LineFlags(LineFlags&&) = delete;

  GlobalWords words;
  Arguments arguments;
};
Result<Globals> understand(GlobalWords words);

// The values of --signer: a wallet's name (letters, digits, '-' and '_', at most 64, because it names a file), or an
// external signer, exec:CMD or http://...
Result<void> check_wallet_name(std::string_view name);
[[nodiscard]] bool is_external_signer(std::string_view name);

// True if the word is a flag whose value is the next word; needed to find the command's name behind global flags.
[[nodiscard]] bool takes_next_word(const Arguments& globals, std::string_view word);

// The words that are neither global flags nor values of these, up to "--".
[[nodiscard]] std::vector<std::string> words_beside_flags(const std::vector<std::string>& words);

// Whether the address of a proxy carries a password. Such an address is for the environment alone.
[[nodiscard]] bool has_password(std::string_view proxy);

[[nodiscard]] std::string_view to_string(Format format);

// The global flags of a command line that cannot be parsed, as far as they can be understood, and the output format.
[[nodiscard]] GlobalWords usable_globals(const std::vector<std::string>& words);
[[nodiscard]] Format wanted_format(const GlobalWords& words, const std::optional<std::string>& variable);

}  // namespace svc::cli
