#include "cli/client/batch_runs.h"

#include "cli/client/client_id.h"
#include "cli/store/kept_document.h"

namespace svc::cli {
namespace {

constexpr std::size_t batch_runs_kept_max = 1'000;  // the latest ones

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

// Takes the run of that file out of the list, or begins one.
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

}  // namespace

Result<BatchRun> begin_run(const Environment& environment, const Paths& paths, const BatchSource& source, bool anew,
                           bool is_plan) {
  std::optional<FileLock> lock;
  if (!is_plan) lock = SVC_TRY(lock_runs(paths));
  auto runs = SVC_TRY(load_runs(runs_file(paths)));
  BatchRun run = next_run(runs, environment, source, anew);
  if (is_plan) return run;
  runs.push_back(Json::object({{"id", run.id},
                               {"network", source.network},
                               {"account", source.account},
                               {"file", source.file},
                               {"at_ms", environment.clock->now_ms()}}));
  SVC_TRY(save_runs(runs_file(paths), std::move(runs)));
  return run;
}

Result<void> end_run(const Paths& paths, const BatchRun& run) {
  const auto lock = SVC_TRY(lock_runs(paths));
  auto runs = SVC_TRY(load_runs(runs_file(paths)));
  for (Json& one : runs)
    if (one.string_at("id") == run.id) one.set("ended", true);
  return save_runs(runs_file(paths), std::move(runs));
}

}  // namespace svc::cli
