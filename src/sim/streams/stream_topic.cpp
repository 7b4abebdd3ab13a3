#include "sim/streams/stream_topic.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/assert.h"
#include "sim/streams/text_frame.h"

namespace svc::sim {

void StreamTopic::remember(const Stamp& stamp, StreamContent content) {
  kept_.push_back({seq_, stamp, std::move(content)});
  if (kept_.size() > replay_max_) kept_.pop_front();
}

void StreamTopic::forget() {
  kept_.clear();
  advance();
}

std::optional<std::uint64_t> StreamTopic::oldest() const {
  if (kept_.empty()) return std::nullopt;
  return kept_.front().seq;
}

bool StreamTopic::can_resume(std::uint64_t since) const {
  if (since == seq_) return true;
  return since < seq_ && !kept_.empty() && kept_.front().seq <= since + 1;
}

std::deque<StreamEntry>::const_iterator StreamTopic::after(std::uint64_t since) const {
  SVC_ASSERT(can_resume(since));
  return kept_.end() - static_cast<std::ptrdiff_t>(seq_ - since);
}

void StreamTopic::leave(const Subscription& subscription) {
  const auto found = std::ranges::find(readers_, &subscription);
  SVC_ASSERT(found != readers_.end());
  *found = readers_.back();
  readers_.pop_back();
}

bool StreamTopic::add_frame(std::string_view payload) {
  const bool first = frames_.empty();
  append_text_frame(frames_, payload);
  frame_ends_.push_back(frames_.size());
  return first;
}

void StreamTopic::flush() {
  const StreamBatch batch{.bytes = std::make_shared<const std::string>(std::exchange(frames_, {})),
                          .ends = frame_ends_};
  // From the last on: whoever leaves while it is told is replaced by one that was told already.
  for (std::size_t i = readers_.size(); i-- > 0;) readers_[i]->reader->deliver(*readers_[i], batch);
  frame_ends_.clear();
}

void StreamTopic::tell_lost() {
  for (std::size_t i = readers_.size(); i-- > 0;) readers_[i]->reader->events_lost(*readers_[i]);
}

}  // namespace svc::sim
