#include "sim/sequencer/acknowledgement.h"

#include <array>
#include <string_view>

#include "sim/sequencer/chain.h"

namespace svc::sim {
namespace {

// Five words, lowest byte first: serial, position, link, refused, seal of the four.
constexpr std::size_t slot_words = 5;
constexpr std::size_t slot_bytes = slot_words * 8;
using Slot = std::array<std::uint64_t, slot_words>;
using SlotBytes = std::array<char, slot_bytes>;

std::uint64_t seal_of(const Slot& slot) {
  Chain chain(0);
  for (std::size_t i = 0; i + 1 < slot_words; ++i) chain.add(slot[i]);
  return chain.value();
}

SlotBytes bytes_of(const Slot& slot) {
  SlotBytes bytes{};
  for (std::size_t i = 0; i < slot_bytes; ++i) bytes[i] = static_cast<char>(slot[i / 8] >> (8 * (i % 8)));
  return bytes;
}

Slot slot_of(const SlotBytes& bytes) {
  Slot slot{};
  for (std::size_t i = 0; i < slot_bytes; ++i)
    slot[i / 8] |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * (i % 8));
  return slot;
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
    const Slot slot = slot_of(bytes);
    if (slot[0] == 0 || slot[4] != seal_of(slot) || slot[0] <= serial_) continue;
    serial_ = slot[0];
    latest_ = Acknowledgement{.position = slot[1], .link = slot[2], .refused = slot[3] != 0};
  }
}

bool AcknowledgementFile::note(const Acknowledgement& acknowledgement, Sync sync) {
  if (!file_) {
    auto file = DiskFile::open(path_, DiskFile::Access::write, disk_);
    if (!file) return false;
    file_.emplace(std::move(*file));
  }
  Slot slot{serial_ + 1, acknowledgement.position, acknowledgement.link, acknowledgement.refused ? 1u : 0u, 0};
  slot[4] = seal_of(slot);
  const SlotBytes bytes = bytes_of(slot);
  const auto at = static_cast<std::int64_t>((slot[0] % 2) * slot_bytes);
  if (!file_->write(at, std::string_view(bytes.data(), bytes.size()))) return false;
  serial_ = slot[0];
  latest_ = acknowledgement;
  return sync == Sync::no || file_->sync();
}

}  // namespace svc::sim
