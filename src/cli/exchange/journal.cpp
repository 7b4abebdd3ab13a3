#include "cli/exchange/journal.h"

#include "base/hex.h"
#include "cli/exchange/redaction.h"
#include "cli/files/private_file.h"
#include "cli/render.h"
#include "signing/hash.h"

namespace svc::cli {
namespace {

constexpr std::int64_t journal_version = 1;

Result<void, Failure> append(const std::filesystem::path& folder, TimestampMs at_ms, const Json& line) {
  const std::string day = rfc3339(at_ms).substr(0, 10);
  return append_private(folder / (day + ".ndjson"), line.dump() + "\n");
}

}  // namespace

Result<void, Failure> Journal::intend(const Intent& intent, const Call& call) const {
  Json client_ids = Json::array();
  for (const std::string& id : call.client_ids) client_ids.push(id);
  const auto body = parse_json(shown_body(call.body, Stand::size));
  Json line = Json::object({{"version", journal_version},
                            {"type", "intent"},
                            {"id", intent.id},
                            {"time", rfc3339(intent.at_ms)},
                            {"time_ms", intent.at_ms},
                            {"command", intent.command},
                            {"operation", call.operation->name},
                            {"method", api::to_string(call.operation->method)},
                            {"target", intent.target}});
  line.set("account", intent.account.empty() ? Json() : Json(intent.account));
  line.set("client_ids", std::move(client_ids));
  line.set("nonce", intent.nonce ? Json(std::to_string(*intent.nonce)) : Json());
  line.set("body_sha256", to_hex(signing::sha256(call.body)));
  line.set("body", body ? *body : Json());
  return append(folder_, intent.at_ms, line);
}

Result<void, Failure> Journal::conclude(std::string_view id, TimestampMs at_ms, std::optional<int> status,
                                        std::string_view code, ExitCode exit) const {
  const Json line =
      Json::object({{"version", journal_version},
                    {"type", "outcome"},
                    {"id", id},
                    {"time", rfc3339(at_ms)},
                    {"time_ms", at_ms},
                    {"status", status},
                    {"code", code.empty() ? Json() : Json(code)},
                    {"outcome", exit == ExitCode::success ? std::string_view("accepted") : meaning_of(exit).category},
                    {"exit", static_cast<int>(exit)}});
  return append(folder_, at_ms, line);
}

Result<void, Failure> Journal::reconciled(std::string_view id, TimestampMs at_ms, std::string_view verdict,
                                          std::string_view evidence) const {
  return append(folder_, at_ms,
                Json::object({{"version", journal_version},
                              {"type", "reconciled"},
                              {"id", id},
                              {"time", rfc3339(at_ms)},
                              {"time_ms", at_ms},
                              {"verdict", verdict},
                              {"evidence", evidence}}));
}

}  // namespace svc::cli
