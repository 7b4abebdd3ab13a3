// local requests
#include <array>

#include "cli/commands/control_call.h"
#include "cli/commands/groups.h"
#include "cli/commands/order_views.h"
#include "cli/commands/read.h"
#include "cli/watch/follow_rows.h"

namespace svc::cli {
namespace {

View requests_view() {
  return {{{"time", "", [](const Json& row) { return time_at(row, "received_at_ms"); }},
           {"method", "method"},
           {"path", "path"},
           {"auth", "credential"},
           {"status", "status"},
           {"code", "code"},
           {"bucket", "bucket"},
           {"cost", "cost"},
           {"reason", "rule"},
           {"note", "note"}},
          Layout::rows};
}

// '*' stands for any text.
bool fits(std::string_view pattern, std::string_view text) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  for (std::size_t skip = 0; skip <= text.size(); ++skip)
    if (fits(pattern, text.substr(skip))) return true;
  return false;
}

class ListRequests final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--failed", failed_, "only those that were refused");
    arguments.text("--route", route_, "GLOB", "only paths such as '/orders*', or operations such as place_order");
    arguments.flag("--follow", follow_, "go on with those to come, until Ctrl-C");
    arguments.give_way("--curl");
    arguments.flag("--curl", curl_,
                   "print each as a curl command, without its credentials and body, which are not kept");
  }

  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(open_sandbox(context));
    if (follow_) {
      return follow_rows(context, requests_view(), [&](const std::optional<Json>& last) {
        return rows_after(exchange, last ? last->integer_at("number").value_or(0) : 0);
      });
    }
    auto rows = SVC_TRY(rows_after(exchange, 0));
    Answer answer{.data = Json::array(std::move(rows)), .view = requests_view()};
    if (curl_) answer.text = curl_lines(answer.data, exchange.network().origin());
    return answer;
  }

 private:
  Result<std::vector<Json>, Stop> rows_after(Exchange& exchange, std::int64_t number) const {
    Call call = control_get("/requests");
    if (number > 0) call.query = "after=" + std::to_string(number);
    auto reply = SVC_TRY(exchange.call(call));
    std::vector<Json> rows;
    if (const Json* requests = reply.body.find("requests")) {
      for (const Json& request : requests->items())
        if (wanted(request)) rows.push_back(request);
    }
    return rows;
  }

  bool wanted(const Json& request) const {
    const Json* rule = request.find("rule");
    const bool refused = (rule != nullptr && rule->is(Json::Kind::string)) || request.integer_at("status") >= 400;
    if (failed_ && !refused) return false;
    if (!route_) return true;
    return fits(*route_, request.string_at("path").value_or("")) ||
           fits(*route_, request.string_at("operation").value_or(""));
  }

  static std::string curl_lines(const Json& requests, const std::string& origin) {
    std::string text;
    for (const Json& request : requests.items()) {
      std::string url = origin + std::string(request.string_at("path").value_or(""));
      for (auto quote = url.find('\''); quote != std::string::npos; quote = url.find('\'', quote + 4))
        url.replace(quote, 1, "'\\''");
      text += "curl -X " + escaped(request.string_at("method").value_or("")) + " '" + escaped(url) + "'\n";
    }
    return text;
  }

  bool failed_ = false;
  bool follow_ = false;
  bool curl_ = false;
  std::optional<std::string> route_;
};

constexpr std::array local_request_rows{
    CommandRow{"local requests", "", "List the latest requests and what refused them", make<ListRequests>, 1,
               Repeats::yes},
};

}  // namespace

std::span<const CommandRow> local_request_commands() {
  return local_request_rows;
}

}  // namespace svc::cli
