// Every example of the help runs, and every output keeps the output contract in every mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/http/url.h"
#include "api/operation_list.h"
#include "cli/arguments/globals.h"
#include "cli/commands/command_table.h"
#include "cli/commands/help.h"
#include "cli/commands/output_shape.h"
#include "cli/example_machine.h"
#include "cli/output_check.h"

namespace svc::cli {
namespace SVC_FILE {

// In the order of the help: each finds what those before it left.
std::vector<std::pair<const CommandRow*, Example>> all_examples() {
  std::vector<std::pair<const CommandRow*, Example>> all;
  for (const CommandRow& row : command_rows())
    for (const Example& one : examples_of(row)) all.emplace_back(&row, one);
  return all;
}

bool has_format(std::string_view line) {
  for (const std::string_view flag : {"--json", "--jq", "--template", " -o "}) {
    if (line.find(flag) != std::string_view::npos) return true;
  }
  return false;
}

// Commands whose example would need a stream, another program, or an earlier failure. The list may only get shorter.
const std::set<std::string_view> without_example{
    "local run", "local stop", "guard", "keystore delete", "watch", "ws raw",
};

TEST(Examples, EveryCommandHasOne) {
  for (const CommandRow& row : command_rows()) {
    EXPECT_EQ(examples_of(row).empty(), without_example.contains(row.path)) << row.path;
  }
}

TEST(Examples, EachCallsTheCommandOfItsRow) {
  for (const auto& [row, example] : all_examples()) {
    std::vector<std::string> words;
    for (std::string_view rest = example.line; !rest.empty();) words.emplace_back(take_line(rest, ' '));
    ASSERT_EQ(words.front(), "svc");
    auto first = words.begin() + 1;
    while (first->starts_with('-')) first += *first == "-n" ? 2 : 1;
    const auto found = find_command({first, words.end()});
    EXPECT_TRUE(found && found->row == row) << example.line << " is an example of " << row->path;
  }
}

// The operation of a request; empty for the sandbox's control API.
std::string operation_of(const api::HttpRequest& request) {
  std::string path = request.target.substr(0, request.target.find('?'));
  if (path.starts_with("/v1/")) path.erase(0, 3);
  const auto* operation = api::match_operation(request.method, path);
  return operation == nullptr ? std::string() : std::string(operation->name);
}

// --fields and --template are checked against the table of outputs before anything is sent.
void expect_unknown_names_refused(ClientMachine& machine, const CommandRow& row, const std::string& line) {
  // The schemas of these do not list all names.
  static const std::set<std::string_view> open{"api", "schema", "markets tickers", "markets candles"};
  machine.sent.clear();
  const RunResult by_field = machine.run(line + " -o csv --fields no_such_column");
  EXPECT_EQ(by_field.exit, 2) << line;
  EXPECT_EQ(by_field.out, "") << line;
  if (!open.contains(row.path)) {
    EXPECT_EQ(machine.run(line + " --template '{no_such_column}'").exit, 2) << line;
  }
  EXPECT_TRUE(machine.sent.empty()) << line;
}

TEST(Examples, RunAndMatchTheirSchemas) {
  ExampleMachine table;
  std::set<std::string> reached;
  for (const auto& [row, example] : all_examples()) {
    const std::string line = table.ready(example.line);
    const bool plain = !has_format(line);
    const bool dry = line.find("--dry-run") != std::string::npos;
    // The way out ignores display flags that it cannot use.
    const bool way_out = is_way_out(*row, {line.find("--reduce-only") == std::string::npos ? "" : "--reduce-only"});
    if (plain && !dry && !way_out) expect_unknown_names_refused(table.machine, *row, line);
    table.machine.sent.clear();
    const RunResult ran = table.machine.run(line + (plain ? " --json" : ""));
    EXPECT_EQ(ran.exit, 0) << example.line << "\n" << ran.out << ran.err;
    for (const api::HttpRequest& request : table.machine.sent) reached.insert(operation_of(request));
    if (plain && ran.exit == 0) {
      const Json document = ran.document();
      const Json* data = document.find("data");
      if (dry) {
        if (const auto operation = data->string_at("operation")) reached.insert(std::string(*operation));
      } else if (const auto wrong = check_output(row->path, *data)) {
        ADD_FAILURE() << example.line << ": " << *wrong;
      }
    }
    table.tidy(example.line);
  }
  for (const api::OperationEntry& entry : api::all_operations()) {
    if (entry.operation->group == "streams") continue;  // over sockets, not requests
    EXPECT_TRUE(reached.contains(std::string(entry.operation->name)))
        << entry.operation->name << " is reached by no example of a named command";
  }
}

TEST(Outputs, EveryCommandDeclaresItsOutput) {
  for (const CommandRow& row : command_rows()) EXPECT_FALSE(row.output.shape.empty()) << row.path;
}

// Fields may be added, but none may be removed while the number after the slash is the same.
void collect(const Json& schema, const std::string& path, std::set<std::string>& names) {
  if (const Json* properties = schema.find("properties")) {
    for (std::size_t i = 0; i < properties->keys().size(); ++i) {
      names.insert(path + "." + properties->keys()[i]);
      collect(properties->items()[i], path + "." + properties->keys()[i], names);
    }
  }
  if (const Json* items = schema.find("items")) collect(*items, path + "[]", names);
  if (const Json* any = schema.find("anyOf")) {
    for (const Json& one : any->items()) collect(one, path, names);
  }
}

TEST(Outputs, SchemasMatchThePublishedOnesAndLoseNoField) {
  ClientMachine machine;
  for (const CommandRow& row : command_rows()) {
    std::string file(row.path);
    std::replace(file.begin(), file.end(), ' ', '.');
    const std::string name = "schema/" + file + ".json";
    const std::string text = machine.run("schema " + std::string(row.path)).out;
    const auto now = parse_json(text);
    ASSERT_TRUE(now.has_value()) << row.path;
    if (const auto before = parse_json(read_golden(name));
        before && before->string_at("title") == now->string_at("title")) {
      std::set<std::string> kept, had;
      collect(*before, "", had);
      collect(*now, "", kept);
      for (const std::string& field : had) EXPECT_TRUE(kept.contains(field)) << row.path << " lost " << field;
    }
    expect_golden(name, text);
  }
}

std::size_t cells(std::string_view line, Format format) {
  if (format == Format::tsv) return static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t'));
  bool quoted = false;
  std::size_t count = 0;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++count;
  }
  return count;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  bool quoted = false;
  std::string line;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) {
      lines.push_back(std::move(line));
      line.clear();
    } else {
      line += c;
    }
  }
  if (!line.empty()) lines.push_back("no end of line: " + line);
  return lines;
}

