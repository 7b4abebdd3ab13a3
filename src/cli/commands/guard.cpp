// guard -- CMD...
#include <signal.h>

#include <limits>
#include <set>

#include "api/contract/account.h"
#include "api/contract/orders.h"
#include "api/contract/positions.h"
#include "cli/arguments/durations.h"
#include "cli/arguments/line_words.h"
#include "cli/client/account_lookup.h"
#include "cli/client/credentials.h"
#include "cli/client/reconcile.h"
#include "cli/client/refusal.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/order_terms.h"
#include "cli/machine/programs.h"

namespace svc::cli {
namespace {

constexpr std::int64_t guard_look_ms = 200;
constexpr std::int64_t equity_every_ms = 1'000;
constexpr std::int64_t venue_pause_ms = 1'000;
constexpr std::int64_t patience_ms = 60'000;  // without progress, until nothing is open any more

Json code_behind(const Failure* failure) {
  return failure != nullptr ? Json(failure->code) : Json();
}

// A guard stays with the sandbox that it began with: another one may start, and its own may be down for a while.
class PinnedSandbox {
 public:
  PinnedSandbox(Environment& environment, const Network& network)
      : variables_(environment.variables), former_(environment.variables) {
    if (!network.is_local()) return;
    const std::string urls = joined(
        network.bases, [](const Base& base) { return api::to_string(base.rest); }, " ");
    variables_.insert_or_assign("SVC_LOCAL_URL", urls);
    pinned_ = {{"SVC_LOCAL_URL", urls}};
  }
  PinnedSandbox(const PinnedSandbox&) = delete;
  PinnedSandbox& operator=(const PinnedSandbox&) = delete;
  ~PinnedSandbox() { variables_ = std::move(former_); }

  // For processes that it starts.
  [[nodiscard]] const Variables& variables() const { return pinned_; }

 private:
  decltype(Environment::variables)& variables_;
  decltype(Environment::variables) former_;
  Variables pinned_;
};

// The end of a bot: its orders are cancelled, and with --flatten the account's positions closed.
class BotsEnd {
 public:
  explicit BotsEnd(bool flatten) : flatten_(flatten) {}

  // Prints the line now, or collects it for one document at the end.
  void tell(Context& context, std::string_view type, std::initializer_list<std::pair<std::string_view, Json>> members) {
    Json line = Json::object({{"type", type}, {"at_ms", context.now_ms()}});
    for (const auto& [key, value] : members) line.set(key, value);
    if (is_one_document(context)) return collect(context, told_, std::move(line));
    const Written shown = print_stream_line(context, line);
    if (written_ == Written::whole) written_ = shown;
  }

  // Looks until there are no orders: one that the bot sent last may arrive after the first look. Then tells the end.
  Result<void> clean_up(Context& context, Exchange& exchange, const std::string& prefix, std::string_view reason) {
    exchange.ask_anew();
    const auto cancelled = cancel_all(context, exchange, prefix);
    // A cancel that failed is no reason to keep the positions.
    auto clean = flatten_ ? close_all(context, exchange) : Result<void>();
    if (cancelled)
      settle_lost(context, exchange);
    else
      clean = cancelled.error();
    tell(context, "end",
         {{"reason", reason},
          {"clean", clean.has_value()},
          {"cancelled", cancelled ? Json(cancelled_.size()) : Json()}});
    return clean;
  }

  [[nodiscard]] Json take_told() { return std::move(told_); }
  // Whether all lines could be printed; a bot is not left alone for that.
  [[nodiscard]] Written written() const { return written_; }

 private:
  static Result<Json> orders_of(Exchange& exchange, const std::string& prefix) {
    const auto open = SVC_TRY(exchange.read<api::ops::ListOrders>());
    Json own = Json::array();
    for (const Json& order : open.items())
      if (order.string_at("client_id").value_or("").starts_with(prefix)) own.push(order);
    return own;
  }

