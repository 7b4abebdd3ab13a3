#include "bench/op_stream.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <list>
#include <map>

#include "base/random.h"

namespace svc::bench {
namespace {

constexpr int start_mid_ticks = 33'504;

// Draws of the stream's format: they decide its bytes.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((splitmix64(state_) >> 32) * bound >> 32);
  }
  int ticks_away(std::uint32_t nearness, int most) {
    int ticks = 0;
    while (ticks < most && below(256) >= nearness) ++ticks;
    return ticks;
  }

 private:
  std::uint64_t state_;
};

// The slow and obvious book that says what is right.
class ObviousBook {
 public:
  // Matches, rests what is left of a limit, and reports makers that were used up.
  template <class Gone>
  void submit(const Op& op, Gone gone) {
    auto& opposite = levels_[op.side ^ 1];
    std::uint32_t left = op.lots;
    while (left > 0 && !opposite.empty()) {
      const auto level = op.side == 0 ? opposite.begin() : std::prev(opposite.end());
      if (op.side == 0 ? level->first > op.ticks : level->first < op.ticks) break;
      Resting& maker = level->second.front();
      const std::uint32_t traded = std::min(maker.lots, left);
      result_.hash = fold_fill(result_.hash, maker.id, op.id, static_cast<std::uint64_t>(level->first), traded);
      ++result_.fills;
      result_.lots += traded;
      left -= traded;
      maker.lots -= traded;
      if (maker.lots > 0) continue;
      gone(maker.id);
      places_.erase(maker.id);
      level->second.pop_front();
      if (level->second.empty()) opposite.erase(level);
    }
    if (left == 0 || op.type != OpType::limit) return;
    auto& level = levels_[op.side][op.ticks];
    level.push_back({op.id, left});
    places_[op.id] = {op.side, op.ticks, std::prev(level.end())};
  }

  // The side of the order taken off.
  std::uint8_t cancel(std::uint32_t id) {
    const auto place = places_.at(id);
    const auto level = levels_[place.side].find(place.ticks);
    level->second.erase(place.order);
    if (level->second.empty()) levels_[place.side].erase(level);
    places_.erase(id);
    return place.side;
  }

  [[nodiscard]] bool rests(std::uint32_t id) const { return places_.contains(id); }
  [[nodiscard]] Expectation result() const {
    Expectation result = result_;
    result.resting = places_.size();
    return result;
  }

 private:
  struct Resting {
    std::uint32_t id, lots;
  };
  struct Place {
    std::uint8_t side = 0;
    int ticks = 0;
    std::list<Resting>::iterator order;
  };
  std::map<int, std::list<Resting>> levels_[2];
  std::map<std::uint32_t, Place> places_;
  Expectation result_;
};

// Live ids, drawn from by position; removal moves the last one into the gap.
class LiveIds {
 public:
  explicit LiveIds(std::size_t ids_max) : position_(ids_max + 1, 0) {}
  void add(std::uint32_t id) {
    ids_.push_back(id);
    position_[id] = ids_.size();
  }
  void remove(std::uint32_t id) {
    const std::size_t position = position_[id];
    if (position == 0) return;
    const std::uint32_t last = ids_.back();
    ids_[position - 1] = last;
    position_[last] = position;
    ids_.pop_back();
    position_[id] = 0;
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }
  [[nodiscard]] std::uint32_t at(std::uint32_t index) const { return ids_[index]; }

 private:
  std::vector<std::uint32_t> ids_;
  std::vector<std::size_t> position_;  // 1 + index in ids_, 0 if not live
};

struct FileHeader {
  char magic[8] = {'O', 'P', 'S', 'T', 'R', 'M', '0', '1'};
  std::uint32_t version = 1;
  std::uint32_t record_bytes = sizeof(Op);
  std::uint64_t count = 0;
  std::uint64_t seed = 0;
  Expectation expected;
};
static_assert(sizeof(FileHeader) == 64);

}  // namespace

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : profiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

OpStream generate(const Profile& profile, std::uint64_t seed, std::size_t count) {
  constexpr std::uint32_t young = 256;
  Draws draws(seed);
  ObviousBook book;
  LiveIds live(count + 1);
  OpStream stream{seed, {}, {}};
  stream.ops.reserve(count);
  std::uint32_t next_id = 1;
  int mid = start_mid_ticks;
  while (stream.ops.size() < count) {
    if (draws.below(profile.mid_step_ops) == 0) mid += draws.below(2) != 0 ? 1 : -1;
    const std::uint32_t draw = draws.below(1000);
    const bool wants_cancel =
        draw >= profile.limit_per_mille && draw < profile.limit_per_mille + profile.cancel_per_mille;
    Op op;
    if (wants_cancel && live.size() > profile.resting_floor) {
      const bool recent = profile.cancels_young && live.size() > young && draws.below(100) < 95;
      op.type = OpType::cancel;
      op.id = live.at(recent ? live.size() - 1 - draws.below(young) : draws.below(live.size()));
      op.side = book.cancel(op.id);
      live.remove(op.id);
    } else {
      const bool limit = wants_cancel || draw < profile.limit_per_mille;
      op.type = limit ? OpType::limit : OpType::ioc;
      op.id = next_id++;
      op.side = static_cast<std::uint8_t>(draws.below(2));
      op.lots = 1 + draws.below(100);
      const int away = limit ? 1 + draws.ticks_away(profile.nearness, 400) : -(5 + draws.ticks_away(64, 40));
      op.ticks = op.side == 0 ? mid - away : mid + away;
      book.submit(op, [&](std::uint32_t id) { live.remove(id); });
      if (book.rests(op.id)) live.add(op.id);
    }
    stream.ops.push_back(op);
  }
  stream.expected = book.result();
  return stream;
}

std::optional<OpStream> load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  FileHeader header;
  const FileHeader layout;
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  if (std::memcmp(header.magic, layout.magic, sizeof header.magic) != 0) return std::nullopt;
  if (header.record_bytes != sizeof(Op)) return std::nullopt;
  OpStream stream{header.seed, header.expected, {}};
  stream.ops.resize(header.count);
  if (!in.read(reinterpret_cast<char*>(stream.ops.data()), static_cast<std::streamsize>(header.count * sizeof(Op)))) {
    return std::nullopt;
  }
  return stream;
}

bool save(const OpStream& stream, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  FileHeader header;
  header.count = stream.ops.size();
  header.seed = stream.seed;
  header.expected = stream.expected;
  out.write(reinterpret_cast<const char*>(&header), sizeof header);
  out.write(reinterpret_cast<const char*>(stream.ops.data()),
            static_cast<std::streamsize>(stream.ops.size() * sizeof(Op)));
  return out.good();
}

}  // namespace svc::bench
