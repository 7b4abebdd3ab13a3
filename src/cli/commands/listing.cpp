#include "cli/commands/listing.h"

#include <numeric>

#include "api/http/http_message.h"
#include "cli/commands/output_shape.h"
#include "cli/commands/report.h"

namespace svc::cli {
namespace {

constexpr std::uint64_t rows_default = 100;

void keep(Json& rows, std::uint64_t count, bool the_last) {
  if (!rows.is(Json::Kind::array) || rows.items().size() <= count) return;
  const auto& all = rows.items();
  const auto from = all.begin() + (the_last ? static_cast<std::ptrdiff_t>(all.size() - count) : 0);
  rows = Json::array({from, from + static_cast<std::ptrdiff_t>(count)});
}

bool missing(const std::string& cell) {
  return cell.empty() || cell == "-";
}

// "12m" as our tables write ages.
std::optional<std::int64_t> age_of(const std::string& cell) {
  if (cell == "0s") return 0;
  const auto age_ms = parse_duration("--sort", cell);
  return age_ms ? std::optional(*age_ms) : std::nullopt;
}

// Numbers come before ages, and those before texts: a column may have all three.
int order_of(const std::string& a, const std::string& b) {
  const auto left = parse_decimal(a);
  const auto right = parse_decimal(b);
  if (left.has_value() != right.has_value()) return left ? -1 : 1;
  if (left) return compared(*left, *right).value_or(0);
  const auto younger_ms = age_of(a);
  const auto older_ms = age_of(b);
  if (younger_ms.has_value() != older_ms.has_value()) return younger_ms ? -1 : 1;
  if (younger_ms) return *younger_ms < *older_ms ? -1 : *younger_ms > *older_ms ? 1 : 0;
  return a.compare(b);
}

struct SortKey {
  std::string_view column;
  std::string_view direction = "asc";
};

SortKey sort_key_of(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return {.column = text};
  return {.column = text.substr(0, colon), .direction = text.substr(colon + 1)};
}

// "volume" for volume_24h_usdx, if no column has that name.
bool is_first_word(std::string_view word, std::string_view name) {
  return name.size() > word.size() && name.starts_with(word) && name[word.size()] == '_';
}

// The column of that name or first word, else the member.
Column column_of(const View& view, std::string_view name) {
  auto found = std::ranges::find(view.columns, name, &Column::name);
  if (found == view.columns.end())
    found = std::ranges::find_if(view.columns, [&](const Column& one) { return is_first_word(name, one.name); });
  return found == view.columns.end() ? Column{.name = name, .path = name} : *found;
}

Json arranged(const Json& rows, const std::vector<std::size_t>& places) {
  Json out = Json::array();
  for (const std::size_t place : places) out.push(rows.items()[place]);
  return out;
}

}  // namespace

Result<OpenList> open_list(Context& context, const ListFlags& flags, const RowKeys& keys) {
  if (flags.limit && flags.all) return usage_error("--limit and --all exclude each other");
  if (flags.limit && (*flags.limit == 0 || *flags.limit > limits::list_rows_max)) {
    return usage_error("--limit must be from 1 to ", limits::list_rows_max);
  }
  RowFilter filter;
  std::optional<TimeWord> since, until;
  const DisplayZone zone = context.presentation().zone.value_or(DisplayZone());
  if (flags.market) filter.market = SVC_TRY(market_id(*flags.market));
  if (flags.since) since = SVC_TRY(parse_time_word("--since", *flags.since, zone));
  if (flags.until) until = SVC_TRY(parse_time_word("--until", *flags.until, zone));
  SVC_TRY(flags.sort.check(context.command()));

  auto exchange = SVC_TRY(Exchange::open(context));
  const bool asks = (since && since->needs_clock()) || (until && until->needs_clock());
  const TimestampMs now_ms = asks ? server_now_ms(context, exchange) : context.now_ms();
  if (since) filter.since_ms = since->at(now_ms, zone);
  if (until) filter.until_ms = until->at(now_ms, zone);
  if (filter.since_ms && filter.until_ms && *filter.since_ms > *filter.until_ms)
    return usage_error("--since ", *flags.since, " is after --until ", *flags.until);
  return OpenList{std::move(exchange), RowCut(flags, keys, std::move(filter))};
}

bool RowCut::holds(const Json& row) const {
  if (filter_.market && row.string_at(keys_.market) != std::string_view(filter_.market->text)) return false;
  if (!filter_.by_time()) return true;
  const auto time_ms = row.integer_at(keys_.time_ms);
  if (!time_ms) return false;
  return !is_before(row) && (!filter_.until_ms || *time_ms < *filter_.until_ms);
}

bool RowCut::is_before(const Json& row) const {
  const auto time_ms = filter_.since_ms ? row.integer_at(keys_.time_ms) : std::nullopt;
  return time_ms && *time_ms < *filter_.since_ms;
}

Result<void> RowCut::check_market(Exchange& exchange, const Json& rows) const {
  if (!filter_.market || !rows.items().empty()) return {};
  return check_listed(exchange, *filter_.market);
}

void RowCut::finish(Answer& answer) const {
  flags_.sort.apply(answer);
  if (!flags_.limit) return;
  const bool the_last = keys_.runs == RowKeys::Runs::oldest_first && !flags_.sort.by;
  keep(answer.data, *flags_.limit, the_last);
  if (answer.rows) keep(*answer.rows, *flags_.limit, the_last);
}

Result<TimestampMs> since_or_day_ago(const Context& context, const std::optional<std::string>& typed) {
  if (!typed) return context.now_ms() - day_ms;
  const DisplayZone zone = context.presentation().zone.value_or(DisplayZone());
  const auto word = SVC_TRY(parse_time_word("--since", *typed, zone));
  return word.at(context.now_ms(), zone);
}

void say_filtered_here(Context& context) {
  context.notice("filtered_locally", "the service has no such filter; it was applied here");
}

Result<Answer> read_whole(Context& context, const ListFlags& flags, const RowKeys& keys, const Call& call, View view,
                          const AddRows& add_rows) {
  auto [exchange, cut] = SVC_TRY(open_list(context, flags, keys));
  auto reply = SVC_TRY(exchange.call(call));
  Answer answer{.data = Json::array(), .view = std::move(view), .raw = std::move(reply.raw)};
  for (const Json& row : reply.body.items()) {
    if (cut.holds(row)) answer.data.push(row);
  }
  SVC_TRY(cut.check_market(exchange, answer.data));
  if (cut.filter().by_time() || cut.filter().market) say_filtered_here(context);
  add_rows(answer);
  cut.finish(answer);
  return answer;
}

void ListFlags::declare(Arguments& arguments, const RowKeys& keys) {
  if (keys.market.empty())
    arguments.refused("--market", "the service's rows name no market");
  else
    arguments.add(market, {"--market", "only this market", "MARKET"});
  const bool whole = keys.comes == Comes::whole;
  const bool newest = keys.runs == RowKeys::Runs::oldest_first;
  arguments.add(limit, {"--limit",
                        !whole   ? "rows to show, the newest (default 100)"
                        : newest ? "rows to show, the newest"
                                 : "rows to show, the first ones",
                        "N"});
  arguments.add(all, {"--all", whole ? "show all rows, which is the default" : "read all pages"});
  if (!keys.time_ms.empty()) {
    arguments.add(since, {"--since", "not before this time: 8h (ago), today, 2026-01-31, an instant", "TIME"});
    arguments.add(until, {"--until", "before this time", "TIME"});
  } else {
    for (const std::string_view name : {"--since", "--until"})
      arguments.refused(name, "the service's rows have no time");
  }
  sort.declare(arguments);
}

Result<Answer> read_pages(Context& context, const ListFlags& flags, const RowKeys& keys, const PageSource& source,
                          View view, const AddRows& add_rows) {
  auto [exchange, cut] = SVC_TRY(open_list(context, flags, keys));
  const RowFilter& filter = cut.filter();
  const bool chosen_here = (filter.market && !source.takes_market) || (filter.by_time() && !source.takes_times);

  const std::uint64_t wanted = flags.all ? limits::list_rows_max : flags.limit.value_or(rows_default);
  PageWalk walk;
  Answer answer{.view = std::move(view)};
  std::vector<Json> kept;  // newest first
  ProgressLine progress(context, "reading", "rows");
  std::uint64_t read = 0;
  bool more = true;
  bool newest_only = false;
  for (std::size_t pages = 0; more && kept.size() < wanted && read < limits::list_rows_max; ++pages) {
    // If rows are filtered here, the number of rows to read is not known.
    const std::uint64_t rows_wanted = chosen_here ? source.rows_max : wanted - kept.size();
    const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(rows_wanted, source.rows_max));
    auto reply = SVC_TRY(exchange.call(source.page({.rows = rows, .cursor = walk.cursor(), .filter = filter})));
    if (context.presentation().format == Format::raw) {
      answer.raw = answer.raw ? std::move(*answer.raw) + "\n" + reply.raw : reply.raw;
    }
    std::vector<Json> page = reply.body.items();
    if (keys.runs == RowKeys::Runs::oldest_first) std::reverse(page.begin(), page.end());
    bool past = false;  // of --since
    std::size_t seen = 0;
    for (; seen < page.size() && kept.size() < wanted; ++seen) {
      if (cut.holds(page[seen])) kept.push_back(page[seen]);
      past = past || cut.is_before(page[seen]);
    }
    progress.at(read += std::max<std::size_t>(seen, 1));
    // Also of a page that completes the list: a server that ignores the cursor sent the rows of the first page again.
    const bool next = SVC_TRY(walk.go_on(reply));
    more = !past && (next || seen < page.size());
    newest_only = !source.has_cursor && !past && !next && page.size() >= source.rows_max;
  }
  if (keys.runs == RowKeys::Runs::oldest_first) std::reverse(kept.begin(), kept.end());
  answer.data = Json::array(std::move(kept));
  SVC_TRY(cut.check_market(exchange, answer.data));
  if (chosen_here) say_filtered_here(context);
  if (more)
    context.notice("more_rows", flags.all ? concat("there are more rows; one list has ", wanted, " at most")
                                          : "there are more rows; --all reads them");
  if (newest_only && answer.data.items().size() < wanted) {
    context.notice("newest_only", concat("the service shows the newest ", source.rows_max, " only"));
  }
  if (add_rows) add_rows(answer);
  flags.sort.apply(answer);
  return answer;
}

