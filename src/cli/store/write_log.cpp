#include "cli/store/write_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <set>

#include "base/encoding.h"
#include "base/limits.h"
#include "cli/machine/environment.h"
#include "cli/machine/paths.h"
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

// Its beginning in milliseconds: names sort by time.
std::string file_name(TimestampMs begins_ms) {
  const std::string digits = std::to_string(std::max<TimestampMs>(begins_ms, 0));
  const std::string zeros(name_digits - std::min(name_digits, digits.size()), '0');
  return std::string(file_prefix) + zeros + digits + std::string(file_suffix);
}

TimestampMs begins_ms(const std::string& name) {
  return std::strtoll(name.c_str() + file_prefix.size(), nullptr, 10);
}

// Of a name such as 2026-09-21.ndjson, which version 1 gave its files.
std::optional<TimestampMs> day_of_name(std::string_view name) {
  constexpr std::string_view shape = "2026-09-21.ndjson";
  if (name.size() != shape.size() || !name.ends_with(file_suffix) || name[4] != '-' || name[7] != '-') return {};
  const auto number = [&](std::size_t from, std::size_t digits) {
    int value = 0;
    const char* end = name.data() + from + digits;
    const auto read = std::from_chars(name.data() + from, end, value);
    return read.ec == std::errc{} && read.ptr == end ? value : -1;
  };
  const std::chrono::year_month_day day(std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2))));
  if (!day.ok()) return {};
  return std::chrono::milliseconds(std::chrono::sys_days(day).time_since_epoch()).count();
}

std::string_view take_line(std::string_view& text) {
  const auto feed = text.find('\n');
  const std::string_view line = text.substr(0, feed);
  text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
  return line;
}

// What one line that is no intent says of its write: whether anything is still open, if it says so at all.
std::optional<bool> leaves_open(const Json& line) {
  const Json* open = line.find("open");
  return open == nullptr ? std::nullopt : std::optional(open->truth());
}

std::vector<OpenIntent> open_in(std::string_view text) {
  std::set<std::string, std::less<>> closed;
  std::set<std::string, std::less<>> unknown;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = take_line(rest);
    const LineHead head = head_of(line);
    if (head.type.empty() || head.type == "intent") continue;
    const auto record = read_log_line(line);
    const auto open = record ? leaves_open(*record) : std::nullopt;
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
    const Json* carried_unknown = record->find("unknown");
    const bool is_unknown = unknown.contains(head.id) || (carried_unknown != nullptr && carried_unknown->truth());
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

Failure log_is_busy() {
  return {.exit = ExitCode::internal,
          .code = std::string(file_error_code),
          .message = "another svc begins a new file of the journal and does not come to an end"};
}

}  // namespace

Log::Log(const Environment& environment, const Paths& paths, std::string_view network)
    : environment_(&environment), disk_(environment.open_log(paths.journal(network))) {}

Result<std::unique_ptr<LogLock>, Failure> Log::hold_files(Hold hold) {
  constexpr std::int64_t pause_ms = 2;
  for (std::int64_t waited_ms = 0;; waited_ms += pause_ms) {
    auto held = disk_->try_lock(files_key, hold);
    if (!held || *held) return held;
    if (waited_ms >= log_patience_ms) return unexpected(log_is_busy());
    environment_->sleep_ms(pause_ms);
  }
}

Result<std::unique_ptr<LogLock>, Failure> Log::try_hold(std::string_view id) {
  return disk_->try_lock(key_of(id), Hold::alone);
}

Result<bool, Failure> Log::is_held(std::string_view id) {
  return disk_->is_locked(key_of(id));
}

std::int64_t Log::uptime_ms() const {
  return environment_->uptime_ms();
}

std::string Log::newest_file() const {
  const std::vector<std::string> names = disk_->names();
  const auto newest = std::find_if(names.rbegin(), names.rend(), is_log_file);
  return newest == names.rend() ? std::string() : *newest;
}

