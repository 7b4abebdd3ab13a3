// local list, status, wait, env, console, time, fund, invariants, stop: sandboxes as a whole
#include <signal.h>

#include <cerrno>
#include <cstring>

#include "api/http/http_client.h"
#include "base/process.h"
#include "cli/commands/control_call.h"
#include "cli/commands/operation_command.h"
#include "cli/machine/programs.h"
#include "sim/sim.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::array variable_forms{"sh"sv, "fish"sv, "json"sv, "dotenv"sv};

// Where the nodes of a cluster are; empty: there is none.
std::string nodes_of_cluster(const Json& status) {
  return joined(status.items_at("cluster.nodes"),
                [](const Json& node) { return node.text_at("name") + " " + node.text_at("address"); });
}

// Why there is no status.
struct NoStatus {
  std::string why;         // it names the address
  bool is_silent = false;  // somebody took the request and never answered
};

// What a sandbox at this URL answers to GET /_svc/status.
Result<Json, NoStatus> ask_status(Context& context, const std::string& url, std::int64_t timeout_ms) {
  const auto transport =
      context.environment().connect({.origin = url, .timeout_ms = timeout_ms, .proxy = "none", .ca = {}});
  if (!transport) return unexpected(NoStatus{transport.error()});
  const auto response = (*transport)
                            ->send({.method = "GET",
                                    .target = std::string(control::GetStatus::op.path),
                                    .headers = {{"Accept", "application/json"}},
                                    .body = {}});
  if (!response)
    return unexpected(
        NoStatus{url + ": " + response.error().reason, response.error().delivery == api::Delivery::unknown});
  if (response->status != 200) return unexpected(NoStatus{url + " answers " + std::to_string(response->status)});
  Json status = json_or_null(response->body);
  if (!status.integer_at("pid")) return unexpected(NoStatus{url + " is no sandbox"});
  return status;
}

// The status of a sandbox of the runtime folder; an error if another program, or nobody, answers at its address. The
// process number in its file may be another program's by now, so the one in the answer counts.
Result<Json, NoStatus> status_of(Context& context, const RunningSandbox& one, std::int64_t timeout_ms_max = INT64_MAX) {
  auto status = SVC_TRY(ask_status(context, one.url, std::min(context.globals().timeout_ms, timeout_ms_max)));
  if (status.integer_at("pid") != one.pid) return unexpected(NoStatus{one.url + " is another sandbox"});
  return status;
}

Failure no_such_sandbox(const std::optional<std::string>& name) {
  return absent("no_sandbox", name ? "no sandbox named " + *name + " runs" : "no sandbox runs");
}

// All that run, or those of that name.
Result<std::vector<RunningSandbox>> sandboxes_named(Context& context, const std::optional<std::string>& name) {
  auto running = running_sandboxes(*SVC_TRY(context.paths()));
  if (name) std::erase_if(running, [&](const RunningSandbox& one) { return one.name != *name; });
  return running;
}
Result<RunningSandbox> sandbox_named(Context& context, const std::string& name) {
  const auto found = SVC_TRY(sandboxes_named(context, name));
  if (found.empty()) return no_such_sandbox(name);
  return found.front();
}

// The status of the sandbox of that name. One that hangs is there, and is not said to be gone. (D-1020)
Result<Json> status_named(Context& context, const std::string& name) {
  const RunningSandbox one = SVC_TRY(sandbox_named(context, name));
  auto status = status_of(context, one);
  if (status) return std::move(*status);
  if (!status.error().is_silent) return no_such_sandbox(name);
  return failed("no_answer", "sandbox ", one.name, " (", one.pid, ") does not answer: ", status.error().why)
      .as_retryable();
}

Result<Answer> show_sandbox(Context& context, const std::optional<std::string>& name) {
  const View view{.layout = Layout::sheet};
  if (!name) return Answer{.data = SVC_TRY(ask_sandbox<control::GetStatus>(context)).body, .view = view};
  return Answer{.data = SVC_TRY(status_named(context, *name)), .view = view};
}

constexpr std::int64_t patience_ms_default = 30'000;
constexpr std::int64_t pause_between_looks_ms = 50;
constexpr std::int64_t first_quotes_ms = 3'000;  // bots need one second and a step

