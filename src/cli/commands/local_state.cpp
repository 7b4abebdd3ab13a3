// local snapshot, snapshots, revert, dump, load; inspect, diff: states of sandboxes
#include <map>

#include "base/clock.h"
#include "cli/commands/control_call.h"
#include "cli/commands/operation_command.h"
#include "cli/machine/private_file.h"
#include "sim/sim.h"

namespace svc::cli {
namespace {

Result<std::string> read_snapshot_name(std::string_view, const std::string& typed) {
  if (is_plain_word(typed, typed.npos, ".") && std::ranges::any_of(typed, is_name_character)) return typed;
  return usage_error("NAME takes letters, digits, dots, dashes and underscores, and not dots alone");
}

Result<Answer> list_snapshots(Context& context, const std::optional<std::string>& dropped) {
  if (dropped) {
    const auto name = SVC_TRY(read_snapshot_name("--delete", *dropped));
    SVC_TRY(ask_sandbox<control::DeleteSnapshot>(context, {.name = name}));
  }
  return Answer{.data = Json::array(SVC_TRY(ask_sandbox<control::ListSnapshots>(context)).body.items_at("snapshots"))};
}

// The document is the server's, byte for byte: it contains a checksum of itself.
Result<Answer> dump_state(Context& context, const std::string& file) {
  const auto reply = SVC_TRY(ask_sandbox<control::DumpState>(context));
  SVC_TRY(write_new_given(file, reply.raw));
  Answer answer{.data = Json::object({{"file", file}})};
  copy_members(reply.body, {"now_ms", "sequence"}, answer.data);
  return answer;
}

Result<Answer> load_state(Context& context, const std::string& file) {
  auto given = SVC_TRY(read_given(file, "state file", limits::state_document_bytes_max, LooseMode::accept));
  return answer_of(
      SVC_TRY(ask_sandbox<control::LoadState>(context, {.document = api::JsonObjectText(std::move(given))})));
}

// A dumped state in a sandbox of our own, from which it is read as by any client.
struct Image {
  std::string checksum;  // of everything in the dump, keys, sessions and agents included
  std::unique_ptr<ManualClock> clock;
  std::vector<std::string> networks{};
  std::unique_ptr<sim::Sandbox> sandbox{};

  static Result<Image> open(Context& context, const std::string& file, const std::optional<std::string>& markets_file) {
    sim::SandboxOptions options;
    if (markets_file) SVC_TRY(take_markets(context, *markets_file, options));
    options.clock = {sim::ClockMode::manual};
    options.accounts = 0;
    options.limits = {0};
    auto text = SVC_TRY(read_text(context, file, "the dumped state", limits::state_document_bytes_max));
    const Json document = json_or_null(text);
    if (document.string_at("format") != "svc-sandbox-state")
      return usage_error(file + " is not a state that svc local dump wrote");
    Image image{.checksum = document.text_at("checksum"),
                .clock = std::make_unique<ManualClock>(document.integer_at("now_ms").value_or(0))};
    const auto state = sim::parse_document(text);  // the sandbox says why it refuses one that cannot be read
    for (const auto& [name, bytes] : state ? state->networks : std::map<std::string, std::string>()) {
      if (const auto network = api::parse<api::NetworkId>(name)) options.networks.push_back(*network);
      image.networks.push_back(name);
    }
    // A state with bots has other market terms than one without, so both are tried.
    Json refusal;
    for (const sim::FlowKind flow : {sim::FlowKind::bots, sim::FlowKind::none}) {
      options.flow = flow;
      image.sandbox = std::make_unique<sim::Sandbox>(options, *image.clock);
      auto [status, answer] = image.ask("localhost", "PUT", std::string(control::LoadState::op.path), text);
      if (status == 200) return image;
      refusal = std::move(answer);
    }
    Failure failure = failed(ExitCode::invalid, text_in(refusal, "code", "refused"), file, ": ",
                             text_in(refusal, "message", "it cannot be read"));
    if (state && !markets_file) failure.actions = {"add --markets FILE, if that sandbox had markets of its own"};
    return failure;
  }

