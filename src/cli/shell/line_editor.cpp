#include "cli/shell/line_editor.h"

#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cstdio>
#include <mutex>

#include "base/encoding.h"
#include "cli/shell/shell_state.h"
#include "cli/terminal/fit.h"
#include "cli/terminal/terminal_screen.h"

namespace svc::cli {
namespace {

std::atomic<bool> was_interrupted{false};
std::atomic<bool> was_resized{false};
std::atomic<bool> was_suspended{false};  // Ctrl-Z was pressed, and we have not stopped yet
std::atomic<bool> was_continued{false};  // another program had the screen
std::atomic<int> ending{0};              // the signal; 0: none
std::atomic<int> wake_descriptor{-1};

void poke() {
  const char c = 0;
  const int descriptor = wake_descriptor.load();
  if (descriptor >= 0) static_cast<void>(!::write(descriptor, &c, 1));
}

void on_signal(int number) {
  if (number == SIGTERM || number == SIGHUP) ending.store(number);
  switch (number) {
    case SIGQUIT: return;  // Ctrl-\ next to Enter must not drop what is staged
    case SIGWINCH: was_resized.store(true); break;
    case SIGTSTP: was_suspended.store(true); break;
    case SIGCONT: was_continued.store(true); break;
    default: was_interrupted.store(true); break;
  }
  poke();
}

void handle(int number) {
  struct sigaction action {};
  action.sa_handler = on_signal;
  // A question goes on unless the signal ends it.
  const bool goes_on = number == SIGWINCH || number == SIGQUIT || number == SIGCONT;
  action.sa_flags = goes_on ? SA_RESTART : 0;
  ::sigaction(number, &action, nullptr);
}

constexpr std::string_view paste_begins = "\033[200~";
constexpr std::string_view paste_ends = "\033[201~";
constexpr std::size_t paste_bytes_max = 1 << 20;  // so much of a paste is kept
constexpr int paste_gap_ms = 20;                  // between two pieces of one paste

constexpr std::size_t status_rows_min = 8;

// The first character of the text, or the ANSI sequence that it begins with, which takes no column.
Glyph first_shown(std::string_view text) {
  if (text.front() != '\033') {
    const std::string_view one = first_character(text).bytes;
    return {one, width_of(one)};
  }
  if (text.size() > 1 && text[1] != '[') return {text.substr(0, 2)};
  for (std::size_t end = 2; end < text.size(); ++end)
    if (text[end] >= '@' && text[end] <= '~') return {text.substr(0, end + 1)};
  return {text};
}

// The terminal's screen: its size, and a bottom line that does not scroll.
class Screen {
 public:
  explicit Screen(bool draws) : draws_(draws) {}

  void measure() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return;
    columns_ = size.ws_col;
    rows_ = size.ws_row;
  }
  // Many terminals forget what is kept from scrolling when their size changes.
  void resized() {
    status_.clear();
    measure();
    if (is_held_) reserve();
  }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] bool draws() const { return draws_; }

  void write(std::string_view text) const { static_cast<void>(write_all(STDOUT_FILENO, text)); }
  // Writes what only changes how the screen looks.
  void draw(std::string_view text) {
    if (draws_) write(text);
  }

  // Reserves the bottom row for the status line; not on small screens, nor on terminals that cannot do it.
  void reclaim() {
    status_.clear();
    measure();
    is_held_ = draws_;
    if (!draws_) return;
    // After output without a line feed the prompt begins a line of its own: in the first column the mark and the blanks
    // fill just this line, and elsewhere they wrap.
    if (rows_ >= status_rows_min) write("\033[7m%\033[0m" + std::string(columns_ - 1, ' ') + "\r\033[J");
    reserve();
  }
  // Gives the bottom row back.
  void release() {
    is_held_ = false;
    if (!std::exchange(keeps_bottom_, false)) return;
    write("\0337\033[" + std::to_string(rows_) + ";1H\033[2K\033[r\0338");
  }
  // Clears the screen and moves the cursor to the top.
  void clear() {
    status_.clear();
    draw("\033[H\033[2J");
  }
  // Does nothing if the row is not reserved or already shows the text. The cursor does not move.
  void show_status(const std::string& text) {
    if (!keeps_bottom_ || text == status_) return;
    status_ = text;
    write("\0337\033[" + std::to_string(rows_) + ";1H\033[2K" + text + "\033[0m\0338");
  }

