#include "cli/outbox/outbox.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/files/private_file.h"

namespace svc::cli::outbox {
namespace {

constexpr std::int64_t entry_version = 1;
constexpr std::string_view entry_suffix = ".json";

Failure file_error(const std::filesystem::path& file, std::string_view doing) {
  return {.exit = ExitCode::internal,
          .code = std::string(file_error_code),
          .message = std::string(doing) + " " + file.string() + ": " + std::strerror(errno)};
}

Json list_of(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push(text);
  return list;
}

std::vector<std::string> texts_in(const Json& document, std::string_view key) {
  std::vector<std::string> texts;
  const Json* list = document.find(key);
  for (std::size_t i = 0; list != nullptr && i < list->items().size(); ++i) texts.push_back(list->items()[i].text());
  return texts;
}

std::string text_of(const Entry& entry) {
  Json document = Json::object({{"version", entry_version},
                                {"id", entry.id},
                                {"at_ms", entry.at_ms},
                                {"valid_until_ms", entry.valid_until_ms},
                                {"sent_to", entry.sent_to},
                                {"state", to_string(entry.state)},
                                {"command", entry.command},
                                {"operation", entry.operation},
                                {"path", entry.path},
                                {"query", entry.query},
                                {"body", entry.body},
                                {"account", entry.account},
                                {"wallet", entry.wallet}});
  document.set("client_ids", list_of(entry.client_ids));
  document.set("look_up", list_of(entry.look_up));
  document.set("before", entry.before);
  return document.dump() + "\n";
}

// nullopt for what is no whole entry.
std::optional<Entry> read_entry(std::string_view text) {
  const auto document = parse_json(text);
  if (!document || document->integer_at("version") != entry_version || !text.ends_with('\n')) return std::nullopt;
  const auto id = document->string_at("id");
  const auto at_ms = document->integer_at("at_ms");
  const auto operation = document->string_at("operation");
  if (!id || !at_ms || !operation) return std::nullopt;
  const auto member = [&](std::string_view key) { return std::string(document->string_at(key).value_or("")); };
  const Json* body = document->find("body");
  const Json* before = document->find("before");
  return Entry{.id = std::string(*id),
               .at_ms = *at_ms,
               .valid_until_ms = document->integer_at("valid_until_ms"),
               .sent_to = member("sent_to"),
               .state = document->string_at("state") == "unknown" ? State::unknown : State::sending,
               .command = member("command"),
               .operation = std::string(*operation),
               .path = member("path"),
               .query = member("query"),
               .body = body != nullptr ? *body : Json(),
               .account = member("account"),
               .wallet = member("wallet"),
               .client_ids = texts_in(*document, "client_ids"),
               .look_up = texts_in(*document, "look_up"),
               .before = before != nullptr ? *before : Json()};
}

// In place: the name is the lock's, so the file is never replaced.
bool rewrite(int descriptor, std::string_view text) {
  if (::ftruncate(descriptor, 0) != 0 || ::lseek(descriptor, 0, SEEK_SET) != 0) return false;
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0;
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

std::string_view to_string(State state) {
  return state == State::sending ? "sending" : "unknown";
}

OpenEntry::OpenEntry(OpenEntry&& other) noexcept
    : entry_(std::move(other.entry_)),
      file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OpenEntry::~OpenEntry() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OpenEntry::close() {
  if (descriptor_ < 0) return;
  // Should the removal be lost in a power cut, the entry is looked up once more: no harm.
  ::unlink(file_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

Result<void, Failure> OpenEntry::leave_unknown() {
  if (entry_.state == State::unknown || descriptor_ < 0) return {};
  entry_.state = State::unknown;
  if (!rewrite(descriptor_, text_of(entry_))) return unexpected(file_error(file_, "cannot write"));
  return {};
}

std::filesystem::path Outbox::file_of(std::string_view id) const {
  return folder_ / (std::string(id) + std::string(entry_suffix));
}

Result<OpenEntry, Failure> Outbox::open(Entry entry) const {
  if (const auto folder = make_private_folder(folder_); !folder) return unexpected(folder.error());
  const std::filesystem::path file = file_of(entry.id);
  // Whole and locked before it has the name that others look at.
  const std::filesystem::path fresh = file.string() + ".new";
  const int descriptor = ::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return unexpected(file_error(file, "cannot make"));
  OpenEntry held(std::move(entry), fresh, descriptor);
  const bool kept = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && rewrite(descriptor, text_of(held.entry_)) &&
                    ::rename(fresh.c_str(), file.c_str()) == 0;
  if (!kept) {
    const Failure failure = file_error(file, "cannot write");
    held.close();
    return unexpected(failure);
  }
  held.file_ = file;
  sync_folder(folder_);
  return held;
}

Result<std::optional<OpenEntry>, Failure> Outbox::adopt(std::string_view id) const {
  using None = std::optional<OpenEntry>;
  const std::filesystem::path file = file_of(id);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) return None{};
    return unexpected(file_error(file, "cannot open"));
  }
  OpenEntry held(Entry{}, file, descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) return None{};
  // Whoever held it until now may have closed it.
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || status.st_nlink == 0) return None{};
  const auto text = read_private(file);
  if (!text) return unexpected(text.error());
  auto entry = *text ? read_entry(**text) : std::nullopt;
  if (!entry) {
    held.close();
    return None{};
  }
  held.entry_ = std::move(*entry);
  return None(std::move(held));
}

Result<std::vector<Found>, Failure> Outbox::list() const {
  std::vector<Found> all;
  for (const std::string& name : list_private(folder_)) {  // ids sort by time
    if (!name.ends_with(entry_suffix)) continue;
    const std::string id = name.substr(0, name.size() - entry_suffix.size());
    auto held = adopt(id);
    if (!held) return unexpected(held.error());
    if (*held) {
      all.push_back({.entry = (*held)->entry(), .under_way = false});
      continue;
    }
    const auto text = read_private(folder_ / name);
    if (!text) return unexpected(text.error());
    auto entry = *text ? read_entry(**text) : std::nullopt;
    if (entry) all.push_back({.entry = std::move(*entry), .under_way = true});
  }
  return all;
}

}  // namespace svc::cli::outbox
