// A whole venue at one instant: what snapshots keep, and the document that carries it out of the process and back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "sim/engine/ids.h"

namespace svc::sim {

struct VenueImage {
  TimestampMs at_ms = 0;  // the sandbox's clock
  engine::Sequence sequence{};
  std::map<std::string, std::string> networks{};  // by name: the image of its exchange

  [[nodiscard]] std::size_t bytes() const;
};

// {"format","version","now_ms","sequence","checksum","state"}: one line of JSON; `state` is base64.
[[nodiscard]] std::string to_document(const VenueImage& image);
// The error is one sentence: no such document, another version, damaged.
[[nodiscard]] Result<VenueImage, std::string> parse_document(std::string_view document);

}  // namespace svc::sim
