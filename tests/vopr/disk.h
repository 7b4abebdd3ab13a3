// The disk of one simulated machine: a folder on a memory file system, and a note of every change that was not synced.
// A killed process loses nothing of what it wrote; a machine that loses its power keeps some of it, tears some, and
// loses the rest.
//
// The C library's file calls of this binary come here (file_calls.cpp), SQLite's included, so that the code under test
// is the code that users run.
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
  // Exactly these files, all of them synced.
  void put_back(const Contents& contents);

  // Adds to a file below the folder, as if long ago: private, as the client makes its files.
  void add(const std::string& name, std::string_view bytes);

  // What of it was kept, in words.
  std::string lose_power(Prng& chance);

  bool is_full = false;  // no file may grow

  // Notes of the file calls. Paths are absolute.
  void opened(int descriptor, const std::string& path, bool is_new);
  void closed(int descriptor);
  // Before the bytes of a file change: the size it will have at least, and what stands there now.
  void will_write(int descriptor, off_t at, std::string_view bytes);
  void will_cut(int descriptor, off_t size);
  void synced(int descriptor);
  void will_rename(const std::string& from, const std::string& to);
  void will_remove(const std::string& path);
  void linked(const std::string& path);
  void made_folder(const std::string& path);
  // Of an open file of this disk; empty for others.
  [[nodiscard]] std::string_view path_of(int descriptor) const;

 private:
  // Bytes of a file that only the page cache has.
  struct Change {
    off_t at = 0;
    off_t size_before = 0;
    std::string before;                // what stood there
    std::string after;                 // of a write
    std::optional<off_t> cut_to = {};  // of a cut
  };
  // An entry of a folder that only the page cache has.
  struct Entry {
    enum class Kind : std::uint8_t { made, renamed, removed, folder };
    Kind kind = Kind::made;
    std::string path;  // the entry that is new or gone
    std::string from = {};
    std::optional<std::string> replaced = {};  // the bytes that had this name before
  };

  void lose_bytes(const std::string& path, const std::vector<Change>& changes, Prng& chance, std::string& told) const;
  void undo(const Entry& entry) const;
  void forget_bytes(const std::string& path) { changes_.erase(path); }

  std::filesystem::path folder_;
  std::map<int, std::string> open_;
  std::map<std::string, std::vector<Change>> changes_;  // by path
  std::vector<Entry> entries_;                          // in their order
};

}  // namespace svc::vopr
