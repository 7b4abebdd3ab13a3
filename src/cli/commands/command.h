// A command, its row in the table, and the rows of each file of this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/terminal/answer.h"

// A command is three steps: declare what it takes, run, render. Rendering is the same for all: the
// answer carries the document and its columns.

namespace svc::cli {

class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(Arguments&) {}
  [[nodiscard]] virtual Result<Answer, Stop> run(Context& context) = 0;
};

// Whether a command may be run again and again by --watch: lists, and what else shows how things stand.
enum class Repeats : std::uint8_t { no, yes };

struct OperationRow;  // operation_command.h

// One row per command: dispatch, help, spelling suggestions and the schema name read it.
struct CommandRow {
  // Of a class.
  CommandRow(std::string_view name, std::string_view words, std::string_view line, std::unique_ptr<Command> (*made)(),
             Repeats again = Repeats::no)
      : path(name), usage(words), summary(line), repeats(again), made_(made) {}
  // Of one operation: it may be repeated if it reads.
  CommandRow(std::string_view name, std::string_view words, std::string_view line,
             std::shared_ptr<const OperationRow> one);

  std::string_view path;     // "orders place"
  std::string_view usage;    // what follows the path on the usage line, flags aside
  std::string_view summary;  // one line, imperative
  Repeats repeats;
  int schema_version = 1;
  std::shared_ptr<const OperationRow> operation{};  // null of a class

  [[nodiscard]] std::unique_ptr<Command> make() const;

 private:
  std::unique_ptr<Command> (*made_)() = nullptr;
};

template <class T>
[[nodiscard]] std::unique_ptr<Command> make() {
  return std::make_unique<T>();
}

// The commands of each file.

[[nodiscard]] std::span<const CommandRow> network_commands();
[[nodiscard]] std::span<const CommandRow> keystore_commands();
[[nodiscard]] std::span<const CommandRow> login_commands();
[[nodiscard]] std::span<const CommandRow> keys_commands();
[[nodiscard]] std::span<const CommandRow> order_entry_commands();
[[nodiscard]] std::span<const CommandRow> order_batch_commands();
[[nodiscard]] std::span<const CommandRow> order_cancel_commands();
[[nodiscard]] std::span<const CommandRow> order_read_commands();
[[nodiscard]] std::span<const CommandRow> position_closing_commands();
[[nodiscard]] std::span<const CommandRow> order_reconcile_commands();
[[nodiscard]] std::span<const CommandRow> outbox_commands();
[[nodiscard]] std::span<const CommandRow> address_commands();
[[nodiscard]] std::span<const CommandRow> why_commands();
[[nodiscard]] std::span<const CommandRow> journal_commands();
[[nodiscard]] std::span<const CommandRow> guard_commands();
[[nodiscard]] std::span<const CommandRow> keystore_care_commands();
[[nodiscard]] std::span<const CommandRow> account_commands();
[[nodiscard]] std::span<const CommandRow> limits_commands();
[[nodiscard]] std::span<const CommandRow> account_history_commands();
[[nodiscard]] std::span<const CommandRow> margin_commands();
[[nodiscard]] std::span<const CommandRow> market_commands();
[[nodiscard]] std::span<const CommandRow> venue_commands();
[[nodiscard]] std::span<const CommandRow> funds_commands();
[[nodiscard]] std::span<const CommandRow> agent_commands();
[[nodiscard]] std::span<const CommandRow> desk_commands();
[[nodiscard]] std::span<const CommandRow> transfer_commands();
[[nodiscard]] std::span<const CommandRow> bridge_commands();
[[nodiscard]] std::span<const CommandRow> admin_commands();
[[nodiscard]] std::span<const CommandRow> sign_commands();
[[nodiscard]] std::span<const CommandRow> api_commands();
[[nodiscard]] std::span<const CommandRow> serve_commands();
[[nodiscard]] std::span<const CommandRow> local_commands();
[[nodiscard]] std::span<const CommandRow> local_account_commands();
[[nodiscard]] std::span<const CommandRow> local_request_commands();
[[nodiscard]] std::span<const CommandRow> local_image_commands();
[[nodiscard]] std::span<const CommandRow> local_record_commands();
[[nodiscard]] std::span<const CommandRow> local_run_commands();
[[nodiscard]] std::span<const CommandRow> local_staging_commands();
[[nodiscard]] std::span<const CommandRow> local_stop_commands();
[[nodiscard]] std::span<const CommandRow> local_flow_commands();
[[nodiscard]] std::span<const CommandRow> local_state_commands();
[[nodiscard]] std::span<const CommandRow> local_market_commands();
[[nodiscard]] std::span<const CommandRow> local_fault_commands();
[[nodiscard]] std::span<const CommandRow> local_money_commands();
[[nodiscard]] std::span<const CommandRow> scenario_commands();
[[nodiscard]] std::span<const CommandRow> shell_commands();
[[nodiscard]] std::span<const CommandRow> watch_commands();
[[nodiscard]] std::span<const CommandRow> order_wait_commands();
[[nodiscard]] std::span<const CommandRow> settings_commands();
[[nodiscard]] std::span<const CommandRow> introspection_commands();
[[nodiscard]] std::span<const CommandRow> health_commands();
[[nodiscard]] std::span<const CommandRow> completion_commands();
// Those that the program starts by itself: in no list and no help.
[[nodiscard]] std::span<const CommandRow> hidden_commands();
[[nodiscard]] std::span<const CommandRow> guard_keeper_commands();  // hidden as well

}  // namespace svc::cli
