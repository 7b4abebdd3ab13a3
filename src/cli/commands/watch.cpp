// watch; ws token, raw
#include <deque>

#include "api/contract/streams.h"
#include "api/stream/stream_client.h"
#include "api/stream/stream_message.h"
#include "api/values.h"
#include "base/encoding.h"
#include "cli/arguments/durations.h"
#include "cli/client/exchange_door.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/pages.h"
#include "cli/commands/read.h"
#include "cli/machine/private_file.h"
#include "cli/store/wallet_store.h"

namespace svc::cli {
namespace {

using Kind = api::StreamNews::Kind;

bool concerns_a_person(const api::StreamNews& news) {
  return news.kind == Kind::event && !news.snapshot && news.key &&
         (news.key->channel == api::StreamChannel::fills || news.key->channel == api::StreamChannel::liquidations);
}

// For a terminal's standard error: the bell, a desktop notification (OSC 9, where the terminal supports it), and the
// text.
std::string notification(const std::string& text) {
  return "\a\x1b]9;" + text + "\x1b\\" + text + "\n";
}

// One subscription per account channel, and one per market for each market channel. Channels come first, then markets;
// exit 2 with the list of channels for a word that is neither.
Result<std::vector<api::StreamKey>> stream_keys(const std::vector<std::string>& words,
                                                const std::vector<std::string>& intervals) {
  // The channels of `svc watch account`; liquidation alerts belong to it.
  constexpr std::array account_channels{"orders", "fills", "positions", "balances", "liquidations"};
  const auto channel_list = [] { return "account, " + joined(api::stream_channels(), &api::StreamChannelInfo::name); };
  std::vector<std::string> channels, markets;
  for (const std::string& word : words) {
    if (word == "account") {
      channels.insert(channels.end(), account_channels.begin(), account_channels.end());
    } else if (api::find_stream_channel(word)) {
      channels.push_back(word);
    } else if (!channels.empty() && api::is_market_id(word)) {
      markets.push_back(word);
    } else {
      return usage_error("\"", word, "\" is no channel; channels are ", channel_list());
    }
  }
  if (channels.empty()) return usage_error("name at least one channel: ", channel_list());
  std::vector<api::StreamKey> keys;
  bool takes_interval = false;
  bool takes_market = false;
  for (const std::string& word : channels) {
    const api::StreamChannelInfo& info = api::info_of(*api::find_stream_channel(word));
    if (info.scope != api::ChannelScope::market) {
      keys.push_back({.channel = info.channel, .market = {}, .interval = {}});
      continue;
    }
    takes_market = true;
    if (markets.empty()) return usage_error("channel ", word, " needs a market, such as BTC-USDX-PERP");
    takes_interval = takes_interval || info.has_interval;
    const std::vector<std::string> one_interval{info.has_interval ? "1m" : ""};
    for (const std::string& market : markets) {
      for (const std::string& interval : info.has_interval && !intervals.empty() ? intervals : one_interval)
        keys.push_back({.channel = info.channel, .market = market, .interval = interval});
    }
  }
  if (!intervals.empty() && !takes_interval) return usage_error("--interval is for candles");
  if (!markets.empty() && !takes_market) return usage_error("none of these channels takes a market");
  return keys;
}

// From which a later run continues: NETWORK~ACCOUNT~MARKS; the account is "-" where it is not known. Empty without
// marks.
std::string cursor_text(const std::string& network, const std::string& account, const api::StreamMarks& marks) {
  if (marks.empty()) return {};
  return network + "~" + (account.empty() ? "-" : account) + "~" + api::to_string(marks);
}

// Exit 2 unless the cursor belongs to that network and account.
Result<api::StreamMarks> parse_cursor(const std::string& text, const std::string& network, const std::string& account) {
  const auto bad = [](const std::string& why) {
    return usage_error("--from must be the cursor of a line that svc watch printed: " + why);
  };
  const auto first = text.find('~');
  const auto second = first == std::string::npos ? first : text.find('~', first + 1);
  if (second == std::string::npos) return bad("it has not three parts");
  if (text.substr(0, first) != network) return bad("it is of network " + text.substr(0, first));
  const std::string whose = text.substr(first + 1, second - first - 1);
  if (whose != "-" && !account.empty() && whose != account) return bad("it is of account " + whose);
  auto marks = api::parse_stream_marks(std::string_view(text).substr(second + 1));
  if (!marks) return bad(marks.error());
  return std::move(*marks);
}

Result<std::optional<std::int64_t>> parsed_for(const std::optional<std::string>& typed) {
  if (!typed) return std::optional<std::int64_t>();
  return std::optional(SVC_TRY(parse_duration("--for", *typed)));
}

// One document needs one of the flags that end a stream.
Result<void> check_end(Context& context, bool has_end, std::string_view flags) {
  SVC_TRY(check_stream_format(context, "the stream"));
  if (!is_one_document(context) || has_end || context.leave_stored_format("one document needs an end")) return {};
  return usage_error("-o json prints one document at the end: add ", flags, ", or use -o ndjson");
}

// Line by line if asked for, in a pipe, or because --jq is given without -o.
bool prints_lines(Context& context) {
  const auto& format = context.globals().format;
  if (format) return context.globals().jq_alone || *format == Format::ndjson || *format == Format::raw;
  return context.globals().jq_alone || !context.environment().out_is_terminal;
}

// The last line of a stream says how it ended.
void print_end(Context& context, std::optional<Failure>& failure) {
  const Written written = print_stream_line(context, end_record(failure, context.facts()));
  if (written != Written::whole && !failure) failure = unwritable(context, written);
}

// What a user types for a channel: "trades" for "trades:".
std::string_view channel_word(const api::PublicChannelInfo& info) {
  return info.takes_market ? info.name.substr(0, info.name.size() - 1) : info.name;
}

// Makes the words after the first channel that are no channels whole ids of markets.
Result<void> name_watched_markets(Context& context, std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto known = api::public_channels();
    const bool is_public = is_among(std::string_view(words[i]), known, channel_word);
    if (words[i] == "account" || words[i] == "*" || is_public || api::find_stream_channel(words[i])) continue;
    words[i] = SVC_TRY(whole_market_id(context, words[i]));
  }
  return {};
}

struct PublicFrame {
  std::string_view type;
  std::string_view channel;
  std::string_view member;  // that is the payload; empty: the frame itself is
};

constexpr PublicFrame public_frames[] = {{"Trade", "trades", "trade"},
                                         {"BookUpdate", "book", "book"},
                                         {"MarketHalted", "market_status", ""},
                                         {"MarketResumed", "market_status", ""},
                                         {"Stats", "stats", "stats"}};

Json event_line(const PublicFrame& frame, Json&& document) {
  const auto market = document.string_at("market_id");
  Json line = Json::object({{"type", "event"},
                            {"channel", frame.channel},
                            {"market", market ? Json(*market) : Json()},
                            {"seq", Json()},
                            {"source", "stream"},
                            {"snapshot", false}});
  line.append("payload", frame.member.empty() ? std::move(document) : document.take(frame.member));
  return line;
}

// "trades:BTC-USDX-PERP", "book:*", "stats" from channels and markets as typed; exit 2 for what the public stream does
// not have.
Result<std::vector<std::string>> public_names(const std::vector<std::string>& words) {
  const auto known = api::public_channels();
  std::vector<const api::PublicChannelInfo*> channels;
  std::vector<std::string> markets;
  for (const std::string& word : words) {
    if (const auto info = std::ranges::find(known, std::string_view(word), channel_word); info != known.end()) {
      channels.push_back(&*info);
    } else if (!channels.empty() && (word == "*" || api::is_market_id(word))) {
      markets.push_back(word);
    } else {
      return usage_error("\"", word, "\" is no channel of the public stream; they are ", joined(known, channel_word));
    }
  }
  if (channels.empty()) return usage_error("name at least one channel");
  std::vector<std::string> names;
  for (const auto* info : channels) {
    if (!info->takes_market) {
      names.emplace_back(info->name);
      continue;
    }
    if (markets.empty()) names.push_back(std::string(info->name) + "*");
    for (const std::string& market : markets) names.push_back(std::string(info->name) + market);
  }
  return names;
}

// Follows the public stream, which needs no credential and cannot resume: what was missed during a disconnection is
// reported as a gap.
class PublicFollower {
 public:
  // `context` outlives this.
  PublicFollower(Context& context, Exchange exchange, std::vector<std::string> names, std::uint64_t jitter_seed)
      : context_(context), exchange_(std::move(exchange)), names_(std::move(names)), backoff_(jitter_seed) {}