// True while bots have not quoted yet, and the book is empty. On a manual clock they may never quote.
bool waits_for_bots(const Json& status) {
  const auto* quotes = status.at("flow.has_quotes");
  return status.truth_at("flow.bots") && quotes != nullptr && !quotes->truth() &&
         status.string_at("clock.mode") != "manual";
}

// The status of the sandbox once it is ready, or why it is not yet.
using Seen = Result<Json, NoStatus>;

Result<Seen> look_at_network(Context& context, const Paths& paths, std::int64_t timeout_ms) {
  context.prefer_network("local");
  const auto name = SVC_TRY(context.network_name());
  const auto config = SVC_TRY(context.config());
  // Looked up anew each time: sandboxes come and go, and their files with them.
  const auto network = find_network(name, *config, paths, context.environment());
  if (!network && network.error().code == "several_sandboxes")
    return Seen(unexpected(NoStatus{network.error().message}));
  SVC_TRY(network);
  return ask_status(context, network->origin(), timeout_ms);
}

Result<Seen> look_at_sandbox(Context& context, const std::optional<std::string>& name,
                             const std::optional<std::uint64_t>& pid, std::int64_t timeout_ms) {
  const auto paths = SVC_TRY(context.paths());
  if (!name && !pid) return look_at_network(context, *paths, timeout_ms);
  for (const RunningSandbox& one : running_sandboxes(*paths)) {
    if ((name && one.name != *name) || (pid && one.pid != static_cast<std::int64_t>(*pid))) continue;
    auto status = ask_status(context, one.url, timeout_ms);
    if (!status || status->integer_at("pid") == one.pid) return status;
  }
  if (pid && process_state(static_cast<pid_t>(std::min<std::uint64_t>(*pid, INT32_MAX))) == ProcessState::gone)
    return failed("sandbox_ended", "process ", *pid, " ended before it took requests");
  return Seen(unexpected(NoStatus{pid ? concat("process ", *pid, " is not ready") : "none is named " + *name}));
}

Result<Answer> wait_for_sandbox(Context& context, const std::optional<std::string>& name,
                                const std::optional<std::uint64_t>& pid, const std::optional<std::string>& timeout) {
  const std::int64_t timeout_ms = timeout ? SVC_TRY(parse_patience("--timeout", *timeout)) : patience_ms_default;
  if (context.globals().dry_run) return planned("local_wait", Json::object({{"timeout_ms", timeout_ms}}));
  const std::int64_t began_ms = context.uptime_ms();
  for (;;) {
    const std::int64_t waited_ms = context.uptime_ms() - began_ms;
    // An error here ends the wait.
    const Seen seen =
        SVC_TRY(look_at_sandbox(context, name, pid, std::max(pause_between_looks_ms, timeout_ms - waited_ms)));
    if (seen && (waited_ms >= first_quotes_ms || !waits_for_bots(*seen))) {
      Answer answer{.data = Json::object({})};
      copy_members(*seen, {"name", "url", "pid", "network"}, answer.data);
      answer.data.set("waited_ms", context.uptime_ms() - began_ms);
      return answer;
    }
    if (waited_ms >= timeout_ms)
      return failed("not_ready", "no sandbox took requests within ", format_scaled(timeout_ms, 3),
                    " s: ", seen ? "" : seen.error().why)
          .as_retryable();
    if (!context.environment().pause(pause_between_looks_ms)) return failed("interrupted", "interrupted");
  }
}

void judge_invariants(Context&, Answer& answer) {
  const auto violations = answer.data.items_at("violations").size();
  if (violations == 0) return;
  answer.failure = failed("invariant_violated", violations, " invariants do not hold");
}

constexpr std::int64_t list_patience_ms = 2'000;  // with each: one that hangs must not hide the others

Result<Answer> list_sandboxes(Context& context, const std::optional<std::string>& name, bool all) {
  const auto running = SVC_TRY(sandboxes_named(context, name));
  Answer answer{.data = Json::array()};
  if (name && all) return usage_error("--name and --all exclude each other");
  for (const RunningSandbox& one : running) {
    const auto seen = status_of(context, one, list_patience_ms);
    if (!seen) context.say(concat("note: sandbox ", one.name, " (", one.pid, ") does not answer: ", seen.error().why));
    const Json status = seen ? *seen : Json();
    const Json* accounts = status.find("accounts");
    answer.data.push(Json::object({{"name", one.name},
                                   {"url", one.url},
                                   {"pid", one.pid},
                                   {"uptime_ms", status.integer_at("uptime_ms")},
                                   {"clock", status.string_at("clock.mode")},
                                   {"accounts", accounts == nullptr ? Json() : Json(accounts->items().size())},
                                   {"requests", status.integer_at("requests")},
                                   {"rss_bytes", status.integer_at("rss_bytes")}}));
  }
  return answer;
}

