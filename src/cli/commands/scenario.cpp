// local scenario run
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/limits.h"
#include "cli/arguments/arguments.h"
#include "cli/client/context.h"
#include "cli/commands/command.h"
#include "cli/commands/scenario_report.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

bool is_scenario_file(const fs::path& path) {
  return path.extension() == ".json" || path.extension() == ".scenario";
}

// The scenario files below a folder, in the order of their paths; a file stands for itself.
Result<std::vector<std::string>, Failure> files_of(const std::string& given) {
  std::error_code error;
  const fs::file_status status = fs::status(given, error);
  if (!fs::exists(status)) return unexpected(usage_error(given + ": no such file or folder"));
  if (!fs::is_directory(status)) return std::vector{given};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator entry(given, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file() && is_scenario_file(entry->path())) files.push_back(entry->path().string());
  }
  if (error) return unexpected(usage_error(given + ": " + error.message()));
  if (files.empty()) return unexpected(usage_error(given + ": no .json or .scenario file in this folder"));
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::string, Failure> text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(limits::input_bytes_max + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) return unexpected(usage_error(path + ": " + std::strerror(errno)));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > limits::input_bytes_max) {
    return unexpected(usage_error(path + ": larger than " + std::to_string(limits::input_bytes_max) + " bytes"));
  }
  return text;
}

class RunScenarios final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.remaining("FILE", given_, "scenario file, or a folder of them");
    arguments.flag("--tap", tap_, "print the Test Anything Protocol");
    arguments.text("--junit", junit_, "FILE", "write a JUnit report to this file as well");
    arguments.flag("--update", update_, "rewrite what is expected, where it differs, with what came");
  }

  Result<Answer, Stop> run(Context& context) override {
    if (given_.empty()) return unexpected(Stop(usage_error("name a scenario file, or a folder of them")));
    std::vector<ToldFile> told;
    for (const std::string& given : given_) {
      const auto paths = SVC_TRY(files_of(given));
      for (const std::string& path : paths) {
        auto text = text_of(path);
        if (!text) return unexpected(Stop(text.error()));
        if (update_) {
          const auto done = SVC_TRY(update(context, path, *text));
          text = std::move(done);
        }
        auto report = sim::scenario::run_scenarios(*text);
        if (!report) return unexpected(Stop(usage_error(path + ": " + report.error())));
        told.push_back({path, std::move(*report)});
      }
    }
    if (junit_ && !context.globals().dry_run) {
      std::ofstream stream(*junit_, std::ios::binary);
      stream << render_junit(told) << std::flush;
      if (!stream) return unexpected(Stop(usage_error("--junit " + *junit_ + ": cannot be written")));
    }
    Answer answer{.data = rows_of(told), .text = tap_ ? render_tap(told) : render_lines(told)};
    if (const std::size_t failed = failures(told); failed > 0) {
      answer.failure = Failure{.exit = ExitCode::internal,
                               .code = "scenario_failed",
                               .message = closing_line(told) + ": not everything came as expected"};
    }
    return answer;
  }

 private:
  // The new text, in place of the old one in its file.
  static Result<std::string, Stop> update(Context& context, const std::string& path, const std::string& text) {
    auto updated = sim::scenario::update_story_text(text);
    if (!updated) return unexpected(Stop(usage_error(path + ": " + updated.error())));
    if (*updated == text) return std::move(*updated);
    context.say((context.globals().dry_run ? "would rewrite " : "rewrote ") + path);
    if (context.globals().dry_run) return text;
    // Beside it first: a power cut leaves the old text or the new one.
    const std::string beside = path + ".new";
    std::ofstream stream(beside, std::ios::binary);
    stream << *updated << std::flush;
    std::error_code failed;
    if (stream) std::filesystem::rename(beside, path, failed);
    if (!stream || failed) return unexpected(Stop(usage_error(path + ": cannot be written")));
    return std::move(*updated);
  }

  std::vector<std::string> given_;
  bool update_ = false;
  bool tap_ = false;
  std::optional<std::string> junit_;
};

}  // namespace

std::span<const CommandRow> scenario_commands() {
  static const CommandRow rows[]{
      {"local scenario run", "FILE...", "Tell stories of trading and compare what comes of them", make<RunScenarios>}};
  return rows;
}

}  // namespace svc::cli