  // As StreamClient::next.
  std::optional<api::StreamNews> next(std::int64_t wait_ms) {
    if (failure_ && !failure_->retryable) return std::nullopt;
    if (!link_) return connect(wait_ms);
    if (std::exchange(gap_due_, false)) {
      line_ = Json::object({{"type", "gap"}, {"channel", Json()}, {"market", Json()}, {"missed", Json()}});
      return api::StreamNews{.kind = Kind::gap};
    }
    auto event = link_->next(wait_ms);
    if (!event) {
      if (liveness_.keep(*link_, context_.uptime_ms())) return std::nullopt;
      return lost(api::silent_server_text, api::silent_server_code, 0);
    }
    liveness_.hear(context_.uptime_ms());
    if (event->kind == api::LinkEvent::Kind::ended) return lost(event->text, "connection_lost", 0);
    return event->kind == api::LinkEvent::Kind::text ? hear(event->text) : std::nullopt;
  }
  // The complete line of the latest news, once; null if its watch_line() is that.
  Json take_line() { return std::exchange(line_, Json()); }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

 private:
  std::optional<api::StreamNews> connect(std::int64_t wait_ms) {
    const std::int64_t left_ms = retry_at_ms_ - context_.uptime_ms();
    if (left_ms > 0) {
      context_.environment().sleep_ms(std::min(left_ms, wait_ms));
      return std::nullopt;
    }
    auto link = open_stream(context_, exchange_, StreamOf::everybody, ever_ ? Opening::again : Opening::first);
    if (!link) {
      const auto& [why, failure] = link.error();
      failure_ = failure;
      if (!why.permanent) return lost(why.reason, why.code, why.retry_after_ms);
      return api::StreamNews{.kind = Kind::error, .code = why.code, .text = why.reason, .final = true};
    }
    failure_.reset();
    link_ = std::move(*link);
    liveness_ = api::Liveness(context_.uptime_ms());
    static_cast<void>(link_->send(Json::object({{"subscribe", Json::list(names_)}}).dump()));
    gap_due_ = std::exchange(ever_, true);
    return api::StreamNews{.kind = Kind::connected};
  }