// Variables that tell svc and other programs where the sandbox is.
Result<Answer> show_environment(Context& context, const std::optional<std::string>& shell,
                                const std::optional<std::string>& sandbox) {
  const auto origin = [](const Base& base) { return origin_of(base.rest); };
  const std::string url = sandbox ? SVC_TRY(sandbox_named(context, *sandbox)).url
                                  : joined(SVC_TRY(Exchange::open(context)).network().bases, origin, " ");
  for (const RunningSandbox& one : SVC_TRY(sandboxes_named(context, sandbox)))
    if (one.url == url && !one.is_local)
      return usage_error("local env prints what leads to network local, which sandbox ", one.name,
                         " does not serve; name its address with svc network add");
  const std::string form = shell.value_or("sh");
  Json data = Json::object({{"SVC_NETWORK", "local"}, {"SVC_LOCAL_URL", url}});
  std::string text;
  for (const auto& [name, member] : data.members()) {
    const std::string& value = member.text();
    // Some readers of such files keep the quotes.
    const bool is_bare = form == "dotenv" && value.find(' ') == std::string::npos;
    text += concat(form == "sh"     ? "export "
                   : form == "fish" ? "set -gx "
                                    : "",
                   name, form == "fish" ? " " : "=", is_bare ? value : quoted_word(value), "\n");
  }
  if (form == "json") text = data.dump() + "\n";
  return Answer{.data = std::move(data), .text = std::move(text)};
}

// The page of a sandbox that runs. It is opened for somebody at a terminal; the address is printed for everybody.
Result<Answer> open_console(Context& context, const std::optional<std::string>& name, bool stays_closed) {
  if (name) SVC_TRY(status_named(context, *name));
  const std::string origin =
      name ? SVC_TRY(sandbox_named(context, *name)).url : SVC_TRY(Exchange::open(context)).network().origin();
  const std::string address = origin + std::string(sim::console_path);
  if (context.globals().dry_run) return planned("local_console", Json::object({{"url", address}}));
  if (!name) SVC_TRY(ask_sandbox<control::GetStatus>(context));
  const bool opened =
      !stays_closed && context.environment().out_is_terminal && context.environment().show_page(address);
  return Answer{.data = Json::object({{"url", address}, {"opened", opened}})};
}

// Milliseconds without a unit.
std::optional<std::int64_t> time_step_ms(const std::string& text) {
  const bool in_ms = text.ends_with("ms");
  const auto ms = parse_integer<std::int64_t>(std::string_view(text).substr(0, text.size() - (in_ms ? 2 : 0)));
  if (ms && *ms >= 0) return *ms;
  const auto step_ms = parse_duration("DURATION", text);
  return step_ms && !in_ms ? std::optional(*step_ms) : std::nullopt;
}

Result<control::TimeChange> time_change(const std::vector<std::string>& words) {
  const std::string& action = words.front();
  const std::string value = words.size() > 1 ? words[1] : "";
  const std::size_t count = words.size();
  if (action == "set" && count == 2) return control::TimeChange{.set_ms = SVC_TRY(parse_time("TIME", value))};
  if (action == "advance" && count == 2) {
    const auto step_ms = time_step_ms(value);
    if (!step_ms) return usage_error("DURATION must be such as 500ms, 90s, 15m, 8h or 1d, not \"" + value + "\"");
    return control::TimeChange{.advance_ms = *step_ms};
  }
  if (action == "pause" && count == 1) return control::TimeChange{.mode = control::ClockMode::manual};
  if (action == "run" && count == 1) return control::TimeChange{.mode = control::ClockMode::real};
  if (action == "run" && count == 2 && value.starts_with('x')) {
    const auto rate = parse_decimal(std::string_view(value).substr(1));
    if (!rate) return usage_error("the rate must be such as x10, not \"" + value + "\"");
    return control::TimeChange{.mode = control::ClockMode::scaled, .rate = control::TypedDecimal(value.substr(1))};
  }
  return usage_error("svc local time takes show, set TIME, advance DURATION, pause or run [xN]");
}

