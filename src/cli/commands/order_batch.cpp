// orders batch
#include <filesystem>
#include <map>
#include <set>

#include "api/codec.h"
#include "api/contract/orders.h"
#include "base/encoding.h"
#include "cli/client/client_id.h"
#include "cli/client/credentials.h"
#include "cli/client/guards.h"
#include "cli/client/reconcile.h"
#include "cli/client/refusal.h"
#include "cli/commands/batch.h"
#include "cli/commands/operation_command.h"
#include "cli/commands/order_terms.h"
#include "cli/commands/report.h"
#include "cli/machine/private_file.h"
#include "cli/store/journal_reader.h"
#include "cli/store/kept_document.h"
#include "cli/store/write_log.h"
#include "cli/terminal/order_views.h"
#include "signing/hash.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// In the order of the enumerators.
constexpr std::array format_words{"ndjson"sv, "csv"sv, "json"sv};

// Runs: a file that is started again before its run has ended continues that run. (D-626)
//
// The client ids of a run's orders derive from its id. So a run that was killed finds the orders it had placed, and a
// new run cannot meet the ids of another.

constexpr std::int64_t batch_run_ms_max = 12 * hour_ms;  // a run that was not continued for so long is over
constexpr std::size_t batch_runs_kept_max = 1'000;       // the latest ones

struct BatchRun {
  std::string id;
  // The previous run of the same file, if this run is new.
  struct Earlier {
    TimestampMs at_ms = 0;
    bool ended = false;  // all orders were accepted, and that was shown
  };
  std::optional<Earlier> earlier{};
};

// A file is named by its path, standard input or a pipe by the hash of its text.
struct BatchSource {
  std::string network, account, file;
};

KeptDocument runs_file(const Paths& paths) {
  return {paths.batches() / "runs.json", 1, "list of batches",
          "without it an order could be placed twice. Look at what is open, then move the file away"};
}

Result<FileLock> lock_runs(const Paths& paths) {
  SVC_TRY(make_private_folder(paths.batches()));
  return runs_file(paths).lock();
}

Result<std::vector<Json>> load_runs(const KeptDocument& file) {
  const Json runs = SVC_TRY(file.read("runs")).value_or(Json::array());
  if (!runs.is(Json::Kind::array)) return unexpected(file.damaged());
  for (const Json& run : runs.items())
    if (!run.string_at("id") || !run.string_at("file") || !run.integer_at("at_ms")) return unexpected(file.damaged());
  return runs.items();
}

Result<void> save_runs(const KeptDocument& file, std::vector<Json> runs) {
  if (runs.size() > batch_runs_kept_max)
    runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(batch_runs_kept_max));
  return file.write(Json::object({{"runs", Json::array(std::move(runs))}}));
}

// The run of this file, or a new one if it cannot go on, or if `anew`. The known one is taken out of the list.
BatchRun next_run(std::vector<Json>& runs, const Environment& environment, const BatchSource& source, bool anew) {
  const TimestampMs now_ms = environment.clock->now_ms();
  const auto known = std::ranges::find_if(runs, [&](const Json& run) {
    return run.string_at("network") == source.network && run.string_at("account") == source.account &&
           run.string_at("file") == source.file;
  });
  if (known == runs.end()) return {.id = make_ulid(environment)};
  const Json before = *known;
  runs.erase(known);
  const TimestampMs at_ms = *before.integer_at("at_ms");
  const bool ended = before.truth_at("ended");
  if (!anew && !ended && now_ms - at_ms < batch_run_ms_max) return {.id = before.text_at("id")};
  return {.id = make_ulid(environment), .earlier = BatchRun::Earlier{.at_ms = at_ms, .ended = ended}};
}

// The run to continue, or a new one. That of a dry run is not recorded.
Result<BatchRun> begin_run(Context& context, const BatchSource& source, bool anew) {
  const Paths& paths = **context.paths();
  const bool is_plan = context.globals().dry_run;
  std::optional<FileLock> lock;
  if (!is_plan) lock = SVC_TRY(lock_runs(paths));
  auto runs = SVC_TRY(load_runs(runs_file(paths)));
  BatchRun run = next_run(runs, context.environment(), source, anew);
  if (is_plan) return run;
  runs.push_back(Json::object({{"id", run.id},
                               {"network", source.network},
                               {"account", source.account},
                               {"file", source.file},
                               {"at_ms", context.now_ms()}}));
  SVC_TRY(save_runs(runs_file(paths), std::move(runs)));
  return run;
}

