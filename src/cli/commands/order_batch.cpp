// orders batch
#include <array>

#include "api/ops/orders.h"
#include "base/limits.h"
#include "cli/commands/batch_lines.h"
#include "cli/commands/groups.h"
#include "cli/commands/order_views.h"
#include "cli/commands/read.h"
#include "cli/commands/write_flags.h"
#include "cli/exchange/client_id.h"
#include "cli/exchange/refusal.h"
#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array format_words{"ndjson"sv, "csv"sv};

// 39 orders cost one token, 40 cost two (API: Limits).
constexpr std::uint64_t chunk_default = 39;

class BatchOrders final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("-f,--file", file_, "FILE", "orders, one per line; - for standard input");
    arguments.choice("--format", format_, format_words, "of the input (default: ndjson)");
    arguments.integer("--chunk", chunk_, "N", "orders per request (default 39, which cost one token)");
    arguments.flag("--stop-on-error", stop_on_error_, "send no further request after a refused order");
    action_.declare(arguments);
  }

  Result<Answer, Stop> run(Context& context) override {
    const auto lines = read(context);
    if (!lines) return unexpected(Stop(lines.error()));
    if (chunk_ && (*chunk_ == 0 || *chunk_ > limits::batch_lines_max)) {
      return unexpected(Stop(usage_error("--chunk must be from 1 to " + std::to_string(limits::batch_lines_max))));
    }
    auto exchange = Exchange::open(context);
    if (!exchange) return unexpected(Stop(exchange.error()));
    const std::size_t chunk = chunk_.value_or(chunk_default);
    Progress progress;
    for (std::size_t first = 0; first < lines->size(); first += chunk) {
      const std::span part = std::span(*lines).subspan(first, std::min(chunk, lines->size() - first));
      auto reply = exchange->call(call_for(context, part));
      if (!reply) {
        // What was accepted before stays accepted: it must not vanish behind the failure.
        if (first == 0) return unexpected(reply.error());
        auto* failure = std::get_if<Failure>(&reply.error().why);
        if (failure == nullptr) return unexpected(reply.error());
        progress.broke_off = std::move(*failure);
        progress.not_sent_from = part.front().line;
        break;
      }
      take(progress, part, reply->body);
      if (stop_on_error_ && progress.refused > 0) break;
    }
    return conclude(std::move(progress), lines->size());
  }

 private:
  struct Progress {
    Json rows = Json::array();
    std::size_t accepted = 0;
    std::size_t refused = 0;
    std::string first_code;
    std::string first_message;
    std::optional<Failure> broke_off;
    std::size_t not_sent_from = 0;
  };

  Result<std::vector<BatchLine>, Failure> read(Context& context) {
    if (!file_) return unexpected(usage_error("--file names the orders; - is standard input"));
    std::optional<std::string> text;
    if (*file_ == "-") {
      text = context.environment().read_input(limits::input_bytes_max);
      if (!text) return unexpected(usage_error("standard input is too long"));
    } else {
      auto given = read_given(*file_, "the file of --file", limits::input_bytes_max, LooseMode::accept);
      if (!given) return unexpected(given.error());
      text = std::move(given->text);
    }
    return parse_batch(*text, format_ == "csv" ? BatchFormat::csv : BatchFormat::ndjson,
                       [&] { return make_client_id(context.environment()); });
  }

  Call call_for(Context& context, std::span<const BatchLine> part) const {
    api::OrderBatchRequest request;
    for (const BatchLine& line : part) request.orders.push_back(line.order);
    Call call = call_of<api::ops::PlaceOrders>(request);
    call.action = action_.choice();
    call.orders = part.size();
    for (const BatchLine& line : part) call.client_ids.push_back(line.order.client_id.value_or(""));
    call.look_up = {command_line(context, "orders list"), command_line(context, "orders history --all")};
    return call;
  }

  static void take(Progress& progress, std::span<const BatchLine> part, const Json& results) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      Json row = Json::object({{"line", part[i].line}, {"client_id", part[i].order.client_id}});
      const bool answered = i < results.items().size();
      if (answered) {
        const Json& item = results.items()[i];
        for (std::size_t k = 0; k < item.keys().size(); ++k) row.set(item.keys()[k], item.items()[k]);
      }
      if (answered && row.string_at("outcome") == "ok") {
        ++progress.accepted;
      } else {
        if (progress.refused++ == 0) {
          progress.first_code = std::string(row.string_at("error").value_or("unanswered"));
          progress.first_message = std::string(row.string_at("message").value_or("the order was refused"));
        }
      }
      progress.rows.push(std::move(row));
    }
  }

  static Result<Answer, Stop> conclude(Progress progress, std::size_t total) {
    Answer answer{.data = std::move(progress.rows), .view = batch_view()};
    if (progress.broke_off) {
      answer.failure = std::move(progress.broke_off);
      answer.failure->details.set("accepted", progress.accepted);
      answer.failure->details.set("failed_from_line", progress.not_sent_from);
      if (answer.failure->exit != ExitCode::outcome_unknown && progress.accepted > 0) {
        answer.failure->exit = ExitCode::partial;
      }
      return answer;
    }
    if (progress.refused == 0 && progress.accepted == total) return answer;
    const bool none = progress.accepted == 0;
    answer.failure = Failure{
        .exit = none ? exit_of_code(progress.first_code) : ExitCode::partial,
        .code = none ? progress.first_code : "partly_accepted",
        .message = none ? progress.first_message
                        : std::to_string(progress.accepted) + " of " + std::to_string(total) + " orders were accepted"};
    answer.failure->details.set("accepted", progress.accepted);
    answer.failure->details.set("refused", progress.refused);
    answer.failure->details.set("not_sent", total - progress.accepted - progress.refused);
    return answer;
  }

  std::optional<std::string> file_;
  std::optional<std::string> format_;
  std::optional<std::uint64_t> chunk_;
  bool stop_on_error_ = false;
  ActionFlag action_;
};

constexpr std::array rows{
    CommandRow{"orders batch", "--file FILE", "Place many orders, one per line of a file", make<BatchOrders>},
};

}  // namespace

std::span<const CommandRow> order_batch_commands() {
  return rows;
}

}  // namespace svc::cli
