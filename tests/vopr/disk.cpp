#include "vopr/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/assert.h"

namespace svc::vopr {
namespace {

namespace fs = std::filesystem;

// Direct kernel calls: the simulation's own changes to a disk must not count as file calls.
class RawFile {
 public:
  RawFile(const std::string& path, int flags)
      : descriptor_(static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path.c_str(), flags | O_CLOEXEC, 0600))) {}
  ~RawFile() {
    if (descriptor_ >= 0) ::syscall(SYS_close, descriptor_);
  }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  void write(std::string_view bytes, off_t at) const {
    SVC_ASSERT(::syscall(SYS_pwrite64, descriptor_, bytes.data(), bytes.size(), at) == static_cast<long>(bytes.size()));
  }
  void cut(off_t size) const { SVC_ASSERT(::syscall(SYS_ftruncate, descriptor_, size) == 0); }
  [[nodiscard]] off_t size() const { return static_cast<off_t>(::syscall(SYS_lseek, descriptor_, 0, SEEK_END)); }
  [[nodiscard]] std::string read(off_t at, std::size_t size) const {
    std::string bytes(size, '\0');
    const long got = ::syscall(SYS_pread64, descriptor_, bytes.data(), size, at);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }

 private:
  int descriptor_;
};

std::string read_whole(const std::string& path) {
  const RawFile file(path, O_RDONLY);
  if (!file.is_open()) return {};
  return file.read(0, static_cast<std::size_t>(file.size()));
}

void write_whole(const std::string& path, std::string_view bytes) {
  const RawFile file(path, O_RDWR | O_CREAT | O_TRUNC);
  SVC_ASSERT(file.is_open());
  if (!bytes.empty()) file.write(bytes, 0);
}

bool is_there(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

off_t size_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? status.st_size : 0;
}