// The next start of that file begins a new run.
Result<void> end_run(const Paths& paths, const BatchRun& run) {
  const auto lock = SVC_TRY(lock_runs(paths));
  auto runs = SVC_TRY(load_runs(runs_file(paths)));
  for (Json& one : runs)
    if (one.string_at("id") == run.id) one.set("ended", true);
  return save_runs(runs_file(paths), std::move(runs));
}

// A run may continue for a while after its last start, and the log lags a little.
constexpr std::int64_t log_sought_ms = batch_run_ms_max + day_ms;

// When each client id was first signed, from the recent log.
using SentOrders = std::map<std::string, TimestampMs, std::less<>>;

// What became of each order.
struct Tally {
  std::vector<Json> rows;
  std::size_t accepted = 0;
  std::size_t refused = 0;
  std::size_t not_sent = 0;
  std::string first_code;
  std::string first_message;
  std::optional<Failure> broke_off;
  std::vector<const BatchLine*> again;  // may be sent again: refused, or never sent

  void take(std::span<const BatchLine> part, const Json& results) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      Json row = row_of_line(part[i]);
      const bool answered = i < results.items().size();
      if (answered) row.set_all(results.items()[i]);
      if (answered && row.string_at("outcome") == "ok") {
        ++accepted;
      } else {
        if (refused++ == 0) {
          first_code = text_in(row, "error", "unanswered");
          first_message = text_in(row, "message", "the order was refused");
        }
        // An order without an answer may be in the book, so it is not sent again.
        if (answered) again.push_back(&part[i]);
      }
      rows.push_back(std::move(row));
    }
  }
  void take_placed(const BatchLine& line, const Json& placed) {
    Json row = row_of_line(line);
    row.set("outcome", "ok").set("order", *placed.find("order")).set("fills", *placed.find("fills"));
    rows.push_back(row.set("placed_before", true));
    ++accepted;
  }
  void leave(std::span<const BatchLine> lines) {
    not_sent += lines.size();
    for (const BatchLine& line : lines) again.push_back(&line);
  }
  void break_off(Failure failure, std::span<const BatchLine> unknown, std::span<const BatchLine> later) {
    failure.details.set("failed_from_line", unknown.empty() ? later.front().line : unknown.front().line);
    for (const BatchLine& line : unknown) rows.push_back(row_of_line(line).set("outcome", "unknown"));
    if (accepted > 0)
      for (const BatchLine& line : later) rows.push_back(row_of_line(line).set("outcome", "not_sent"));
    broke_off = std::move(failure);
    leave(later);
  }
  static Json row_of_line(const BatchLine& line) {
    return Json::object({{"line", line.line}, {"client_id", line.order.client_id}});
  }
};

Result<void> name_markets_of(Context& context, std::vector<BatchLine>& lines) {
  std::map<std::string, std::string> known;
  for (BatchLine& line : lines) {
    auto [named, is_new] = known.try_emplace(line.order.market_id.text);
    if (is_new) named->second = SVC_TRY(whole_market_id(context, line.order.market_id.text));
    line.order.market_id.text = named->second;
  }
  return {};
}

// That no client id stands twice, and no trailing offset fires at once or never.
Result<void> check_lines(const std::vector<BatchLine>& lines, bool force) {
  std::map<std::string, std::size_t> lines_of_ids;
  for (const BatchLine& line : lines) {
    const std::string id = line.order.client_id.value_or("");
    const auto [first, is_new] = lines_of_ids.try_emplace(id, line.line);
    if (!id.empty() && !is_new)
      return bad_line(line.line, "client id ", id, " stands in line ", first->second, " already");
  }
  for (const BatchLine& line : lines) {
    const auto fires = check_trailing(line.order);
    if (force || fires) continue;
    Failure failure = fires.error();
    failure.message = concat("line ", line.line, ": ", failure.message);
    return failure;
  }
  return {};
}

