#include "cli/commands/command_table.h"

#include <algorithm>
#include <array>

namespace svc::cli {
namespace {

// "order" for "orders", "address" for "addresses": what people type. Words such as "status" have no singular.
bool is_singular_of(std::string_view typed, std::string_view word) {
  if (word.ends_with("sses")) return typed == word.substr(0, word.size() - 2);
  if (!word.ends_with('s') || word.ends_with("us") || word.ends_with("ss") || word.ends_with("as")) return false;
  return typed == word.substr(0, word.size() - 1);
}

enum class Spelling : std::uint8_t { exact, with_singulars };

// What is left of the path after these words; nullopt if it does not begin with them.
std::optional<std::string_view> rest_after(std::string_view path, std::span<const std::string> words,
                                           Spelling spelling) {
  for (const std::string& typed : words) {
    const std::string_view word = path.substr(0, path.find(' '));
    if (word.empty()) return std::nullopt;
    if (typed != word && (spelling == Spelling::exact || !is_singular_of(typed, word))) return std::nullopt;
    path.remove_prefix(std::min(path.size(), word.size() + 1));
  }
  return path;
}

const CommandRow* find_path(std::span<const std::string> words, Spelling spelling) {
  const auto named = [&](const CommandRow& row) { return rest_after(row.path, words, spelling) == std::string_view(); };
  for (const auto& group : command_groups()) {
    for (const CommandRow& row : group) {
      if (named(row)) return &row;
    }
  }
  for (const auto& group : {hidden_commands(), guard_keeper_commands()}) {
    for (const CommandRow& row : group) {
      if (named(row)) return &row;
    }
  }
  return nullptr;
}

// For what is typed all day.
struct ShortWord {
  std::string_view word;
  std::array<std::string, 2> path;
};
const std::array short_words{ShortWord{"close", {"positions", "close"}}, ShortWord{"pos", {"positions", "list"}},
                             ShortWord{"book", {"markets", "book"}}};

}  // namespace

std::span<const std::span<const CommandRow>> command_groups() {
  // One a line: additions of several people meet here.
  // clang-format off
  static const std::array groups{
      network_commands(),
      keystore_commands(),
      login_commands(),
      keys_commands(),
      order_entry_commands(),
      order_batch_commands(),
      order_cancel_commands(),
      order_read_commands(),
      position_closing_commands(),
      order_reconcile_commands(),
      outbox_commands(),
      address_commands(),
      why_commands(),
      journal_commands(),
      guard_commands(),
      keystore_care_commands(),
      account_commands(),
      limits_commands(),
      account_history_commands(),
      margin_commands(),
      market_commands(),
      venue_commands(),
      funds_commands(),
      admin_commands(),
      agent_commands(),
      desk_commands(),
      transfer_commands(),
      bridge_commands(),
      sign_commands(),
      api_commands(),
      serve_commands(),
      local_commands(),
      local_account_commands(),
      local_request_commands(),
      local_image_commands(),
      local_record_commands(),
      local_run_commands(),
      local_staging_commands(),
      local_stop_commands(),
      local_flow_commands(),
      local_state_commands(),
      local_fault_commands(),
      local_market_commands(),
      local_money_commands(),
      scenario_commands(),
      shell_commands(),
      watch_commands(),
      order_wait_commands(),
      settings_commands(),
      introspection_commands(),
      health_commands(),
      completion_commands(),
  };
  // clang-format on
  return groups;
}

std::optional<Found> find_command(const std::vector<std::string>& words) {
  // The longest name counts: "alias list" is not "alias" of a word "list".
  constexpr std::size_t words_max = 3;
  for (std::size_t count = std::min(words.size(), words_max); count > 0; --count) {
    for (const Spelling spelling : {Spelling::exact, Spelling::with_singulars})
      if (const CommandRow* row = find_path(std::span(words).first(count), spelling)) return Found{row, count};
  }
  if (words.empty()) return std::nullopt;
  for (const ShortWord& one : short_words) {
    if (words.front() == one.word) return Found{find_path(one.path, Spelling::exact), 1};
  }
  return std::nullopt;
}

std::string schema_name(const CommandRow& row) {
  std::string name = "svc." + std::string(row.path) + "/" + std::to_string(row.schema_version);
  std::replace(name.begin(), name.end(), ' ', '.');
  return name;
}

bool is_way_out(const CommandRow& row, const std::vector<std::string>& words) {
  using namespace std::string_view_literals;
  // A shell as well: it is where its lines are typed, and each of them is looked at for itself.
  static constexpr std::array paths{"orders cancel"sv, "orders cancel-all"sv, "positions close"sv, "flatten"sv,
                                    "guard"sv,         "guard-keeper"sv, "agents revoke"sv,     "keys delete"sv,     "logout"sv,
                                    "keystore lock"sv, "shell"sv};
  if (std::find(paths.begin(), paths.end(), row.path) != paths.end()) return true;
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, "--reduce-only") != end;
}

bool begins_command(const std::vector<std::string>& words) {
  for (const auto& group : command_groups()) {
    for (const CommandRow& row : group) {
      const auto rest = rest_after(row.path, words, Spelling::with_singulars);
      if (rest && !rest->empty()) return true;
    }
  }
  return false;
}

std::vector<std::string_view> command_paths() {
  std::vector<std::string_view> paths;
  for (const auto& group : command_groups()) {
    for (const CommandRow& row : group) paths.push_back(row.path);
  }
  return paths;
}

}  // namespace svc::cli