constexpr std::array time_targets{"next-funding"sv, "next-expiry"sv};

// svc local time [show | set TIME | advance MS|DURATION | pause | run [xN]]
Result<Answer> move_time(Context& context, const std::vector<std::string>& words,
                         const std::optional<std::string>& to) {
  const bool shows = words.empty() || words == std::vector<std::string>{"show"};
  if (!shows && to && words != std::vector<std::string>{"advance"})
    return usage_error("--to belongs to svc local time advance");
  control::TimeChange wanted;
  if (!shows && !to) wanted = SVC_TRY(time_change(words));
  auto exchange = SVC_TRY(Exchange::open(context));
  if (shows) return answer_of(SVC_TRY(exchange.call(call_of<control::GetTime>())));
  if (to) {
    const auto time = SVC_TRY(exchange.read<control::GetTime>());
    wanted.set_ms = time.integer_at(*to == "next-funding" ? "next_funding_ms" : "next_expiry_ms");
    if (!wanted.set_ms) return absent("nothing_expires", "no session, agent, order or cool-down ends by the clock");
  }
  // A jump goes through every minute between, and each is written down.
  Call call = call_of<control::MoveTime>(wanted);
  call.answer_ms_min = limits::clock_jump_answer_ms;
  return answer_of(SVC_TRY(exchange.call(call)));
}

constexpr std::int64_t stop_look_ms = 50;
constexpr std::int64_t stop_ms_max = 15'000;  // requests in progress are answered first

// Waits for sandboxes that are starting: they would be missed.
void let_starts_end(Context& context, const Paths& paths, const std::optional<std::string>& name) {
  const auto is_meant = [&](const RunningSandbox& one) { return !name || one.name == *name; };
  for (std::int64_t waited_ms = 0; waited_ms < stop_ms_max; waited_ms += stop_look_ms) {
    const auto starting = running_sandboxes(paths, SandboxStage::starting);
    if (std::ranges::none_of(starting, is_meant)) return;
    context.environment().sleep_ms(stop_look_ms);
  }
}

// Why it did not stop; empty: it has.
std::string stop_one(Context& context, const Paths& paths, const RunningSandbox& one) {
  // The start time in its file proves that the process is the sandbox, even if it hangs. If the file has none, the
  // sandbox must answer, because its process number may be another program's by now. (D-459)
  if (one.start == 0)
    if (const auto status = status_of(context, one); !status)
      return "it was sent no signal, because " + status.error().why;
  const auto process = static_cast<pid_t>(one.pid);
  if (process_state(process, one.start) == ProcessState::gone) return {};
  if (::kill(process, SIGTERM) != 0 && errno != ESRCH)
    return concat("it cannot be sent a signal: ", std::strerror(errno));
  for (std::int64_t waited_ms = 0; waited_ms < stop_ms_max; waited_ms += stop_look_ms) {
    context.environment().sleep_ms(stop_look_ms);
    const auto running = running_sandboxes(paths);
    if (!is_among(one.pid, running, &RunningSandbox::pid)) return {};
  }
  return concat("it was sent SIGTERM and still runs after ", stop_ms_max / second_ms, " s; kill -KILL ", one.pid,
                " ends it at once");
}

Result<Answer> stop_sandboxes(Context& context, const std::optional<std::string>& name, bool all) {
  if (name && all) return usage_error("--name and --all exclude each other");
  const auto paths = SVC_TRY(context.paths());
  if (!context.globals().dry_run) let_starts_end(context, *paths, name);
  const auto chosen = SVC_TRY(sandboxes_named(context, name));
  if (chosen.empty()) return no_such_sandbox(name);
  if (chosen.size() > 1 && !all && !name)
    return usage_error("several sandboxes run; --name says which, --all means every one");
  Answer answer{.data = Json::array()};
  for (const RunningSandbox& one : chosen) {
    Json row = Json::object({{"name", one.name}, {"url", one.url}, {"pid", one.pid}});
    if (!context.globals().dry_run) {
      const std::string problem = stop_one(context, *paths, one);
      row.set("stopped", problem.empty());
      if (!problem.empty())
        answer.failure = failed("not_stopped", "sandbox ", one.name, " (", one.pid, ") did not stop: ", problem);
    }
    answer.data.push(std::move(row));
  }
  if (context.globals().dry_run) return planned("local_stop", Json::object({{"sandboxes", std::move(answer.data)}}));
  return answer;
}

}  // namespace