// Checks standard output in that mode, for success and failure.
void expect_contract(const RunResult& ran, const std::string& mode, const std::string& line, bool prints_text) {
  const std::string where = line + " " + mode + "\n" + ran.out + ran.err;
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << where;
  if (mode == "--json") {
    const auto document = parse_json(ran.out);
    ASSERT_TRUE(document.has_value()) << where;
    EXPECT_EQ(document->keys(),
              (std::vector<std::string>{"schema", "ok", "network", "account", "data", "warnings", "error", "meta"}));
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << where;
    EXPECT_EQ(document->find("ok")->truth(), ran.exit == 0) << where;
  } else if (mode == "-o ndjson") {
    const auto lines = lines_of(ran.out);
    ASSERT_FALSE(lines.empty()) << where;
    for (const std::string& one : lines) EXPECT_TRUE(parse_json(one).has_value()) << where;
    const auto last = parse_json(lines.back());
    EXPECT_TRUE(last && last->string_at("type") == "end") << where;
  } else if (mode == "--jq .ok") {
    EXPECT_EQ(ran.out, ran.exit == 0 ? "true\n" : "false\n") << where;
  } else if ((mode == "-o csv" || mode == "-o tsv") && ran.exit == 0 && !prints_text) {
    const Format format = mode == "-o csv" ? Format::csv : Format::tsv;
    const auto lines = lines_of(ran.out);
    for (const std::string& one : lines) EXPECT_EQ(cells(one, format), cells(lines.front(), format)) << where;
  } else if (ran.exit != 0 && mode != "-o raw" && !prints_text) {
    EXPECT_EQ(ran.out, "") << where;
  }
  const bool tells_in_the_document = mode == "--json" || mode == "-o ndjson";
  EXPECT_TRUE(ran.exit == 0 || tells_in_the_document || !ran.err.empty()) << where;
}

// The header may only have names that --fields knows.
void expect_columns(const CommandRow& row, const RunResult& ran) {
  const std::vector<std::string> known = output_columns(row.path);
  std::string header = ran.out.substr(0, ran.out.find('\n'));
  for (std::size_t at = 0; at < header.size();) {
    const auto comma = std::min(header.find(',', at), header.size());
    const std::string name = header.substr(at, comma - at);
    EXPECT_NE(std::find(known.begin(), known.end(), name), known.end()) << row.path << " has a column " << name;
    at = comma + 1;
  }
}

