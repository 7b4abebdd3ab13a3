// venue metadata, health, stats, stats-history, volume, open-interest, balances, referrals
#include <array>

#include "api/contract/venue.h"
#include "api/version.h"
#include "cli/commands/chart_flags.h"
#include "cli/commands/command.h"
#include "cli/commands/read.h"
#include "cli/terminal/order_views.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

View metadata_view() {
  return {{{"current", "current_api_version"},
           {"min", "min_api_version"},
           {"ours", "ours"},
           {"deprecated_below", "api_version.deprecated_below"},
           {"sunset", "api_version.sunset"},
           {"network", "network"},
           {"deployment", "deployment"},
           {"signing_domain", "signing_domain.name"},
           {"chain_id", "signing_domain.chain_id"}},
          Layout::sheet};
}

// Whether this program and the service still fit together.
class ShowMetadata final : public ReadCommand {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--check", check_, "exit 16 if this program's version is no longer served; a note if it ends soon");
  }

 protected:
  Result<Call, Failure> call() override { return call_of<api::ops::GetMetadata>(); }
  Answer render(Context& context, Reply reply) override {
    Answer answer = answer_of(std::move(reply), metadata_view());
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
class ShowHealth final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.choice("--wait", wait_for_, health_words, "until the whole is in this state");
    limit_.declare(arguments);
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto call = [] { return call_of<api::ops::GetStatus>(); };
    const auto done = [&](const Json& health) { return health.string_at("status") == std::string_view(*wait_for_); };
    // A service that starts may not answer yet.
    const auto goes_on = [](const Failure& failure) { return failure.exit == ExitCode::unavailable; };
    auto reply = SVC_TRY(wait_for_ ? poll(context, exchange, limit_, call, done, goes_on) : exchange.call(call()));
    return rendered(std::move(reply));
  }

 private:
  static Answer rendered(Reply reply) {
    Answer answer = answer_of(std::move(reply), {{{"component", "component"}, {"state", "state"}}, Layout::rows});
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
    return answer;
  }

  std::optional<std::string> wait_for_;
  WaitLimit limit_;
};

View throughput_view() {
  return {{{"time", "",
            [](const Json& row) {
              const auto seconds = row.integer_at("timestamp");
              return seconds ? rfc3339(*seconds * second_ms) : std::string();
            }},
           {"fills", "fills"}},
          Layout::rows};
}

std::vector<ChartPoint> throughput_points(const Json& samples) {
  std::vector<ChartPoint> points = points_of(samples, "timestamp", "fills");
  for (ChartPoint& point : points) point.at_ms *= second_ms;
  return points;
}
constexpr std::string_view throughput_title = "fills per second";

// Counters have no past of their own; what they are made of has.
class ShowStats final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--spark", charts_.spark, "and fills per second in one line under them (a second read)");
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    auto reply = SVC_TRY(exchange.call(call_of<api::ops::GetStats>()));
    Answer answer = answer_of(std::move(reply), sheet_view());
    if (!charts_.spark) return answer;
    const auto history = SVC_TRY(exchange.call(call_of<api::ops::ListStatsHistory>()));
    auto text = SVC_TRY(render_rows(answer, context.presentation()));
    charts_.draw(context, answer, std::string(throughput_title), throughput_points(history.body));
    answer.text = std::move(text) + answer.text.value_or("");
    return answer;
  }

 private:
  ChartFlags charts_;
};

class ListThroughput final : public ReadCommand {
 public:
  void declare(Arguments& arguments) override { charts_.declare(arguments); }

 protected:
  Result<Call, Failure> call() override { return call_of<api::ops::ListStatsHistory>(); }
  Answer render(Context& context, Reply reply) override {
    Answer answer = answer_of(std::move(reply), throughput_view());
    charts_.draw(context, answer, std::string(throughput_title), throughput_points(answer.data));
    return answer;
  }

 private:
  ChartFlags charts_;
};

// A record whose rows are one of its members.
template <class Op, View (*view)(), const char* (*member)()>
class ReadPart final : public ReadCommand {
 protected:
  Result<Call, Failure> call() override { return call_of<Op>(); }
  Answer render(Context&, Reply reply) override {
    Answer answer = answer_of(std::move(reply), view());
    if (const Json* part = answer.data.find(member())) answer.rows = *part;
    return answer;
  }
};

View volume_view() {
  return {{{"market", "market_id"}, {"volume_usdx", "volume"}}, Layout::rows};
}
const char* market_rows() {
  return "markets";
}

View open_interest_view() {
  return {{{"market", "market_id"},
           {"long_base", "long_oi_base"},
           {"short_base", "short_oi_base"},
           {"long_usdx", "long_oi_quote"},
           {"short_usdx", "short_oi_quote"},
           {"gross_usdx", "gross_oi_two_sided_quote"}},
          Layout::rows};
}

View balances_view() {
  return {{{"from", "from"}, {"below", "below"}, {"accounts", "accounts"}}, Layout::rows};
}
const char* bucket_rows() {
  return "buckets";
}

constexpr std::array venue_rows{
    CommandRow{"venue metadata", "", "Show versions, network and signing domain of the server", make<ShowMetadata>, 1,
               Repeats::yes},
    CommandRow{"venue health", "", "Show the state of the service and its parts", make<ShowHealth>, 1, Repeats::yes},
    CommandRow{"venue stats", "", "Show the venue's counters", make<ShowStats>, 1, Repeats::yes},
    CommandRow{"venue stats-history", "", "Show fills per second", make<ListThroughput>, 1, Repeats::yes},
    CommandRow{"venue volume", "", "Show traded volume by market",
               make<ReadPart<api::ops::GetVolume, volume_view, market_rows>>, 1, Repeats::yes},
    CommandRow{"venue open-interest", "", "Show open interest, long and short",
               make<PlainRead<api::ops::GetOpenInterest, open_interest_view>>, 1, Repeats::yes},
    CommandRow{"venue balances", "", "Show how many accounts hold how much",
               make<ReadPart<api::ops::GetBalanceDistribution, balances_view, bucket_rows>>, 1, Repeats::yes},
    CommandRow{"venue referrals", "", "Show the referral counters",
               make<PlainRead<api::ops::GetReferralStats, sheet_view>>, 1, Repeats::yes},
};

}  // namespace

std::span<const CommandRow> venue_commands() {
  return venue_rows;
}

}  // namespace svc::cli
