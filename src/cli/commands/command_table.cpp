#include "cli/commands/command_table.h"

#include "cli/client/watch_loop.h"
#include "cli/commands/output_shape.h"

namespace svc::cli {
namespace {

// "order" for "orders", "address" for "addresses". Words such as "status" have no singular.
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
    const std::string_view word = take_line(path, ' ');
    if (word.empty()) return std::nullopt;
    if (typed != word && (spelling == Spelling::exact || !is_singular_of(typed, word))) return std::nullopt;
  }
  return path;
}

const CommandRow* first_row(const std::function<bool(const CommandRow&)>& named) {
  for (const CommandRow& row : command_rows())
    if (named(row)) return &row;
  static const std::array hidden{hidden_commands(), guard_keeper_commands()};
  for (const CommandRow& row : hidden | std::views::join)
    if (named(row)) return &row;
  return nullptr;
}

// Short names of commands that are typed all day.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> short_names{
    {{"close", "positions close"}, {"pos", "positions list"}, {"book", "markets book"}}};

}  // namespace

std::span<const std::vector<CommandRow>> command_groups() {
  // Never destroyed: that would take a tenth of the time of a short command.
  static const auto& groups = *new std::array{
#define X(group) group##_commands(),
#include "cli/commands/command_groups.def"
#undef X
  };
  return groups;
}

void SharedFlags::declare(const CommandRow& row, Arguments& arguments) {
  if (row.repeats != Repeats::yes)
    return arguments.refused("--watch", "only commands that show how things stand are repeated");
  if (arguments.find_flag("--sort") == nullptr && prints_list(row.path)) sort.declare(arguments);
  static_assert(watch_limits::repeat_ms_default == 2'000);
  arguments.text_or("--watch", repeat, "2", "S", "show it again every S seconds (default 2) until Ctrl-C");
}

Result<std::int64_t> SharedFlags::pause_ms(const Globals& globals) const {
  if (globals.format == Format::json)
    return usage_error("--watch and one JSON document exclude each other; use -o ndjson");
  if (globals.dry_run) return usage_error("--watch and --dry-run exclude each other");
  const auto ms = parse_scaled(*repeat, 3);
  if (!ms || *ms < watch_limits::repeat_ms_min || *ms > limits::request_timeout_ms_max)
    return usage_error("--watch must be seconds from 0.1 to ", limits::request_timeout_ms_max / 1'000, ", not \"",
                       *repeat, "\"");
  return *ms;
}

std::vector<std::string_view> command_paths() {
  std::vector<std::string_view> paths;
  for (const CommandRow& row : command_rows()) paths.push_back(row.path);
  return paths;
}

const CommandRow* find_row(std::string_view path) {
  return first_row([&](const CommandRow& row) { return row.path == path; });
}

std::optional<Found> find_command(const std::vector<std::string>& words) {
  // The longest name counts: "alias list" is not "alias" of a word "list".
  constexpr std::size_t words_max = 3;
  for (std::size_t count = std::min(words.size(), words_max); count > 0; --count) {
    const auto typed = std::span(words).first(count);
    for (const Spelling spelling : {Spelling::exact, Spelling::with_singulars}) {
      const auto named = [&](const CommandRow& row) { return rest_after(row.path, typed, spelling) == ""; };
      if (const CommandRow* row = first_row(named)) return Found{row, count};
    }
  }
  for (const auto& [name, path] : short_names)
    if (!words.empty() && words.front() == name) return Found{find_row(path), 1};
  return std::nullopt;
}

bool begins_command(const std::vector<std::string>& words) {
  return std::ranges::any_of(command_rows(), [&](const CommandRow& row) {
    const auto rest = rest_after(row.path, words, Spelling::with_singulars);
    return rest && !rest->empty();
  });
}

std::string schema_name(const CommandRow& row) {
  // No document has lost or changed a member yet; the first that does has number 2.
  std::string name = concat("svc.", row.path, "/1");
  std::replace(name.begin(), name.end(), ' ', '.');
  return name;
}

bool is_way_out(const CommandRow& row, const std::vector<std::string>& words) {
  // A shell is one as well: each line typed in it is judged for itself.
  static constexpr std::array<std::string_view, 11> paths{
      "orders cancel", "orders cancel-all", "positions close", "flatten",       "guard", "guard-keeper",
      "agents revoke", "keys delete",       "logout",          "keystore lock", "shell"};
  if (is_among(row.path, paths)) return true;
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, "--reduce-only") != end;
}

}  // namespace svc::cli
