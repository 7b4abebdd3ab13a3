#include "signing/canonical_request.h"

#include "base/hex.h"

namespace svc::signing {
namespace {

void append_line(std::string& out, std::string_view line) {
  out += line;
  out += '\n';
}

std::string upper_case(std::string_view method) {
  std::string result(method);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

}  // namespace

std::string hmac_canonical(const RequestParts& request, TimestampMs timestamp_ms) {
  std::string text;
  text.reserve(128 + request.path.size() + request.query.size());
  append_line(text, std::to_string(timestamp_ms));
  append_line(text, upper_case(request.method));
  append_line(text, request.path);
  append_line(text, request.query);
  text += to_hex(sha256(request.body));
  return text;
}

std::string agent_canonical(const RequestParts& request, TimestampMs timestamp_ms, std::uint64_t nonce) {
  std::string text;
  text.reserve(160 + request.path.size() + request.query.size());
  append_line(text, upper_case(request.method));
  append_line(text, request.path);
  append_line(text, request.query);
  append_line(text, to_hex(sha256(request.body)));
  append_line(text, std::to_string(timestamp_ms));
  text += std::to_string(nonce);
  return text;
}

Hash32 agent_request_digest(std::string_view canonical) {
  return keccak256(canonical);
}

}  // namespace svc::signing