  api::StreamNews lost(const std::string& why, const std::string& code, std::int64_t retry_after_ms) {
    link_.reset();
    const std::int64_t pause_ms = backoff_.next_ms(retry_after_ms);
    retry_at_ms_ = context_.uptime_ms() + pause_ms;
    return {.kind = Kind::disconnected, .code = code, .text = why, .retry_ms = pause_ms};
  }

  std::optional<api::StreamNews> hear(const std::string& text) {
    backoff_.reset();
    auto document = parse_json(text);
    const std::string_view type = document ? document->string_at("type").value_or("") : std::string_view();
    for (const PublicFrame& frame : public_frames) {
      if (frame.type != type) continue;
      line_ = event_line(frame, std::move(*document));
      return api::StreamNews{.kind = Kind::event};
    }
    if (type == "gap") {
      line_ = *document;
      return api::StreamNews{.kind = Kind::gap};
    }
    if (type != "error") return std::nullopt;
    failure_ = failed(ExitCode::invalid, document->text_at("code"), document->text_at("message"));
    return api::StreamNews{.kind = Kind::error, .code = failure_->code, .text = failure_->message, .final = true};
  }

  Context& context_;
  Exchange exchange_;
  std::vector<std::string> names_;
  api::Backoff backoff_;
  std::unique_ptr<api::MessageLink> link_;
  Json line_;
  std::optional<Failure> failure_;
  TimestampMs retry_at_ms_ = 0;
  api::Liveness liveness_;
  bool ever_ = false;
  bool gap_due_ = false;
};

class Watch final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.add(words_,
                  {"CHANNEL",
                   "channels, then markets; account is orders, fills, positions, balances and liquidations; top "
                   "is a page of everything"});
    arguments.add(intervals_, {"--interval", "of candles: 1s, 1m (default), 5m, 1h; may be repeated", "I"});
    arguments.add(for_, {"--for", "end after this time, such as 90s or 5m", "D"});
    arguments.add(count_, {"--count", "end after so many events", "N"});
    arguments.add(until_,
                  {"--until", "end with the first line for which this holds, such as payload.price>=60000", "EXPR"});
    arguments.add(fail_on_gap_, {"--fail-on-gap", "end with exit 18 when the stream lost events"});
    arguments.add(snapshot_, {"--snapshot", "begin with how things stand: recent rows, open orders"});
    arguments.add(from_, {"--from", "go on after the line that carried this cursor", "CURSOR"});
    arguments.add(exec_, {"--exec", "run this shell command for each event, the line on its standard input", "CMD"});
    arguments.add(public_, {"--public", "the public stream, without credentials: trades, book, market_status, stats"});
    arguments.add(notify_, {"--notify", "call the person at the terminal for fills and liquidations"});
  }

  Result<Answer> run(Context& context) override {
    SVC_TRY(name_watched_markets(context, words_));
    if (wants_page(context)) return show_page(context);
    if (public_) return watch_public(context);
    const auto keys = SVC_TRY(stream_keys(words_, intervals_));
    const auto ends = SVC_TRY(understand());
    SVC_TRY(check_end(context, for_ || count_ || until_, "--for, --count or --until"));
    auto door = SVC_TRY(ExchangeDoor::make(context));
    if (context.globals().dry_run) SVC_TRY(mint_stream_token(door->exchange(), TokenKind::account));
    // The account must be known before the first line, and a missing key is reported at once.
    const auto credential =
        choose_credential(context, door->exchange().network(), call_of<api::ops::MintStreamToken>());
    if (!credential) return without_key(credential.error());
    warn_of_cancel_on_disconnect(context, door->exchange());
    const std::string account = credential->account ? to_string(*credential->account) : std::string();
    const std::string& network = door->exchange().network().name;
    api::StreamMarks marks;
    if (from_) marks = SVC_TRY(parse_cursor(*from_, network, account));
    // A run that was killed early may have no mark of a channel yet, so this is no mistake for certain.
    for (const api::StreamKey& key : keys)
      if (from_ && api::info_of(key.channel).resume == api::Resume::replayed && !marks.contains(key))
        context.notice("not_in_cursor",
                       concat("the cursor holds nothing of ", to_string(key), ": what came before now is not told"));
    std::deque<api::StreamNews> first;
    if (snapshot_) first = SVC_TRY(rows_at_first(*door, keys, marks));
    api::StreamClient client(*door, context.uptime_clock(), keys, std::move(marks), seed_of(context));
    const WatchSource source{
        .next = [&](std::int64_t wait_ms) -> std::optional<api::StreamNews> {
          if (first.empty()) return client.next(wait_ms);
          auto news = std::move(first.front());
          first.pop_front();
          return news;
        },
        // The client goes on behind the last of the first rows.
        .cursor = [&] { return first.empty() ? cursor_text(network, account, client.marks()) : std::string(); },
        .failure = [&] { return door->failure(); },
    };
    return show_all(context, source, ends);
  }

 private:
  // Public channels need no key.
  Failure without_key(Failure failure) const {
    if (!public_names(words_)) return failure;
    failure.actions.push_back("svc watch --public " + joined(words_, {}, " "));
    return failure;
  }

  Result<Answer> watch_public(Context& context) {
    if (from_ || snapshot_ || !intervals_.empty()) {
      return usage_error(
          "the public stream resumes nothing and has no candles: --from, --snapshot and --interval are for "
          "the other one");
    }
    auto names = SVC_TRY(public_names(words_));
    const auto ends = SVC_TRY(understand());
    SVC_TRY(check_end(context, for_ || count_ || until_, "--for, --count or --until"));
    auto exchange = SVC_TRY(Exchange::open(context));
    if (context.globals().dry_run) SVC_TRY(exchange.call(call_of<api::ops::PublicStream>()));
    PublicFollower follower(context, std::move(exchange), std::move(names), seed_of(context));
    const WatchSource source{.next = [&](std::int64_t wait_ms) { return follower.next(wait_ms); },
                             .cursor = [] { return std::string(); },
                             .line = [&] { return follower.take_line(); },
                             .failure = [&] { return follower.failure(); }};
    return show_all(context, source, ends);
  }

  static std::uint64_t seed_of(Context& context) {
    std::uint64_t seed = 0;
    context.environment().random({reinterpret_cast<std::uint8_t*>(&seed), sizeof seed});
    return seed;
  }

  // Pages are shown on a terminal, or as plain text with -o table.
  [[nodiscard]] bool wants_page(Context& context) const {
    if (words_ == std::vector<std::string>{"top"}) return true;
    const bool page = words_ == std::vector<std::string>{"positions"} ||
                      (words_.size() == 2 && (words_[0] == "book" || words_[0] == "trades"));
    const bool lines =
        until_ || from_ || exec_ || notify_ || snapshot_ || fail_on_gap_ || public_ || context.globals().text_template;
    if (!page || lines) return false;
    const auto& format = context.globals().format;
    return format == Format::table || (!format && context.environment().out_is_terminal && !count_);
  }

  Result<Answer> show_page(Context& context) {
    const auto ends = SVC_TRY(understand());
    const auto& format = context.globals().format;
    const bool is_no_table = format && *format != Format::table && !context.leave_stored_format("a page is a picture");
    if (is_no_table || context.globals().text_template)
      return usage_error("watch top is a page: it has no -o but table, and no --template");
    const std::string market = words_.size() == 2 ? words_[1] : std::string();
    if (!market.empty()) SVC_TRY(market_id(market));
    auto door = SVC_TRY(ExchangeDoor::make(context));
    const auto credential =
        choose_credential(context, door->exchange().network(), call_of<api::ops::MintStreamToken>());
    std::unique_ptr<Page> page;
    if (words_[0] == "top") {
      page = std::make_unique<TopPage>(credential.has_value(), account_name(context, *door, credential));
    } else if (!credential) {
      return without_key(credential.error());
    } else if (words_[0] == "book") {
      page = std::make_unique<BookPage>(market);
    } else if (words_[0] == "trades") {
      page = std::make_unique<TradesPage>(market);
    } else {
      page = std::make_unique<PositionsPage>(account_name(context, *door, credential));
    }
    if (credential && words_[0] != "top") warn_of_cancel_on_disconnect(context, door->exchange());
    const bool full_screen =
        context.environment().out_is_terminal && context.environment().in_is_terminal && !format && !count_;
    return run_page(context, *door, *page, {.full_screen = full_screen, .for_ms = ends.for_ms, .frames = count_});
  }

  // The name of the account's wallet if it is stored here, else the shortened address.
  static std::string account_name(Context& context, ExchangeDoor& door, const Result<Credential>& credential) {
    if (!credential || !credential->account) return {};
    const std::string address = to_string(*credential->account);
    const auto wallets = list_wallets(**context.paths(), door.exchange().network().name);
    for (std::size_t i = 0; wallets && i < wallets->size(); ++i)
      if ((*wallets)[i].address == *credential->account) return (*wallets)[i].name;
    return address.substr(0, 6) + ".." + address.substr(address.size() - 4);
  }

  Result<WatchEnds> understand() const {
    WatchEnds ends{.for_ms = {}, .count = count_, .until = {}, .fail_on_gap = fail_on_gap_};
    if (count_ && *count_ == 0) return usage_error("--count must be at least 1");
    ends.for_ms = SVC_TRY(parsed_for(for_));
    if (until_) {
      auto rule = TextConditions::parse(*until_);
      if (!rule) return usage_error("--until ", rule.error());
      ends.until = std::move(*rule);
    }
    return ends;
  }

  Answer show_all(Context& context, const WatchSource& source, const WatchEnds& ends) {
    const WatchReport report = follow(context, source, ends, [&](const api::StreamNews& news, const Json& line) {
      const Written shown = show(context, line);
      if (shown == Written::whole && news.kind == Kind::event) tell(context, news, line);
      return shown;
    });
    Json& meta = context.facts().meta;
    const std::string cursor = source.cursor();
    meta.set("reason", report.reason).set("events", report.events).set("gaps", report.gaps);
    meta.set("cursor", cursor.empty() ? Json() : Json(cursor));
    Answer answer{.data = std::move(collected_), .failure = report.failure};
    if (is_one_document(context)) return answer;
    answer.printed = true;
    // With --jq every line is an event, so there is no last line.
    const bool has_last_line = prints_lines(context) && !context.globals().jq_alone;
    const bool writable = report.reason != "unwritable";
    if (has_last_line && writable) print_end(context, answer.failure);
    if (!has_last_line && report.failure && report.reason != "interrupted" && writable) {
      context.environment().err(render_failure(*report.failure));
    }
    return answer;
  }

  Written show(Context& context, const Json& line) {
    // A --jq expression is written for events, not for the state of the connection. (D-753)
    if (context.globals().jq_alone && line.string_at("type") == "status") return Written::whole;
    if (is_one_document(context)) {
      collect(context, collected_, line);
      return Written::whole;
    }
    if (prints_lines(context)) return print_stream_line(context, line);
    const Presentation& shown = context.presentation();
    // A sentence for people.
    const std::string text =
        watch_text(line, {.columns = shown.width, .utf8 = shown.utf8, .zone = shown.zone.value_or(DisplayZone())});
    return context.environment().out(text + "\n");
  }

  void tell(Context& context, const api::StreamNews& news, const Json& line) {
    if (notify_ && concerns_a_person(news)) {
      const std::string text = watch_text(line, {.zone = context.presentation().zone.value_or(DisplayZone())});
      context.environment().err(context.environment().err_is_terminal ? notification(text) : text + "\n");
    }
    if (!exec_) return;
    if (const auto ran = run_hook(*exec_, line); !ran) context.say("note: --exec " + ran.error());
  }

  // Reads the rows that REST has, and marks the last of them: the stream goes on after it.
  static Result<std::deque<api::StreamNews>> rows_at_first(ExchangeDoor& door, const std::vector<api::StreamKey>& keys,
                                                           api::StreamMarks& marks) {
    std::deque<api::StreamNews> first;
    for (const api::StreamKey& key : keys) {
      const api::RestRows kind = api::info_of(key.channel).rest;
      if (kind == api::RestRows::none || marks.contains(key)) continue;
      api::StreamMark mark;
      if (kind == api::RestRows::by_id) {
        const auto rows = door.newest_rows(key, watch_limits::snapshot_rows);
        if (!rows) return door.failure().value_or(Failure{.code = rows.error().code, .message = rows.error().reason});
        mark.row_id = rows->empty() ? std::string() : rows->back().text_at("id");
        for (const Json& row : *rows)
          first.push_back(
              {.kind = Kind::event, .key = key, .from_rest = true, .snapshot = true, .payload = row.dump()});
      }
      marks.emplace(key, std::move(mark));
    }
    return first;
  }

  std::vector<std::string> words_, intervals_;
  std::optional<std::string> for_, until_, from_, exec_;
  std::optional<std::uint64_t> count_;
  bool fail_on_gap_ = false, snapshot_ = false, notify_ = false, public_ = false;
  Json collected_ = Json::array();
};