std::vector<CommandRow> local_commands() {
  return {
      {"local list", "", "List the sandboxes that run", "# those of this user",
       Output{
           "[] name url pid:integer uptime_ms:integer? clock? accounts:integer? requests:integer? rss_bytes:integer?",
           "name url pid uptime_ms clock accounts requests rss_bytes"},
       calls(list_sandboxes,
             {{"--name", "only the sandbox of this name", "NAME"}, {"--all", "all of them, which is the default"}}),
       Repeats::yes},
      {"local status", "", "Show what the sandbox is and does", "# the sandbox that runs",
       operation<control::GetStatus>(
           {.columns =
                columns<control::Status>("name url network deployment pid seed uptime_ms clock=clock.mode "
                                         "now@clock.now_ms sequence commits requests rss_bytes strict_query state_hash "
                                         "log_problem? node=cluster.node? leader=cluster.leader? lag=cluster.lag? "
                                         "takes_writes=cluster.takes_writes? problem=cluster.problem? nodes()?",
                                         {{"nodes", nodes_of_cluster}})}),
       calls(show_sandbox,
             {{"--name", "the sandbox of this name", "NAME"}, refused("--all", "svc local list shows all of them")})},
      {"local wait", "[--pid N|--name NAME] [--timeout D]", "Wait until a sandbox takes requests",
       "--timeout 30s  # go on once it takes requests", Output{"name url pid:integer network waited_ms:integer"},
       calls(wait_for_sandbox,
             {{"--name", "the sandbox of this name", "NAME"},
              {"--pid", "the sandbox of this process, such as $!; fails as soon as that has ended", "N"},
              hiding_global({"--timeout", "wait at most so long, such as 90s (default 30s); then exit 17", "D"})})},
      {"local env", "", "Print variables that point programs at the sandbox", "# its address, for eval",
       Output{"SVC_NETWORK SVC_LOCAL_URL"},
       calls(show_environment, {{"--shell", "form of the lines (default sh)", {}, variable_forms},
                                {"--name", "the sandbox of this name, where several run", "NAME"}})},
      {"local console", "[--no-open] [--name NAME]", "Open the sandbox's page in a browser, and print its address",
       "--no-open  # the address of its page, for a browser", Output{"url opened:boolean"},
       calls(open_console, {{"--name", "the sandbox of this name, where several run", "NAME"},
                            {"--no-open", "only print the address, as without a terminal"}}),
       Repeats::yes},
      {"local time", "[show|set TIME|advance DURATION|advance --to next-funding|next-expiry|pause|run [xN]]",
       "Show or move the sandbox's clock", "advance 1h  # an hour later, at once",
       operation<control::MoveTime>(
           {.columns = columns<control::Time>(
                "now@now_ms now_ms mode rate sequence next_funding@next_funding_ms next_expiry@next_expiry_ms")}),
       calls(move_time,
             {{"ACTION", "show, set TIME, advance DURATION, pause, run (the machine's time), run xN (on from here)"},
              {"--to", "advance to the next of these, on the sandbox's clock", {}, time_targets}})},
      {"local fund", "ADDR AMOUNT", "Give an account play money", "$ADDR 1000  # money for an account",
       operation<control::Fund>(
           {.arguments = {positional<&control::Grant::account>("ADDR", "account; it is made if there is none"),
                          positional<&control::Grant::amount>("AMOUNT", "USDX", read_amount)},
            .columns = columns<control::Granted>("account amount balance sequence")})},
      {"local invariants", "", "Check every invariant now", "# check the books",
       operation<control::GetInvariants>(
           {.columns = columns<control::Invariants>("sequence violations"), .finish = judge_invariants})},
  };
}

std::vector<CommandRow> local_stop_commands() {
  return {
      {"local stop", "[--name NAME]", "Stop a sandbox that runs", "", Output{"[] name url pid:integer stopped:boolean"},
       calls(stop_sandboxes, {{"--name", "the one of this name", "NAME"}, {"--all", "every sandbox of this user"}})}};
}

}  // namespace svc::cli
