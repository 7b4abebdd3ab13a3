// The disk of one simulated machine: a folder on a memory file system, and a record of every unsynced change. A
// killed process loses nothing it wrote; a machine that loses its power keeps some of it, tears some, and loses the
// rest.
//
// The C library's file calls of this binary come here (file_calls.cpp), SQLite's included, so that the tested code
// is exactly the code that users run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace svc::vopr {

class Disk {
 public:
  explicit Disk(std::filesystem::path folder);
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] bool holds(std::string_view path) const;

  // Every file below the folder, by its relative path.
  using Contents = std::map<std::string, std::string>;
  [[nodiscard]] Contents contents() const;
  // Makes these the only files, all of them synced.
  void put_back(const Contents& contents);

  // Appends to a file below the folder, as if long ago; private, like the client's own files.
  void add(const std::string& name, std::string_view bytes);

  // Returns a description of what was kept.
  std::string lose_power(Prng& chance);

  bool is_full = false;  // no file may grow

  // Records of the file calls. Paths are absolute.
  void opened(int descriptor, const std::string& path, bool is_new);
  void closed(int descriptor);
  // Called before the bytes of a file change: the new minimum size, and the present bytes.
  void will_write(int descriptor, off_t at, std::string_view bytes);
  void will_cut(int descriptor, off_t size);
  void synced(int descriptor);
  void will_rename(const std::string& from, const std::string& to);
  void will_remove(const std::string& path);
  void linked(const std::string& path);
  void made_folder(const std::string& path);
  // The path of an open file of this disk; empty for others.
  [[nodiscard]] std::string_view path_of(int descriptor) const;

 private:
  // Bytes of a file that are only in the page cache.
  struct Change {
    off_t at = 0;
    off_t size_before = 0;
    std::string before;                // the previous bytes
    std::string after;                 // for a write
    std::optional<off_t> cut_to = {};  // for a truncation
  };
  // A folder entry that is only in the page cache.
  struct Entry {
    enum class Kind : std::uint8_t { made, renamed, removed, folder };
    Kind kind = Kind::made;
    std::string path;  // the new or removed entry
    std::string from = {};
    std::optional<std::string> replaced = {};  // the previous bytes under this name
  };

  void lose_bytes(const std::string& path, const std::vector<Change>& changes, Prng& chance, std::string& told) const;
  void undo(const Entry& entry) const;
  void forget_bytes(const std::string& path) { changes_.erase(path); }

  std::filesystem::path folder_;
  std::map<int, std::string> open_;
  std::map<std::string, std::vector<Change>> changes_;  // by path
  std::vector<Entry> entries_;                          // in the order of the changes
};

}  // namespace svc::vopr