 private:
  // Keeps the bottom row out of what scrolls, on a screen that is not small.
  void reserve() {
    const bool was_kept = std::exchange(keeps_bottom_, rows_ >= status_rows_min);
    // A line feed first, because the cursor may be on the bottom row.
    if (keeps_bottom_) write("\n\033[A\0337\033[1;" + std::to_string(rows_ - 1) + "r\0338");
    if (was_kept && !keeps_bottom_) write("\0337\033[r\0338");
  }

  const bool draws_;
  std::size_t columns_ = 80;
  std::size_t rows_ = 24;
  std::string status_;         // shown now
  bool is_held_ = false;       // by the editor: the bottom row is the status line's
  bool keeps_bottom_ = false;  // from scrolling
};

// A mark on the character before it, or another one without a width. libedit keeps it in the line and not on the
// screen.
bool is_unseen(std::string_view character) {
  return character.size() > 1 && width_of(character) == 0;
}

std::string without_unseen(std::string_view text) {
  std::string seen;
  while (!text.empty()) {
    const std::string_view one = first_character(text).bytes;
    if (!is_unseen(one)) seen += one;
    text.remove_prefix(one.size());
  }
  return seen;
}

// The keys of usual terminals. libedit would type the tail of a sequence that it does not know into the line, and
// digits of it into a price.
// With vi keys, Escape enters the command mode, which gets the rest, and in that mode all of it.
void bind_keys(EditLine* line, bool is_vi) {
  const auto bind = [&](const std::string& keys, const char* command) {
    const std::string whole = "\033" + keys;
    if (!is_vi) {
      ::el_set(line, EL_BIND, whole.c_str(), command, nullptr);
      return;
    }
    for (const std::string& part : {keys, whole}) ::el_set(line, EL_BIND, "-a", part.c_str(), command, nullptr);
  };
  const char* const next_word = is_vi ? "vi-next-word" : "em-next-word";
  const char* const prev_word = is_vi ? "vi-prev-word" : "ed-prev-word";
  constexpr int keys_max = 34;  // F20 of xterm
  for (int key = 1; key <= keys_max; ++key) bind("[" + std::to_string(key) + "~", "svc-ignore");
  for (const char* home : {"[1~", "[7~"}) bind(home, "ed-move-to-beg");
  for (const char* end : {"[4~", "[8~"}) bind(end, "ed-move-to-end");
  bind("[3~", "ed-delete-next-char");
  // With Shift (2), Alt (3), Ctrl (5) and their sums.
  for (char modifier = '2'; modifier <= '8'; ++modifier) {
    const std::string with = std::string(1, ';') + modifier;
    for (int key = 1; key <= keys_max; ++key) bind("[" + std::to_string(key) + with + "~", "svc-ignore");
    if (!is_vi) bind("[3" + with + "~", "em-delete-next-word");
    for (const char letter : std::string_view("ABFHPQRS")) bind("[1" + with + letter, "svc-ignore");
    bind("[1" + with + 'C', next_word);
    bind("[1" + with + 'D', prev_word);
  }
  if (!is_vi) bind("\033[C", next_word), bind("\033[D", prev_word);  // Alt as an Escape before
  for (const char letter : std::string_view("abcdPQRS")) bind(std::string("O") + letter, "svc-ignore");
  for (const char letter : std::string_view("ABCDE")) bind(std::string("[[") + letter, "svc-ignore");  // of the console
}

}  // namespace