constexpr std::string_view shown_token_chars = "********";

Result<Answer> ws_token(Context& context, bool legacy, const std::optional<std::string>& to) {
  if (to) SVC_TRY(check_new_given(*to));
  auto exchange = SVC_TRY(Exchange::open(context));
  const auto token = SVC_TRY(mint_stream_token(exchange, legacy ? TokenKind::legacy : TokenKind::account));
  const TimestampMs expires_at_ms = server_now_ms(context, exchange) + limits::stream_token_lifetime_ms;
  if (to) SVC_TRY(write_new_given(*to, std::string(token.reveal()) + "\n"));
  return Answer{.data = Json::object({{"token", to ? Json() : Json(shown_token_chars)},
                                      {"file", Json(to)},
                                      {"channels", legacy ? "public" : "all"},
                                      {"expires_at", rfc3339(expires_at_ms)},
                                      {"expires_at_ms", expires_at_ms}}),
                .view = {.columns = {}, .layout = Layout::sheet}};
}

// The frames of standard input, one per line.
Result<std::vector<std::string>> frames_to_send(Context& context) {
  std::vector<std::string> frames;
  const std::string input = SVC_TRY(read_bytes(context, "-", "the frames"));
  std::string_view rest = input;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    if (is_blank_text(line)) continue;
    if (line.size() > watch_limits::raw_line_bytes_max) return bad_line(number, "it is longer than a frame may be");
    if (!is_utf8(line)) return bad_line(number, "it is not UTF-8, and a frame is text");
    frames.emplace_back(line);
  }
  return frames;
}

