// venue metadata, health, stats, stats-history, volume, open-interest, balances, referrals

#include "api/contract/venue.h"
#include "api/version.h"
#include "cli/commands/operation_command.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// --check tells whether the service still serves this program's version.
Result<void> compare_versions(Context& context, Answer& answer, const Given& given) {
  const std::string ours = context.globals().api_version.value_or(std::string(api::client_version));
  answer.rows = answer.data;
  answer.rows->set("ours", ours);
  if (!given.contains("--check")) return {};
  const auto standing = standing_of(ours, answer.data);
  if (standing == api::VersionVerdict::refused) {
    answer.failure = failed(ExitCode::version, "api_version_unsupported", "version ", ours, " is below ",
                            text_in(answer.data, "min_api_version", "the minimum"), ", the oldest that is served");
  } else if (standing == api::VersionVerdict::deprecated) {
    context.notice("deprecated", "version " + ours + " is served only until " +
                                     text_in(answer.data, "api_version.sunset", "a date not yet named"));
  }
  return {};
}

constexpr std::array health_words{"ok"sv, "degraded"sv, "down"sv, "starting"sv};

// One row for the whole and one for each part.
void list_parts(Context&, Answer& answer) {
  Json rows = Json::array();
  rows.push(Json::object({{"component", "all"}, {"state", answer.data.string_at("status")}}));
  const Json parts = answer.data.value_at("services");
  for (const auto& [name, part] : parts.members())
    rows.push(Json::object(
        {{"component", name}, {"state", part.is(Json::Kind::object) ? Json(part.string_at("status")) : part}}));
  answer.rows = std::move(rows);
}

constexpr WaitTerms health_wait{
    .doc = "until the whole is in this state",
    .states = health_words,
    .done = [](const Json& health, std::string_view state) { return health.string_at("status") == state; },
    // A service that starts may not answer yet.
    .goes_on = [](const Failure& failure) { return failure.exit == ExitCode::unavailable; }};

std::string throughput_time(const Json& row) {
  const auto seconds = row.integer_at("timestamp");
  return seconds ? rfc3339(*seconds * second_ms) : std::string();
}

std::vector<ChartPoint> throughput_points(const Json& samples) {
  std::vector<ChartPoint> points = points_of(samples, "timestamp", "fills");
  for (ChartPoint& point : points) point.at_ms *= second_ms;
  return points;
}
constexpr ChartTerms throughput_chart{"fills per second", throughput_points};

// The counters have no history of their own; the fills have. Programs that read records get those alone.
Result<void> draw_throughput(Context& context, Answer& answer, const Given& given) {
  if (!given.contains("--spark") || context.presentation().format != Format::table) return {};
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto history = SVC_TRY(exchange.read<api::ops::ListStatsHistory>());
  const auto text = SVC_TRY(render_rows(answer, context.presentation()));
  ChartFlags{.spark = true}.draw(context, answer, std::string(throughput_chart.title), throughput_points(history));
  answer.text = text + answer.text.value_or("");
  return {};
}

}  // namespace

std::vector<CommandRow> venue_commands() {
  using api::BalanceBucket, api::MarketOpenInterest, api::MarketVolume, api::Metadata;
  return {
      {"venue metadata", "", "Show versions, network and signing domain of the server",
       "# versions, network and signing domain",
       operation<api::ops::GetMetadata>(
           {.arguments = {own_flag("--check",
                                   "exit 16 if this program's version is no longer served; a note if it ends soon")},
            .columns =
                columns<Metadata>("current=current_api_version min=min_api_version +ours "
                                  "deprecated_below=api_version.deprecated_below sunset=api_version.sunset network "
                                  "deployment signing_domain=signing_domain.name chain_id=signing_domain.chain_id"),
            .layout = Layout::sheet,
            .then = compare_versions})},
      {"venue health", "", "Show the state of the service and its parts", "# the service and its parts",
       operation<api::ops::GetStatus>({.columns = columns("+component +state"),
                                       .rows = wire_name_of<&api::ServiceHealth::services>,
                                       .finish = list_parts,
                                       .wait = health_wait})},
      {"venue stats", "", "Show the venue's counters", "# counters",
       operation<api::ops::GetStats>(
           {.arguments = {own_flag("--spark", "and fills per second in one line under them (a second read)")},
            .layout = Layout::sheet,
            .then = draw_throughput})},
      {"venue stats-history", "", "Show fills per second", "# fills per second",
       operation<api::ops::ListStatsHistory>(
           {.columns = columns<api::ThroughputSample>("time() fills", {{"time", throughput_time}}),
            .chart = throughput_chart})},
      {"venue volume", "", "Show traded volume by market", "# traded volume",
       operation<api::ops::GetVolume>({.columns = columns<MarketVolume>("market=market_id volume_usdx=volume"),
                                       .rows = wire_name_of<&api::VenueVolume::markets>})},
      {"venue open-interest", "", "Show open interest, long and short", "# open interest",
       operation<api::ops::GetOpenInterest>(
           {.columns = columns<MarketOpenInterest>(
                "market=market_id long_base=long_oi_base short_base=short_oi_base "
                "long_usdx=long_oi_quote short_usdx=short_oi_quote gross_usdx=gross_oi_two_sided_quote")})},
      {"venue balances", "", "Show how many accounts hold how much", "# how many accounts hold how much",
       operation<api::ops::GetBalanceDistribution>({.columns = columns<BalanceBucket>("from below accounts"),
                                                    .rows = wire_name_of<&api::BalanceDistribution::buckets>})},
      {"venue referrals", "", "Show the referral counters", "# referral counters",
       operation<api::ops::GetReferralStats>({.layout = Layout::sheet})},
  };
}

}  // namespace svc::cli
