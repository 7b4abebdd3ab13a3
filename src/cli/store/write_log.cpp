#include "cli/store/write_log.h"

#include <set>

#include "base/encoding.h"
#include "cli/machine/private_file.h"
#include "signing/hash.h"

namespace svc::cli::outbox {
namespace {

constexpr std::uint64_t files_key = 0;
constexpr std::string_view file_prefix = "log-";
constexpr std::string_view file_suffix = ".ndjson";
constexpr std::size_t name_digits = 16;

bool is_log_file(const std::string& name) {
  return name.starts_with(file_prefix) && name.ends_with(file_suffix);
}

// The beginning of the file in milliseconds, so that names sort by time.
std::string file_name(TimestampMs begins_ms) {
  const std::string digits = std::to_string(std::max<TimestampMs>(begins_ms, 0));
  const std::string zeros(name_digits - std::min(name_digits, digits.size()), '0');
  return std::string(file_prefix) + zeros + digits + std::string(file_suffix);
}

TimestampMs begins_ms(const std::string& name) {
  return std::strtoll(name.c_str() + file_prefix.size(), nullptr, 10);
}

constexpr std::int64_t log_version = 2;
constexpr std::string_view type_before = R"({"version":2,"type":")";
constexpr std::string_view id_before = R"(","id":")";
constexpr std::string_view sum_before = R"(,"sum":")";
constexpr std::size_t sum_digits = 8;
constexpr std::string_view line_end = "\"}";

std::string sum_of(std::string_view text) {
  return to_hex(signing::sha256(text)).substr(0, sum_digits);
}

// The text up to the next quotation mark.
std::string_view take_text(std::string_view& rest) {
  const std::string_view text = rest.substr(0, rest.find('"'));
  rest.remove_prefix(text.size());
  return text;
}

// The type and id at the beginning of a line of this version, complete or not; empty if it begins otherwise.
struct LineHead {
  std::string_view type{};
  std::string_view id{};
};
LineHead head_of(std::string_view line) {
  if (!line.starts_with(type_before)) return {};
  line.remove_prefix(type_before.size());
  const std::string_view type = take_text(line);
  if (!line.starts_with(id_before)) return {};
  line.remove_prefix(id_before.size());
  return {.type = type, .id = take_text(line)};
}

// A line of this version without its checksum and the closing brace; nullopt if it is torn or changed.
std::optional<std::string_view> whole_text(std::string_view line) {
  constexpr std::size_t tail = sum_before.size() + sum_digits + line_end.size();
  if (line.size() < tail) return std::nullopt;
  const std::string_view text = line.substr(0, line.size() - tail);
  const std::string_view end = line.substr(text.size());
  const bool fits = end.starts_with(sum_before) && end.ends_with(line_end) &&
                    end.substr(sum_before.size(), sum_digits) == sum_of(text);
  return fits ? std::optional(text) : std::nullopt;
}

// Whether a line other than an intent leaves its write open: its last member. nullopt if it does not tell, or is torn.
// There is one for each write, so they are not parsed.
std::optional<bool> leaves_open(std::string_view line) {
  const auto text = whole_text(line);
  if (text && text->ends_with(R"(,"open":false)")) return false;
  if (text && text->ends_with(R"(,"open":true)")) return true;
  return std::nullopt;
}

std::vector<OpenIntent> open_in(std::string_view text) {
  std::set<std::string, std::less<>> closed;
  std::set<std::string, std::less<>> unknown;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    const LineHead head = head_of(line);
    if (head.type.empty() || head.type == "intent") continue;
    const auto open = leaves_open(line);
    if (!open) continue;
    (*open ? unknown : closed).emplace(head.id);
  }
  std::vector<OpenIntent> intents;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    const LineHead head = head_of(line);
    if (head.type != "intent" || closed.contains(head.id)) continue;
    auto record = read_log_line(line);
    const Json* sought = record ? record->find("look_for") : nullptr;
    if (sought == nullptr || !sought->is(Json::Kind::object)) continue;
    const bool is_unknown = unknown.contains(head.id) || record->truth_at("unknown");
    intents.push_back({.line = std::move(*record), .is_unknown = is_unknown});
  }
  return intents;
}

std::uint64_t key_of(std::string_view id) {
  const signing::Hash32 hash = signing::sha256(id);
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < sizeof key; ++i) key = key << 8 | hash[i];
  return key;
}

}  // namespace