// Frames as they come, one per line; then how it ended.
Result<Answer> print_frames(Context& context, api::MessageLink& link, std::optional<std::int64_t> for_ms,
                            const std::optional<std::uint64_t>& count, bool one_document) {
  const StopSignals signals(context.environment());
  Environment& environment = context.environment();
  const std::int64_t started_ms = context.uptime_ms();
  std::uint64_t frames = 0;
  Json collected = Json::array();
  // A frame that is no JSON, or spread over lines, is still one line.
  const auto show = [&](const std::string& frame) {
    Json line = json_or_text(frame);
    if (!one_document && context.presentation().filter) return print_stream_line(context, line);
    if (!one_document) return environment.out(environment.for_out(line.dump() + "\n"));
    collect(context, collected, std::move(line), "frames");
    return Written::whole;
  };
  Answer answer{.printed = true};
  std::string reason;
  api::Liveness liveness(started_ms);
  const auto lose = [&](const std::string& code, const std::string& why) {
    reason = "closed";
    answer.failure = failed(ExitCode::unavailable, code, why).as_retryable();
  };
  while (reason.empty()) {
    if (const auto signal = signals.came()) {
      answer.failure = stopped_by(*signal);
      reason = "interrupted";
    } else if (for_ms && context.uptime_ms() - started_ms >= *for_ms) {
      reason = "for";
    } else if (const auto event = link.next(watch_limits::look_ms)) {
      liveness.hear(context.uptime_ms());
      if (event->kind == api::LinkEvent::Kind::text) {
        if (const Written shown = show(event->text); shown != Written::whole)
          return Answer{.printed = true, .failure = unwritable(context, shown)};
        if (count && ++frames >= *count) reason = "count";
      } else if (event->kind == api::LinkEvent::Kind::ended) {
        context.facts().meta.set("close_code", event->close_code == 0 ? Json() : Json(event->close_code));
        lose("connection_lost", "the server ended the connection: " + event->text);
      }
    } else if (!liveness.keep(link, context.uptime_ms())) {
      lose(api::silent_server_code, api::silent_server_text);
    } else if (environment.out("") == Written::reader_gone) {
      return Answer{.printed = true, .failure = unwritable(context, Written::reader_gone)};
    }
  }
  context.facts().meta.set("reason", reason);
  if (one_document) {
    answer.data = std::move(collected);
    answer.printed = false;
  } else if (!context.globals().jq_alone) {
    print_end(context, answer.failure);
  } else if (answer.failure) {
    environment.err(render_failure(*answer.failure));
  }
  return answer;
}