  // The context of cancels: one whose answer is lost is sent again instead of looked up. A cancel may be sent twice,
  // and the other open orders do not wait for a look-up.
  static Result<Context> context_of_cancels(Context& context) {
    const auto* const paths = SVC_TRY(context.paths());
    const auto* const config = SVC_TRY(context.config());
    Globals globals = context.globals();
    globals.no_reconcile = true;
    Context apart(context.environment(), std::move(globals), context.line(), context.entry_points(),
                  context.shell_session());
    Config known = *config;
    known.warnings.clear();  // already printed
    apart.adopt(Paths(*paths), std::move(known));
    apart.hold(context.held());
    return apart;
  }

  // The failure, if it may still be open.
  std::optional<Failure> cancel(Context& context, Exchange& exchange, const Json& order) {
    const api::OrderRef request = ref_of(order);
    Call call = call_of<api::ops::CancelOrder>(request);
    call.direction = Direction::way_out;
    const auto reply = exchange.call(call);
    const Failure* failure = failure_in(reply);
    if (const auto entry = failure != nullptr ? failure->details.string_at("outbox") : std::nullopt)
      lost_.emplace_back(*entry, request.order_id);
    const bool over = failure != nullptr && failure->exit == ExitCode::not_found;
    if (reply || over) cancelled_.insert(request.order_id);
    tell(
        context, reply || over ? "cancelled" : "failed",
        {{"order_id", request.order_id}, {"client_id", order.string_at("client_id")}, {"error", code_behind(failure)}});
    return failure == nullptr || over ? std::nullopt : std::optional(*failure);
  }

  Result<void> cancel_all(Context& context, Exchange& exchange, const std::string& prefix) {
    auto apart = SVC_TRY(context_of_cancels(context));
    auto cancels = SVC_TRY(Exchange::open(apart));
    int empty_looks = 0;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    bool again = false;  // the sweep before cancelled nothing
    Failure last = internal_error("the bot's orders are still open");
    const auto uptime_ms = context.environment().uptime_ms;
    for (std::int64_t until_ms = uptime_ms() + patience_ms; uptime_ms() < until_ms;) {
      std::int64_t pause_ms = venue_pause_ms;
      const auto own = orders_of(exchange, prefix);
      if (!own) {
        last = own.error();
        tell(context, "venue_lost", {{"error", last.code}});
      } else if (own->items().empty()) {
        if (++empty_looks < 2)
          pause_ms = guard_look_ms;
        else if (settle_arriving(context, exchange, prefix) == 0)
          return {};
        else
          until_ms = uptime_ms() + patience_ms;  // after two minutes none is arriving
      } else {
        empty_looks = 0;
        // Fewer open orders are progress; an answer alone is not.
        if (own->items().size() < fewest) {
          fewest = own->items().size();
          until_ms = uptime_ms() + patience_ms;
        }
        std::size_t gone = 0;
        for (const Json& order : own->items()) {
          auto failure = cancel(context, cancels, order);
          if (!failure) ++gone;
          if (failure) last = std::move(*failure);
        }
        if (gone == 0) cancels.ask_anew();
        // After one failed sweep the next follows at once; after more, it waits.
        if (gone > 0 || !again) pause_ms = 0;
        again = gone == 0;
      }
      if (pause_ms > 0) context.environment().sleep_ms(pause_ms);
    }
    return last;
  }

  // Looks once for a write whose answer is not known. If nothing is proved, it stays for `svc outbox`.
  static std::optional<outbox::Verdict> proved(Context& context, Exchange& exchange, const outbox::Outbox& box,
                                               const std::string& id) {
    auto held = box.adopt(id);
    if (!held || !*held) return std::nullopt;
    const auto settled = outbox::reconcile(context, exchange, **held, std::nullopt, outbox::Patience::once);
    if (!settled) return std::nullopt;
    outbox::note_found(context, **held, *settled);
    return outbox::is_final(settled->verdict) ? std::optional(settled->verdict) : std::nullopt;
  }

  // Looks for orders of the bot's own `svc` that were cut off. Returns how many may still arrive.
  static std::size_t settle_arriving(Context& context, Exchange& exchange, const std::string& prefix) {
    const auto orders = outbox::arriving_orders(context, exchange.network());
    if (!orders) return 0;
    const outbox::Outbox box(context.environment(), **context.paths(), exchange.network().name);
    std::size_t left = 0;
    for (const outbox::Found& found : *orders) {
      const auto& ids = found.entry.client_ids;  // none if `svc api` sent it without one
      if (ids.empty() || !ids.front().starts_with(prefix)) continue;
      if (!proved(context, exchange, box, found.entry.id)) ++left;
    }
    return left;
  }

