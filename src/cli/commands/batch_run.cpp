#include "cli/commands/batch_run.h"

#include <algorithm>
#include <vector>

#include "cli/exchange/client_id.h"
#include "cli/files/private_file.h"
#include "cli/json.h"

namespace svc::cli {
namespace {

constexpr std::int64_t batch_runs_version = 1;

Failure damaged_runs(const std::filesystem::path& file) {
  return internal_error("the list of batches " + file.string() +
                        " is damaged; without it an order could be placed twice. Look at what is open, then move the "
                        "file away");
}

Result<std::vector<Json>, Failure> load_runs(const std::filesystem::path& file) {
  const auto text = SVC_TRY(read_private(file));
  if (!text) return std::vector<Json>{};
  const auto document = parse_json(*text);
  const Json* runs = document ? document->find("runs") : nullptr;
  const bool usable = runs != nullptr && runs->is(Json::Kind::array) && document->integer_at("version") == batch_runs_version;
  if (!usable) return unexpected(damaged_runs(file));
  for (const Json& run : runs->items())
    if (!run.string_at("id") || !run.string_at("file") || !run.integer_at("at_ms")) return unexpected(damaged_runs(file));
  return runs->items();
}

Result<void, Failure> save_runs(const std::filesystem::path& file, std::vector<Json> runs) {
  if (runs.size() > batch_runs_kept_max)
    runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(batch_runs_kept_max));
  Json document = Json::object({{"version", batch_runs_version}});
  document.set("runs", Json::array(std::move(runs)));
  return write_private(file, document.dump() + "\n");
}

bool has_ended(const Json& run) {
  return run.find("ended") != nullptr && run.find("ended")->truth();
}

bool is_of(const Json& run, const BatchSource& source) {
  return run.string_at("network") == source.network && run.string_at("account") == source.account &&
         run.string_at("file") == source.file;
}

// Takes the run of that file out of the list, or begins one.
BatchRun next_run(std::vector<Json>& runs, const Environment& environment, const BatchSource& source, BatchStart start) {
  const TimestampMs now_ms = environment.clock->now_ms();
  const auto known = std::find_if(runs.begin(), runs.end(), [&](const Json& run) { return is_of(run, source); });
  if (known == runs.end()) return {.id = make_ulid(environment)};
  const Json before = *known;
  runs.erase(known);
  const TimestampMs at_ms = *before.integer_at("at_ms");
  const bool goes_on = start == BatchStart::go_on && !has_ended(before) && now_ms - at_ms < batch_run_ms_max;
  if (goes_on) return {.id = std::string(*before.string_at("id"))};
  return {.id = make_ulid(environment), .earlier = BatchRun::Earlier{.at_ms = at_ms, .ended = has_ended(before)}};
}

// The file itself is replaced by rename, so the lock is on a neighbour that stays.
Result<FileLock, Failure> lock_runs(const Paths& paths) {
  SVC_TRY(make_private_folder(paths.batches()));
  return FileLock::take(paths.batches() / "runs.json.lock");
}

std::filesystem::path runs_file(const Paths& paths) {
  return paths.batches() / "runs.json";
}

}  // namespace

Result<BatchRun, Failure> start_batch_run(const Environment& environment, const Paths& paths, const BatchSource& source,
                                          BatchStart start) {
  const auto lock = SVC_TRY(lock_runs(paths));
  auto runs = SVC_TRY(load_runs(runs_file(paths)));
  BatchRun run = next_run(runs, environment, source, start);
  runs.push_back(Json::object({{"id", run.id},
                               {"network", source.network},
                               {"account", source.account},
                               {"file", source.file},
                               {"at_ms", environment.clock->now_ms()}}));
  SVC_TRY(save_runs(runs_file(paths), std::move(runs)));
  return run;
}

Result<BatchRun, Failure> peek_batch_run(const Environment& environment, const Paths& paths, const BatchSource& source,
                                         BatchStart start) {
  auto runs = SVC_TRY(load_runs(runs_file(paths)));
  return next_run(runs, environment, source, start);
}

Result<void, Failure> end_batch_run(const Paths& paths, const BatchRun& run) {
  const auto lock = SVC_TRY(lock_runs(paths));
  auto runs = SVC_TRY(load_runs(runs_file(paths)));
  for (Json& one : runs)
    if (one.string_at("id") == run.id) one.set("ended", true);
  return save_runs(runs_file(paths), std::move(runs));
}

}  // namespace svc::cli