TEST(OutputContract, AColumnMissingInTheAnswerShowsAHyphen) {
  TraderMachine machine;
  const std::string place =
      "-n local --signer alice buy 0.1 BTC-USDX-PERP @ 50000 --tif gtc -o tsv --no-header --fields ";
  EXPECT_EQ(machine.run(place + "market,est_price").out, "BTC-USDX-PERP\t-\n");
  const RunResult refused = machine.run(place + "market,est_prize");
  EXPECT_EQ(refused.exit, 2);
  EXPECT_TRUE(has(refused.err, "est_price"));
  EXPECT_EQ(machine.run("-n local --signer alice --template '{client_id}{order.nothing}' orders list").exit, 2);
  EXPECT_EQ(machine.run("-n local --signer alice orders list -o tsv --no-header --fields price").out, "50000\n");
}

TEST(OutputContract, StandardOutputHasOnlyTheResultInEveryMode) {
  const std::vector<std::string> modes{"-o csv", "--json", "-o ndjson", "--jq .ok", "-o tsv", "-o table", "-o raw"};
  ExampleMachine table;
  for (const auto& [row, example] : all_examples()) {
    if (has_format(example.line)) continue;
    // In the first mode the command succeeds; if it cannot be repeated, the other modes show a failure.
    const std::string line = table.ready(example.line);
    const bool slow = line.find("--password-file") != std::string::npos;
    for (const std::string& mode : modes) {
      if (slow && mode != "--json" && mode != "-o csv") continue;
      const RunResult ran = table.machine.run(line + " " + mode);
      // Scripts, manual pages, signatures and partly failed batches are not tables.
      const bool prints_text = row->path == "completion" || row->path == "man" || row->path == "schema" ||
                               row->path == "local env" || row->path == "local scenario run" || row->path == "api" ||
                               row->path == "journal export" || ran.exit == 15;
      expect_contract(ran, mode, std::string(example.line), prints_text);
      const bool dry = line.find("--dry-run") != std::string::npos;
      if (mode == "-o csv" && ran.exit == 0 && !prints_text && !dry && !ran.out.starts_with('{') &&
          row->path != "shell") {
        expect_columns(*row, ran);
      }
    }
    table.tidy(example.line);
  }
}

// For every list, by its csv output.
TEST(OutputContract, EveryShownColumnCanBeSortedByAndSelected) {
  ExampleMachine table;
  table.machine.run("-n local transfers enroll" + table.machine.with_password);
  std::set<std::string_view> seen;
  for (const auto& [row, example] : all_examples()) {
    if (row->repeats != Repeats::yes || !prints_list(row->path)) continue;
    if (has_format(example.line) || example.line.find("--fields") != std::string_view::npos) continue;
    if (!seen.insert(row->path).second) continue;
    const std::string line = table.ready(example.line);
    for (const std::string& column : output_columns(row->path)) {
      const auto cells = [&](const std::string& order) {
        const RunResult ran =
            table.machine.run(line + " -o csv --no-header --fields " + column + " --sort " + column + order);
        EXPECT_EQ(ran.exit, 0) << line << " " << column << ran.err;
        return lines_of(ran.out);
      };
      std::vector<std::string> up = cells(""), down = cells(":desc");
      for (std::vector<std::string>* one : {&up, &down})
        std::erase(*one, "");  // missing values come last in both directions
      std::ranges::reverse(down);
      // Clocks advance between two runs.
      const bool moves = row->path == "account portfolio-history" || column.ends_with("_ms") || column == "requests" ||
                         column == "clock" || column == "rss_bytes";
      EXPECT_TRUE(moves || up == down) << line << " --sort " << column;
      if (row->path.starts_with("transfers")) continue;  // each one asks for a password
      EXPECT_EQ(table.machine.run(line + " -o table --fields " + column).exit, 0) << line << " " << column;
    }
    table.tidy(example.line);
  }
  for (const CommandRow& row : command_rows()) {
    const bool is_list = row.repeats == Repeats::yes && prints_list(row.path) && !without_example.contains(row.path);
    EXPECT_TRUE(!is_list || seen.contains(row.path)) << row.path << " is a list without a plain example";
    if (!is_list) continue;
    const auto own = own_arguments(row);
    EXPECT_TRUE(std::ranges::any_of(own, [](const Declared& one) { return one.names == "--sort"; })) << row.path;
  }
}

TEST(OutputContract, AUsageErrorUsesTheRequestedOutputMode) {
  ClientMachine machine;
  for (const std::string_view path : command_paths()) {
    for (const std::string mode : {"--json", "-o ndjson", "-o csv", "-o tsv", "-o table", "-o raw"}) {
      const RunResult ran = machine.run(std::string(path) + " --no-such-flag " + mode);
      EXPECT_EQ(ran.exit, 2) << path;
      expect_contract(ran, mode, std::string(path), false);
    }
  }
  EXPECT_TRUE(machine.origins.empty());
}

}  // namespace SVC_FILE
}  // namespace svc::cli
