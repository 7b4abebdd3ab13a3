#include "sim/sequencer/write_ahead_log.h"

#include <array>
#include <string>
#include <string_view>

namespace svc::sim {
namespace {

constexpr std::size_t head_bytes = 32;        // of the file: eight words
constexpr std::size_t frame_head_bytes = 24;  // of a frame: six words, then the page
constexpr std::uint32_t magic = 0x377f0682;   // the lowest bit: checksums are of big-endian words
constexpr std::uint32_t page_bytes_max = 65'536;

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
  return word;
}

struct Checksum {
  std::uint32_t first = 0;
  std::uint32_t second = 0;

  bool operator==(const Checksum&) const = default;
};

Checksum checksum_at(std::string_view bytes, std::size_t at) {
  return {big_endian(bytes, at), big_endian(bytes, at + 4)};
}

enum class WordOrder : std::uint8_t { little_endian, big_endian };

Checksum folded(Checksum sum, std::string_view bytes, WordOrder order) {
  const auto word = [&](std::size_t at) {
    const std::uint32_t value = big_endian(bytes, at);
    return order == WordOrder::big_endian ? value : __builtin_bswap32(value);
  };
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    sum.first += word(at) + sum.second;
    sum.second += word(at + 4) + sum.first;
  }
  return sum;
}

}  // namespace

std::optional<std::uint64_t> damaged_frame(const std::filesystem::path& log, const DiskName& disk) {
  if (!DiskFile::is_there(log, disk)) return std::nullopt;
  const auto file = DiskFile::open(log, DiskFile::Access::read, disk);
  std::array<char, head_bytes> head{};
  if (!file || !file->read(0, head)) return std::nullopt;
  const std::string_view head_text(head.data(), head.size());
  const std::uint32_t page_bytes = big_endian(head_text, 8);
  if ((big_endian(head_text, 0) & ~1u) != magic || page_bytes < sqlite_page_bytes_min || page_bytes > page_bytes_max)
    return std::nullopt;
  const WordOrder order = (big_endian(head_text, 0) & 1) != 0 ? WordOrder::big_endian : WordOrder::little_endian;
  // A head that does not fit was being written when the log began anew: all before is in the database by then.
  if (folded({}, head_text.substr(0, 24), order) != checksum_at(head_text, 24)) return std::nullopt;

  std::optional<std::uint64_t> broken;
  bool ended = false;  // a transaction, with the frame before
  Checksum before = checksum_at(head_text, 24);
  std::string frame(frame_head_bytes + page_bytes, '\0');
  for (std::uint64_t number = 1;; ++number) {
    const auto at = static_cast<std::int64_t>(head_bytes + (number - 1) * frame.size());
    if (!file->read(at, frame)) return std::nullopt;
    const std::string_view text = frame;
    const Checksum sum = folded(folded(before, text.substr(0, 8), order), text.substr(frame_head_bytes), order);
    const Checksum noted = checksum_at(text, 16);
    before = noted;
    // Frames of an earlier use of the file have other salts, and fit nothing that stands before them now.
    const bool is_of_this_log = text.substr(8, 8) == head_text.substr(16, 8);
    const bool fits = sum == noted && is_of_this_log;
    if (broken && fits && ended) return broken;
    if (!fits && !broken) broken = number;
    ended = big_endian(text, 4) != 0 && (is_of_this_log || sum == noted);
  }
}

}  // namespace svc::sim