Result<void, Failure> Log::begin_first_file() {
  const auto held = SVC_TRY(hold_files(Hold::alone));
  if (!newest_file().empty()) return {};
  return disk_->add(file_name(environment_->clock->now_ms()), {});
}

Result<void, Failure> Log::begin_next_file(const std::string& full) {
  const auto held = SVC_TRY(disk_->try_lock(files_key, Hold::alone));
  // Whoever appends now will find it full as well.
  if (!held || newest_file() != full) return {};
  const auto text = SVC_TRY(disk_->read(full));
  std::string carried;
  for (OpenIntent& intent : open_in(text)) {
    intent.line.set("carried", true).set("unknown", intent.is_unknown);
    carried += log_line(intent.line) + "\n";
  }
  if (carried.size() > log_carried_bytes_max) return {};
  return disk_->add(file_name(std::max(environment_->clock->now_ms(), begins_ms(full) + 1)), carried);
}

// Version 1 had a file per UTC day. They become the oldest files of the log, as they are.
Result<void, Failure> Log::take_in_days() {
  if (took_in_days_) return {};
  const auto is_day = [](const std::string& name) { return day_of_name(name).has_value(); };
  const std::vector<std::string> seen = disk_->names();
  if (std::any_of(seen.begin(), seen.end(), is_day)) {
    const auto held = SVC_TRY(hold_files(Hold::alone));
    const std::vector<std::string> names = disk_->names();
    const auto oldest = std::find_if(names.begin(), names.end(), is_log_file);
    TimestampMs before_ms = oldest == names.end() ? limits::clock_ms_max : begins_ms(*oldest);
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      const auto at_ms = day_of_name(*name);
      if (!at_ms) continue;
      before_ms = std::min(*at_ms, before_ms - 1);
      if (const auto moved = disk_->rename(*name, file_name(before_ms)); !moved) return moved;
    }
  }
  took_in_days_ = true;
  return {};
}

Result<void, Failure> Log::append(const Json& record, Durable durable) {
  if (const auto taken = take_in_days(); !taken) return taken;
  if (newest_file().empty()) {
    if (const auto begun = begin_first_file(); !begun) return begun;
  }
  auto held = SVC_TRY(hold_files(Hold::shared));
  const std::string file = newest_file();
  const auto size = disk_->append(file, "\n" + log_line(record) + "\n");
  // Should the next file begin before this line is synced, it is copied there.
  held.reset();
  if (!size) return unexpected(size.error());
  if (durable == Durable::at_once) return disk_->sync(file);
  // The write is over: that the file stays as long as it is does no harm.
  if (*size > log_bytes) static_cast<void>(begin_next_file(file));
  return {};
}

Result<std::vector<OpenIntent>, Failure> Log::open_intents() {
  SVC_TRY(take_in_days());
  const std::string file = newest_file();
  if (file.empty()) return std::vector<OpenIntent>();
  const auto text = SVC_TRY(disk_->read(file));
  return open_in(text);
}