Result<Answer> ws_raw(Context& context, const std::optional<std::string>& send, bool is_public,
                      const std::optional<std::string>& for_word, const std::optional<std::uint64_t>& count) {
  const auto for_ms = SVC_TRY(parsed_for(for_word));
  SVC_TRY(check_end(context, for_word || count, "--for or --count"));
  const bool one_document = is_one_document(context);
  if (send && *send != "-") return usage_error("--send takes -, standard input");
  if (count && *count == 0) return usage_error("--count must be at least 1");
  const auto frames = SVC_TRY(send ? frames_to_send(context) : std::vector<std::string>());
  auto exchange = SVC_TRY(Exchange::open(context));
  if (is_public && context.globals().dry_run) SVC_TRY(exchange.call(call_of<api::ops::PublicStream>()));
  if (!is_public) warn_of_cancel_on_disconnect(context, exchange);
  const auto whose = is_public ? StreamOf::everybody : StreamOf::account;
  auto link = open_stream(context, exchange, whose, Opening::first);
  if (!link) return link.error().failure;
  for (const std::string& frame : frames) static_cast<void>((*link)->send(frame));
  return print_frames(context, **link, for_ms, count, one_document);
}

}  // namespace

std::vector<CommandRow> watch_commands() {
  return {
      {"watch", "CHANNEL... [MARKET...]", "Follow channels of the stream, one line per event", "",
       Output{"[] type=status state=connected -cursor | type=status state=disconnected code reason retry_ms:integer "
              "-cursor | type=status state=subscribed channel market? -interval seq:integer -cursor | type=event "
              "channel market? -interval seq:integer? source snapshot:boolean -emitted_at? -emitted_at_ms:integer? "
              "payload:any -cursor | type=gap -channel? -market? -interval -first:integer? -last:integer? "
              "-missed:integer? -cursor | type=resync -channel? -market? -interval by complete:boolean -cursor | "
              "type=error -channel? -market? -interval code message final:boolean -cursor",
              "-",
              "With -o json all lines at the end; with -o ndjson or raw, and in a pipe, each as a line of its own when "
              "it happens, and the usual last line. The payload is as the channel sends it."},
       make<Watch>},
      {"ws token", "", "Mint a token for one stream connection",
       "--to ~/stream-token  # a token for a stream of your own",
       Output{"token? file? channels expires_at expires_at_ms:integer"},
       calls(ws_token, {{"--legacy", "of POST /ws-tokens: good for public channels only"},
                        {"--to", "write the token to this new file, mode 0600; else it is shown masked", "FILE"}})},
      {"ws raw", "", "Print the frames of a stream as they come", "",
       Output{"[] *", "-",
              "With -o json all frames at the end; otherwise each as a line of its own when it comes, and the usual "
              "last line. A frame that is no JSON is a text."},
       calls(ws_raw, {{"--send", "send each line of standard input as a frame; it is read to its end first", "-"},
                      {"--public", "the public stream, which needs no token"},
                      {"--for", "end after this time, such as 90s or 5m", "D"},
                      {"--count", "end after so many frames", "N"}})},
  };
}

}  // namespace svc::cli
