// A recorded run: every command that the engine carried out, with the time since the exchange began. Another run plays
// the tape back with house accounts in place of the original ones: no account of a user is touched. (D-397)
//
// Format, one line of JSON first, then one per command, gaps of time in milliseconds:
//
//   {"format":"svc-tape","version":5,"markets":["BTC-USDX-PERP",...],"began_ms":1790000000000,"oracle_ages":true}
//   MS <tab> command (an archive, base64) <tab> numbers of the orders it made, separated by commas; 0: none
//      <tab> checksum of all lines up to here, this one without it
//
// A tape may end after any line: its run may have been killed.
//
// Absolute times in a command (the expiry of an order) are shifted on playback: they are as far from the beginning
// as when recorded.
#pragma once

#include <atomic>
#include <filesystem>

#include "base/descriptor.h"
#include "base/result.h"
#include "sim/engine/engine.h"
#include "sim/sequencer/schedule.h"

namespace svc::sim {

inline constexpr std::size_t tape_bytes_max = 1024u << 20;

struct TapeLine {
  std::int64_t at_ms = 0;  // since the recorded exchange began
  CommandBody command;
};

// Read and checked completely.
class Tape {
 public:
  // The error is one sentence that names the line.
  [[nodiscard]] static Result<std::shared_ptr<const Tape>, std::string> load(
      const std::filesystem::path& path, std::span<const engine::MarketSpec> markets);

  [[nodiscard]] const std::vector<TapeLine>& lines() const { return lines_; }
  [[nodiscard]] TimestampMs began_ms() const { return began_ms_; }
  // Whether markets went stale without prices where it was recorded.
  [[nodiscard]] bool oracle_ages() const { return oracle_ages_; }
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  std::vector<TapeLine> lines_;  // orders are named by the first of their amendments
  TimestampMs began_ms_ = 0;
  bool oracle_ages_ = false;
  std::uint64_t fingerprint_ = 0;
};

// Records commands, until the file cannot be written any more or the sandbox becomes another state.
class TapeRecorder final : public CommandWitness {
 public:
  // An existing tape is refused and not overwritten.
  [[nodiscard]] static Result<std::unique_ptr<TapeRecorder>, std::string> create(
      const std::filesystem::path& path, std::span<const engine::MarketSpec> markets, TimestampMs began_ms);

  // `header` is the first line, which was written.
  TapeRecorder(Descriptor file, TimestampMs began_ms, std::string_view header);

  void witness(const engine::Command& command, const engine::Outcome& outcome) override;
  // A tape goes on in one direction: it ends before a revert, a load or a reset.
  void break_off() { end("the sandbox became another state, and the tape ends before that"); }

  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  // Why it ended early; null: it did not.
  [[nodiscard]] const char* problem() const { return problem_; }

 private:
  void end(const char* problem) {
    if (problem_ == nullptr) problem_ = problem;
  }

  const Descriptor file_;
  std::int64_t bytes_;  // of whole lines
  TimestampMs last_ms_;
  std::uint64_t chain_;  // of the lines so far
  std::uint64_t newest_order_ = 0;
  std::atomic<std::uint64_t> lines_{0};
  std::atomic<const char*> problem_{nullptr};
};

// The position on the tape.
class TapePlayer {
 public:
  TapePlayer(std::shared_ptr<const Tape> tape, TimestampMs begins_ms, std::uint64_t next_line)
      : tape_(std::move(tape)), begins_ms_(begins_ms), next_(next_line) {}

  struct Progress {
    std::uint64_t played = 0;  // lines
    std::uint64_t lines = 0;
  };
  [[nodiscard]] Progress progress() const { return {next_, tape_->lines().size()}; }
  [[nodiscard]] bool is_over() const { return next_ >= tape_->lines().size(); }
  [[nodiscard]] std::optional<ActorTurns::Turn> next_turn() const {
    if (is_over()) return std::nullopt;
    const TapeLine& line = tape_->lines()[next_];
    const bool prices = std::holds_alternative<engine::OracleTick>(line.command);
    return ActorTurns::Turn{.at_ms = begins_ms_ + line.at_ms,
                            .kind = prices ? ActorTurns::Kind::prices : ActorTurns::Kind::orders};
  }
  // All commands of that instant that fit in one commit.
  [[nodiscard]] std::vector<Unit> take(const engine::Engine& engine);

 private:
  std::shared_ptr<const Tape> tape_;
  TimestampMs begins_ms_;
  std::uint64_t next_;
};

}  // namespace svc::sim
