// What a journal on SQLite cannot beat: the same bytes into the same table under the same settings, and nothing else.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/archive.h"
#include "base/clock.h"
#include "sim/sequencer/journal.h"
#include "sim/sequencer/sqlite_file.h"

namespace svc::bench {

class BareJournal {
 public:
  // Commits before the first turn: by then SQLite writes its log from the beginning again. As long as that file grows,
  // each sync costs a commit of the file system as well.
  static constexpr std::int64_t warm_up_commits = 1'000;

  BareJournal(const std::filesystem::path& path, const sim::Unit& unit)
      : file_(sim::SqliteFile::open(path)), unit_(to_archive(unit)) {
    run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    run("CREATE TABLE log (position INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, unit BLOB NOT NULL, link INTEGER NOT "
        "NULL)");
  }

  // Rows a second with so many in a commit.
  double turn(std::size_t group, std::chrono::duration<double> lasts) {
    using Steady = std::chrono::steady_clock;
    auto insert = file_->prepare("INSERT INTO log (position, at_ms, unit, link) VALUES (?, ?, ?, ?)");
    auto start = file_->prepare("BEGIN IMMEDIATE");
    auto end = file_->prepare("COMMIT");
    const auto step = [](sim::SqliteStatement& statement) {
      if (!statement.run()) std::exit(1);
    };
    const auto commit = [&] {
      step(*start);
      const TimestampMs now_ms = SystemClock().now_ms();
      for (std::size_t i = 0; i < group; ++i) {
        ++position_;
        link_ = sim::next_link(link_, static_cast<std::uint64_t>(position_), now_ms, {});
        insert->bind(position_, now_ms, unit_, link_);
        step(*insert);
      }
      step(*end);
    };
    for (; commits_ < warm_up_commits; ++commits_) commit();
    const std::int64_t first = position_;
    const auto begin = Steady::now();
    while (Steady::now() - begin < lasts) commit();
    return static_cast<double>(position_ - first) / std::chrono::duration<double>(Steady::now() - begin).count();
  }

 private:
  void run(const char* sql) {
    if (!file_ || !file_->run(sql)) std::exit(1);
  }

  Result<sim::SqliteFile, std::string> file_;
  const std::string unit_;
  std::int64_t commits_ = 0;
  std::int64_t position_ = 0;
  std::uint64_t link_ = 0;
};

}  // namespace svc::bench