std::string read_some(int descriptor, off_t at, std::size_t size) {
  std::string bytes(size, '\0');
  const long got = ::syscall(SYS_pread64, descriptor, bytes.data(), size, at);
  if (got >= 0) {
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
  // Opened for writing only.
  const RawFile again("/proc/self/fd/" + std::to_string(descriptor), O_RDONLY);
  return again.is_open() ? again.read(at, size) : std::string();
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

void remove_raw(const std::string& path) {
  ::syscall(SYS_unlink, path.c_str());
}

}  // namespace

Disk::Disk(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::remove_all(folder_, error);
  fs::create_directories(folder_, error);
  SVC_ASSERT(!error);
}

Disk::~Disk() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

bool Disk::holds(std::string_view path) const {
  const std::string& root = folder_.native();
  return path.starts_with(root) && path.size() > root.size() && path[root.size()] == '/';
}

Disk::Contents Disk::contents() const {
  Contents all;
  for (const auto& one : fs::recursive_directory_iterator(folder_)) {
    if (!one.is_regular_file()) continue;
    const std::string path = one.path().native();
    all.emplace(path.substr(folder_.native().size() + 1), read_whole(path));
  }
  return all;
}

void Disk::put_back(const Contents& wanted) {
  for (const auto& [name, bytes] : contents()) {
    if (!wanted.contains(name)) remove_raw((folder_ / name).native());
  }
  for (const auto& [name, bytes] : wanted) {
    const std::string path = (folder_ / name).native();
    fs::create_directories(folder_of(path));
    write_whole(path, bytes);
  }
  changes_.clear();
  entries_.clear();
}

void Disk::add(const std::string& name, std::string_view bytes) {
  const std::string path = folder_.native() + name;
  for (auto end = path.find('/', folder_.native().size() + 1); end != std::string::npos; end = path.find('/', end + 1))
    ::syscall(SYS_mkdir, path.substr(0, end).c_str(), 0700);
  const RawFile file(path, O_RDWR | O_CREAT);
  file.write(bytes, file.size());
}

void Disk::opened(int descriptor, const std::string& path, bool is_new) {
  open_[descriptor] = path;
  if (is_new) entries_.push_back({.kind = Entry::Kind::made, .path = path});
}

void Disk::closed(int descriptor) {
  open_.erase(descriptor);
}

std::string_view Disk::path_of(int descriptor) const {
  const auto known = open_.find(descriptor);
  return known == open_.end() ? std::string_view{} : std::string_view(known->second);
}

void Disk::will_write(int descriptor, off_t at, std::string_view bytes) {
  changes_[open_.at(descriptor)].push_back({.at = at,
                                            .size_before = size_of(descriptor),
                                            .before = read_some(descriptor, at, bytes.size()),
                                            .after = std::string(bytes)});
}

void Disk::will_cut(int descriptor, off_t size) {
  const off_t before = size_of(descriptor);
  std::string lost;
  if (size < before) lost = read_some(descriptor, size, static_cast<std::size_t>(before - size));
  changes_[open_.at(descriptor)].push_back(
      {.at = size, .size_before = before, .before = std::move(lost), .after = {}, .cut_to = size});
}

void Disk::synced(int descriptor) {
  const std::string path = open_.at(descriptor);
  changes_.erase(path);
  std::erase_if(entries_, [&](const Entry& entry) { return folder_of(entry.path) == path; });
}

void Disk::will_rename(const std::string& from, const std::string& to) {
  Entry entry{.kind = Entry::Kind::renamed, .path = to, .from = from};
  if (is_there(to)) entry.replaced = read_whole(to);
  changes_.erase(to);
  if (auto moved = changes_.extract(from)) {
    moved.key() = to;
    changes_.insert(std::move(moved));
  }
  for (auto& [descriptor, path] : open_) {
    if (path == to) path.clear();
    if (path == from) path = to;
  }
  entries_.push_back(std::move(entry));
}

void Disk::will_remove(const std::string& path) {
  entries_.push_back({.kind = Entry::Kind::removed, .path = path, .from = {}, .replaced = read_whole(path)});
  changes_.erase(path);
  for (auto& [descriptor, open] : open_) {
    if (open == path) open.clear();
  }
}

void Disk::linked(const std::string& path) {
  entries_.push_back({.kind = Entry::Kind::made, .path = path});
}

void Disk::made_folder(const std::string& path) {
  entries_.push_back({.kind = Entry::Kind::folder, .path = path});
}

void Disk::undo(const Entry& entry) const {
  switch (entry.kind) {
    case Entry::Kind::made: remove_raw(entry.path); return;
    case Entry::Kind::folder: ::syscall(SYS_rmdir, entry.path.c_str()); return;
    case Entry::Kind::removed: write_whole(entry.path, *entry.replaced); return;
    case Entry::Kind::renamed:
      ::syscall(SYS_rename, entry.path.c_str(), entry.from.c_str());
      if (entry.replaced) write_whole(entry.path, *entry.replaced);
      return;
  }
}

void Disk::lose_bytes(const std::string& path, const std::vector<Change>& changes, Prng& chance,
                      std::string& told) const {
  const RawFile file(path, O_RDWR);
  if (!file.is_open()) return;
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    if (!change->before.empty()) file.write(change->before, change->at);
    file.cut(change->size_before);
  }
  // After a power cut, each sector has its content after one of the writes to the file; sectors are never torn,
  // writes may be.
  constexpr std::uint64_t none = 0, all = 1, first_few = 2;
  constexpr std::uint64_t ways = 4;
  const std::uint64_t way = chance.below(ways);
  const std::size_t few = chance.below(changes.size() + 1);
  std::map<off_t, std::size_t> kept_of;  // per sector: how many of the writes were kept
  const auto kept_at = [&](off_t sector) {
    if (way == none) return std::size_t{0};
    if (way == all) return changes.size();
    if (way == first_few) return few;
    const auto [known, is_new] = kept_of.try_emplace(sector, 0);
    if (is_new) known->second = chance.below(changes.size() + 1);
    return known->second;
  };
  constexpr off_t sector_bytes = 512;
  constexpr off_t of_the_size = -1;
  off_t size = file.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    if (i < kept_at(of_the_size))
      size = change.cut_to ? *change.cut_to : std::max(size, change.at + static_cast<off_t>(change.after.size()));
    if (change.cut_to && i < kept_at(of_the_size)) file.cut(size);
    bool is_whole = true;
    for (std::size_t from = 0; from < change.after.size();) {
      const off_t at = change.at + static_cast<off_t>(from);
      const auto bytes =
          std::min(change.after.size() - from, static_cast<std::size_t>(sector_bytes - at % sector_bytes));
      if (i < kept_at(at / sector_bytes))
        file.write(std::string_view(change.after).substr(from, bytes), at);
      else
        is_whole = false;
      from += bytes;
    }
    kept += is_whole ? 1 : 0;
  }
  file.cut(size);
  told += ", " + path.substr(path.rfind('/') + 1) + " kept " + std::to_string(kept) + " of " +
          std::to_string(changes.size()) + " writes";
}

std::string Disk::lose_power(Prng& chance) {
  std::string told;
  for (const auto& [path, changes] : changes_) {
    if (!path.empty()) lose_bytes(path, changes, chance, told);
  }
  // A file system writes folder changes in order.
  const std::size_t kept = chance.below(entries_.size() + 1);
  for (std::size_t i = entries_.size(); i > kept; --i) undo(entries_[i - 1]);
  if (!entries_.empty())
    told += ", kept " + std::to_string(kept) + " of " + std::to_string(entries_.size()) + " folder entries";
  changes_.clear();
  entries_.clear();
  return told.empty() ? "everything was synced" : told.substr(2);
}

}  // namespace svc::vopr
