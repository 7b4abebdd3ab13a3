#include "sim/gateway/request_log.h"

#include <algorithm>
#include <utility>

namespace svc::sim {

void RequestLog::add(RequestLogEntry entry) {
  for (std::string* text : {&entry.method, &entry.path, &entry.note})
    text->resize(std::min(text->size(), limits::request_log_text_max));
  const std::lock_guard lock(mutex_);
  entry.number = ++last_number_;
  entries_.push_back(std::move(entry));
  if (entries_.size() > capacity_) entries_.pop_front();
}

std::vector<RequestLogEntry> RequestLog::since(std::uint64_t after) const {
  const std::lock_guard lock(mutex_);
  const auto first = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const RequestLogEntry& entry) { return entry.number > after; });
  return {first, entries_.end()};
}

}  // namespace svc::sim
