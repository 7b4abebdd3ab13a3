// How far a journal was acknowledged, in a small file beside it: what SQLite alone cannot tell, because it
// drops the end of a damaged write-ahead log as if it had never been written.
//
// Two slots are written in turn, so that one is whole whatever happens. The file is not synced with every
// note: after a power failure it may be behind, which only makes it know less. It is synced whenever it
// must not know less.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "sim/sequencer/state_folder.h"

namespace svc::sim {

struct Acknowledgement {
  static constexpr std::uint64_t nothing = 0;
  static constexpr std::uint64_t everything = 1;

  std::uint64_t position = 0;       // every entry up to here was acknowledged ...
  std::uint64_t link = 0;           // ... and this is the link of the last
  std::uint64_t refused = nothing;  // what stands after it and ends in this link was refused to its writers and must go

  bool operator==(const Acknowledgement&) const = default;
};

class AcknowledgementFile {
 public:
  enum class Sync : std::uint8_t { no, yes };

  // Reads what is there and changes nothing: the first note creates the file if there is none.
  [[nodiscard]] static Result<AcknowledgementFile, std::string> open(const std::filesystem::path& path,
                                                                     const DiskName& disk = {});

  // The latest whole note; nullopt if there is none.
  [[nodiscard]] std::optional<Acknowledgement> latest() const { return latest_; }
  [[nodiscard]] bool was_empty() const { return was_empty_; }
  // The end of the file is gone, and may have held a later note.
  [[nodiscard]] bool is_cut_off() const { return is_cut_off_; }
  [[nodiscard]] bool note(const Acknowledgement& acknowledgement, Sync sync);

 private:
  AcknowledgementFile(std::filesystem::path path, DiskName disk) : path_(std::move(path)), disk_(std::move(disk)) {}
  void load(const DiskFile& file);

  std::filesystem::path path_;
  DiskName disk_;
  std::optional<DiskFile> file_;  // from the first note on
  bool was_empty_ = true;
  bool is_cut_off_ = false;
  std::uint64_t serial_ = 0;
  std::optional<Acknowledgement> latest_;
};

}  // namespace svc::sim