  // Settles cancels whose answers were lost, once no order is open.
  void settle_lost(Context& context, Exchange& exchange) {
    const outbox::Outbox box(context.environment(), **context.paths(), exchange.network().name);
    for (const auto& [entry, order_id] : lost_)
      if (proved(context, exchange, box, entry) == outbox::Verdict::accepted) cancelled_.insert(order_id);
  }

  // Positions have no client id, so all of the account are closed. One that cannot be closed does not hold up the
  // others; what is left is tried again.
  Result<void> close_all(Context& context, Exchange& exchange) {
    Failure last = internal_error("positions are still open");
    bool again = false;  // the look before left something
    const auto uptime_ms = context.environment().uptime_ms;
    for (const std::int64_t until_ms = uptime_ms() + patience_ms; uptime_ms() < until_ms;) {
      if (again) {
        context.environment().sleep_ms(venue_pause_ms);
        exchange.ask_anew();
      }
      const auto positions = exchange.read<api::ops::ListPositions>();
      again = !positions;
      if (!positions) {
        last = positions.error();
        tell(context, "venue_lost", {{"error", last.code}});
        continue;
      }
      bool is_flat = true;
      for (const Json& position : positions->items()) {
        if (!is_open(position)) continue;
        is_flat = false;
        if (const auto closed = close(context, exchange, position); !closed) {
          last = closed.error();
          again = true;
        }
      }
      if (is_flat) return {};
    }
    return failed("not_flat", "not everything was closed: " + last.message)
        .to_try({command_line(context, "positions list"), command_line(context, "flatten")});
  }

  Result<void> close(Context& context, Exchange& exchange, const Json& position) {
    const auto note = [&](const api::OrderRequest& order, const Result<Reply>& reply) {
      const std::string filled = reply ? text_in(reply->body, "order.filled_qty", "0") : "0";
      const auto closed = [&]() -> Result<void> {
        SVC_TRY(reply);
        if (reply->body.string_at("order.status") == "Filled") return {};
        return failed("not_filled",
                      "the book took " + filled + " of " + order.quantity.text + " of " + order.market_id.text);
      }();
      tell(context, closed ? "flattened" : "failed",
           {{"market", order.market_id.text},
            {"size", order.quantity.text},
            {"filled", filled},
            {"client_id", order.client_id.value_or("")},
            {"error", code_behind(failure_in(closed))}});
      return closed;
    };
    auto terms = closing_terms(position);
    if (!terms) {
      tell(context, "failed",
           {{"market", position.text_at("market_id")}, {"client_id", nullptr}, {"error", terms.error().code}});
      return terms.error();
    }
    return close_position(context, exchange, std::move(*terms), ActionChoice::when_unlocked, note);
  }

  const bool flatten_;
  Json told_ = Json::array();
  Written written_ = Written::whole;
  std::vector<std::pair<std::string, std::string>> lost_;  // cancels without an answer: outbox entry and order
  std::set<std::string> cancelled_;                        // orders
};

struct GuardFlags {
  std::vector<std::string> words, pass_env;
  std::optional<std::string> prefix, max_loss, stale;
  bool flatten = false;

