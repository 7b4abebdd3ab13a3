#include "api/stream/stream_client.h"

#include <functional>
#include <utility>

#include "api/cpp17/ws_codec.h"
#include "api/error_catalog.h"
#include "base/find.h"
#include "base/text.h"

namespace svc::api {

namespace {

// The last row that was reported is gone, after a revert, so that everything was read. Removes the rows up to the
// newest one from before the first event; none if the revert took that one back as well.
void drop_earlier(StreamRows& rows, const std::optional<std::string>& begin_row_id) {
  const auto begin = std::ranges::find_if(
      rows.payloads, [&](const std::string& payload) { return string_member(payload, "id") == begin_row_id; });
  if (begin != rows.payloads.end()) rows.payloads.erase(rows.payloads.begin(), begin + 1);
}

// Ids are written between separators; an id that contains one is left out, and then the mark is not checked.
bool fits(std::string_view row_id) {
  return std::all_of(row_id.begin(), row_id.end(),
                     [](char c) { return is_printable(c) && c != ',' && c != '=' && c != ':'; });
}

}  // namespace

// "ID@CREATED@CLIENT", with the hash of the client id: a mark must stay short. A part that the order does not have is
// empty.
std::string ended_order_mark(std::string_view order) {
  const std::string id = string_member(order, "id");
  if (id.empty()) return {};
  std::string mark = id + '@';
  for (const std::string_view name : {"created_at", "created_at_ms"}) {
    const auto at_ms = parse_integer<TimestampMs>(raw_member(order, name));
    if (!at_ms) continue;
    mark += std::to_string(*at_ms);
    break;
  }
  mark += '@';
  const std::string client_id = string_member(order, "client_id");
  return client_id.empty() ? mark : mark + std::to_string(hash64(client_id));
}

bool is_marked_order(std::string_view mark, std::string_view order) {
  const std::string whole = ended_order_mark(order);
  std::string_view known = mark, there = whole;
  if (take_line(known, '@') != take_line(there, '@')) return false;
  while (!known.empty() && !there.empty()) {
    const std::string_view one = take_line(known, '@'), other = take_line(there, '@');
    if (!one.empty() && !other.empty() && one != other) return false;
  }
  return true;
}

struct StreamClient::Subscription {
  StreamKey key{};
  StreamMark mark{};
  bool marked = false;        // mark.seq is valid
  bool joined = false;        // acknowledged on this connection
  bool ever = false;          // acknowledged on some connection
  bool asked = false;         // requested on this connection, not answered yet
  bool verify = false;        // the next event must be the one of the mark
  bool gap_reported = false;  // and not repaired yet
  bool begin_anew = false;    // the server has forgotten what was missed: subscribe without `since`
  bool is_counted = false;    // it counts on from the mark, so the sequence tells how many rows were missed
  std::optional<std::uint64_t> since_of_oldest{};  // or after the oldest event it still has
  std::optional<std::uint64_t> hole_end{};         // replay was requested: until this sequence
  std::optional<std::uint64_t> replay_end{};       // the server owes all events up to this one
  std::int64_t replay_ms = 0;                      // listened_ms_ when it acknowledged that, or sent the latest of them
  bool snapshot_due = false;                       // the state after the acknowledgement is a resync
  bool state_due = false;                          // the state may follow without its mark
  std::size_t repairs = 0;
  std::size_t refusals = 0;                   // out_of_sync since the last event
  std::optional<std::string> begin_row_id{};  // the newest row before the first event
  std::set<std::string> row_ids{};            // reported from REST: the stream need not report them again
  std::set<std::size_t> told{};               // hashes of the rows that were reported: REST may show them again

  // The state has this sequence number. The last event before the state has it too, and is not reported again.
  void await_state(std::uint64_t join) {
    mark.seq = join;
    state_due = true;
    told.clear();
  }

  // Events with the sequence of the acknowledgement are the state even if the server does not mark them: there may be
  // several, each once. (D-991)
  bool is_state(const StreamMessage& message) {
    const std::uint64_t join = mark.seq;
    if (message.snapshot || *message.seq > join) state_due = false;
    if (!state_due || *message.seq != join) return message.snapshot;
    return note_told(message.payload);
  }

