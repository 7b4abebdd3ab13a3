#include "cli/commands/listing.h"

#include <algorithm>
#include <charconv>

#include "api/form_encoding.h"
#include "cli/progress_line.h"

namespace svc::cli {
namespace {

std::optional<TimestampMs> parse_rfc3339(std::string_view text) {
  // YYYY-MM-DDTHH:MM[:SS[.fff]]Z
  if (text.size() < 17 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text.back() != 'Z') {
    return std::nullopt;
  }
  bool sound = true;
  const auto number = [&](std::size_t at, std::size_t count) {
    int value = 0;
    const char* end = text.data() + at + count;
    const auto [stop, error] = std::from_chars(text.data() + at, end, value);
    sound = sound && error == std::errc{} && stop == end && value >= 0;
    return value;
  };
  std::tm utc{};
  utc.tm_year = number(0, 4) - 1900;
  utc.tm_mon = number(5, 2) - 1;
  utc.tm_mday = number(8, 2);
  utc.tm_hour = number(11, 2);
  utc.tm_min = number(14, 2);
  std::int64_t ms = 0;
  std::string_view rest = text.substr(16, text.size() - 17);
  if (!rest.empty()) {
    if (rest.size() < 3 || rest[0] != ':') return std::nullopt;
    utc.tm_sec = number(17, 2);
    rest = rest.substr(3);
    if (!rest.empty()) {
      if (rest[0] != '.' || rest.size() < 2 || rest.size() > 4) return std::nullopt;
      ms = number(20, rest.size() - 1);
      for (std::size_t digits = rest.size() - 1; digits < 3; ++digits) ms *= 10;
    }
  }
  const bool in_range = utc.tm_mon >= 0 && utc.tm_mon < 12 && utc.tm_mday >= 1 && utc.tm_mday <= 31 &&
                        utc.tm_hour < 24 && utc.tm_min < 60 && utc.tm_sec <= 60;
  if (!sound || !in_range) return std::nullopt;
  return static_cast<TimestampMs>(::timegm(&utc)) * second_ms + ms;
}

void keep_first(Json& rows, std::uint64_t count) {
  if (!rows.is(Json::Kind::array) || rows.items().size() <= count) return;
  Json kept = Json::array();
  for (std::size_t i = 0; i < count; ++i) kept.push(rows.items()[i]);
  rows = std::move(kept);
}

}  // namespace

Result<RowCut, Failure> RowCut::of(const ListFlags& flags, const RowKeys& keys, const View& view) {
  RowCut cut(flags, keys);
  if (flags.limit && flags.all) return unexpected(usage_error("--limit and --all exclude each other"));
  if (flags.limit && (*flags.limit == 0 || *flags.limit > limits::list_rows_max)) {
    return unexpected(usage_error("--limit must be from 1 to " + std::to_string(limits::list_rows_max)));
  }
  if (flags.market) {
    if (const auto valid = market_id(*flags.market); !valid) return unexpected(valid.error());
  }
  if (flags.since) {
    const auto time_ms = parse_time("--since", *flags.since);
    if (!time_ms) return unexpected(time_ms.error());
    cut.since_ms_ = *time_ms;
  }
  if (flags.until) {
    const auto time_ms = parse_time("--until", *flags.until);
    if (!time_ms) return unexpected(time_ms.error());
    cut.until_ms_ = *time_ms;
  }
  if (const auto sound = flags.sort.check(view); !sound) return unexpected(sound.error());
  return cut;
}

bool RowCut::holds(const Json& row) const {
  if (flags_.market && row.string_at(keys_.market) != std::string_view(*flags_.market)) return false;
  if (!since_ms_ && !until_ms_) return true;
  const auto time_ms = row.integer_at(keys_.time_ms);
  if (!time_ms) return false;
  return (!since_ms_ || *time_ms >= *since_ms_) && (!until_ms_ || *time_ms < *until_ms_);
}

void RowCut::finish(Context& context, Answer& answer) const {
  if (flags_.filters()) context.notice("filtered_locally", "the service has no such filter; it was applied here");
  flags_.sort.apply(answer);
  if (!flags_.limit) return;
  keep_first(answer.data, *flags_.limit);
  if (answer.rows) keep_first(*answer.rows, *flags_.limit);
}

std::string query_at(std::string_view query, std::string_view cursor) {
  std::string out;
  while (!query.empty()) {
    const auto end = query.find('&');
    const std::string_view part = query.substr(0, end);
    if (!part.starts_with("cursor=")) (out += out.empty() ? "" : "&") += part;
    query = end == std::string_view::npos ? std::string_view{} : query.substr(end + 1);
  }
  return out + (out.empty() ? "cursor=" : "&cursor=") + api::percent_encode(cursor, api::Plus::is_blank);
}

std::optional<std::string> next_cursor(const Reply& page, const std::optional<std::string>& cursor) {
  const auto next = page.headers.find("X-Next-Cursor");
  // One that leads nowhere would never end.
  if (!next || next->empty() || cursor == std::string(*next)) return std::nullopt;
  return std::string(*next);
}

Result<Answer, Stop> read_whole(Context& context, const ListFlags& flags, const RowKeys& keys, const Call& call,
                                View view) {
  const auto cut = RowCut::of(flags, keys, view);
  if (!cut) return unexpected(Stop(cut.error()));
  auto exchange = Exchange::open(context);
  if (!exchange) return unexpected(Stop(exchange.error()));
  auto reply = exchange->call(call);
  if (!reply) return unexpected(reply.error());
  Answer answer{.data = Json::array(), .view = std::move(view), .raw = std::move(reply->raw)};
  for (const Json& row : reply->body.items()) {
    if (cut->holds(row)) answer.data.push(row);
  }
  cut->finish(context, answer);
  return answer;
}

Result<TimestampMs, Failure> parse_time(std::string_view flag, const std::string& text) {
  TimestampMs ms = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (error == std::errc{} && stop == text.data() + text.size()) return ms;
  if (const auto time_ms = parse_rfc3339(text)) return *time_ms;
  return unexpected(usage_error(std::string(flag) +
                                " must be a UTC time such as 2026-01-31T12:00:00Z or Unix "
                                "milliseconds, not \"" +
                                text + "\""));
}

void ListFlags::declare_market(Arguments& arguments, const RowKeys& keys) {
  if (keys.market.empty()) return arguments.refused("--market", "the service's rows name no market");
  arguments.text("--market", market, "MARKET", "only this market");
}

void ListFlags::declare_rest(Arguments& arguments, const RowKeys& keys, Comes comes) {
  const bool whole = comes == Comes::whole;
  arguments.integer("--limit", limit, "N", whole ? "rows to show, the first ones" : "rows to read (default 100)");
  arguments.flag("--all", all, whole ? "show all rows, which is the default" : "read all pages");
  if (!keys.time_ms.empty()) {
    arguments.text("--since", since, "TIME", "not before this time");
    arguments.text("--until", until, "TIME", "before this time");
  } else {
    for (const std::string_view name : {"--since", "--until"})
      arguments.refused(name, "the service's rows have no time");
  }
  sort.declare(arguments);
}

void ListFlags::declare(Arguments& arguments, const RowKeys& keys, Comes comes) {
  declare_market(arguments, keys);
  declare_rest(arguments, keys, comes);
}

Result<Answer, Stop> read_pages(Context& context, const ListFlags& flags, const RowKeys& keys,
                                std::uint32_t page_rows_max, const NextPage& next_page, View view) {
  constexpr std::uint64_t rows_default = 100;
  const auto cut = RowCut::of(flags, keys, view);
  if (!cut) return unexpected(Stop(cut.error()));
  auto exchange = Exchange::open(context);
  if (!exchange) return unexpected(Stop(exchange.error()));

  std::uint64_t wanted = flags.all ? limits::list_rows_max : flags.limit.value_or(rows_default);
  std::optional<std::string> cursor;
  Answer answer{.data = Json::array(), .view = std::move(view)};
  ProgressLine progress(context, "reading", "rows");
  std::uint64_t read = 0;
  bool more = true;
  for (std::size_t pages = 0; more && wanted > 0; ++pages) {
    const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, page_rows_max));
    auto reply = exchange->call(next_page(rows, cursor));
    if (!reply) return unexpected(reply.error());
    if (pages == 0) answer.raw = reply->raw;
    const auto& page = reply->body.items();
    const std::size_t taken = std::min<std::uint64_t>(wanted, page.size());
    for (const Json& row : std::span(page).first(taken)) {
      if (cut->holds(row)) answer.data.push(row);
    }
    progress.at(read += taken);
    wanted -= std::min<std::uint64_t>(wanted, std::max<std::size_t>(taken, 1));
    const auto next = next_cursor(*reply, cursor);
    more = next || taken < page.size();
    if (next) cursor = next;
  }
  if (flags.filters()) {
    context.notice("filtered_locally", "the service has no such filter; it was applied to the rows that were read");
  }
  if (more) context.notice("more_rows", "there are more rows; --all reads them");
  flags.sort.apply(answer);
  return answer;
}

}  // namespace svc::cli