  // The status and the document of the answer; null if it is no JSON.
  [[nodiscard]] std::pair<int, Json> ask(std::string host, std::string method, std::string target,
                                         std::string body = {}) const {
    const auto answer = sandbox->handle({.method = std::move(method),
                                         .target = std::move(target),
                                         .headers = {{"Host", host}},
                                         .body = std::move(body)});
    return {answer.status, json_or_null(answer.body)};
  }
  [[nodiscard]] Json read(const std::string& network, std::string target) const {
    return ask(network + ".localhost", "GET", std::move(target)).second;
  }
  // What stands before a figure of one network.
  [[nodiscard]] std::string prefix(const std::string& network, std::string_view separator) const {
    return networks.size() == 1 ? "" : concat(network, separator);
  }
};

std::int64_t sum_of(const std::vector<Json>& rows, std::string_view key) {
  std::int64_t sum = 0;
  for (const Json& row : rows) sum += row.integer_at(key).value_or(0);
  return sum;
}

Result<Answer> inspect_state(Context& context, const std::string& file,
                             const std::optional<std::string>& markets_file) {
  const auto image = SVC_TRY(Image::open(context, file, markets_file));
  Answer answer{.data = Json::array()};
  for (const std::string& network : image.networks) {
    const auto row = [&](std::string_view entity, Json count) {
      const std::string name = image.prefix(network, " ").append(entity);
      answer.data.push(Json::object({{"entity", name}, {"count", std::move(count)}}));
    };
    const Json status = image.read(network, std::string(control::GetStatus::op.path));
    const Json summaries = image.read(network, "/v1/markets/summary");
    const Json spread = image.read(network, "/v1/stats/balance-distribution");
    const auto is_halted = [](const Json& market) { return market.string_at("status") == "halted"; };
    std::size_t levels = 0;
    for (const Json& market : summaries.items()) {
      const Json book = image.read(network, "/v1/markets/" + market.text_at("market_id") + "/orderbook");
      levels += book.items_at("bids").size() + book.items_at("asks").size();
    }
    const auto now_ms = status.integer_at("clock.now_ms");
    row("time", now_ms ? Json(rfc3339(*now_ms)) : Json());
    row("commands", status.value_at("sequence"));
    row("markets", summaries.items().size());
    row("halted markets", std::ranges::count_if(summaries.items(), is_halted));
    row("accounts", sum_of(spread.items_at("buckets"), "accounts"));
    row("price levels", levels);
    row("trades", sum_of(summaries.items(), "trade_count"));
    row("deleveragings", sum_of(summaries.items(), "adl_event_count"));
  }
  return answer;
}

// Every value of the document by its path; elements of lists by their market, else by their index.
void flatten(const Json& value, const std::string& path, std::map<std::string, std::string>& into) {
  if (value.is(Json::Kind::object)) {
    for (const auto& [key, member] : value.members()) {
      // These belong to the moment of reading, not to the state.
      if (key == "timestamp" || key == "datetime" || key == "nonce") continue;
      flatten(member, concat(path, path.empty() ? "" : ".", key), into);
    }
  } else if (value.is(Json::Kind::array)) {
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      const Json& item = value.items()[i];
      const auto market = item.string_at("market_id");
      flatten(item, path + "[" + (market ? std::string(*market) : std::to_string(i)) + "]", into);
    }
  } else {
    into.insert_or_assign(path, cell_text(&value));
  }
}

std::map<std::string, std::string> facts_of(const Image& image) {
  std::map<std::string, std::string> facts{{"checksum", image.checksum}};
  for (const std::string& network : image.networks) {
    const auto take = [&](const Json& value, std::string_view path) {
      flatten(value, image.prefix(network, ".").append(path), facts);
    };
    const Json status = image.read(network, std::string(control::GetStatus::op.path));
    for (const std::string_view key : {"sequence", "state_hash"})
      if (const Json* value = status.find(key)) take(*value, key);
    if (const Json* now = status.at("clock.now_ms")) take(*now, "now_ms");
    const Json markets = image.read(network, "/v1/markets");
    take(markets, "markets");
    take(image.read(network, "/v1/markets/summary"), "summaries");
    take(image.read(network, "/v1/stats/open-interest"), "open_interest");
    take(image.read(network, "/v1/stats/balance-distribution"), "balances");
    for (const Json& market : markets.items()) {
      const std::string id = market.text_at("market_id");
      take(image.read(network, "/v1/markets/" + id + "/orderbook"), "book." + id);
      take(image.read(network, "/v1/markets/" + id + "/trades?limit=100"), "trades." + id);
    }
  }
  return facts;
}

Result<Answer> compare_states(Context& context, const std::string& before, const std::string& after,
                              const std::optional<std::string>& markets_file) {
  const auto old_image = SVC_TRY(Image::open(context, before, markets_file));
  const auto new_image = SVC_TRY(Image::open(context, after, markets_file));
  const auto old_facts = facts_of(old_image);
  auto new_facts = facts_of(new_image);
  Answer answer{.data = Json::array()};
  const auto row = [&](const std::string& path, Json was, Json is) {
    answer.data.push(Json::object({{"path", path}, {"before", std::move(was)}, {"after", std::move(is)}}));
  };
  for (const auto& [path, was] : old_facts) {
    const auto now = new_facts.extract(path);
    if (!now || now.mapped() != was) row(path, was, now ? Json(now.mapped()) : Json());
  }
  for (const auto& [path, is] : new_facts) row(path, Json(), is);
  return answer;
}

}  // namespace