Log::Log(const Environment& environment, const Paths& paths, std::string_view network)
    : environment_(&environment), disk_(environment.open_log(paths.journal(network))), patience_ms_(log_patience_ms) {}

Result<std::optional<FileLock>> Log::hold_files(Hold hold) {
  constexpr std::int64_t pause_ms = 2;
  const std::int64_t until_ms = environment_->uptime_ms() + patience_ms_;
  while (true) {
    auto held = disk_->try_lock(files_key, hold);
    if (!held || *held) return held;
    if (environment_->uptime_ms() >= until_ms) break;
    environment_->sleep_ms(pause_ms);
  }
  patience_ms_ = 0;
  return failed(file_error_code, "another svc begins a new file of the journal and does not come to an end");
}

Result<std::optional<FileLock>> Log::try_hold(std::string_view id) {
  return disk_->try_lock(key_of(id), Hold::alone);
}

Result<bool> Log::is_held(std::string_view id) {
  return disk_->is_locked(key_of(id));
}

Result<std::string> Log::newest_file() const {
  const std::vector<std::string> names = SVC_TRY(disk_->names());
  const auto newest = std::find_if(names.rbegin(), names.rend(), is_log_file);
  return newest == names.rend() ? std::string() : *newest;
}

Result<void> Log::begin_first_file() {
  const auto held = SVC_TRY(hold_files(Hold::alone));
  if (!SVC_TRY(newest_file()).empty()) return {};
  return disk_->add(file_name(environment_->clock->now_ms()), {});
}

Result<void> Log::begin_next_file(const std::string& full) {
  const auto held = SVC_TRY(disk_->try_lock(files_key, Hold::alone));
  // Other processes may have begun the next file meanwhile.
  if (!held || SVC_TRY(newest_file()) != full) return {};
  const auto text = SVC_TRY(disk_->read(full));
  std::string carried;
  for (OpenIntent& intent : open_in(text)) {
    intent.line.set("carried", true).set("unknown", intent.is_unknown);
    carried += log_line(intent.line) + "\n";
  }
  if (carried.size() > log_carried_bytes_max) return {};
  return disk_->add(file_name(std::max(environment_->clock->now_ms(), begins_ms(full) + 1)), carried);
}

Result<void> Log::append(const Json& record, Durable durable) {
  if (SVC_TRY(newest_file()).empty()) SVC_TRY(begin_first_file());
  auto held = SVC_TRY(hold_files(Hold::shared));
  const std::string file = SVC_TRY(newest_file());
  const auto size = disk_->append(file, "\n" + log_line(record) + "\n");
  // If the next file begins before this line is synced, it is copied there.
  held.reset();
  SVC_TRY(size);
  if (durable == Durable::at_once) return disk_->sync(file);
  // The write is over, so it does no harm if this fails and the file keeps growing.
  if (*size > log_bytes) static_cast<void>(begin_next_file(file));
  return {};
}

Result<std::vector<OpenIntent>> Log::open_intents() {
  const std::string file = SVC_TRY(newest_file());
  if (file.empty()) return std::vector<OpenIntent>();
  const auto text = SVC_TRY(disk_->read(file));
  return open_in(text);
}

Result<void> Log::read(TimestampMs since_ms, const Each& each) {
  std::vector<std::string> files = SVC_TRY(disk_->names());
  std::erase_if(files, [](const std::string& name) { return !is_log_file(name); });
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool is_older = i + 1 < files.size() && begins_ms(files[i + 1]) <= since_ms;
    if (is_older) continue;
    const auto text = SVC_TRY(disk_->read(files[i]));
    for (std::string_view rest = text; !rest.empty();) {
      if (const auto record = read_log_line(take_line(rest))) each(*record);
    }
  }
  return {};
}

std::string log_line(const Json& record) {
  Json line = Json::object({{"version", log_version}});
  for (const std::string_view key : {"type", "id"}) line.set(key, record.string_at(key));
  std::string text = line.set_all(record).dump();
  text.pop_back();  // the closing brace
  const std::string sum = sum_of(text);
  return text.append(sum_before).append(sum).append(line_end);
}

std::optional<Json> read_log_line(std::string_view line) {
  const auto text = whole_text(line);
  if (!text) return std::nullopt;
  auto document = parse_json(concat(*text, "}"));
  return document ? std::optional(std::move(*document)) : std::nullopt;
}

}  // namespace svc::cli::outbox