// An id derives from the run, the terms and the count of equal lines before it, so lines may be inserted or removed. An
// order that was sent keeps its id whatever the prefix is now, so that it is found, and never placed twice. (D-1075)
void give_client_ids(std::vector<BatchLine>& lines, const std::string& run, const std::string& prefix,
                     const SentOrders& sent) {
  std::map<std::string_view, std::string_view> sent_ids;  // by what they are without a prefix
  for (const auto& [id, signed_ms] : sent)
    if (const auto own = without_guard_prefix(id)) sent_ids.emplace(*own, id);
  std::map<std::string, std::uint32_t> alike;
  const auto next_id = [&](const std::string& text) {
    return derive_client_id(concat(run, "\n", text, "\n", alike[text]++));
  };
  for (BatchLine& line : lines) {
    if (line.names_client_id) continue;
    const std::string own = next_id(guards::order_terms(line.order));
    const std::string former = next_id(api::to_json(line.order));  // of versions that told spellings apart
    auto before = sent_ids.find(own);
    if (before == sent_ids.end()) before = sent_ids.find(former);
    line.order.client_id = before == sent_ids.end() ? prefix + own : std::string(before->second);
  }
}

Result<SentOrders> sent_before(Context& context, const std::string& network) {
  const auto records =
      SVC_TRY(read_journal(context.environment(), **context.paths(), network, context.now_ms() - log_sought_ms));
  SentOrders sent;
  for (const JournalRecord& record : records) {
    if (api::order_write_of(record.operation) != api::OrderWrite::places) continue;
    const TimestampMs signed_ms = record.intent.integer_at("look_for.signed_at_ms").value_or(record.at_ms);
    for (const std::string& id : record.client_ids) sent.emplace(id, signed_ms);
  }
  return sent;
}

// Settles the writes of these orders that are in the outbox; exit 11 if the outcome of one stays unknown.
Result<void> settle_writes_of(Context& context, Exchange& exchange, const std::vector<outbox::SoughtOrder>& sought) {
  std::set<std::string_view> own;
  for (const outbox::SoughtOrder& one : sought) own.insert(one.client_id);
  const outbox::Outbox box(context.environment(), **context.paths(), exchange.network().name);
  const auto entries = SVC_TRY(box.list());
  for (const outbox::Found& found : entries) {
    if (std::ranges::none_of(found.entry.client_ids, [&](const std::string& id) { return own.contains(id); })) continue;
    // One file gives the same client ids under every account.
    const auto ours = exchange.can_tell_outcome_of(found.entry);
    if (!ours && ours.error().code == another_account_code) continue;
    auto held = SVC_TRY(box.adopt(found.entry.id));
    if (held) {
      const auto settled = outbox::reconcile(context, exchange, *held, std::nullopt, outbox::Patience::once);
      if (settled) outbox::note_found(context, *held, *settled);
      if (settled && outbox::is_final(settled->verdict)) continue;
    }
    return failed("earlier_run_unknown",
                  "an earlier run sent orders of this file, and what became of them is not known yet; nothing was sent")
        .with_details(Json::object({{"outbox", found.entry.id}}))
        .to_try({command_line(context, "outbox resolve " + found.entry.id)});
  }
  return {};
}

// Leaves out the orders that an earlier run has placed. The outcome of what that run sent must be known first.
Result<std::vector<BatchLine>> without_placed(Context& context, Exchange& exchange, const std::vector<BatchLine>& all,
                                              const SentOrders& sent, Tally& tally) {
  std::vector<outbox::SoughtOrder> sought;
  outbox::Period period{.since_ms = context.now_ms(), .near_ms = context.now_ms()};
  for (const BatchLine& line : all) {
    const auto before = sent.find(line.order.client_id.value_or(""));
    if (before == sent.end()) continue;
    const Json asked = json_or_null(api::to_json(line.order));
    sought.push_back({.client_id = before->first, .asked = asked, .signed_at_ms = before->second});
    period.since_ms = std::min(period.since_ms, before->second - outbox::clock_slack_ms);
  }
  if (sought.empty() || context.globals().dry_run) return all;
  SVC_TRY(settle_writes_of(context, exchange, sought));
  const auto findings = SVC_TRY(outbox::find_orders(exchange, period, sought));
  std::map<std::string_view, const Json*> placed;
  for (std::size_t i = 0; i < sought.size(); ++i) {
    if (findings.at(i).verdict == outbox::Verdict::accepted)
      placed.emplace(sought[i].client_id, &findings.at(i).record);
  }
  std::vector<BatchLine> left;
  bool by_us = false;  // under a client id of this command
  for (const BatchLine& line : all) {
    const auto there = placed.find(line.order.client_id.value_or(""));
    by_us = by_us || (there != placed.end() && !line.names_client_id);
    there == placed.end() ? left.push_back(line) : tally.take_placed(line, *there->second);
  }
  if (!placed.empty()) {
    context.notice("placed_before", concat(placed.size(), " of ", all.size(),
                                           " orders were placed by an earlier run and are not sent again",
                                           (by_us ? "; --new-ids sends them under new client ids" : "")));
  }
  return left;
}

