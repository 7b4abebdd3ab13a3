#include <map>
#include <set>

#include "api/codec.h"
#include "cli/arguments/line_words.h"
#include "cli/client/refusal.h"
#include "cli/commands/batch.h"
#include "cli/commands/command_table.h"
#include "cli/commands/order_terms.h"
#include "cli/shell/shell.h"
#include "cli/terminal/order_views.h"
#include "cli/terminal/render.h"

namespace svc::cli {
namespace {

// How a staged line is sent: in a call of its own, or as an order in an `orders batch` with its neighbours. Commands
// that send several dependent requests cannot be staged.
enum class SendAs : std::uint8_t { own_call, batch_order, never_staged };
struct Stageable {
  std::string_view path;
  SendAs send_as;
  bool cancels = false;
};
constexpr Stageable stageable[] = {{"buy", SendAs::batch_order},
                                   {"sell", SendAs::batch_order},
                                   {"orders place", SendAs::batch_order},
                                   {"orders amend", SendAs::own_call},
                                   {"orders cancel", SendAs::own_call, true},
                                   {"orders cancel-all", SendAs::own_call, true},
                                   {"positions close", SendAs::batch_order},
                                   {"orders batch", SendAs::never_staged},
                                   {"flatten", SendAs::never_staged}};

const Stageable* find_stageable(const std::vector<std::string>& words) {
  const auto found = find_command(words);
  if (!found) return nullptr;
  return found_in(stageable, found->row->path, &Stageable::path);
}

// The flags that describe only the order. Others, such as a signer or --wait, would be lost in a batch.
std::set<std::string> flags_of_orders() {
  Arguments terms;
  OrderTerms().declare(terms);
  std::set<std::string> flags{"--side", "--size", "--price", "--pct", "--client-id", "--network"};
  for (const Declared& one : terms.declared()) flags.emplace(long_name(one.names));
  return flags;
}

Result<void> check_flags(const Staged& words) {
  const SendAs send_as = find_stageable(words)->send_as;
  if (send_as == SendAs::own_call) return {};
  if (send_as == SendAs::never_staged)
    return usage_error(join_words(words), ": cannot be held back; \\commit or \\rollback first");
  const std::set<std::string> known = flags_of_orders();
  const auto command = *find_command(words);
  CommandFlags line(*command.row);
  // What it refuses, the dry run refuses as well.
  static_cast<void>(line.arguments.parse({words.begin() + static_cast<std::ptrdiff_t>(command.words), words.end()}));
  for (const std::string_view flag : line.arguments.given()) {
    if (known.contains(std::string(flag))) continue;
    return usage_error(flag, ": orders that are held back leave together, as this shell sends them");
  }
  return {};
}

// What needs no price, no position and no list of markets is planned without reading any.
Captured planned(const Staged& words, const Runner& runner) {
  Captured seen = runner.capture(followed_by({"--json", "--dry-run"}, words));
  return seen.exit == 0 ? seen : runner.dry_run(words);
}

// The words for what the dry run has resolved: they mean the same later, whatever is known then.
Staged resolved_words(const Staged& words, const Json& plan) {
  const Json body = plan.value_at("body");
  if (auto order = api::decode_json<api::OrderRequest>(body.dump())) {
    // An id of ours is made when the order is sent: an older one would prove less.
    if (!is_among("--client-id", TypedLine(words).flags().arguments.given())) order->client_id.reset();
    return words_of(*order);
  }
  const std::string url = plan.text_at("url");
  std::string_view query = url;
  static_cast<void>(take_line(query, '?'));
  const std::pair<std::string_view, std::optional<std::string_view>> resolved[] = {
      {"--price", body.string_at("price")}, {"--market", find_parameter(query, "market_id")}};
  Staged plain = words;  // an amendment or a cancel
  for (const auto& [flag, value] : resolved)
    for (std::size_t i = 0; value && i < plain.size(); ++i) {
      if (plain[i] == flag && i + 1 < plain.size()) plain[i + 1] = *value;
      if (plain[i].starts_with(concat(flag, "="))) plain[i] = concat(flag, "=", *value);
    }
  return plain;
}

// All terms that decide when, how much and at what price an order trades, in reading order. A boolean is shown or not.
struct OrderWord {
  std::string_view member, before, after;
};
constexpr OrderWord order_words[] = {{"side", "", ""},
                                     {"quantity", "", ""},
                                     {"market_id", "", ""},
                                     {"order_type", "", ""},
                                     {"price", "@ ", ""},
                                     {"trigger_price", "trigger ", ""},
                                     {"stop_price", "trigger ", ""},
                                     {"trailing_offset_bps", "trailing ", " bps"},
                                     {"limit_offset_bps", "limit offset ", " bps"},
                                     {"max_slippage_bps", "slippage at most ", " bps"},
                                     {"reduce_only", "reduce-only", ""},
                                     {"time_in_force", "", ""},
                                     {"stp", "STP ", ""}};
static_assert(std::ranges::all_of(api::OrderRequest::fields,
                                  [](const api::FieldInfo& field) {
                                    return field.name == "client_id" ||
                                           std::ranges::count(order_words, field.name, &OrderWord::member) == 1;
                                  }),
              "each term of an order is shown");

std::string words_of(const Json& order) {
  std::string text;
  for (const OrderWord& word : order_words) {
    const Json* value = order.find_value(word.member);
    if (value == nullptr) continue;
    const bool is_mark = value->is(Json::Kind::boolean);
    if (is_mark && !value->truth()) continue;
    const std::string shown = word.member == "side" ? side_at(order, "side") : cell_text(value);
    text += concat(text.empty() ? "" : " ", word.before, is_mark ? "" : shown, word.after);
  }
  return text;
}

// By its market's rules an entry would be refused later. Rules that cannot be read are left to the service.
Result<void> check_rules(const StagedCall& call, const Runner& runner) {
  const auto order = api::decode_json<api::OrderRequest>(call.input);
  if (call.input.empty() || !order) return {};
  const Json markets = json_or_null(runner.capture({"--json", "markets", "list"}).out).value_at("data");
  if (markets.items().empty()) return {};
  const std::string problem = problem_of_order(*order, markets);
  if (problem.empty()) return {};
  return failed("batch_check", problem, "; nothing was staged");
}

// What became of an entry. Only the first two may be staged again; `filed` ones are in a file that was named.
enum class EntryOutcome : std::uint8_t { not_sent, refused, filed, over, unknown };

// `over`: sending it again cannot succeed, because the order to cancel or amend no longer exists.
EntryOutcome outcome_after(ExitCode exit) {
  switch (exit) {
    case ExitCode::success:
    case ExitCode::partial:
    case ExitCode::not_found:
    case ExitCode::conflict:
    case ExitCode::wait_ended:
    case ExitCode::not_filled: return EntryOutcome::over;
    case ExitCode::outcome_unknown:
    case ExitCode::internal:
    case ExitCode::interrupted:
    case ExitCode::broken_pipe:
    case ExitCode::terminated: return EntryOutcome::unknown;
    default: return EntryOutcome::refused;
  }
}

// A row of `orders batch`; without a result of its own the order may be in the book.
EntryOutcome outcome_of_row(const Json& row) {
  if (row.string_at("outcome") == "ok") return EntryOutcome::over;
  const auto error = row.string_at("error");
  if (!error) return EntryOutcome::unknown;
  return exit_of_code(*error) == ExitCode::outcome_unknown ? EntryOutcome::unknown : EntryOutcome::refused;
}

// Of cancels, some of which may not have been sent. Sending all again is harmless: an order that has ended is over.
EntryOutcome outcome_of_cancels(const Json& orders) {
  const bool some_left = std::ranges::any_of(orders.items(), [](const Json& order) {
    const auto error = order.string_at("error");
    return error && outcome_after(exit_of_code(*error)) == EntryOutcome::refused;
  });
  return some_left ? EntryOutcome::refused : EntryOutcome::over;
}

std::vector<EntryOutcome> outcomes_of(const StagedCall& call, ExitCode exit, const Json& answer) {
  const bool has_rows = !call.input.empty() && answer.is(Json::Kind::array);
  // A failure with an order was one of waiting for it: the order is in the book.
  const bool is_accepted = !call.cancels && answer.is(Json::Kind::object);
  const bool is_part = call.cancels && exit == ExitCode::partial && answer.is(Json::Kind::array);
  const EntryOutcome of_all = has_rows      ? EntryOutcome::unknown
                              : is_accepted ? EntryOutcome::over
                              : is_part     ? outcome_of_cancels(answer)
                                            : outcome_after(exit);
  std::vector<EntryOutcome> outcomes(call.entries.size(), of_all);
  if (!has_rows) return outcomes;
  for (const Json& row : answer.items()) {
    const auto line = row.integer_at("line").value_or(0);
    if (line < 1 || static_cast<std::size_t>(line) > outcomes.size()) continue;
    outcomes[static_cast<std::size_t>(line) - 1] = outcome_of_row(row);
  }
  // If some orders of the call succeeded, `orders batch` has written the refused ones to a file.
  if (!std::ranges::all_of(outcomes, [](EntryOutcome one) { return one == EntryOutcome::refused; }))
    std::ranges::replace(outcomes, EntryOutcome::refused, EntryOutcome::filed);
  return outcomes;
}

// What is said of the entries of a failed call, in the order of the enumerators.
constexpr std::string_view outcome_words[] = {
    "not sent: ", "not placed: ", "refused, kept in the file named above: ", "", "outcome unknown, not kept: "};

}  // namespace

bool may_be_staged(const std::vector<std::string>& words) {
  return find_stageable(words) != nullptr;
}

Result<ResolvedEntry> resolve_entry(const Staged& words, const Runner& runner) {
  SVC_TRY(check_flags(words));
  const auto document = SVC_TRY(document_of(planned(words, runner), join_words(words)));
  ResolvedEntry resolved{resolved_words(words, document.value_at("data")), {}, {}};
  for (const Json& warning : document.find("warnings")->items()) {
    const auto code = warning.string_at("code");
    if (code == "price_resolved" || code == "size_resolved")
      resolved.told += concat("note: ", warning.string_at("message").value_or(""), "\n");
  }
  const auto plan = SVC_TRY(plan_of({resolved.words}, runner));
  SVC_TRY(check_rules(plan.front(), runner));
  resolved.shown = plan.front().shown.front();
  return resolved;
}

std::optional<std::vector<std::string>> previewed(const Staged& words) {
  const Stageable* row = find_stageable(words);
  if (row == nullptr || row->send_as != SendAs::batch_order) return std::nullopt;
  return followed_by(words, {"--preview"});
}

Result<std::vector<StagedCall>> plan_of(const std::vector<Staged>& staged, const Runner& runner) {
  std::vector<StagedCall> calls;
  std::size_t orders = 0;  // in the last call
  for (const Staged& words : staged) {
    const std::string line = join_words(words);
    const auto document = SVC_TRY(document_of(planned(words, runner), line));
    const Json* body = document.at("data.body");
    const std::int64_t weight = document.integer_at("data.cost.weight").value_or(0);
    const std::string bucket(document.string_at("data.cost.bucket").value_or("order"));
    const Stageable& row = *find_stageable(words);
    const bool is_order = row.send_as == SendAs::batch_order;
    if (!is_order || body == nullptr || !body->is(Json::Kind::object)) {
      calls.push_back({words, {}, bucket, weight, {line}, {words}, row.cancels});
      continue;
    }
    if (calls.empty() || calls.back().input.empty() || orders == chunk_default) {
      // A line that needs --force was refused when it was typed.
      calls.push_back(
          {{"orders", "batch", "--file", "-", "--format", "ndjson", "--force"}, {}, bucket, weight, {}, {}});
      orders = 0;
    }
    calls.back().input += body->dump() + "\n";
    calls.back().shown.push_back(words_of(*body));
    calls.back().entries.push_back(words);
    ++orders;
  }
  return calls;
}

std::string text_of(const std::vector<StagedCall>& calls) {
  std::string text;
  std::map<std::string, std::int64_t> cost;
  std::size_t number = 0;
  for (const StagedCall& call : calls) {
    for (const std::string& entry : call.shown) text += concat(++number, "  ", entry, "\n");
    cost[call.bucket] += call.weight;
  }
  if (number == 0) return "nothing is staged\n";
  text += concat(counted(number, "entry, ", "entries, "), counted(calls.size(), "call; cost", "calls; cost"));
  for (const auto& [bucket, weight] : cost) text += concat(" ", bucket, " ", weight);
  return text + "\n";
}

Result<int> commit_staged(Shell& shell) {
  ShellState& state = shell.state;
  Runner& runner = shell.runner;
  if (!state.staged) return usage_error("nothing is held back; \\begin starts");
  const auto calls = SVC_TRY(plan_of(*state.staged, runner));
  // From here on each call's outcome decides whether its entries are staged again. A signal tells of those that were
  // not sent; a call that is being sent tells of its own.
  std::vector<Staged> kept;
  const auto take = [&](const StagedCall& call, std::span<const EntryOutcome> outcomes) {
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i] == EntryOutcome::over) continue;
      shell.say(concat(outcome_words[static_cast<std::size_t>(outcomes[i])], call.shown[i], "\n"));
      if (outcomes[i] == EntryOutcome::not_sent || outcomes[i] == EntryOutcome::refused)
        kept.push_back(call.entries[i]);
    }
  };
  const auto hold = [&](std::span<const StagedCall> not_sent) {
    std::vector<Staged> held = kept;
    for (const StagedCall& call : not_sent) held.insert(held.end(), call.entries.begin(), call.entries.end());
    state.staged = held.empty() ? std::nullopt : std::optional(std::move(held));
    shell.update_staged_warning();
  };
  int first_failure = 0;
  for (std::span<const StagedCall> left = calls; !left.empty(); left = left.subspan(1)) {
    const StagedCall& call = left.front();
    hold(left);
    runner.when_writing = [&](SignalMessages& words) {
      hold(left.subspan(1));
      if (!state.staged) return;
      words.interrupted_err += render_failure(shell.staged_not_sent(ExitCode::interrupted));
      words.terminated_err += render_failure(shell.staged_not_sent(ExitCode::terminated));
    };
    if (runner.interrupted() || (first_failure != 0 && !call.cancels)) {
      take(call, std::vector(call.entries.size(), EntryOutcome::not_sent));
      continue;
    }
    const int exit = shell.run(call.words, call.input);
    if (exit == 0) continue;
    if (first_failure == 0) first_failure = exit;
    take(call, outcomes_of(call, static_cast<ExitCode>(exit), state.last));
  }
  runner.when_writing = {};
  hold({});
  if (!kept.empty())
    shell.say(concat(counted(kept.size(), "entry stays staged", "entries stay staged"), ", as nothing happened to ",
                     kept.size() == 1 ? "it" : "them", "; \\diff shows, \\commit sends again, \\rollback drops\n"));
  return first_failure;
}

}  // namespace svc::cli
