// ws token, ws raw
#include <array>

#include "base/limits.h"
#include "cli/arguments.h"
#include "cli/commands/durations.h"
#include "cli/commands/groups.h"
#include "cli/files/private_file.h"
#include "cli/watch/exchange_door.h"
#include "cli/watch/stop_signals.h"
#include "cli/watch/stream_lines.h"
#include "cli/watch/watch_limits.h"

namespace svc::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view shown_token_chars = "********";

class WsToken final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.flag("--legacy", legacy_, "of POST /ws-tokens: good for public channels only");
    arguments.text("--to", to_, "FILE", "write the token to this new file, mode 0600; else it is shown masked");
  }
  Result<Answer, Stop> run(Context& context) override {
    auto exchange = SVC_TRY(Exchange::open(context));
    const auto token = SVC_TRY(mint_stream_token(exchange, legacy_ ? TokenKind::legacy : TokenKind::account));
    const TimestampMs expires_at_ms = server_now_ms(context, exchange) + limits::stream_token_lifetime_ms;
    if (to_) {
      SVC_TRY(write_new_given(*to_, std::string(token.reveal()) + "\n"));
    }
    return Answer{.data = Json::object({{"token", to_ ? Json() : Json(shown_token_chars)},
                                        {"file", Json(to_)},
                                        {"channels", legacy_ ? "public" : "all"},
                                        {"expires_at", rfc3339(expires_at_ms)},
                                        {"expires_at_ms", expires_at_ms}}),
                  .view = {.columns = {}, .layout = Layout::sheet}};
  }

 private:
  bool legacy_ = false;
  std::optional<std::string> to_;
};

class WsRaw final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--send", send_, "-", "send each line of standard input as a frame; it is read to its end first");
    arguments.flag("--public", public_, "the public stream, which needs no token");
    arguments.text("--for", for_, "D", "end after this time, such as 90s or 5m");
    arguments.integer("--count", count_, "N", "end after so many frames");
  }
  Result<Answer, Stop> run(Context& context) override {
    std::optional<std::int64_t> for_ms;
    if (for_) {
      const auto ms = SVC_TRY(parse_duration("--for", *for_));
      for_ms = ms;
    }
    SVC_TRY(check_stream_format(context, "the stream"));
    one_document_ = context.globals().format == Format::json && !context.globals().jq_alone;
    if (one_document_ && !for_ && !count_) {
      return unexpected(
          Stop(usage_error("-o json prints one document at the end: add --for or --count, or use -o ndjson")));
    }
    if (send_ && *send_ != "-") return unexpected(Stop(usage_error("--send takes -, standard input")));
    const auto frames = SVC_TRY(frames_to_send(context));
    auto exchange = SVC_TRY(Exchange::open(context));
    std::optional<Secret> token;
    if (!public_) {
      auto minted = SVC_TRY(mint_stream_token(exchange, TokenKind::account));
      token = std::move(minted);
    }
    auto link = open_stream_link(context, exchange, token);
    if (!link) {
      const bool passing = !link.error().permanent;
      return unexpected(Stop(Failure{.exit = passing ? ExitCode::unavailable : ExitCode::invalid,
                                     .code = link.error().code,
                                     .message = "the stream cannot be opened: " + link.error().reason,
                                     .retryable = passing}));
    }
    for (const std::string& frame : frames) static_cast<void>((*link)->send(frame));
    return listen(context, **link, for_ms);
  }

 private:
  Result<std::vector<std::string>, Failure> frames_to_send(Context& context) const {
    std::vector<std::string> frames;
    if (!send_) return frames;
    const auto input = context.environment().read_input(limits::input_bytes_max);
    if (!input) return unexpected(usage_error("standard input is too large"));
    std::string_view rest = *input;
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? ""sv : rest.substr(end + 1);
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      if (line.size() > watch_limits::raw_line_bytes_max) return unexpected(usage_error("a line of standard input is longer than a frame may be"));
      frames.emplace_back(line);
    }
    return frames;
  }

  // Frames as they come, one per line; then how it ended.
  Result<Answer, Stop> listen(Context& context, api::MessageLink& link, std::optional<std::int64_t> for_ms) {
    const StopSignals signals(context.environment());
    Environment& environment = context.environment();
    const TimestampMs started_ms = context.now_ms();
    std::uint64_t frames = 0;
    Answer answer{.printed = true};
    std::string reason;
    while (reason.empty()) {
      if (signals.came() || environment.interrupted()) {
        const ExitCode exit = signals.came().value_or(ExitCode::interrupted);
        answer.failure = Failure{.exit = exit, .code = std::string(meaning_of(exit).category), .message = "stopped by a signal"};
        reason = "interrupted";
      } else if (for_ms && context.now_ms() - started_ms >= *for_ms) {
        reason = "for";
      } else if (const auto event = link.next(watch_limits::look_ms)) {
        if (event->kind == api::LinkEvent::Kind::text) {
          if (!show(context, event->text)) return Answer{.printed = true, .failure = Failure{.exit = ExitCode::broken_pipe, .code = "broken_pipe", .message = "the reader of the output went away"}};
          if (count_ && ++frames >= *count_) reason = "count";
        } else if (event->kind == api::LinkEvent::Kind::ended) {
          reason = "closed";
          context.facts().meta.set("close_code", event->close_code == 0 ? Json() : Json(event->close_code));
          answer.failure = Failure{.exit = ExitCode::unavailable,
                                   .code = "connection_lost",
                                   .message = "the server ended the connection: " + event->text,
                                   .retryable = true};
        }
      }
    }
    context.facts().meta.set("reason", reason);
    if (one_document_) {
      answer.data = std::move(frames_);
      answer.printed = false;
      return answer;
    }
    if (context.globals().jq_alone) {
      if (answer.failure) environment.err(render_failure(*answer.failure));
      return answer;
    }
    const auto end = parse_json(render_end(answer.failure ? &*answer.failure : nullptr, context.facts()));
    static_cast<void>(print_stream_line(context, *end));
    return answer;
  }

  // A frame that is no JSON, or spread over lines, is still one line.
  bool show(Context& context, const std::string& frame) {
    auto document = parse_json(frame);
    Json line = document ? std::move(*document) : Json(frame);
    if (!one_document_ && context.presentation().filter) return print_stream_line(context, line) == Written::whole;
    if (!one_document_) return context.environment().out(line.dump() + "\n") == Written::whole;
    if (frames_.items().size() < watch_limits::collected_lines_max) {
      frames_.push(std::move(line));
    } else {
      context.notice("cut", "more frames than one document holds; the rest is left out");
    }
    return true;
  }

  std::optional<std::string> send_;
  bool public_ = false;
  std::optional<std::string> for_;
  std::optional<std::uint64_t> count_;
  bool one_document_ = false;
  Json frames_ = Json::array();
};

constexpr std::array ws_rows{
    CommandRow{"ws token", "", "Mint a token for one stream connection", make<WsToken>},
    CommandRow{"ws raw", "", "Print the frames of a stream as they come", make<WsRaw>},
};

}  // namespace

std::span<const CommandRow> ws_commands() {
  return ws_rows;
}

}  // namespace svc::cli