// The failure of accepted orders that had to fill and did not.
std::optional<Failure> unfilled_in(const Json& rows) {
  std::optional<Failure> first;
  std::size_t count = 0;
  for (const Json& row : rows.items()) {
    auto failure = row.find("order") == nullptr ? std::nullopt : not_filled(*row.find("order"));
    if (!failure) continue;
    if (count++ == 0) first = std::move(failure);
  }
  if (count > 1) first->message = concat(count, " orders were accepted, filled nothing and are over");
  return first;
}

std::string status_of_line(const Json& row) {
  return cell_text(row.at(row.at("order") != nullptr ? "order.status" : "outcome"));
}

class BatchOrders final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.add(file_, {"-f,--file", "orders; - for standard input", "FILE"});
    arguments.add(format_, {"--format", "of the input (default: what it looks like)", {}, format_words});
    arguments.add(chunk_, {"--chunk", "orders per request (default 39, which cost one token)", "N"});
    arguments.add(stop_on_error_, {"--stop-on-error", "send no further request after a refused order"});
    arguments.add(new_ids_, {"--new-ids", "begin a new batch although a run of the same file has not ended"});
    arguments.add(atomic_check_, {"--atomic-check", "send nothing unless every order fits the rules of its market"});
    arguments.add(force_, {"--force", "send trailing offsets that fire at once, or never can"});
    arguments.add(failed_file_,
                  {"--failed", "where orders go that were refused or not sent (default: FILE.failed)", "FILE"});
    action_.declare(arguments);
    wait_.declare(arguments);
    arguments.refused("--client-id", "each order has its own, in its line of the file");
    arguments.refused("--preview", "the service previews one order at a time: orders preview");
  }

  Result<Answer> run(Context& context) override {
    if (!file_) return usage_error("--file names the orders; - is standard input");
    if (failed_file_) SVC_TRY(check_failed_file(*failed_file_));
    const std::size_t chunk = SVC_TRY(chunk_of(chunk_));
    const auto wait = SVC_TRY(wait_.understand());
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto text = SVC_TRY(read_text(context, *file_, "the file of --file"));
    auto all = SVC_TRY(parse_batch(text, format_));
    SVC_TRY(name_markets_of(context, all));
    SVC_TRY(check_lines(all, force_));
    const auto run = SVC_TRY(start_run(context, exchange, text));
    const auto prefix = SVC_TRY(client_id_prefix(context.environment()));
    // After the start, so that the log has what another process of the same run has sent.
    const auto sent = SVC_TRY(sent_before(context, exchange.network().name));
    give_client_ids(all, run.id, prefix, sent);
    Tally tally;
    const auto lines = SVC_TRY(without_placed(context, exchange, all, sent, tally));
    for (const BatchLine& line : lines)
      if (tell_if_outside_guard(context, *line.order.client_id)) break;
    if (atomic_check_ && !context.globals().dry_run) SVC_TRY(check_batch(exchange, lines));
    SVC_TRY(send(context, exchange, lines, chunk, tally));
    std::ranges::stable_sort(tally.rows, {}, [](const Json& row) { return row.integer_at("line").value_or(0); });
    const bool all_accepted = tally.accepted == all.size();
    auto answer = conclude(context, std::move(tally), all.size());
    std::optional<Failure> late;
    if (answer && wait) late = wait_for_rows(context, exchange, *wait, answer->data);
    // A run whose wait was cut off does not end here: it can be started again. A failure to note the end is harmless:
    // the next run finds everything placed.
    if (answer && all_accepted && !late)
      context.after_output({[&context, run](bool was_shown) {
        if (!was_shown) return;
        const auto ended = end_run(**context.paths(), run);
        if (!ended) context.say("svc: the end of this batch could not be noted down: " + ended.error().message);
      }});
    // An order that was refused or lost matters more than one that takes its time.
    if (answer && !answer->failure) answer->failure = std::move(late);
    return answer;
  }

 private:
  // An error only of a dry run.
  Result<void> send(Context& context, Exchange& exchange, const std::vector<BatchLine>& lines, std::size_t chunk,
                    Tally& tally) const {
    ProgressLine progress(context, "placing", "orders");
    std::optional<Failure> plan;
    for (std::size_t first = 0; first < lines.size(); first += chunk) {
      const std::span rest = std::span(lines).subspan(first);
      const std::span part = rest.first(std::min(chunk, rest.size()));
      const std::span later = rest.subspan(part.size());
      if (context.environment().interrupted()) {
        tally.break_off({.exit = ExitCode::interrupted, .code = "interrupted", .message = "interrupted"}, {}, rest);
        return {};
      }
      auto reply = exchange.call(call_for(context, part));
      if (!reply && reply.error().is_plan()) {
        if (!plan) plan = std::move(reply.error());
        continue;
      }
      if (!reply) {
        Failure* failure = &reply.error();
        // The rows of this request and the earlier ones are shown beside the failure.
        const bool unknown = failure->exit == ExitCode::outcome_unknown;
        tally.break_off(std::move(*failure), unknown ? part : std::span<const BatchLine>{}, unknown ? later : rest);
        return {};
      }
      tally.take(part, reply->body);
      progress.at(first + part.size(), lines.size());
      if (stop_on_error_ && tally.refused > 0) {
        tally.leave(later);
        return {};
      }
    }
    if (!plan) return {};
    plan->details.set("orders", lines.size());
    return std::move(*plan);
  }

  // Standard input and pipes, such as <(generate), have a text and no name that means it again.
  [[nodiscard]] bool is_kept_file() const {
    std::error_code none;
    return *file_ != "-" && std::filesystem::is_regular_file(*file_, none);
  }

  // The run to continue, or a new one; a notice says so if the file has had a run before.
  Result<BatchRun> start_run(Context& context, Exchange& exchange, const std::string& text) const {
    const auto credential = SVC_TRY(choose_credential(context, exchange.network(), call_of<api::ops::PlaceOrders>()));
    const auto& acted_for = context.globals().account ? context.globals().account : credential.account;
    std::error_code error;
    const auto path = std::filesystem::weakly_canonical(*file_, error);
    const bool has_name = is_kept_file();
    const BatchSource source{.network = exchange.network().name,
                             .account = acted_for ? to_string(*acted_for) : "",
                             .file = !has_name ? "- " + to_hex(signing::sha256(text))
                                     : error   ? *file_
                                               : path.string()};
    const auto run = begin_run(context, source, new_ids_);
    if (!run || !run->earlier || new_ids_) return run;
    context.notice("new_batch",
                   concat("a run of this file that began at ", rfc3339(run->earlier->at_ms),
                          run->earlier->ended ? " placed all of its orders" : " did not end", "; this is a new batch"));
    return run;
  }

  Call call_for(Context& context, std::span<const BatchLine> part) const {
    api::OrderBatchRequest request;
    for (const BatchLine& line : part) request.orders.push_back(line.order);
    Call call = call_of<api::ops::PlaceOrders>(request);
    for (const BatchLine& line : part) call.client_ids.push_back(line.order.client_id.value_or(""));
    call.action = action_.choice();
    call.orders = part.size();
    call.look_up = {command_line(context, "orders list"), command_line(context, "orders history --all")};
    return call;
  }

  // The name, with a number if it is taken: what an earlier run left is still to do.
  static std::filesystem::path free_name(const std::string& name) {
    std::filesystem::path file = name;
    std::error_code none;
    for (int n = 2; std::filesystem::is_regular_file(file, none); ++n) file = name + "." + std::to_string(n);
    return file;
  }

  static Result<void> check_failed_file(const std::string& name) { return check_new_given(free_name(name)); }

  // Writes the orders that may be sent again to a file: where the user means it, or else where those of standard input
  // go. nullopt, with a notice, if both fail.
  std::optional<std::string> keep(Context& context, const std::vector<const BatchLine*>& lines) const {
    // The orders keep their client ids, so that sending the file again doubles none.
    const auto text_of = [](const BatchLine* line) { return api::to_json(line->order) + "\n"; };
    const std::string text = joined(lines, text_of, "");
    std::optional<Failure> why;
    const auto kept_in = [&](const std::filesystem::path& file) -> std::optional<std::string> {
      const auto written = write_new_given(file, text);
      if (written) return file.string();
      if (!why) why = written.error();
      return std::nullopt;
    };
    std::optional<std::string> kept;
    if (failed_file_ || is_kept_file()) kept = kept_in(free_name(failed_file_.value_or(*file_ + ".failed")));
    const std::filesystem::path folder = (**context.paths()).batches();
    const auto made = kept ? Result<void>() : make_private_folder(folder);
    if (!made && !why) why = made.error();
    if (!kept && made) kept = kept_in(folder / (make_ulid(context.environment()) + ".failed"));
    if (why)
      context.notice("failed_file", concat("the orders that may be sent again could not be kept",
                                           kept ? " there: " : ": ", why->message));
    return kept;
  }

  Result<Answer> conclude(Context& context, Tally tally, std::size_t total) {
    Answer answer{
        .data = Json::array(std::move(tally.rows)),
        .view = {columns("+line +client_id~ order_id=+order.id status() filled=+order.filled_qty reason() +error",
                         {{"status", status_of_line}, {"reason", reason_of_placed}})}};
    if (tally.broke_off) {
      answer.failure = std::move(tally.broke_off);
      // After orders that were accepted, a script must not read that nothing happened, nor send all of it again.
      if (answer.failure->exit != ExitCode::outcome_unknown && tally.accepted > 0) {
        answer.failure->details.set("stopped_by", answer.failure->code);
        answer.failure->exit = ExitCode::partial;
        answer.failure->code = "partly_accepted";
        answer.failure->message =
            concat(tally.accepted, " of ", total,
                   " orders were accepted, and the next part stopped the run: ", answer.failure->message);
        answer.failure->retryable = false;
        answer.failure->retry_after_ms.reset();
        answer.failure->raw.reset();
      }
    } else if (tally.refused > 0 || tally.accepted < total) {
      const bool none = tally.accepted == 0;
      answer.failure =
          failed(none ? exit_of_code(tally.first_code) : ExitCode::partial, none ? tally.first_code : "partly_accepted",
                 none ? tally.first_message
                      : std::to_string(tally.accepted) + " of " + std::to_string(total) + " orders were accepted");
    }
    if (!answer.failure) {
      answer.failure = unfilled_in(answer.data);
      return answer;
    }
    answer.failure->details.set("not_sent", tally.not_sent);
    answer.failure->details.set("accepted", tally.accepted);
    answer.failure->details.set("refused", tally.refused);
    // If nothing happened, the input itself may be sent again.
    const bool nothing = tally.accepted == 0 && tally.again.size() == total && !failed_file_;
    if (tally.again.empty() || nothing) {
      if (answer.data.items().empty()) return std::move(*answer.failure);
      return answer;
    }
    if (const auto file = keep(context, tally.again)) {
      answer.failure->details.set("failed_file", *file);
      answer.failure->actions.push_back(command_line(context, "orders batch -f " + join_words({*file})));
    }
    return answer;
  }

  std::optional<std::string> file_, failed_file_;
  std::optional<BatchFormat> format_;
  std::optional<std::uint64_t> chunk_;
  bool new_ids_ = false, stop_on_error_ = false, atomic_check_ = false, force_ = false;
  ActionFlag action_;
  WaitFlags wait_;
};

}  // namespace

std::vector<CommandRow> order_batch_commands() {
  return {{"orders batch", "--file FILE", "Place many orders from a file",
           "--file ~/orders.ndjson  # many orders from a file",
           Output{"[] line:integer client_id? outcome order:cancel_order? fills:list_fills? -placed_before:boolean | "
                  "line:integer client_id? outcome -error -message",
                  "line client_id order_id status filled reason error"},
           make<BatchOrders>}};
}

}  // namespace svc::cli
