// The loop of a page, and its frame.
#include <unistd.h>

#include "api/http/channel.h"
#include "cli/client/refusal.h"
#include "cli/client/watch_loop.h"
#include "cli/commands/pages.h"
#include "cli/commands/read.h"
#include "cli/terminal/terminal_screen.h"

namespace svc::cli {
namespace {

constexpr std::int64_t wait_ms = 50;     // between two looks at the keyboard
constexpr std::int64_t paint_ms = 100;   // between two pictures
constexpr std::int64_t text_ms = 1'000;  // between two pictures of plain text
constexpr int text_columns = 80;
constexpr int text_lines = 24;

// Pictures as text follow each other without the empty lines of a window.
std::string without_padding(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != '\n' || !out.ends_with("\n\n")) out += c;
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

void blank_line(Canvas& canvas, int y, Style style) {
  canvas.put(0, y, std::string(static_cast<std::size_t>(canvas.width()), ' '), style);
}

// Keeps standard error back while a page is open, because a line there would scroll the page. Shows it at the end.
class HeldNotices {
 public:
  explicit HeldNotices(Environment& environment) : environment_(environment), err_(environment.err) {
    environment_.err = [this](std::string_view text) {
      text_ += text;
      if (text_.size() > bytes_max) text_.erase(0, text_.size() - bytes_max);  // the newest notes matter most
    };
  }
  ~HeldNotices() {
    environment_.err = std::move(err_);
    if (!text_.empty()) environment_.err(text_);
  }
  HeldNotices(const HeldNotices&) = delete;
  HeldNotices& operator=(const HeldNotices&) = delete;

 private:
  static constexpr std::size_t bytes_max = 16 * 1024;
  Environment& environment_;
  std::function<void(std::string_view)> err_;
  std::string text_;
};

class PageRun {
 public:
  PageRun(Context& context, ExchangeDoor& door, Page& page, const PageTerms& terms)
      : context_(context), door_(door), page_(page), terms_(terms), reads_(page.reads()) {
    if (!page.channels().empty()) client_.emplace(door, context.uptime_clock(), page.channels());
  }

  Result<Answer> run() {
    // Read once before the screen opens, so that a refusal is reported as usual.
    SVC_TRY(read_due(Reads::all));
    std::optional<HeldNotices> held;  // declared first: it ends after the screen
    std::unique_ptr<TerminalScreen> screen;
    if (terms_.full_screen) {
      auto opened = TerminalScreen::open(context_.presentation().color, glyphs_here(context_));
      if (opened) {
        screen = std::move(*opened);
        held.emplace(context_.environment());
      } else {
        terms_.full_screen = false;
        context_.say("note: no full screen here: " + opened.error() + "; pictures follow as text");
      }
    }
    const StopSignals signals(context_.environment());
    const std::int64_t started_ms = context_.uptime_ms();
    Answer answer{.printed = true};
    const Environment& environment = context_.environment();
    const auto is_over = [&] { return terms_.for_ms && context_.uptime_ms() - started_ms >= *terms_.for_ms; };
    // Ends the waits inside the stream as well, such as for the answer to a handshake.
    const api::EndsWaits no_wait_goes_on(
        [&] { return signals.came() || (screen && environment.has_input(0)) || is_over(); });
    for (std::uint64_t pictures = 0;;) {
      if (const auto signal = signals.came()) {
        answer.failure = stopped_by(*signal);
        break;
      }
      if (is_over()) break;
      const Key key = screen ? screen->key() : Key::none;
      if (key == Key::quit) break;
      if (key == Key::pause) paused_ = !paused_;
      // A service that does not answer must not block keys and clock for long.
      door_.exchange().stop_at(context_.uptime_ms() + watch_limits::screen_read_ms);
      listen();
      if (final_) {
        screen.reset();
        return *final_;
      }
      if (auto read = read_due(Reads::one); !read) read_trouble_ = read.error().message;
      const bool due = context_.uptime_ms() - painted_ms_ >= (screen ? paint_ms : text_ms) && (screen || ready());
      const bool at_once = key == Key::resized || key == Key::pause;
      if (!at_once && (!due || paused_)) continue;
      painted_ms_ = context_.uptime_ms();
      if (screen) {
        screen->show(painted(screen->canvas()));
        continue;
      }
      const std::size_t columns = context_.environment().out_columns();
      const Canvas canvas =
          painted(Canvas(columns == 0 ? text_columns : static_cast<int>(columns), text_lines, glyphs_here(context_)));
      const std::string text =
          without_padding(context_.presentation().color ? canvas.colored_text() : canvas.text()) + "\n";
      if (const Written shown = context_.environment().out(text); shown != Written::whole) {
        answer.failure = unwritable(context_, shown);
        break;
      }
      if (terms_.frames && ++pictures >= *terms_.frames) break;
    }
    return answer;
  }

 private:
  // True once every answer has come, or the first event of a page without reads.
  [[nodiscard]] bool ready() const {
    return (!client_ || told_ || !reads_.empty()) &&
           std::ranges::all_of(reads_, [](const PageRead& one) { return one.answered_ms.has_value(); });
  }

