// What this user's processes may send together: each request takes its weight from the shared buckets before it
// leaves, and each answer corrects them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/http_message.h"
#include "cli/budget/bucket_file.h"
#include "cli/context.h"
#include "cli/exchange/call.h"
#include "cli/exchange/credentials.h"

namespace svc::cli::budget {

inline constexpr std::int64_t patience_way_out_ms = 2'000;

class Budget {
 public:
  // nullopt with --rate off.
  [[nodiscard]] static Result<std::optional<Budget>, Failure> open(Context& context, std::string_view network);

  // Waits for the tokens. Exit 9 with --rate fail if they are not there, and where the wait would be longer than
  // limits::rate_wait_ms_max; then nothing was taken. The way out waits briefly, and then asks the server.
  [[nodiscard]] Result<void, Failure> take(Context& context, const Call& call, const Credential& credential,
                                           Direction direction);
  void learn(Context& context, const Call& call, const Credential& credential, const api::HttpResponse& response);

 private:
  explicit Budget(BucketFile file, std::optional<std::uint32_t> share_percent)
      : file_(std::move(file)), share_percent_(share_percent) {}
  [[nodiscard]] std::vector<Demand> demands(const Call& call, const Credential& credential) const;

  BucketFile file_;
  std::optional<std::uint32_t> share_percent_;
};

}  // namespace svc::cli::budget