Result<void, Failure> Log::read(TimestampMs since_ms, const Each& each) {
  if (const auto taken = take_in_days(); !taken) return taken;
  std::vector<std::string> files = disk_->names();
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

namespace {

namespace fs = std::filesystem;

Failure file_error(const fs::path& file, std::string_view doing) {
  return {.exit = ExitCode::internal,
          .code = std::string(file_error_code),
          .message = std::string(doing) + " " + file.string() + ": " + std::strerror(errno)};
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// Locks of an open file description: two of one process exclude each other as those of two processes do.
class ByteLock final : public LogLock {
 public:
  explicit ByteLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  Descriptor descriptor_;
};

bool read_to_end(int descriptor, std::string& text) {
  char buffer[65'536];
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count == 0;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

class LogFolder final : public LogDisk {
 public:
  explicit LogFolder(fs::path folder) : folder_(std::move(folder)) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names = list_private(folder_);
    std::erase_if(names, [](const std::string& name) { return name == lock_name || name == fresh_name; });
    return names;
  }

  Result<std::string, Failure> read(const std::string& name) const override {
    const fs::path file = folder_ / name;
    const Descriptor handle(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!handle && (errno == ENOENT || errno == ENOTDIR)) return std::string();
    if (!handle) return unexpected(file_error(file, "cannot open"));
    SVC_TRY(check_private(file));
    std::string text;
    if (!read_to_end(handle.get(), text)) return unexpected(file_error(file, "cannot read"));
    return text;
  }

  Result<std::uint64_t, Failure> append(const std::string& name, std::string_view text) override {
    SVC_TRY(open_to_append(name));
    ssize_t written = 0;
    do {
      written = ::write(open_.get(), text.data(), text.size());
    } while (written < 0 && errno == EINTR);
    // The rest of a text that was cut short would stand behind what others appended meanwhile.
    if (written >= 0 && static_cast<std::size_t>(written) < text.size()) errno = ENOSPC;
    if (written < 0 || static_cast<std::size_t>(written) < text.size()) {
      return unexpected(file_error(folder_ / name, "cannot write"));
    }
    struct stat status {};
    if (::fstat(open_.get(), &status) != 0) return unexpected(file_error(folder_ / name, "cannot examine"));
    return static_cast<std::uint64_t>(status.st_size);
  }

  Result<void, Failure> sync(const std::string& name) override {
    SVC_TRY(open_to_append(name));
    if (::fsync(open_.get()) != 0) return unexpected(file_error(folder_ / name, "cannot write"));
    // Whoever made the file may have been killed before its name was on the disk.
    if (is_name_synced_) return {};
    SVC_TRY(sync_folder());
    is_name_synced_ = true;
    return {};
  }

  Result<void, Failure> add(const std::string& name, std::string_view text) override {
    const fs::path fresh = folder_ / fresh_name;
    ::unlink(fresh.c_str());  // of a run that was killed
    const auto written = append(std::string(fresh_name), text);
    const auto synced = written ? sync(std::string(fresh_name)) : Result<void, Failure>();
    open_ = Descriptor();
    const bool linked = written && synced && ::link(fresh.c_str(), (folder_ / name).c_str()) == 0;
    const int reason = errno;
    ::unlink(fresh.c_str());
    if (!written) return unexpected(written.error());
    if (!synced) return unexpected(synced.error());
    errno = reason;
    if (!linked) return unexpected(file_error(folder_ / name, "cannot make"));
    return sync_folder();
  }

  Result<void, Failure> rename(const std::string& name, const std::string& to) override {
    if (::link((folder_ / name).c_str(), (folder_ / to).c_str()) != 0 || ::unlink((folder_ / name).c_str()) != 0) {
      return unexpected(file_error(folder_ / name, "cannot rename"));
    }
    return sync_folder();
  }

  Result<std::unique_ptr<LogLock>, Failure> try_lock(std::uint64_t key, Hold hold) override {
    auto handle = SVC_TRY(open_lock_file());
    struct flock range = byte_of(key, hold == Hold::alone ? F_WRLCK : F_RDLCK);
    int done = 0;
    do {
      done = ::fcntl(handle.get(), F_OFD_SETLK, &range);
    } while (done != 0 && errno == EINTR);
    if (done == 0) return std::unique_ptr<LogLock>(std::make_unique<ByteLock>(std::move(handle)));
    if (errno == EAGAIN || errno == EACCES) return std::unique_ptr<LogLock>();
    return unexpected(file_error(folder_ / lock_name, "cannot lock"));
  }

  Result<bool, Failure> is_locked(std::uint64_t key) override {
    const auto handle = SVC_TRY(open_lock_file());
    struct flock range = byte_of(key, F_WRLCK);
    if (::fcntl(handle.get(), F_OFD_GETLK, &range) == 0) return range.l_type != F_UNLCK;
    return unexpected(file_error(folder_ / lock_name, "cannot examine"));
  }

 private:
  static constexpr std::string_view lock_name = "lock";
  static constexpr std::string_view fresh_name = "fresh";  // made under the lock that is held alone

  static struct flock byte_of(std::uint64_t key, int type) {
    struct flock range {};
    range.l_type = static_cast<short>(type);
    range.l_whence = SEEK_SET;
    range.l_start = static_cast<off_t>(key >> 2);  // within what a file can be long
    range.l_len = 1;
    return range;
  }

  Result<Descriptor, Failure> open_lock_file() const {
    SVC_TRY(make_private_folder(folder_));
    const fs::path file = folder_ / lock_name;
    Descriptor handle(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!handle) return unexpected(file_error(file, "cannot open"));
    return handle;
  }

  Result<void, Failure> open_to_append(const std::string& name) {
    if (open_ && open_name_ == name) return {};
    SVC_TRY(make_private_folder(folder_));
    const fs::path file = folder_ / name;
    is_name_synced_ = false;
    open_ = Descriptor(::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    open_name_ = name;
    if (!open_) return unexpected(file_error(file, "cannot open"));
    const auto sound = check_private(file);
    if (!sound) open_ = Descriptor();
    return sound;
  }

  Result<void, Failure> sync_folder() const {
    const Descriptor handle(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!handle || ::fsync(handle.get()) != 0) return unexpected(file_error(folder_, "cannot write"));
    return {};
  }

  fs::path folder_;
  Descriptor open_;
  std::string open_name_;
  bool is_name_synced_ = false;  // of the file that is open
};

}  // namespace

std::unique_ptr<LogDisk> open_log_folder(const fs::path& folder) {
  return std::make_unique<LogFolder>(folder);
}

namespace {

constexpr std::string_view type_before = R"({"version":2,"type":")";
constexpr std::string_view id_before = R"(","id":")";
constexpr std::string_view sum_before = R"(,"sum":")";
constexpr std::size_t sum_digits = 8;
constexpr std::string_view line_end = "\"}";

std::string sum_of(std::string_view text) {
  return to_hex(signing::sha256(text)).substr(0, sum_digits);
}

// Takes what stands before the next quotation mark.
std::string_view take_text(std::string_view& rest) {
  const std::string_view text = rest.substr(0, rest.find('"'));
  rest.remove_prefix(text.size());
  return text;
}

}  // namespace

std::string log_line(const Json& record) {
  Json line = Json::object({{"version", log_version}});
  for (const std::string_view key : {"type", "id"}) line.set(key, record.string_at(key));
  for (std::size_t i = 0; i < record.keys().size(); ++i) line.set(record.keys()[i], record.items()[i]);
  std::string text = line.dump();
  text.pop_back();  // the brace
  const std::string sum = sum_of(text);
  return text.append(sum_before).append(sum).append(line_end);
}

std::optional<Json> read_log_line(std::string_view line) {
  constexpr std::size_t tail = sum_before.size() + sum_digits + line_end.size();
  if (!line.starts_with(type_before)) {
    auto document = parse_json(line);
    if (!document || document->integer_at("version") != 1) return std::nullopt;
    return std::move(*document);
  }
  if (line.size() < tail) return std::nullopt;
  const std::string_view text = line.substr(0, line.size() - tail);
  const std::string_view end = line.substr(text.size());
  if (!end.starts_with(sum_before) || !end.ends_with(line_end)) return std::nullopt;
  if (end.substr(sum_before.size(), sum_digits) != sum_of(text)) return std::nullopt;
  auto document = parse_json(std::string(text) + "}");
  if (!document) return std::nullopt;
  return std::move(*document);
}

LineHead head_of(std::string_view line) {
  if (!line.starts_with(type_before)) return {};
  line.remove_prefix(type_before.size());
  const std::string_view type = take_text(line);
  if (!line.starts_with(id_before)) return {};
  line.remove_prefix(id_before.size());
  return {.type = type, .id = take_text(line)};
}

}  // namespace svc::cli::outbox