std::size_t shown_width(std::string_view text) {
  std::size_t width = 0;
  bool hidden = false;
  while (!text.empty()) {
    const auto [bytes, columns] = first_shown(text);
    if (bytes == "\1")
      hidden = !hidden;
    else if (!hidden)
      width += columns;
    text.remove_prefix(bytes.size());
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::size_t columns) {
  std::size_t width = 0, end = 0;
  while (end < text.size()) {
    const Glyph next = first_shown(text.substr(end));
    width += next.columns;
    if (width > columns) break;
    end += next.bytes.size();
  }
  return std::string(text.substr(0, end));
}

wchar_t utf8_character(std::string_view bytes) {
  constexpr wchar_t replacement = 0xfffd;
  const Utf8Character first = first_character(bytes);
  return first.is_sound() ? static_cast<wchar_t>(first.code_point) : replacement;
}

struct LineEditor::Parts {
  explicit Parts(EditorHooks given) : hooks(std::move(given)), screen(hooks.draws) {}

  EditorHooks hooks;
  EditLine* line = nullptr;
  ::History* history = nullptr;
  Pipe wakeup;
  Screen screen;
  std::string prompt_text;
  std::string drawn;  // what was typed when a key was last waited for
  bool hinted = false;

  std::mutex mutex;
  std::vector<std::string> notices;  // guarded by mutex

  std::string ahead;         // read from the terminal, and not typed into the line yet
  std::string block;         // pasted
  bool marks_pastes = true;  // the terminal is asked to
  bool block_ready = false;  // reading ends with this block
  bool block_is_too_long = false;
  bool cancelled = false;

  static Parts& of(EditLine* line) {
    void* parts = nullptr;
    ::el_get(line, EL_CLIENTDATA, &parts);
    return *static_cast<Parts*>(parts);
  }

  static char* prompt(EditLine* line) { return of(line).prompt_text.data(); }

  [[nodiscard]] std::string_view typed() const {
    const LineInfo* info = ::el_line(line);
    return {info->buffer, static_cast<std::size_t>(info->lastchar - info->buffer)};
  }
  [[nodiscard]] std::string_view before_cursor() const {
    const LineInfo* info = ::el_line(line);
    return {info->buffer, static_cast<std::size_t>(info->cursor - info->buffer)};
  }

  void draw_hint() {
    const std::string_view text = typed();
    if (!screen.draws() || before_cursor().size() != text.size()) return;
    const std::size_t used = shown_width(prompt_text) + shown_width(text);
    if (used + 1 >= screen.columns()) return;
    const std::string hint = cut_to_width(hooks.hint(text), screen.columns() - used - 1);
    if (hint.empty()) return;
    screen.write(concat("\0337", hooks.colours ? "\033[90m" : "\033[2m", hint, "\033[0m\0338"));
    hinted = true;
  }
  void clear_hint() {
    if (hinted) screen.write("\033[K");
    hinted = false;
  }
  void draw_status() { screen.show_status(hooks.status(screen.columns())); }

  // Removes the line from the screen, writes above it, and shows it again.
  void write_above(const std::string& text) {
    clear_hint();
    put_back(row_of_cursor(), text);
  }
  [[nodiscard]] std::size_t row_of_cursor() const {
    return (shown_width(prompt_text) + shown_width(before_cursor())) / screen.columns();
  }
  // `row` is the cursor's row within the line.
  void put_back(std::size_t row, const std::string& text) {
    std::string up = "\r";
    if (row > 0) up += "\033[" + std::to_string(row) + "A";
    screen.write((screen.draws() ? up + "\033[J" : "\n") + text);
    ::el_set(line, EL_REFRESH);
    draw_status();
  }

  // libedit draws a change inside a line of several rows wrong where a character meets the margin.
  void redraw_wrapped() {
    const std::string_view text = typed();
    const bool is_inside = before_cursor().size() != text.size();
    const bool is_wrapped = shown_width(prompt_text) + shown_width(text) >= screen.columns();
    const bool is_search = text.find('\n') != std::string_view::npos;
    if (is_inside && is_wrapped && !is_search && text != drawn) put_back(row_of_cursor(), {});
    drawn = text;
  }

  // One per line.
  [[nodiscard]] std::string take_notices() {
    const std::lock_guard lock(mutex);
    std::string text;
    for (const std::string& notice : notices) text += notice + "\n";
    notices.clear();
    return text;
  }
  void show_notices() {
    const std::string text = take_notices();
    if (!text.empty()) write_above(text);
  }

  // The account may have become known while the user was typing.
  void renew_prompt() {
    std::string fresh = hooks.prompt();
    if (fresh == prompt_text) return;
    const std::size_t row = row_of_cursor();
    prompt_text = std::move(fresh);
    put_back(row, {});
  }

  void resize() {
    clear_hint();
    screen.resized();
    ::el_resize(line);
    // The terminal has rewrapped its content; clear everything below the line, including the old status line.
    put_back(row_of_cursor(), {});
  }

  void reclaim() {
    screen.reclaim();
    // Resets colours and the cursor, which a program may have left changed.
    screen.draw(marks_pastes ? "\033[0m\033[?25h\033[?2004h" : "\033[0m\033[?25h");
  }
  void release() {
    screen.draw("\033[?2004l");
    screen.release();
  }

  // Ctrl-Z: restores the terminal until the shell continues.
  void suspend() {
    clear_hint();
    release();
    screen.write("\r\n");
    ::el_set(line, EL_PREP_TERM, 0);
    ::signal(SIGTSTP, SIG_DFL);
    ::raise(SIGTSTP);
    handle(SIGTSTP);
    was_continued.store(true);  // if nobody can continue it, it did not stop
  }
  // Shows the typed text again below all later output, so that Enter sends nothing unseen.
  void resume() {
    ::el_set(line, EL_PREP_TERM, 0);
    ::el_set(line, EL_PREP_TERM, 1);
    reclaim();
    ::el_resize(line);
    prompt_text = hooks.prompt();
    hinted = false;
    put_back(0, {});
  }

  // Waits for a key and handles everything else meanwhile; -1 when the line has ended.
  int next_byte() {
    if (!ahead.empty()) {
      const auto byte = static_cast<unsigned char>(ahead.front());
      ahead.erase(0, 1);
      return byte;
    }
    for (;;) {
      pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {wakeup.read.get(), POLLIN, 0}};
      static_cast<void>(::poll(waits, 2, -1));
      if (waits[1].revents != 0) {
        char drained[64];
        static_cast<void>(!::read(wakeup.read.get(), drained, sizeof drained));
        if (was_suspended.exchange(false)) suspend();
        if (was_continued.exchange(false)) resume();
        if (was_resized.exchange(false)) resize();
        if (was_interrupted.load()) {
          cancelled = true;
          return -1;
        }
        hooks.woken();
        show_notices();
        clear_hint();
        renew_prompt();
        draw_status();
        draw_hint();
      }
      if (waits[0].revents == 0) continue;
      unsigned char byte = 0;
      const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
      if (count == 1) return byte;
      if (count == 0) return -1;
    }
  }

  static int get_character(EditLine* line, wchar_t* out) {
    Parts& self = of(line);
    if (self.block_ready) return 0;
    self.redraw_wrapped();
    self.draw_hint();
    const int first = self.next_byte();
    self.clear_hint();
    if (first < 0) return 0;
    self.hooks.touched();
    // During a search libedit keeps what is sought in the line, after a line feed.
    const bool searches = self.typed().find('\n') != std::string_view::npos;
    const bool ends_line = (first == '\r' || first == '\n') && !searches;
    if (ends_line && self.take_what_follows(std::string(self.typed()) + '\n')) return 0;
    std::string bytes(1, static_cast<char>(first));
    // The first byte of a character in UTF-8 begins with a bit for each byte, if it has several.
    const int size = std::countl_one(static_cast<unsigned char>(first));
    for (int more = size >= 2 && size <= 4 ? size - 1 : 0; more > 0; --more) {
      const int next = self.next_byte();
      if (next < 0) return 0;
      bytes += static_cast<char>(next);
    }
    // Enter sends only what is on the screen. (D-740)
    if (is_unseen(bytes)) {
      self.screen.draw("\a");
      return get_character(line, out);
    }
    *out = utf8_character(bytes);
    return 1;
  }

  // Takes the text and all that came with it as a block, whether or not the terminal marked it as pasted. False if that
  // is no more than one line; what came with the text is then read next. A block that is too long is read to its end,
  // so that none of it answers a question or runs, and is not kept.
  bool take_what_follows(std::string text, bool is_too_long = false) {
    const std::size_t before = text.size();
    text += std::exchange(ahead, {});
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    char bytes[4'096];
    for (int wait_ms = 0; ::poll(&ready, 1, wait_ms) > 0; wait_ms = paste_gap_ms) {
      const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
      if (count <= 0) break;
      is_too_long = is_too_long || text.size() + static_cast<std::size_t>(count) > paste_bytes_max;
      if (!is_too_long) text.append(bytes, static_cast<std::size_t>(count));
    }
    block_is_too_long = is_too_long;
    ahead = text.substr(before);
    std::ranges::replace(text, '\r', '\n');
    while (text.ends_with('\n')) text.pop_back();
    block_ready = is_too_long || text.find('\n') != std::string::npos;
    if (!block_ready) return false;
    block = std::move(text);
    ahead.clear();
    return true;
  }

  // Pasted text: a single line is typed in; several lines are confirmed first.
  static unsigned char paste(EditLine* line, int) {
    Parts& self = of(line);
    std::string text;
    bool is_too_long = false;
    while (!text.ends_with(paste_ends)) {
      const int byte = self.next_byte();
      if (byte < 0) return CC_EOF;
      if (text.size() == paste_bytes_max) {
        is_too_long = true;
        text.erase(0, text.size() - paste_ends.size());
      }
      text += byte == '\r' ? '\n' : static_cast<char>(byte);
    }
    text.resize(text.size() - paste_ends.size());
    if (self.take_what_follows(std::string(self.typed()) + text, is_too_long)) return CC_NEWLINE;
    while (text.ends_with('\n')) text.pop_back();
    ::el_insertstr(line, without_unseen(text).c_str());
    return CC_REFRESH;
  }

  static unsigned char ignore(EditLine*, int) { return CC_NORM; }

  static unsigned char clear_screen(EditLine* line, int) {
    Parts& self = of(line);
    self.screen.clear();
    ::el_set(line, EL_REFRESH);
    self.draw_status();
    return CC_NORM;
  }

  static unsigned char complete(EditLine* line, int) {
    Parts& self = of(line);
    const std::string before(self.before_cursor());
    const std::vector<Candidate> found = self.hooks.complete(before);
    const std::string word = last_word(before);
    const std::string more = common_rest(word, found);
    if (!more.empty()) ::el_insertstr(line, more.c_str());
    if (found.size() == 1) {
      ::el_insertstr(line, " ");
      return CC_REFRESH;
    }
    if (more.empty() && !found.empty()) self.write_above(listed(found, self.screen.columns()));
    return found.empty() ? CC_ERROR : CC_REFRESH;
  }
};

LineEditor::LineEditor(EditorHooks hooks) : parts_(std::make_unique<Parts>(std::move(hooks))) {
  // With another one libedit leaves characters out of the line that it shows.
  use_unicode_locale();
  Parts& self = *parts_;
  if (auto pipe = Pipe::open()) self.wakeup = std::move(*pipe);
  for (const Descriptor* end : {&self.wakeup.read, &self.wakeup.write}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  wake_descriptor.store(self.wakeup.write.get());
  ::signal(SIGPIPE, SIG_IGN);  // quitting a pager early must not end the shell
  for (const int number : {SIGINT, SIGQUIT, SIGWINCH, SIGTERM, SIGHUP, SIGCONT}) handle(number);
  self.line = ::el_init("svc", stdin, stdout, stderr);
  self.history = ::history_init();
  HistEvent event;
  ::history(self.history, &event, H_SETSIZE, static_cast<int>(history_lines_max));
  ::el_set(self.line, EL_CLIENTDATA, &self);
  ::el_set(self.line, EL_PROMPT_ESC, &Parts::prompt, '\1');
  ::el_set(self.line, EL_GETCFN, &Parts::get_character);
  ::el_set(self.line, EL_HIST, ::history, self.history);
  ::el_set(self.line, EL_EDITOR, "emacs");
  ::el_set(self.line, EL_ADDFN, "svc-complete", "Complete the word", &Parts::complete);
  ::el_set(self.line, EL_ADDFN, "svc-paste", "Take a pasted block", &Parts::paste);
  ::el_set(self.line, EL_ADDFN, "svc-clear", "Clear the screen", &Parts::clear_screen);
  ::el_set(self.line, EL_ADDFN, "svc-ignore", "Do nothing", &Parts::ignore);
  bind_keys(self.line, false);
  ::el_source(self.line, nullptr);  // ~/.editrc: vi keys and the like
  // vi mode's "v" opens an external editor and would run the line as soon as that ends.
  ::el_set(self.line, EL_BIND, "-a", "v", "ed-unassigned", nullptr);
  ::el_set(self.line, EL_BIND, "^I", "svc-complete", nullptr);
  ::el_set(self.line, EL_BIND, "^L", "svc-clear", nullptr);
  ::el_set(self.line, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  // With vi keys Escape stands alone, so that nothing may begin with it: the terminal then marks no pastes.
  const char* editor = nullptr;
  self.marks_pastes =
      ::el_get(self.line, EL_EDITOR, &editor) != 0 || editor == nullptr || editor != std::string_view("vi");
  if (self.marks_pastes)
    ::el_set(self.line, EL_BIND, paste_begins.data(), "svc-paste", nullptr);
  else
    bind_keys(self.line, true);
  reclaim_screen();
}

LineEditor::~LineEditor() {
  release_screen();
  wake_descriptor.store(-1);
  ::history_end(parts_->history);
  ::el_end(parts_->line);
}

void LineEditor::release_screen() {
  parts_->release();
}

void LineEditor::reclaim_screen() {
  parts_->reclaim();
}

void LineEditor::drop_typed_ahead() {
  parts_->ahead.clear();
  ::tcflush(STDIN_FILENO, TCIFLUSH);
}

Typed LineEditor::read() {
  Parts& self = *parts_;
  if (ended_by()) return {Typed::Kind::end, {}};
  was_interrupted.store(false);
  self.cancelled = self.block_ready = false;
  self.prompt_text = self.hooks.prompt();
  self.screen.measure();
  self.screen.write(self.take_notices());
  self.draw_status();
  int count = 0;
  was_suspended.store(false);
  was_continued.store(false);
  // Commands that run between two lines stop as usual.
  handle(SIGTSTP);
  const char* text = ::el_gets(self.line, &count);
  ::signal(SIGTSTP, SIG_DFL);
  if (ended_by()) return {Typed::Kind::end, {}};
  if (self.cancelled) {
    self.screen.write("^C\n");
    return {Typed::Kind::cancelled, {}};
  }
  if (self.block_ready && self.block_is_too_long) return {Typed::Kind::too_long, {}};
  if (self.block_ready) return {Typed::Kind::block, std::move(self.block)};
  if (text == nullptr || count <= 0) return {Typed::Kind::end, {}};
  std::string line(text, static_cast<std::size_t>(count));
  while (line.ends_with('\n')) line.pop_back();
  return {Typed::Kind::line, std::move(line)};
}

void LineEditor::remember(const std::string& line) {
  HistEvent event;
  ::history(parts_->history, &event, H_ENTER, line.c_str());
}

std::optional<int> LineEditor::ended_by() {
  const int number = ending.load();
  return number == 0 ? std::nullopt : std::optional(number);
}

void LineEditor::announce(std::string line) {
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->notices.push_back(std::move(line));
  }
  poke();
}

void LineEditor::wake() {
  poke();
}

bool LineEditor::interrupted() {
  return was_interrupted.load();
}

std::string last_word(std::string_view before_cursor) {
  const auto blank = before_cursor.find_last_of(" \t");
  return std::string(blank == std::string_view::npos ? before_cursor : before_cursor.substr(blank + 1));
}

std::string common_rest(std::string_view word, const std::vector<Candidate>& candidates) {
  if (candidates.empty()) return {};
  std::string_view common = candidates.front().text;
  for (const Candidate& one : candidates) {
    const auto differ = std::mismatch(common.begin(), common.end(), one.text.begin(), one.text.end());
    common = common.substr(0, static_cast<std::size_t>(differ.first - common.begin()));
  }
  return common.starts_with(word) ? std::string(common.substr(word.size())) : std::string();
}

std::string listed(const std::vector<Candidate>& candidates, std::size_t columns) {
  const std::size_t shown = std::min(candidates.size(), completions_shown_max);
  std::size_t width = 0;
  bool described = false;
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, candidates[i].text.size() + 2);
    described = described || !candidates[i].about.empty();
  }
  const std::size_t per_line = described ? 1 : std::max<std::size_t>(1, columns / std::max<std::size_t>(1, width));
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    std::string cell = candidates[i].text;
    cell.resize(std::max(cell.size(), width), ' ');
    text += cut_to_width(cell + candidates[i].about, columns);
    if ((i + 1) % per_line == 0 || i + 1 == shown) text += "\n";
  }
  if (shown < candidates.size()) text += "and " + std::to_string(candidates.size() - shown) + " more\n";
  return text;
}

}  // namespace svc::cli
