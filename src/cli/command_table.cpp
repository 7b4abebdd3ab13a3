#include "cli/command_table.h"

#include <array>

#include "cli/commands/groups.h"

namespace svc::cli {
namespace {

// "order" for "orders": what people type. The first word only.
std::string plural(const std::string& noun) {
  for (const std::string_view known :
       {"orders", "keys", "fills", "positions", "markets", "deposits", "transfers", "withdrawals", "agents"}) {
    if (known.size() == noun.size() + 1 && known.starts_with(noun)) return std::string(known);
  }
  return noun;
}

std::string joined(const std::vector<std::string>& words, std::size_t count) {
  std::string path = plural(words[0]);
  for (std::size_t i = 1; i < count; ++i) path += " " + words[i];
  return path;
}

const CommandRow* find_path(std::string_view path) {
  for (const auto& group : command_groups()) {
    for (const CommandRow& row : group) {
      if (row.path == path) return &row;
    }
  }
  for (const CommandRow& row : hidden_commands()) {
    if (row.path == path) return &row;
  }
  return nullptr;
}

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
      order_amend_commands(),
      order_cancel_commands(),
      order_read_commands(),
      position_closing_commands(),
      order_reconcile_commands(),
      outbox_commands(),
      address_commands(),
      why_commands(),
      guard_commands(),
      keystore_care_commands(),
      keystore_unlock_commands(),
      account_commands(),
      limits_commands(),
      account_history_commands(),
      margin_commands(),
      market_commands(),
      market_book_commands(),
      market_fact_commands(),
      venue_commands(),
      funds_commands(),
      admin_commands(),
      admin_apply_commands(),
      agent_commands(),
      desk_commands(),
      transfer_commands(),
      bridge_commands(),
      sign_commands(),
      verify_commands(),
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
      ws_commands(),
      order_wait_commands(),
      profile_commands(),
      settings_commands(),
      introspection_commands(),
      health_commands(),
      completion_commands(),
      manual_commands(),
      about_commands(),
  };
  // clang-format on
  return groups;
}

std::optional<Found> find_command(const std::vector<std::string>& words) {
  // No command's name begins another one's, so the first match is the only one.
  constexpr std::size_t words_max = 3;
  for (std::size_t count = 1; count <= words.size() && count <= words_max; ++count) {
    if (const CommandRow* row = find_path(joined(words, count))) return Found{row, count};
  }
  return std::nullopt;
}

bool begins_command(const std::vector<std::string>& words) {
  const std::string start = joined(words, words.size()) + " ";
  for (const auto& group : command_groups()) {
    for (const CommandRow& row : group) {
      if (row.path.starts_with(start)) return true;
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
