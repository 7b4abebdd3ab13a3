// Deadlines of many connections, kept to one tick, for the price of a store: an entry whose deadline
// moves back stays where it is until its old slot comes up, and is put on from there.
//
// Not thread-safe. Entries live in their owners; one that is destroyed leaves the wheel by itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"

namespace svc::sim {

class TimerWheel {
  struct Link {
    Link* previous = this;
    Link* next = this;

    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    [[nodiscard]] bool linked() const { return next != this; }
    void unlink() {
      previous->next = next;
      next->previous = previous;
      previous = next = this;
    }
    void link_before(Link& other) {
      previous = other.previous;
      next = &other;
      previous->next = this;
      other.previous = this;
    }
  };

 public:
  using Tick = std::uint64_t;
  static constexpr Tick never = ~Tick{0};

  class Entry : private Link {
   public:
    ~Entry() { unlink(); }
    [[nodiscard]] Tick due() const { return due_; }

   private:
    friend class TimerWheel;
    Tick due_ = never;
    Tick listed_ = never;  // the tick of the slot it is in
  };

  [[nodiscard]] Tick now() const { return now_; }

  // Makes `due` the only deadline of the entry; never: none. A deadline not in the future is the next tick.
  void arm(Entry& entry, Tick due) {
    entry.due_ = due == never ? never : std::max(due, now_ + 1);
    if (entry.due_ < entry.listed_) list(entry);
  }

  // Nothing is listed: no tick needs to be counted until the next arm().
  [[nodiscard]] bool idle() const {
    return std::all_of(slots_.begin(), slots_.end(), [](const Link& slot) { return !slot.linked(); });
  }

  // Calls expire(entry) for every entry that is due at `now` or before; it has no deadline then.
  // expire may arm, disarm and destroy any entry.
  template <class Expire>
  void advance(Tick now, Expire expire) {
    if (now > now_ + slot_count) now_ = now - slot_count;  // every slot is visited once: that is all of them
    while (now_ < now) {
      ++now_;
      Link visited;
      Link& slot = slots_[now_ % slot_count];
      if (!slot.linked()) continue;
      visited.link_before(slot);  // takes over the ring of the slot
      slot.unlink();
      while (visited.linked()) {
        Entry& entry = static_cast<Entry&>(*visited.next);
        entry.unlink();
        entry.listed_ = never;
        if (entry.due_ > now_) {
          if (entry.due_ != never) list(entry);
          continue;
        }
        entry.due_ = never;
        expire(entry);
      }
    }
  }

 private:
  static constexpr std::size_t slot_count = 256;

  void list(Entry& entry) {
    entry.unlink();
    entry.listed_ = std::min(entry.due_, now_ + slot_count - 1);
    entry.link_before(slots_[entry.listed_ % slot_count]);
  }

  Tick now_ = 0;
  std::array<Link, slot_count> slots_;
};

}  // namespace svc::sim
