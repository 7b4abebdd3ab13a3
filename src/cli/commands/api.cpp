// api METHOD PATH: any operation as it stands on the wire
#include <algorithm>
#include <array>

#include "api/error_catalog.h"
#include "api/operation_list.h"
#include "base/limits.h"
#include "cli/client/key_input.h"
#include "cli/client/redaction.h"
#include "cli/commands/command.h"
#include "cli/commands/listing.h"
#include "cli/commands/plain_write.h"
#include "cli/commands/report.h"
#include "cli/commands/sign.h"

namespace svc::cli {
namespace {

constexpr std::array methods{api::Method::get, api::Method::post, api::Method::put, api::Method::patch,
                             api::Method::del};

// The path as gateways hand it on: without the transport prefixes that are not signed.
std::string logical_path(std::string path) {
  for (const std::string_view base : {"/v1/", "/indexer/"}) {
    if (path.starts_with(base)) path = path.substr(base.size() - 1);
  }
  return path;
}

class RawCall final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.positional("METHOD", method_, "GET, POST, PUT, PATCH or DELETE");
    arguments.positional("PATH", path_, "path below the network's base, such as /orders");
    arguments.text("-d,--data", data_, "@FILE", "body: @FILE, - for standard input, or the JSON itself");
    arguments.text("--query", query_, "Q", "query, encoded, without '?'");
    arguments.texts("-H,--header", headers_, "NAME: VALUE", "a further header field");
    arguments.flag("--paginate", paginate_, "read on at the cursor of each page; all rows become one list");
    action_.declare(arguments);
    admin_secret_.declare(arguments);
  }

  Result<Answer, Stop> run(Context& context) override {
    Call call{.path = {}, .query = {}};
    SVC_TRY(build(context, call));
    auto exchange = SVC_TRY(Exchange::open(context));
    auto reply = SVC_TRY(exchange.call(call));
    if (paginate_) {
      SVC_TRY(read_on(context, exchange, call, reply));
    }
    Answer answer = answer_of(std::move(reply));
    answer.text = answer.raw->empty() || answer.raw->ends_with('\n') ? *answer.raw : *answer.raw + "\n";
    return answer;
  }

 private:
  // An answer of one page stays as it came.
  static Result<void, Stop> read_on(Context& context, Exchange& exchange, Call call, Reply& reply) {
    auto cursor = next_cursor(reply, std::nullopt);
    if (!cursor) return {};
    Json rows = Json::array();
    const auto take = [&](const Json& page) {
      if (!page.is(Json::Kind::array)) {
        rows.push(page);
        return;
      }
      for (const Json& row : page.items()) rows.push(row);
    };
    take(reply.body);
    ProgressLine progress(context, "reading", "rows");
    while (cursor && rows.items().size() < limits::list_rows_max) {
      call.query = query_at(call.query, *cursor);
      const auto page = SVC_TRY(exchange.call(call));
      take(page.body);
      progress.at(rows.items().size());
      cursor = next_cursor(page, cursor);
    }
    if (cursor)
      context.notice("more_rows", "there are more rows; reading ended at " + std::to_string(rows.items().size()));
    reply.body = std::move(rows);
    reply.raw = reply.body.dump() + "\n";
    return {};
  }

  Result<void, Failure> build(Context& context, Call& call) {
    std::transform(method_.begin(), method_.end(), method_.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    const auto method =
        std::find_if(methods.begin(), methods.end(), [&](api::Method one) { return api::to_string(one) == method_; });
    if (method == methods.end()) return unexpected(usage_error("METHOD must be GET, POST, PUT, PATCH or DELETE"));
    if (paginate_ && *method != api::Method::get) return unexpected(usage_error("--paginate is for GET"));
    const bool printable = std::all_of(path_.begin(), path_.end(), [](char c) { return c > ' ' && c <= '~'; });
    if (!path_.starts_with('/') || path_.starts_with("//") || !printable || path_.find('#') != std::string::npos) {
      return unexpected(usage_error("PATH must begin with / and hold no blanks; the network gives the host"));
    }
    call.raw_path = true;
    call.path = path_.substr(0, path_.find('?'));
    if (const auto mark = path_.find('?'); mark != std::string::npos) call.query = path_.substr(mark + 1);
    if (query_) call.query += (call.query.empty() ? "" : "&") + *query_;
    if (const auto read = read_body(context, call); !read) return read;
    if (const auto read = read_headers(call); !read) return read;

    const api::OperationEntry* known = api::match_operation(method_, logical_path(call.path));
    unknown_ = {.name = "unlisted", .group = "api", .method = *method, .path = "", .summary = ""};
    call.operation = known != nullptr ? known->operation : &unknown_;
    // What is typed here may be wrong on purpose; only an explicit wish makes it a signed action.
    call.action = action_.word == "sign" ? ActionChoice::demanded : ActionChoice::omitted;
    const bool cancels = *method == api::Method::del && known != nullptr && known->operation->group == "orders";
    call.direction = cancels ? Direction::way_out : Direction::risk;
    if (call.operation->auth.has(api::Auth::admin)) {
      auto secret = SVC_TRY(admin_secret_.read(context));
      call.admin_secret = std::move(secret);
    }
    return {};
  }

  Result<void, Failure> read_body(Context& context, Call& call) const {
    if (!data_) return {};
    const bool is_typed = *data_ != "-" && !data_->starts_with('@');
    call.carry(is_typed ? *data_
                        : SVC_TRY(read_document(context, "--data", *data_ == "-" ? *data_ : data_->substr(1))));
    return {};
  }

  Result<void, Failure> read_headers(Call& call) const {
    for (const std::string& text : headers_) {
      const auto colon = text.find(':');
      const std::string name = text.substr(0, colon);
      if (colon == std::string::npos || name.empty())
        return unexpected(usage_error("--header must be \"NAME: VALUE\""));
      if (is_secret_header(name)) {
        return unexpected(usage_error("--header does not take " + name + ": secrets do not belong on a command line"));
      }
      const auto value = text.find_first_not_of(' ', colon + 1);
      call.headers.push_back({name, value == std::string::npos ? "" : text.substr(value)});
    }
    return {};
  }

  std::string method_, path_;
  std::optional<std::string> data_, query_;
  std::vector<std::string> headers_;
  bool paginate_ = false;
  ActionFlag action_;
  AdminSecretFlags admin_secret_;
  api::Operation unknown_;
};

}  // namespace

std::span<const CommandRow> api_commands() {
  static const CommandRow rows[]{{"api", "METHOD PATH", "Send a request as it stands on the wire", make<RawCall>}};
  return rows;
}

}  // namespace svc::cli
