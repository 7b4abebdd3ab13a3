#include "sim/sequencer/acknowledgement.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sim/sequencer/chain.h"

namespace svc::sim {
namespace {

// Five words, lowest byte first: serial, position, link, refused, seal of the four.
constexpr std::size_t slot_words = 5;
constexpr std::size_t slot_bytes = slot_words * 8;
using Slot = std::array<std::uint64_t, slot_words>;
using SlotBytes = std::array<unsigned char, slot_bytes>;

std::uint64_t seal_of(const Slot& slot) {
  Chain chain(0);
  for (std::size_t i = 0; i + 1 < slot_words; ++i) chain.add(slot[i]);
  return chain.value();
}

SlotBytes bytes_of(const Slot& slot) {
  SlotBytes bytes{};
  for (std::size_t i = 0; i < slot_bytes; ++i) bytes[i] = static_cast<unsigned char>(slot[i / 8] >> (8 * (i % 8)));
  return bytes;
}

Slot slot_of(const SlotBytes& bytes) {
  Slot slot{};
  for (std::size_t i = 0; i < slot_bytes; ++i) slot[i / 8] |= static_cast<std::uint64_t>(bytes[i]) << (8 * (i % 8));
  return slot;
}

}  // namespace

Result<AcknowledgementFile, std::string> AcknowledgementFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return unexpected("cannot open " + path.string() + ": " + std::strerror(errno));
  AcknowledgementFile file(descriptor);
  file.load();
  return file;
}

AcknowledgementFile::AcknowledgementFile(AcknowledgementFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      was_empty_(other.was_empty_),
      serial_(other.serial_),
      latest_(other.latest_) {}

AcknowledgementFile::~AcknowledgementFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void AcknowledgementFile::load() {
  was_empty_ = ::lseek(descriptor_, 0, SEEK_END) == 0;
  for (off_t at = 0; at < 2; ++at) {
    SlotBytes bytes{};
    if (::pread(descriptor_, bytes.data(), slot_bytes, at * static_cast<off_t>(slot_bytes)) !=
        static_cast<ssize_t>(slot_bytes))
      continue;
    const Slot slot = slot_of(bytes);
    if (slot[0] == 0 || slot[4] != seal_of(slot) || slot[0] <= serial_) continue;
    serial_ = slot[0];
    latest_ = Acknowledgement{.position = slot[1], .link = slot[2], .refused = slot[3] != 0};
  }
}

bool AcknowledgementFile::note(const Acknowledgement& acknowledgement, Sync sync) {
  Slot slot{serial_ + 1, acknowledgement.position, acknowledgement.link, acknowledgement.refused ? 1u : 0u, 0};
  slot[4] = seal_of(slot);
  const SlotBytes bytes = bytes_of(slot);
  const auto at = static_cast<off_t>((slot[0] % 2) * slot_bytes);
  if (::pwrite(descriptor_, bytes.data(), slot_bytes, at) != static_cast<ssize_t>(slot_bytes)) return false;
  serial_ = slot[0];
  latest_ = acknowledgement;
  return sync == Sync::no || ::fdatasync(descriptor_) == 0;
}

}  // namespace svc::sim