void SortFlag::declare(Arguments& arguments) {
  arguments.add(by, {"--sort", "order the rows by a column; COLUMN:desc for the largest first", "COLUMN"});
}

Result<void> SortFlag::check(std::string_view command) const {
  if (!by) return {};
  const SortKey key = sort_key_of(*by);
  if (key.direction != "asc" && key.direction != "desc")
    return usage_error("--sort must be COLUMN, COLUMN:asc or COLUMN:desc, not \"", *by, "\"");
  const std::vector<std::string> columns = output_columns(command);
  const auto is_meant = [&](std::string_view name) { return name == key.column || is_first_word(key.column, name); };
  if (std::ranges::any_of(columns, is_meant)) return {};
  return usage_error("--sort: no column \"", key.column, "\"; there are ", joined(columns));
}

void SortFlag::apply(Answer& answer) const {
  if (!by) return;
  const SortKey key = sort_key_of(*by);
  const bool descending = key.direction == "desc";
  const Column column = column_of(answer.view, key.column);
  const Json& rows = answer.shown();
  if (!rows.is(Json::Kind::array)) return;
  std::vector<std::string> cells;
  for (const Json& row : rows.items()) cells.push_back(cell_of(column, row));
  std::vector<std::size_t> places(cells.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    if (missing(cells[a]) || missing(cells[b])) return !missing(cells[a]) && missing(cells[b]);
    const int order = order_of(cells[a], cells[b]);
    return descending ? order > 0 : order < 0;
  });
  const bool twins =
      answer.rows && answer.data.is(Json::Kind::array) && answer.data.items().size() == answer.rows->items().size();
  if (twins || !answer.rows) answer.data = arranged(answer.data, places);
  if (answer.rows) answer.rows = arranged(*answer.rows, places);
}

}  // namespace svc::cli