  void declare(Arguments& arguments) {
    arguments.add(words, {"CMD", "the bot and its arguments, after --"});
    arguments.add(prefix, {"--client-id-prefix", "its orders (default: a new one, in $SVC_CLIENT_ID_PREFIX)", "TEXT"});
    arguments.add(max_loss, decimal("--max-loss", "stop it when the account's equity has fallen by this much", "USDX"));
    arguments.add(stale,
                  {"--stale", "stop it when it prints nothing on standard output for this long, such as 30s", "D"});
    arguments.add(pass_env, {"--pass-env", "hand it a variable that holds a secret, such as SVC_API_SECRET", "NAME"});
    arguments.add(flatten, {"--flatten", "close every position of the account as well"});
  }
};

struct BotRules {
  const GuardFlags& flags;
  std::string prefix;
  std::optional<std::int64_t> max_loss_micro_usdx{};
  std::optional<std::int64_t> stale_ms{};
  Variables handed_on{};
};
Result<BotRules> rules_of(Context& context, const GuardFlags& flags) {
  if (flags.words.empty()) return usage_error("give the bot's command after --");
  SVC_TRY(check_stream_format(context, "a guard"));
  if (context.presentation().filter)
    return usage_error("--jq: a guard prints while it cancels, and nothing may hold that up; pipe its output into jq");
  const Globals& globals = context.globals();
  if (globals.password_file == "-" || globals.password_fd == 0u)
    return usage_error("the bot has the standard input as well, and would find the password there");
  BotRules rules{.flags = flags,
                 .prefix = flags.prefix ? *flags.prefix : "g" + make_ulid(context.environment()).substr(16) + "-"};
  if (rules.prefix.empty()) return usage_error("--client-id-prefix is empty");
  SVC_TRY(check_client_id_prefix("--client-id-prefix", rules.prefix));
  if (flags.max_loss) {
    const auto amount = parse_scaled(*flags.max_loss, usdx_decimals);
    if (!amount) return usage_error("--max-loss must be USDX of at most 6 decimals");
    rules.max_loss_micro_usdx = *amount;
  }
  if (flags.stale) rules.stale_ms = SVC_TRY(parse_duration("--stale", *flags.stale));
  for (const std::string& name : flags.pass_env) {
    const auto value = context.environment().variable(name);
    if (!value) return usage_error("--pass-env: " + name + " is not set");
    rules.handed_on.emplace_back(name, *value);
  }
  return rules;
}

Result<std::int64_t> read_equity(Exchange& exchange) {
  const auto account = SVC_TRY(exchange.call(call_of<api::ops::GetAccount>()));
  const auto equity = decimal_of(account.body.find("equity"));
  const auto micro_usdx = equity ? to_scaled(*equity, usdx_decimals) : unexpected(DecimalError::malformed);
  if (!micro_usdx) return unreadable_member("equity", "the account");
  return *micro_usdx;
}

struct BotEnded {
  std::string reason;  // "exit", "stale", "max_loss", "interrupted"
  std::optional<int> exit{};
  std::optional<int> signal{};  // that ended the guard
};

// A venue that cannot be read is no reason to stop the bot; its loss is judged again when the venue answers.
BotEnded watch_bot(Context& context, Exchange& exchange, SupervisedProgram& program, const BotRules& rules,
                   std::int64_t equity_at_start) {
  const auto uptime_ms = context.environment().uptime_ms;
  std::int64_t spoke_ms = uptime_ms();
  std::int64_t read_ms = uptime_ms();
  std::optional<BotEnded> ended;
  bool is_told = false;  // that the account cannot be read now
  const auto look = [&] {
    if (ended) return true;
    const SupervisedProgram::Seen seen = program.look();
    if (seen.printed) spoke_ms = uptime_ms();
    if (seen.exit)
      ended = {.reason = "exit", .exit = seen.exit};
    else if (seen.signal)
      ended = {.reason = "interrupted", .signal = seen.signal};
    else if (context.environment().interrupted())
      ended = {.reason = "interrupted", .signal = SIGINT};
    else if (rules.stale_ms && uptime_ms() - spoke_ms >= *rules.stale_ms)
      ended = {.reason = "stale"};
    return ended.has_value();
  };
  while (true) {
    if (look()) return *ended;
    if (rules.max_loss_micro_usdx && uptime_ms() - read_ms >= equity_every_ms) {
      read_ms = uptime_ms();
      // Neither a signal nor a silent bot waits for a venue that does not answer.
      const api::EndsWaits no_wait_goes_on(look);
      const auto equity = read_equity(exchange);
      const bool was_told = std::exchange(is_told, !equity);
      if (!equity && !was_told && !ended) {
        const std::string why = "the account's loss is not judged: " + equity.error().message;
        context.say("note: " + why);  // each time: a notice of the same words is said once
        context.notice("loss_not_judged", why, Context::Frequency::documents_only);
      }
      if (equity && was_told) context.say("note: the account's loss is judged again");
      if (equity && equity_at_start - *equity >= *rules.max_loss_micro_usdx) return {.reason = "max_loss"};
    }
    context.environment().sleep_ms(guard_look_ms);
  }
}

Result<Answer> conclude_guard(Context& context, Json told, const BotEnded& ended, const Result<void>& clean) {
  const bool one_document = is_one_document(context);
  Answer answer{.data = std::move(told), .printed = !one_document};
  if (!clean) {
    const auto* why = failure_in(clean);
    if (!one_document || why == nullptr) return clean.error();
    answer.failure = *why;
    return answer;
  }
  if (ended.reason == "stale" || ended.reason == "max_loss")
    answer.failure = guard(ended.reason, "the bot was stopped and its orders were cancelled: " + ended.reason);
  if (ended.signal) {
    answer.failure = stopped_by(exit_of_signal(*ended.signal));
    answer.failure->message += "; the bot was ended and its orders were cancelled";
  }
  if (ended.exit.value_or(0) != 0) {
    answer.failure = failed(static_cast<ExitCode>(*ended.exit), "bot_failed", "the bot ended with exit ", *ended.exit);
    answer.failure->of_program = true;
  }
  if (answer.failure && !one_document) context.say("svc: " + answer.failure->message);
  return answer;
}

// Started before the bot, so that the bot is never without it.
Result<std::unique_ptr<Keeper>> start_keeper(Context& context, const BotRules& rules, const std::string& mark,
                                             Variables variables) {
  std::vector<std::string> words{"guard-keeper", "--mark", mark, "--client-id-prefix", rules.prefix};
  if (rules.flags.flatten) words.emplace_back("--flatten");
  const Globals& globals = context.globals();
  words.insert(words.end(), {"--network", *globals.network});
  if (globals.signer) words.insert(words.end(), {"--signer", *globals.signer});
  for (const FlagWords& flag : flags_of_every_line(context.line().words)) {
    const std::string_view name = flag_of(flag.front());
    if (name != "-n" && name != "--network" && name != "--signer") words.insert(words.end(), flag.begin(), flag.end());
  }
  // It signs as this process does. It has no mark, because this process may itself be part of a bot.
  variables.emplace_back(std::string(guard_mark), "");
  for (const auto& [name, value] : context.environment().variables)
    if (holds_secret(name)) variables.emplace_back(name, value);
  auto keeper = context.environment().start_keeper(words, variables);
  if (!keeper) return internal_error("the keeper of this guard cannot be started: " + keeper.error());
  return std::move(*keeper);
}

Result<Answer> run_bot(Context& context, Exchange& exchange, const Variables& variables, const BotRules& rules,
                       std::int64_t equity_at_start, const std::string& mark, Keeper* keeper) {
  auto program = context.environment().start_program(rules.flags.words, variables);
  if (!program) return usage_error(program.error());
  if (const auto group = (*program)->group(); group && keeper != nullptr) keeper->set_group(*group);
  BotsEnd end(rules.flags.flatten);
  end.tell(context, "start", {{"client_id_prefix", rules.prefix}, {"equity", format_usdx({equity_at_start})}});
  const BotEnded ended = watch_bot(context, exchange, **program, rules, equity_at_start);
  end.tell(context, "trigger", {{"reason", ended.reason}, {"exit", ended.exit}});
  (*program)->stop();
  kill_marked(mark);  // processes that the bot started may outlive it
  const auto clean = end.clean_up(context, exchange, rules.prefix, ended.reason);
  auto answer = conclude_guard(context, end.take_told(), ended, clean);
  if (answer && !answer->failure && end.written() != Written::whole)
    answer->failure = unwritable(context, end.written());
  return answer;
}

// Runs a bot. When it ends, falls silent or loses too much, cancels its orders: those whose client id begins with its
// prefix, one by one, from the cancel budget that the bot cannot drain.
Result<Answer> run_guard(Context& context, const GuardFlags& flags) {
  const auto rules = SVC_TRY(rules_of(context, flags));
  const auto network = SVC_TRY(context.network_name());
  context.stay_on(network.text);
  auto exchange = SVC_TRY(Exchange::open(context));
  if (context.globals().dry_run)
    return dry_run(Json::object({{"command", flags.words.front()}, {"client_id_prefix", rules.prefix}}));
  const PinnedSandbox pinned(context.environment(), exchange.network());
  // It stays the same, whoever logs in meanwhile. The bot's own `svc` uses it too, unless a line names another.
  const auto signer = SVC_TRY(signer_of_run(context, exchange.network()));
  if (signer) context.stay_with(*signer);
  // Checked before the bot starts: it must not start if it could not be stopped.
  const auto equity = SVC_TRY(read_equity(exchange));
  hold_credential(context, exchange.network());
  const std::string mark = make_ulid(context.environment());
  Variables variables{{"SVC_CLIENT_ID_PREFIX", rules.prefix},
                      {"SVC_NETWORK", exchange.network().name},
                      {std::string(guard_mark), mark}};
  if (signer) variables.emplace_back("SVC_SIGNER", *signer);
  if (context.globals().auth == AuthChoice::agent) variables.emplace_back("SVC_AUTH", "agent");
  variables.insert(variables.end(), pinned.variables().begin(), pinned.variables().end());
  variables.insert(variables.end(), rules.handed_on.begin(), rules.handed_on.end());
  const NeverStopped watching;
  // A reader that has gone, or stands still, must not leave the bot alone, nor its orders.
  const NoPipeSignal unread;
  context.environment().leave_readers(Environment::Unwaited::both);
  const auto keeper = SVC_TRY(start_keeper(context, rules, mark, pinned.variables()));
  auto answer = run_bot(context, exchange, variables, rules, equity, mark, keeper.get());
  if (keeper != nullptr) keeper->dismiss();
  return answer;
}

// Waits beside a guard. If the guard ends without dismissing it, as after kill -9, it ends the bot and all that the bot
// started, and cancels the bot's orders.
Result<Answer> keep_guard(Context& context, const std::optional<std::string>& mark,
                          const std::optional<std::string>& prefix, bool flatten) {
  if (!mark || !prefix || prefix->empty()) return usage_error("this is a part of svc guard");
  const NoPipeSignal unread;
  context.environment().leave_readers(Environment::Unwaited::both);
  if (const auto network = context.network()) hold_credential(context, **network);
  std::optional<std::string> group;
  while (auto line = context.environment().read_line()) {
    if (*line == keeper_dismissal) return Answer{.printed = true};
    group = std::move(line);
  }
  const auto number = parse_scaled(group.value_or(""), 0);
  if (number && *number > 1) ::kill(-static_cast<pid_t>(*number), SIGKILL);
  kill_marked(*mark);
  context.say("svc: the guard was killed; its bot was ended, and its orders (" + *prefix + ") are being cancelled");
  BotsEnd end(flatten);
  end.tell(context, "trigger", {{"reason", "guard_killed"}});
  auto exchange = SVC_TRY(Exchange::open(context));
  SVC_TRY(end.clean_up(context, exchange, *prefix, "guard_killed"));
  return Answer{.printed = true};
}

}  // namespace

std::vector<CommandRow> guard_keeper_commands() {
  return {{"guard-keeper", "", "Clean up after a guard that was killed", "", Output{"*"},
           calls(keep_guard, {{"--mark", "of the bot and all that it starts", "MARK"},
                              {"--client-id-prefix", "of its orders", "TEXT"},
                              {"--flatten", "close every position of the account as well"}})}};
}

std::vector<CommandRow> guard_commands() {
  return {
      {"guard", "[FLAGS] -- CMD...", "Run a bot, and cancel its orders when it ends or goes wrong", "",
       Output{"[] type=start at_ms:integer client_id_prefix equity | type=trigger at_ms:integer reason exit:integer? | "
              "type=cancelled at_ms:integer order_id client_id? error? | type=flattened at_ms:integer market size "
              "filled client_id error? | type=failed at_ms:integer -order_id -market -size -filled client_id? error? | "
              "type=venue_lost at_ms:integer error | type=end at_ms:integer reason clean:boolean cancelled:integer?",
              "-",
              "With -o json all lines at the end; with -o ndjson or raw, and in a pipe, each as a line of its own when "
              "it happens. What the bot prints goes to standard error."},
       calls(run_guard)}};
}

}  // namespace svc::cli