  // A server that goes back to an earlier state ends the subscriptions that run, and then it has no oldest event. Its
  // numbers skip those that it took back. Any other server still counts on from the mark. (D-990)
  Numbers numbers_after_refusal(std::optional<std::uint64_t> oldest) const {
    const bool ran = joined && !hole_end;
    return ran && !oldest ? Numbers::unknown : Numbers::go_on;
  }

  // False if exactly this row was reported lately. The whole text is compared, because after a revert another row may
  // have the same id.
  bool note_told(std::string_view payload) {
    if (told.size() >= stream_limits::row_ids_max) told.clear();
    return told.insert(std::hash<std::string_view>{}(payload)).second;
  }

  // The order that ended last: the history is read back to it when ends were missed.
  void note_ended(std::string_view payload) {
    if (info_of(key.channel).rest != RestRows::present) return;
    const std::string_view ended = raw_member(payload, "OrderHistory");
    const std::string_view changed = raw_member(raw_member(payload, "OrderUpdate"), "order");
    if (ended.empty() && !trade::has_ended(string_member(changed, "status"))) return;
    std::string order = ended_order_mark(ended.empty() ? changed : ended);
    if (!order.empty()) mark.row_id = std::move(order);
  }
};

StreamClient::StreamClient(StreamDoor& door, const Clock& clock, std::vector<StreamKey> keys, StreamMarks since,
                           std::uint64_t jitter_seed)
    : door_(door), clock_(clock), backoff_(jitter_seed), reported_(std::move(since)) {
  SVC_ASSERT(keys.size() <= stream_limits::subscriptions_max);
  for (StreamKey& key : keys) {
    if (find(key) != nullptr) continue;
    Subscription subscription;
    subscription.key = std::move(key);
    if (const auto known = reported_.find(subscription.key); known != reported_.end()) {
      subscription.mark = known->second;
      subscription.marked = true;
      // Nothing of the stream itself is known: begin with everything that REST has.
      subscription.begin_anew = known->second.seq == 0 && info_of(subscription.key.channel).rest != RestRows::none;
    }
    subscriptions_.push_back(std::move(subscription));
  }
}

StreamClient::~StreamClient() {
  if (link_) link_->close();
}

std::optional<StreamNews> StreamClient::next(std::int64_t wait_ms) {
  // First everything that is due; then one wait, and its events.
  for (bool waited = false; news_.empty() && !gave_up_;) {
    if (!link_) {
      const std::int64_t until_retry_ms = retry_at_ms_ - clock_.now_ms();
      if (until_retry_ms > 0) {
        if (waited || wait_ms <= 0) return std::nullopt;
        door_.pause(std::min(wait_ms, until_retry_ms));
        waited = true;
        continue;
      }
      connect();
      continue;
    }
    end_replays();
    if (link_) ask_due();
    if (link_) keep_alive();
    if (!link_ || !news_.empty()) continue;
    const TimestampMs from_ms = clock_.now_ms();
    auto heard = link_->next(waited ? 0 : wait_ms);
    listened_ms_ += clock_.now_ms() - from_ms;
    if (!heard) {
      if (waited || wait_ms <= 0) return std::nullopt;
      waited = true;
      continue;
    }
    liveness_.hear(clock_.now_ms());
    if (heard->kind == LinkEvent::Kind::text) hear(heard->text);
    if (heard->kind == LinkEvent::Kind::ended) disconnect(heard->text, "connection_lost", 0);
  }
  if (news_.empty()) return std::nullopt;
  Queued queued = std::move(news_.front());
  news_.pop_front();
  if (queued.mark) reported_[*queued.news.key] = std::move(*queued.mark);
  return std::move(queued.news);
}

// Finds out, before the first event, after which row it comes.
bool StreamClient::prepare() {
  for (Subscription& subscription : subscriptions_) {
    if (subscription.marked || subscription.mark.row_id || info_of(subscription.key.channel).rest != RestRows::by_id) {
      continue;
    }
    auto row_id = door_.newest_row(subscription.key);
    if (!row_id) {
      give_up(row_id.error());
      return false;
    }
    subscription.mark.row_id = subscription.begin_row_id = std::move(*row_id);
  }
  return true;
}

void StreamClient::connect() {
  if (!prepare()) return;
  auto link = door_.open();
  if (!link) return give_up(link.error());
  link_ = std::move(*link);
  connected_ms_ = asked_ms_ = clock_.now_ms();
  liveness_ = Liveness(connected_ms_);
  unanswered_.clear();
  for (Subscription& subscription : subscriptions_) {
    subscription.joined = subscription.asked = false;
    subscription.hole_end.reset();
    subscription.replay_end.reset();
    subscription.repairs = subscription.refusals = 0;
    subscription.snapshot_due = subscription.ever;
  }
  report({.kind = StreamNews::Kind::connected});
}

// A permanent refusal ends the client; otherwise it tries again.
void StreamClient::give_up(const LinkRefusal& refusal) {
  if (!refusal.permanent) return disconnect(refusal.reason, refusal.code, refusal.retry_after_ms);
  end(std::nullopt, refusal.code, refusal.reason);
}

void StreamClient::end(std::optional<StreamKey> key, std::string code, std::string why) {
  gave_up_ = true;
  report({.kind = StreamNews::Kind::error,
          .key = std::move(key),
          .code = std::move(code),
          .text = std::move(why),
          .final = true});
}

void StreamClient::disconnect(const std::string& why, const std::string& code, std::int64_t retry_after_ms) {
  if (link_ && clock_.now_ms() - connected_ms_ >= stream_limits::steady_ms) backoff_.reset();
  link_.reset();
  for (Subscription& subscription : subscriptions_) subscription.joined = false;
  const std::int64_t pause_ms = backoff_.next_ms(retry_after_ms);
  retry_at_ms_ = clock_.now_ms() + pause_ms;
  report({.kind = StreamNews::Kind::disconnected, .code = code, .text = why, .retry_ms = pause_ms});
}

// As many subscriptions as the server's frame budget allows.
void StreamClient::ask_due() {
  const TimestampMs now = clock_.now_ms();
  constexpr auto burst_ms = static_cast<std::int64_t>(stream_limits::frames_at_once) * stream_limits::frame_every_ms;
  frames_from_ms_ = std::max(frames_from_ms_, now - burst_ms);
  for (Subscription& subscription : subscriptions_) {
    if (subscription.joined || subscription.asked) continue;
    if (frames_from_ms_ + stream_limits::frame_every_ms > now || !link_) return;
    ask(subscription);
  }
}

void StreamClient::ask(Subscription& subscription) {
  const StreamChannelInfo& info = info_of(subscription.key.channel);
  std::optional<std::uint64_t> since;
  subscription.verify = false;
  if (info.resume == Resume::replayed && subscription.marked && !subscription.begin_anew) {
    since = subscription.since_of_oldest.value_or(subscription.mark.seq);
    // One event earlier, to check whether it is the known one.
    const bool checkable = info_of(subscription.key.channel).rest == RestRows::by_id && subscription.mark.row_id &&
                           !subscription.mark.row_id->empty() && !subscription.hole_end;
    if (checkable && *since > 0) {
      --*since;
      subscription.verify = true;
    }
  }
  if (unanswered_.empty()) asked_ms_ = clock_.now_ms();
  unanswered_.push_back(static_cast<std::size_t>(&subscription - subscriptions_.data()));
  subscription.asked = true;
  frames_from_ms_ += stream_limits::frame_every_ms;
  static_cast<void>(link_->send(subscribe_text(subscription.key, since)));  // next() of the link reports an end
}

void StreamClient::keep_alive() {
  const TimestampMs now = clock_.now_ms();
  if (!unanswered_.empty() && now - asked_ms_ >= stream_limits::answer_ms) {
    return disconnect("a subscription was not answered", silent_server_code, 0);
  }
  if (!liveness_.keep(*link_, now)) disconnect(silent_server_text, silent_server_code, 0);
}

void StreamClient::hear(const std::string& text) {
  auto message = read_stream_message(text);
  if (!message) return disconnect("a frame is not understood: " + message.error(), "bad_frame", 0);
  using enum StreamMessage::Kind;
  if (message->kind == error) {
    // Answers come in the order of the requests; errors do not name theirs.
    const auto code = find_error(message->code);
    const bool too_many_frames = code == ErrorCode::frame_rate_exceeded || code == ErrorCode::rate_limit_exceeded;
    if (too_many_frames || unanswered_.empty())
      return report({.kind = StreamNews::Kind::error, .code = message->code, .text = message->text});
    return end(subscriptions_[unanswered_.front()].key, message->code, message->text);
  }
  if (!message->key || message->kind == unknown) return;
  if (is_ambiguous(*message->key))  // (D-994)
    return end(*message->key, "several_intervals",
               "the server does not say of which interval an event of " + to_string(*message->key) +
                   " is: follow one interval of a market at a time");
  Subscription* const subscription = find(*message->key);
  if (subscription == nullptr) return;
  const auto answered = [&] {
    const auto place = std::ranges::find(unanswered_, static_cast<std::size_t>(subscription - subscriptions_.data()));
    if (place != unanswered_.end()) unanswered_.erase(place);
    asked_ms_ = clock_.now_ms();
    subscription->asked = false;
  };
  if (message->kind == subscribed) {
    answered();
    acknowledged(*subscription, *message);
  } else if (message->kind == event) {
    event_of(*subscription, *message);
  } else if (message->kind == out_of_sync) {
    answered();
    out_of_sync_of(*subscription, message->seq, subscription->numbers_after_refusal(message->seq));
  }
}

void StreamClient::acknowledged(Subscription& subscription, const StreamMessage& message) {
  const std::uint64_t join = message.seq.value_or(0);
  const bool first_time = !subscription.ever;
  subscription.joined = subscription.ever = true;
  if (subscription.hole_end) return await_replay(subscription, std::max(join, *subscription.hole_end));
  const Resume resume = info_of(subscription.key.channel).resume;
  if (resume != Resume::replayed) {
    if (subscription.snapshot_due) report_resync(subscription, StreamRepair::snapshot, true);
    subscription.snapshot_due = false;
    // The state that follows has this sequence.
    subscription.mark.seq = join == 0 ? 0 : join - 1;
    subscription.marked = join != 0;
    if (resume == Resume::present) subscription.await_state(join);
  } else if (!subscription.marked) {
    subscription.mark.seq = join;
    subscription.marked = true;
  } else if (subscription.begin_anew) {
    if (!fill_by_rest(subscription, join, first_time)) return;
  } else if (subscription.verify && join < subscription.mark.seq) {
    return out_of_sync_of(subscription, std::nullopt, Numbers::unknown);
  } else if (subscription.since_of_oldest) {
    subscription.mark.seq = *std::exchange(subscription.since_of_oldest, std::nullopt);
    report_resync(subscription, StreamRepair::replay, false);
  }
  if (resume == Resume::replayed) await_replay(subscription, join);
  if (first_time) report({.kind = StreamNews::Kind::subscribed, .seq = subscription.mark.seq}, &subscription);
}

void StreamClient::await_replay(Subscription& subscription, std::uint64_t end) {
  subscription.replay_end = end;
  subscription.replay_ms = listened_ms_;
}

// A server may acknowledge `since` and send nothing. What it owes is read by REST then. (D-992)
void StreamClient::end_replays() {
  for (Subscription& subscription : subscriptions_) {
    const bool is_owed = subscription.joined && subscription.replay_end > subscription.mark.seq;
    if (!is_owed || listened_ms_ - subscription.replay_ms < stream_limits::replay_wait_ms) continue;
    report_gap(subscription, subscription.replay_end);
    out_of_sync_of(subscription, std::nullopt, Numbers::go_on);
  }
}

void StreamClient::event_of(Subscription& subscription, StreamMessage& message) {
  if (!subscription.joined || !message.seq) return;
  const std::uint64_t seq = *message.seq;
  StreamMark& mark = subscription.mark;
  message.snapshot = subscription.is_state(message);
  if (message.snapshot) {
    mark.seq = seq;
    return deliver(subscription, message);
  }
  const Resume resume = info_of(subscription.key.channel).resume;
  if (resume == Resume::conflated) {
    if (seq <= mark.seq) return;
    mark.seq = seq;
    return deliver(subscription, message);
  }
  if (seq <= mark.seq + 1) subscription.replay_ms = listened_ms_;
  if (std::exchange(subscription.verify, false)) {
    if (seq == mark.seq && string_member(message.payload, "id") == mark.row_id) return;
    // A later event says only that the server sends nothing again.
    return out_of_sync_of(subscription, std::nullopt, seq > mark.seq ? Numbers::go_on : Numbers::unknown);
  }
  if (seq <= mark.seq) return;
  if (seq != mark.seq + 1) return hole(subscription, seq);
  mark.seq = seq;
  if (info_of(subscription.key.channel).rest == RestRows::by_id) {
    const std::string row_id = string_member(message.payload, "id");
    const bool told = subscription.row_ids.erase(row_id) > 0;
    if (!told) {
      mark.row_id = row_id;
      static_cast<void>(subscription.note_told(message.payload));
      deliver(subscription, message);
    }
  } else {
    subscription.note_ended(message.payload);
    deliver(subscription, message);
  }
  if (subscription.hole_end && seq >= *subscription.hole_end) {
    subscription.hole_end.reset();
    subscription.repairs = 0;
    report_resync(subscription, StreamRepair::replay, true);
  }
}

// Events before `seq` are missing: requests a replay; events received meanwhile are sent again after it.
void StreamClient::hole(Subscription& subscription, std::uint64_t seq) {
  if (subscription.hole_end && !subscription.replay_end) return;
  report_gap(subscription, seq - 1);
  if (info_of(subscription.key.channel).resume == Resume::present) {
    subscription.snapshot_due = true;
    subscription.joined = false;
    return;
  }
  if (++subscription.repairs > stream_limits::repairs_max)
    return out_of_sync_of(subscription, std::nullopt, Numbers::go_on);
  subscription.hole_end = seq - 1;
  subscription.replay_end.reset();
  ask(subscription);
}

void StreamClient::deliver(Subscription& subscription, StreamMessage& message) {
  subscription.refusals = 0;
  report({.kind = StreamNews::Kind::event,
          .seq = *message.seq,
          .snapshot = message.snapshot,
          .payload = std::move(message.payload),
          .emitted_at_ms = message.emitted_at_ms},
         &subscription);
}

// The subscription has ended, or its history is not the expected one.
void StreamClient::out_of_sync_of(Subscription& subscription, std::optional<std::uint64_t> oldest, Numbers numbers) {
  const StreamChannelInfo& info = info_of(subscription.key.channel);
  if (++subscription.refusals > stream_limits::repairs_max)
    return disconnect("the server ends each subscription to " + to_string(subscription.key), "out_of_sync", 0);
  subscription.joined = false;
  subscription.hole_end.reset();
  subscription.snapshot_due = subscription.ever;
  if (info.resume != Resume::replayed) {
    if (info.resume == Resume::present) report_gap(subscription, std::nullopt);
    return;
  }
  if (!subscription.marked) return;
  const bool forgotten = oldest && *oldest > subscription.mark.seq + 1;
  // A second refusal before the rows were read says nothing new.
  if (!subscription.begin_anew) subscription.is_counted = numbers == Numbers::go_on;
  report_gap(subscription, forgotten ? std::optional(*oldest - 1) : std::nullopt);
  // Where REST has no such rows, the events that the server still has are better than nothing.
  const bool rest = info_of(subscription.key.channel).rest != RestRows::none;
  if (!rest && forgotten && ++subscription.repairs <= stream_limits::repairs_max) {
    subscription.since_of_oldest = *oldest - 1;
  } else {
    subscription.since_of_oldest.reset();
    subscription.begin_anew = true;
  }
}

// Reads the missed rows. REST may show a row later than the stream did, so this reads again until there are as many
// rows as the sequence advanced by.
Result<StreamRows, LinkRefusal> StreamClient::missed_rows(const Subscription& subscription, std::uint64_t join) {
  const StreamMark& mark = subscription.mark;
  const RestRows kind = info_of(subscription.key.channel).rest;
  if (kind == RestRows::none) return StreamRows{.complete = false};
  const bool is_counted = subscription.is_counted && kind == RestRows::by_id && join > mark.seq;
  const std::uint64_t expected = is_counted ? join - mark.seq : 0;
  for (int looks = 1;; ++looks) {
    auto rows = door_.rows_after(subscription.key, mark.row_id);
    if (rows && !rows->complete && kind == RestRows::by_id) drop_earlier(*rows, subscription.begin_row_id);
    if (!rows || !rows->complete || rows->payloads.size() >= expected) return rows;
    if (looks == stream_limits::rest_looks_max) {
      rows->complete = false;
      return rows;
    }
    door_.pause(stream_limits::rest_look_ms);
  }
}

// Reads the missed rows after the subscription began, so none can be lost in between. False: not now.
bool StreamClient::fill_by_rest(Subscription& subscription, std::uint64_t join, bool first_time) {
  const RestRows kind = info_of(subscription.key.channel).rest;
  auto rows = missed_rows(subscription, join);
  if (!rows) {
    give_up(rows.error());
    return false;
  }
  // What ended before the first look was not missed.
  if (first_time && kind == RestRows::present && subscription.mark.seq == 0) rows->complete = true;
  if (subscription.row_ids.size() >= stream_limits::row_ids_max) subscription.row_ids.clear();
  for (std::string& payload : rows->payloads) {
    if (kind == RestRows::by_id) {
      std::string row_id = string_member(payload, "id");
      subscription.row_ids.insert(row_id);
      subscription.mark.row_id = std::move(row_id);
      // After a revert the last row may be gone, and everything before it is read again.
      if (!subscription.note_told(payload)) continue;
    }
    subscription.note_ended(payload);
    report({.kind = StreamNews::Kind::event, .from_rest = true, .payload = std::move(payload)}, &subscription);
  }
  subscription.mark.seq = join;
  subscription.begin_anew = false;
  report_resync(subscription, kind == RestRows::none ? StreamRepair::none : StreamRepair::rest, rows->complete);
  return true;
}

void StreamClient::report_gap(Subscription& subscription, std::optional<std::uint64_t> last) {
  if (std::exchange(subscription.gap_reported, true)) return;
  report({.kind = StreamNews::Kind::gap, .first = subscription.mark.seq + 1, .last = last}, &subscription);
}

void StreamClient::report_resync(Subscription& subscription, StreamRepair repair, bool complete) {
  subscription.gap_reported = false;
  report({.kind = StreamNews::Kind::resync, .repair = repair, .complete = complete}, &subscription);
}

// A server may omit the interval, and then the events of several cannot be told apart.
bool StreamClient::is_ambiguous(const StreamKey& key) const {
  const auto fits = [&](const Subscription& one) {
    return one.key.channel == key.channel && one.key.market == key.market;
  };
  return key.interval.empty() && std::ranges::count_if(subscriptions_, fits) > 1;
}

StreamClient::Subscription* StreamClient::find(const StreamKey& key) {
  return found_where(subscriptions_, [&](const Subscription& one) {
    return one.key.channel == key.channel && one.key.market == key.market &&
           (one.key.interval == key.interval || key.interval.empty());
  });
}

void StreamClient::report(StreamNews news, const Subscription* subscription) {
  std::optional<StreamMark> mark;
  if (subscription != nullptr) {
    news.key = subscription->key;
    if (subscription->marked && info_of(subscription->key.channel).resume == Resume::replayed)
      mark = subscription->mark;
  }
  news_.push_back({std::move(news), std::move(mark)});
}

// KEY=SEQ, KEY=SEQ: (there was no row), KEY=SEQ:ROW_ID
std::string to_string(const StreamMarks& marks) {
  std::string text;
  for (const auto& [key, mark] : marks) {
    if (!text.empty()) text += ',';
    text += to_string(key) + "=" + std::to_string(mark.seq);
    if (mark.row_id && fits(*mark.row_id)) text += ":" + *mark.row_id;
  }
  return text;
}

Result<StreamMarks, std::string> parse_stream_marks(std::string_view text) {
  if (text.size() > stream_limits::cursor_chars_max) return unexpected("it is too long");
  StreamMarks marks;
  while (!text.empty()) {
    const std::string_view one = take_line(text, ',');
    const auto equals = one.find('=');
    const auto key = parse_stream_key(one.substr(0, equals));
    if (!key || equals == std::string_view::npos) {
      return unexpected("\"" + std::string(one) + "\" is not CHANNEL=SEQUENCE[:ROW]");
    }
    const std::string_view rest = one.substr(equals + 1);
    const auto colon = rest.find(':');
    const std::string_view digits = rest.substr(0, colon);
    const auto seq = parse_integer<std::uint64_t>(digits);
    if (!seq) return unexpected("\"" + std::string(digits) + "\" is not a sequence");
    StreamMark mark{.seq = *seq};
    if (colon != std::string_view::npos) mark.row_id = std::string(rest.substr(colon + 1));
    if (!marks.emplace(*key, std::move(mark)).second) return unexpected("it names " + to_string(*key) + " twice");
  }
  return marks;
}

}  // namespace svc::api
