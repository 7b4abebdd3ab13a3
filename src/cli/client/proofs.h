// Finding rows in the lists that proofs read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/client/exchange.h"
#include "cli/client/proof.h"

namespace svc::cli::outbox {

// Equal as numbers: 59000 and 59000.0.
[[nodiscard]] bool same_number(std::string_view a, std::string_view b);

// The first row of a list for which the predicate holds; null pointer if there is none.
[[nodiscard]] const Json* find_row(const Json& rows, const std::function<bool(const Json&)>& matches);

// Text or digits of a member; empty without it.
[[nodiscard]] std::string member_text(const Json& row, std::string_view key);

// The value of a member of every row, for `before`.
[[nodiscard]] Json values_of(const Json& rows, std::string_view key);
[[nodiscard]] bool holds(const Json& list, std::string_view text);

// The last segment of the path, and a parameter of the query ("market_id=...").
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

// Something that may be it, or lists of which not all could be read.
[[nodiscard]] inline Finding unclear(std::string evidence) {
  return {.verdict = Verdict::unknown, .evidence = std::move(evidence)};
}

// Whether a list was read to its end, or to where `go_on` said no; otherwise what it lacks proves nothing.
enum class Reach : std::uint8_t { whole, cut };

// Pages of a list, newest first, until `go_on` says no or history_pages_max were read.
using PageCall = std::function<Call(const std::optional<std::string>& cursor)>;
[[nodiscard]] Result<Reach, Stop> each_page(Exchange& exchange, const PageCall& page,
                                            const std::function<bool(const Json& rows)>& go_on);

}  // namespace svc::cli::outbox
