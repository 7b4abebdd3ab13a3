// Follows the public stream, which needs no credential and cannot resume: what was missed during a disconnection is
// reported as a gap.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/stream/stream_client.h"
#include "base/random.h"
#include "cli/client/exchange.h"

namespace svc::cli {

// "trades:BTC-USDX-PERP", "book:*", "stats" from channels and markets as typed; exit 2 for what the stream does not
// have.
Result<std::vector<std::string>, Failure> public_names(const std::vector<std::string>& words);

class PublicFollower {
 public:
  // `context` outlives this.
  PublicFollower(Context& context, Exchange exchange, std::vector<std::string> names, std::uint64_t jitter_seed);

  // As StreamClient::next.
  [[nodiscard]] std::optional<api::StreamNews> next(std::int64_t wait_ms);
  // The complete line of the latest news; once.
  [[nodiscard]] Json take_line() { return std::exchange(line_, Json()); }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

 private:
  [[nodiscard]] std::optional<api::StreamNews> connect(std::int64_t wait_ms);
  [[nodiscard]] api::StreamNews lost(const std::string& why, const std::string& code, std::int64_t retry_after_ms);
  [[nodiscard]] std::optional<api::StreamNews> hear(const std::string& text);
  void keep_alive();

  Context& context_;
  Exchange exchange_;
  std::vector<std::string> names_;
  Prng chance_;
  std::unique_ptr<api::MessageLink> link_;
  Json line_;
  std::optional<Failure> failure_;
  std::size_t failures_ = 0;
  TimestampMs retry_at_ms_ = 0;
  TimestampMs heard_ms_ = 0;
  TimestampMs pinged_ms_ = 0;
  bool ever_ = false;
  bool gap_due_ = false;
};

}  // namespace svc::cli
