#include "cli/commands/header_catalog.h"

#include <algorithm>
#include <array>

namespace svc::cli {
namespace {

constexpr std::array headers{
    HeaderInfo{"X-API-Key", SentBy::client, "id of the HMAC key that signed the request"},
    HeaderInfo{"X-Timestamp", SentBy::client,
               "Unix milliseconds when the request was signed; refused beyond 30 s from the server's clock"},
    HeaderInfo{"X-Signature", SentBy::client,
               "signature of the request: HMAC in hex, or that of an agent or owner key"},
    HeaderInfo{"X-Agent-Address", SentBy::client, "agent key that signed the request"},
    HeaderInfo{"X-Nonce", SentBy::client,
               "number used once by the key that signed; kept in a file shared by all processes"},
    HeaderInfo{"Authorization", SentBy::client, "bearer token of a session, or the operator's secret"},
    HeaderInfo{"X-Action-Signature", SentBy::client, "EIP-712 signature of the action, beside the credential"},
    HeaderInfo{"X-Action-Timestamp", SentBy::client,
               "timestampMs of the signed action, within 30 s of the server's clock"},
    HeaderInfo{"X-Action-Nonce", SentBy::client, "nonce of the signed action"},
    HeaderInfo{"X-Acting-Account", SentBy::client, "account of the signed action where it is not the credential's own"},
    HeaderInfo{"X-Svc-Api-Version", SentBy::client,
               "version of the interface this client was written against; below the "
               "server's minimum the answer is 426"},
    HeaderInfo{"Idempotency-Key", SentBy::client,
               "names a bridge withdrawal, so that the same request may be sent again; another amount is a conflict"},
    HeaderInfo{"X-Account-Id", SentBy::client, "retired: the account goes into the signed body; the answer is 426"},
    HeaderInfo{"X-RateLimit-Limit", SentBy::server, "requests of cost one that the budget holds when full"},
    HeaderInfo{"X-RateLimit-Remaining", SentBy::server,
               "requests of cost one left in the budget; a heavy request takes several"},
    HeaderInfo{"X-RateLimit-Reset", SentBy::server, "with a 429: Unix seconds when there will be room again"},
    HeaderInfo{"X-RateLimit-Bucket", SentBy::server,
               "with a 429: the budget that ran out: key, owner, order, cancel, ip or login"},
    HeaderInfo{"Retry-After", SentBy::server, "seconds to wait before the same request can succeed"},
    HeaderInfo{"X-Next-Cursor", SentBy::server, "where the next page begins; svc reads it with --all"},
    HeaderInfo{"X-Svc-Api-Min-Version", SentBy::server, "with a 426: the oldest version that is served"},
    HeaderInfo{"Deprecation", SentBy::server,
               "the version in use is to be retired; it is served as before until Sunset"},
    HeaderInfo{"Sunset", SentBy::server, "the date after which the version in use is refused with 426"},
    HeaderInfo{"Link", SentBy::server, "with rel=deprecation: where the guidance about a retirement is"},
    HeaderInfo{"Date", SentBy::server, "the server's clock; the difference from ours is measured by it"},
};

bool same(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::span<const HeaderInfo> header_catalog() {
  return headers;
}

const HeaderInfo* find_header(std::string_view name) {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const HeaderInfo& one) { return same(one.name, name); });
  return found == headers.end() ? nullptr : &*found;
}

}  // namespace svc::cli
