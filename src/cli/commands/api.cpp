// api METHOD PATH: any operation as it stands on the wire

#include "api/http/http_client.h"
#include "api/operation_list.h"
#include "base/encoding.h"
#include "base/text.h"
#include "cli/client/key_input.h"
#include "cli/client/redaction.h"
#include "cli/commands/plain_write.h"
#include "cli/commands/report.h"

namespace svc::cli {
namespace {

// An answer of one page is left as received.
Result<void> read_on(Context& context, Exchange& exchange, Call call, Reply& reply) {
  PageWalk walk;
  bool more = SVC_TRY(walk.go_on(reply));
  if (!more) return {};
  Json rows = Json::array();
  const auto take = [&](const Json& page) {
    if (!page.is(Json::Kind::array))
      rows.push(page);
    else
      for (const Json& row : page.items()) rows.push(row);
  };
  take(reply.body);
  ProgressLine progress(context, "reading", "rows");
  while (more && rows.items().size() < limits::list_rows_max) {
    call.query = query_at(call.query, *walk.cursor());
    const auto page = SVC_TRY(exchange.call(call));
    take(page.body);
    progress.at(rows.items().size());
    more = SVC_TRY(walk.go_on(page));
  }
  if (more) context.notice("more_rows", "there are more rows; reading ended at " + std::to_string(rows.items().size()));
  reply.body = std::move(rows);
  reply.raw = reply.body.dump() + "\n";
  return {};
}

// The field that the text names, borrowed from it.
Result<api::Header> read_header(std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (colon == std::string_view::npos || name.empty()) return usage_error("--header must be \"NAME: VALUE\"");
  if (is_hidden_header(name))
    return usage_error("--header does not take " + std::string(name) + ": secrets do not belong on a command line");
  if (api::is_client_field(name)) return usage_error("--header does not take ", name, ": svc writes it itself");
  const auto value = text.find_first_not_of(' ', colon + 1);
  return api::Header{name, value == std::string_view::npos ? "" : text.substr(value)};
}

// Fields by which some services take another method than that of the request.
constexpr std::string_view method_fields[] = {"X-HTTP-Method", "X-HTTP-Method-Override", "X-Method-Override"};

// The guards look at the method of the request: a read or a cancel could be taken for an order.
Result<void> check_method_fields(const Network& network, const api::Headers& headers) {
  if (!network.real_funds()) return {};
  for (const std::string_view name : method_fields)
    if (headers.contains(name))
      return usage_error("--header does not take ", name, " on real funds: METHOD says what is sent; nothing was sent");
  return {};
}

// The path as a lax service reads it: escapes decoded, in lower case, without empty and dot segments.
std::string plain_path(const std::string& path) {
  const std::string decoded = lower_case(percent_decode_bytes(path, Plus::is_itself).value_or(path));
  std::vector<std::string_view> segments;
  for (std::string_view rest = decoded; !rest.empty();) {
    const std::string_view segment = take_line(rest, '/');
    if (segment == ".." && !segments.empty()) segments.pop_back();
    if (!segment.empty() && segment != "." && segment != "..") segments.push_back(segment);
  }
  std::string plain;
  for (const std::string_view segment : segments) plain.append("/").append(segment);
  return plain;
}

// No guard knows what is written under a path that only the service takes for an operation's.
Result<void> check_spelling(const Network& network, const Call& call, bool is_known) {
  const bool is_guarded = call.operation->is_write() && call.operation->method != api::Method::del;
  if (is_known || !is_guarded || !network.real_funds()) return {};
  const auto* meant = api::match_operation(api::to_string(call.operation->method), logical_path(plain_path(call.path)));
  if (meant == nullptr) return {};
  return usage_error("PATH is not spelled as the API spells it, ", meant->path, "; nothing was sent");
}

// An answer that this program does not know may hold the only copy of a secret. It is shown here, and filed nowhere.
void show_received(Failure& failure, std::string received) {
  failure.details.set("answer", json_or_text(received));
  if (!failure.raw) failure.raw = std::move(received);
}

Result<Answer> call_api(Context& context, const std::string& typed_method, const std::string& path,
                        const std::optional<std::string>& data, const std::optional<std::string>& query,
                        const std::vector<std::string>& headers, bool paginate, const ActionFlag& action,
                        const AdminSecretFlags& admin_secret) {
  const std::string method_word = upper_case(typed_method);
  const auto method = api::parse<api::Method>(method_word);
  if (!method) return usage_error("METHOD must be GET, POST, PUT, PATCH or DELETE");
  if (paginate && *method != api::Method::get) return usage_error("--paginate is for GET");
  const bool printable = std::ranges::all_of(path, is_printable);
  if (!path.starts_with('/') || path.starts_with("//") || !printable || path.find('#') != std::string::npos)
    return usage_error("PATH must begin with / and hold no blanks; the network gives the host");
  Call call{.path = path.substr(0, path.find('?')), .query = {}, .raw_path = true};
  if (const auto mark = path.find('?'); mark != std::string::npos) call.query = path.substr(mark + 1);
  if (query) call.query += (call.query.empty() ? "" : "&") + *query;
  if (data && (data == "-" || data->starts_with('@')))
    call.carry(SVC_TRY(read_bytes(context, data == "-" ? *data : data->substr(1), "--data file")));
  else if (data)
    call.carry(*data);
  for (const std::string& text : headers) {
    const api::Header header = SVC_TRY(read_header(text));
    call.headers.add(header.name, header.value);
  }

  const api::Operation* known = api::match_operation(method_word, logical_path(call.path));
  const api::Operation unknown{.name = "unlisted", .group = "api", .method = *method, .path = "", .summary = ""};
  call.operation = known != nullptr ? known : &unknown;
  // Like every write it counts only if the answer reports it. (D-598)
  if (known != nullptr && known->is_write()) call.response = &api::find_operation(known->name)->response();
  call.keeps_members = true;
  // The request may be wrong on purpose: it gets a signed action only on demand.
  call.action = action.word == "sign" ? ActionChoice::demanded : ActionChoice::omitted;
  const bool cancels = *method == api::Method::del && known != nullptr && known->group == "orders";
  call.direction = cancels ? Direction::way_out : Direction::risk;
  if (call.operation->auth.has(api::Auth::admin)) call.admin_secret = SVC_TRY(admin_secret.read(context));
  auto exchange = SVC_TRY(Exchange::open(context));
  SVC_TRY(check_method_fields(exchange.network(), call.headers));
  SVC_TRY(check_spelling(exchange.network(), call, known != nullptr));
  std::string received;
  if (call.operation->is_write()) call.received = &received;
  auto answered = exchange.call(call);
  if (!answered && !received.empty()) show_received(answered.error(), std::move(received));
  auto reply = SVC_TRY(std::move(answered));
  if (paginate) SVC_TRY(read_on(context, exchange, call, reply));
  Answer answer = answer_of(std::move(reply));
  answer.text = context.environment().for_out(*answer.raw);
  if (!answer.text->empty() && !answer.text->ends_with('\n')) *answer.text += '\n';
  return answer;
}

}  // namespace

std::vector<CommandRow> api_commands() {
  return {{"api", "METHOD PATH", "Send a request as it stands on the wire",
           "GET /markets  # any path of the API, as it stands",
           Output{"*", "-", "What the server answers, as it stands: its shape is that of the operation called."},
           calls(call_api, {{"METHOD", "GET, POST, PUT, PATCH or DELETE"},
                            {"PATH", "path below the network's base, such as /orders"},
                            {"-d,--data", "body: @FILE, - for standard input, or the JSON itself", "@FILE"},
                            {"--query", "query, encoded, without '?'", "Q"},
                            {"-H,--header", "a further header field", "NAME: VALUE"},
                            {"--paginate", "read on at the cursor of each page; all rows become one list"}})}};
}

}  // namespace svc::cli
