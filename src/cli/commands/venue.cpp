// venue metadata, health, stats, stats-history, volume, open-interest, balances, referrals
#include <array>

#include "api/contract/venue.h"
#include "api/version.h"
#include "cli/commands/chart_flags.h"
#include "cli/commands/operation_command.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

// Whether this program and the service still fit together.
class ShowMetadata final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    arguments.flag("--check", check_, "exit 16 if this program's version is no longer served; a note if it ends soon");
  }
  Result<Answer, Stop> run(Context& context) override {
    Answer answer = SVC_TRY(OperationCommand::run(context));
    const std::string ours = context.globals().api_version.value_or(std::string(api::client_version));
    answer.rows = answer.data;
    answer.rows->set("ours", ours);
    if (!check_) return answer;
    const auto standing = standing_of(ours, answer.data);
    if (standing == VersionStanding::refused) {
      answer.failure = Failure{.exit = ExitCode::version,
                               .code = "api_version_unsupported",
                               .message = "version " + ours + " is below " +
                                          std::string(answer.data.string_at("min_api_version").value_or("the minimum")) +
                                          ", the oldest that is served"};
    } else if (standing == VersionStanding::deprecated) {
      const auto sunset = answer.data.string_at("api_version.sunset");
      context.notice("deprecated", "version " + ours + " is served only until " +
                                       (sunset ? std::string(*sunset) : std::string("a date not yet named")));
    }
    return answer;
  }

 private:
  bool check_ = false;
};

constexpr std::array health_words{"ok"sv, "degraded"sv, "down"sv, "starting"sv};

// Parts of the venue, one a row; the worst of them first.
void list_parts(Context&, Answer& answer) {
  Json rows = Json::array();
  rows.push(Json::object({{"component", "all"}, {"state", answer.data.string_at("status")}}));
  if (const Json* parts = answer.data.find("services")) {
    for (std::size_t i = 0; i < parts->keys().size(); ++i) {
      const Json& part = parts->items()[i];
      rows.push(Json::object({{"component", parts->keys()[i]},
                              {"state", part.is(Json::Kind::object) ? Json(part.string_at("status")) : part}}));
    }
  }
  answer.rows = std::move(rows);
}

class ShowHealth final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    arguments.choice("--wait", wait_for_, health_words, "until the whole is in this state");
    limit_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    if (!wait_for_) return OperationCommand::run(context);
    const auto done = [&](const Json& health) { return health.string_at("status") == std::string_view(*wait_for_); };
    // A service that starts may not answer yet.
    const auto goes_on = [](const Failure& failure) { return failure.exit == ExitCode::unavailable; };
    return run_until(context, limit_, done, goes_on);
  }

 private:
  std::optional<std::string> wait_for_;
  WaitLimit limit_;
};

std::string throughput_time(const Json& row) {
  const auto seconds = row.integer_at("timestamp");
  return seconds ? rfc3339(*seconds * second_ms) : std::string();
}

std::vector<ChartPoint> throughput_points(const Json& samples) {
  std::vector<ChartPoint> points = points_of(samples, "timestamp", "fills");
  for (ChartPoint& point : points) point.at_ms *= second_ms;
  return points;
}
constexpr std::string_view throughput_title = "fills per second";

// Counters have no past of their own; what they are made of has.
class ShowStats final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override {
    arguments.flag("--spark", charts_.spark, "and fills per second in one line under them (a second read)");
  }
  Result<Answer, Stop> run(Context& context) override {
    Answer answer = SVC_TRY(OperationCommand::run(context));
    if (!charts_.spark) return answer;
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto history = SVC_TRY(exchange.call(call_of<api::ops::ListStatsHistory>()));
    auto text = SVC_TRY(render_rows(answer, context.presentation()));
    charts_.draw(context, answer, std::string(throughput_title), throughput_points(history.body));
    answer.text = std::move(text) + answer.text.value_or("");
    return answer;
  }

 private:
  ChartFlags charts_;
};

class ListThroughput final : public OperationCommand {
 public:
  using OperationCommand::OperationCommand;
  void declare(Arguments& arguments) override { charts_.declare(arguments); }
  Result<Answer, Stop> run(Context& context) override {
    Answer answer = SVC_TRY(OperationCommand::run(context));
    charts_.draw(context, answer, std::string(throughput_title), throughput_points(answer.data));
    return answer;
  }

 private:
  ChartFlags charts_;
};

}  // namespace

std::span<const CommandRow> venue_commands() {
  using api::BalanceBucket, api::MarketOpenInterest, api::MarketVolume, api::Metadata;
  static const CommandRow rows[]{
      {"venue metadata", "", "Show versions, network and signing domain of the server",
       operation<api::ops::GetMetadata, ShowMetadata>(
           {.columns = {column<&Metadata::current_api_version>("current"), column<&Metadata::min_api_version>("min"),
                        added("ours"), placed("deprecated_below", "api_version.deprecated_below"),
                        placed("sunset", "api_version.sunset"), column<&Metadata::network>(),
                        column<&Metadata::deployment>(), placed("signing_domain", "signing_domain.name"),
                        placed("chain_id", "signing_domain.chain_id")},
            .layout = Layout::sheet})},
      {"venue health", "", "Show the state of the service and its parts",
       operation<api::ops::GetStatus, ShowHealth>({.columns = {added("component"), added("state")},
                                                   .rows = wire_name_of<&api::ServiceHealth::services>,
                                                   .finish = list_parts})},
      {"venue stats", "", "Show the venue's counters",
       operation<api::ops::GetStats, ShowStats>({.layout = Layout::sheet})},
      {"venue stats-history", "", "Show fills per second",
       operation<api::ops::ListStatsHistory, ListThroughput>(
           {.columns = {computed("time", throughput_time), column<&api::ThroughputSample::fills>()}})},
      {"venue volume", "", "Show traded volume by market",
       operation<api::ops::GetVolume>(
           {.columns = {column<&MarketVolume::market_id>("market"), column<&MarketVolume::volume>("volume_usdx")},
            .rows = wire_name_of<&api::VenueVolume::markets>})},
      {"venue open-interest", "", "Show open interest, long and short",
       operation<api::ops::GetOpenInterest>(
           {.columns = {column<&MarketOpenInterest::market_id>("market"),
                        column<&MarketOpenInterest::long_oi_base>("long_base"),
                        column<&MarketOpenInterest::short_oi_base>("short_base"),
                        column<&MarketOpenInterest::long_oi_quote>("long_usdx"),
                        column<&MarketOpenInterest::short_oi_quote>("short_usdx"),
                        column<&MarketOpenInterest::gross_oi_two_sided_quote>("gross_usdx")}})},
      {"venue balances", "", "Show how many accounts hold how much",
       operation<api::ops::GetBalanceDistribution>(
           {.columns = {column<&BalanceBucket::from>(), column<&BalanceBucket::below>(),
                        column<&BalanceBucket::accounts>()},
            .rows = wire_name_of<&api::BalanceDistribution::buckets>})},
      {"venue referrals", "", "Show the referral counters",
       operation<api::ops::GetReferralStats>({.layout = Layout::sheet})},
  };
  return rows;
}

}  // namespace svc::cli
