#include "sim/sequencer/acknowledgement_file.h"

#include <array>
#include <bit>

#include "sim/sequencer/chain.h"

namespace svc::sim {
namespace {

// Five words, lowest byte first: serial, position, link, refused, seal of the four.
constexpr std::size_t slot_words = 5;
constexpr std::size_t slot_bytes = slot_words * 8;
using Slot = std::array<std::uint64_t, slot_words>;
using SlotBytes = std::array<char, slot_bytes>;
static_assert(std::endian::native == std::endian::little, "slots are copied as they are");

std::uint64_t seal_of(const Slot& slot) {
  Chain chain(0);
  for (std::size_t i = 0; i + 1 < slot_words; ++i) chain.add(slot[i]);
  return chain.value();
}

}  // namespace

Result<AcknowledgementFile, std::string> AcknowledgementFile::open(const std::filesystem::path& path,
                                                                   const DiskName& disk) {
  AcknowledgementFile acknowledged(path, disk);
  if (!DiskFile::is_there(path, disk)) return acknowledged;
  const auto file = SVC_TRY(DiskFile::open(path, DiskFile::Access::read, disk));
  acknowledged.load(file);
  return acknowledged;
}

void AcknowledgementFile::load(const DiskFile& file) {
  was_empty_ = file.size() == 0;
  for (std::int64_t at = 0; at < 2; ++at) {
    SlotBytes bytes{};
    if (!file.read(at * static_cast<std::int64_t>(slot_bytes), bytes)) continue;
    const auto slot = std::bit_cast<Slot>(bytes);
    if (slot[0] == 0 || slot[4] != seal_of(slot) || slot[0] <= serial_) continue;
    serial_ = slot[0];
    latest_ = Acknowledgement{.position = slot[1], .link = slot[2], .refused = slot[3]};
  }
  // The first note is written into the second slot.
  is_cut_off_ = serial_ > 1 && file.size() < static_cast<std::int64_t>(2 * slot_bytes);
}

bool AcknowledgementFile::note(const Acknowledgement& acknowledgement, Sync sync) {
  if (!file_) {
    auto file = DiskFile::open(path_, DiskFile::Access::write, disk_);
    if (!file) return false;
    file_.emplace(std::move(*file));
  }
  Slot slot{serial_ + 1, acknowledgement.position, acknowledgement.link, acknowledgement.refused, 0};
  slot[4] = seal_of(slot);
  const auto bytes = std::bit_cast<SlotBytes>(slot);
  const auto at = static_cast<std::int64_t>((slot[0] % 2) * slot_bytes);
  if (!file_->write(at, std::string_view(bytes.data(), bytes.size()))) return false;
  serial_ = slot[0];
  latest_ = acknowledgement;
  return sync == Sync::no || file_->sync();
}

}  // namespace svc::sim