  void listen() {
    if (!client_) {
      context_.environment().sleep_ms(wait_ms);
      return;
    }
    auto news = client_->next(wait_ms);
    for (int more = 0; news; ++more) {
      using enum api::StreamNews::Kind;
      page_.take(*news);
      if (news->kind == event) {
        told_ = true;
        // An event means a change, so the reads are repeated at once.
        for (PageRead& one : reads_)
          if (one.every_ms > 0 && one.answered_ms) one.due_ms = std::min(one.due_ms, context_.uptime_ms() + wait_ms);
      }
      if (news->kind == disconnected) stream_trouble_ = news->text;
      if (news->kind == connected || news->kind == subscribed) stream_trouble_.clear();
      if (news->kind == error && news->final) {
        final_ = door_.failure().value_or(failed(exit_of_code(news->code), news->code, news->text));
        return;
      }
      constexpr int at_once = 1'000;
      if (more >= at_once) return;
      news = client_->next(0);
    }
  }

  // One at a time, the most overdue first, so that keys are handled in between.
  enum class Reads : std::uint8_t { all, one };
  Result<void> read_due(Reads reads) {
    if (reads == Reads::one) std::ranges::stable_sort(reads_, {}, &PageRead::due_ms);
    for (PageRead& one : reads_) {
      if (context_.uptime_ms() < one.due_ms || (one.every_ms == 0 && one.answered_ms)) continue;
      one.due_ms = context_.uptime_ms() + std::max(one.every_ms, paint_ms);
      const auto reply = door_.exchange().call(one.call);
      one.due_ms = std::max(one.due_ms, context_.uptime_ms() + paint_ms);
      SVC_TRY(reply);
      read_trouble_.clear();
      one.answered_ms = context_.now_ms();
      page_.answered(one.name, reply->body);
      if (reads == Reads::one) return {};
    }
    return {};
  }

  // When the stream was last heard, by the clock that is shown; 0: never.
  TimestampMs heard_ms() const {
    const std::int64_t uptime_ms = client_ ? client_->heard_ms() : 0;
    return uptime_ms == 0 ? 0 : context_.now_ms() - (context_.uptime_ms() - uptime_ms);
  }

  Canvas painted(Canvas canvas) const {
    const TimestampMs now_ms = context_.now_ms();
    page_.paint(canvas, {.now_ms = now_ms, .heard_ms = heard_ms()});
    paint_title(canvas, now_ms);
    const int last = canvas.height() - 1;
    if (last == 0) return canvas;
    blank_line(canvas, last, Style::plain);
    if (const std::string& trouble = read_trouble_.empty() ? stream_trouble_ : read_trouble_; !trouble.empty())
      canvas.put(1, last, trouble, Style::alert);
    else if (paused_)
      canvas.put(1, last, "PAUSED: space goes on, q ends", Style::alert);
    else if (client_ && !client_->connected())
      canvas.put(1, last, "connecting ...", Style::alert);
    else if (terms_.full_screen)
      canvas.put(1, last, "q ends, space pauses", Style::dim);
    return canvas;
  }

  // The time of the oldest figures shown, if that is too long ago. A quiet stream is pinged.
  [[nodiscard]] std::optional<TimestampMs> stale_since(TimestampMs now_ms) const {
    std::optional<TimestampMs> oldest_ms;
    if (heard_ms() > 0 && now_ms - heard_ms() > watch_limits::stale_ms) oldest_ms = heard_ms();
    for (const PageRead& one : reads_) {
      if (one.every_ms == 0 || !one.answered_ms) continue;
      const bool is_old = now_ms - *one.answered_ms > std::max(watch_limits::stale_ms, 3 * one.every_ms);
      if (is_old && (!oldest_ms || *one.answered_ms < *oldest_ms)) oldest_ms = one.answered_ms;
    }
    return oldest_ms;
  }

  // The most important parts are placed first.
  void paint_title(Canvas& canvas, TimestampMs now_ms) const {
    const std::string name = "svc " + page_.title();
    const auto stale_ms = stale_since(now_ms);
    std::vector<std::string> parts;
    if (paused_) parts.emplace_back("PAUSED");
    if (stale_ms) parts.push_back("STALE, of " + rfc3339(*stale_ms).substr(11, 8));
    parts.push_back(rfc3339(now_ms).substr(11, 8));
    parts.push_back(door_.exchange().network().name);
    blank_line(canvas, 0, Style::title);
    canvas.put(1, 0, name, Style::title);
    const int begin = static_cast<int>(name.size()) + 3;
    int end = canvas.width() - 1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const int width = static_cast<int>(parts[i].size());
      // A warning that the figures are old replaces even the name.
      const bool must = i == 0 && (paused_ || stale_ms);
      if (end - width < begin && !must) return;
      if (end - width < begin) blank_line(canvas, 0, Style::title);
      canvas.put_right(end, 0, parts[i], Style::title);
      end -= width + 2;
    }
  }

  Context& context_;
  ExchangeDoor& door_;
  Page& page_;
  PageTerms terms_;
  std::vector<PageRead> reads_;
  std::optional<api::StreamClient> client_;
  std::string stream_trouble_, read_trouble_;
  std::optional<Failure> final_;
  TimestampMs painted_ms_ = 0;
  bool told_ = false, paused_ = false;
};

}  // namespace

Result<Answer> run_page(Context& context, ExchangeDoor& door, Page& page, const PageTerms& terms) {
  return PageRun(context, door, page, terms).run();
}

}  // namespace svc::cli