std::vector<CommandRow> local_state_commands() {
  const auto snapshot_columns = columns<control::Snapshot>("name sequence time@now_ms bytes");
  const auto restored_columns = columns<control::Restored>("now@now_ms sequence");
  return {
      {"local snapshot", "NAME", "Keep everything as it is now under a name",
       "before  # keep the whole state under a name",
       operation<control::TakeSnapshot>({.arguments = {positional<&control::SnapshotTerms::name>(
                                             "NAME", "name of the snapshot", read_snapshot_name)},
                                         .columns = snapshot_columns})},
      {"local snapshots", "", "List the snapshots", "# what is kept",
       operation<control::ListSnapshots>({.columns = snapshot_columns, .shape = "[] take_snapshot"}),
       calls(list_snapshots, {{"--delete", "drop this one first", "NAME"}})},
      {"local revert", "NAME", "Take everything back to a snapshot", "before  # back to it",
       operation<control::RevertToSnapshot>(
           {.arguments = {positional<&control::SnapshotRef::name>("NAME", "name of the snapshot", read_snapshot_name)},
            .columns = restored_columns})},
      {"local dump", "FILE", "Write the whole state into a file", "~/state.svc  # the whole state into a file",
       Output{"file now_ms:integer sequence:integer", "file sequence"},
       calls(dump_state, {{"FILE", "file to write; there must be none yet"}})},
      {"local load", "FILE", "Go on from a state that was dumped", "~/state.svc  # and back",
       operation<control::LoadState>({.columns = restored_columns}),
       calls(load_state, {{"FILE", "file that svc local dump wrote"}})},
  };
}

std::vector<CommandRow> local_image_commands() {
  static const Argument markets{"--markets", "the markets file of that sandbox, if it had one", "FILE"};
  return {
      {"local inspect", "FILE", "Count what a dumped state holds, without a sandbox", "~/state.svc  # what is in it",
       Output{"[] entity count:any"}, calls(inspect_state, {{"FILE", "state that local dump wrote"}, markets})},
      {"local diff", "BEFORE AFTER", "Compare the figures of two dumped states: counts, times and hashes",
       "~/state.svc ~/state.svc  # what differs between two", Output{"[] path before? after?"},
       calls(compare_states, {{"BEFORE", "state that local dump wrote"}, {"AFTER", "another one"}, markets})},
  };
}

}  // namespace svc::cli
