#include "cli/client/proof.h"

#include <algorithm>
#include <array>

namespace svc::cli::outbox {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::accepted: return "accepted";
    case Verdict::rejected: return "rejected";
    case Verdict::not_accepted: return "not_accepted";
    case Verdict::not_seen: return "not_seen";
    case Verdict::unknown: return "unknown";
  }
  SVC_ASSERT(false);
}

const Proof* find_proof(std::string_view operation) {
  for (const std::span<const Proof> proofs : {order_proofs(), money_proofs(), setting_proofs()}) {
    const auto found =
        std::find_if(proofs.begin(), proofs.end(), [&](const Proof& p) { return p.operation == operation; });
    if (found != proofs.end()) return &*found;
  }
  return nullptr;
}

bool leaves_no_trace(std::string_view operation) {
  constexpr std::array<std::string_view, 5> names{"login", "preview_order", "mint_stream_token",
                                                  "mint_public_stream_token", "create_wallet_challenge"};
  return std::find(names.begin(), names.end(), operation) != names.end();
}

}  // namespace svc::cli::outbox
