// Finds rows in the lists that proofs read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/client/connection.h"
#include "cli/client/proof.h"

namespace svc::cli::outbox {

// Equal as numbers: 59000 and 59000.0.
[[nodiscard]] bool same_number(std::string_view a, std::string_view b);

// Null pointer if no row matches.
[[nodiscard]] const Json* find_row(const Json& rows, const std::function<bool(const Json&)>& matches);

// The text or digits of a member; empty if it is missing.
[[nodiscard]] std::string member_text(const Json& row, std::string_view key);

// The values of one member of all rows, for `before`.
[[nodiscard]] Json values_of(const Json& rows, std::string_view key);
[[nodiscard]] bool holds(const Json& list, std::string_view text);

// The last segment of a path, and a parameter of a query ("market_id=...").
[[nodiscard]] std::string last_segment(std::string_view path);
[[nodiscard]] std::string parameter(std::string_view query, std::string_view name);

[[nodiscard]] inline Finding accepted(Json record, std::string evidence) {
  return {.verdict = Verdict::accepted, .record = std::move(record), .evidence = std::move(evidence)};
}
[[nodiscard]] inline Finding rejected(Json record, std::string evidence) {
  return {.verdict = Verdict::rejected, .record = std::move(record), .evidence = std::move(evidence)};
}
[[nodiscard]] inline Finding not_seen(std::string evidence) {
  return {.verdict = Verdict::not_seen, .evidence = std::move(evidence)};
}

// A possible match, or a list that was not read completely.
[[nodiscard]] inline Finding unclear(std::string evidence) {
  return {.verdict = Verdict::unknown, .evidence = std::move(evidence)};
}

// `cut`: the list was not read to its end, nor to where `go_on` said no; a missing row proves nothing then.
enum class Reach : std::uint8_t { whole, cut };

// Reads pages, newest first, until `go_on` says no or history_pages_max were read.
using PageCall = std::function<Call(const std::optional<std::string>& cursor)>;
[[nodiscard]] Result<Reach, Failure> each_page(Connection& connection, const PageCall& page,
                                               const std::function<bool(const Json& rows)>& go_on);

}  // namespace svc::cli::outbox
