#include "sim/gateway/http_server_loop.h"

#include <absl/time/time.h>

#include <boost/beast/http/status.hpp>
#include <utility>

#include "base/assert.h"
#include "base/fibers.h"
#include "base/text.h"

using namespace std::literals;

namespace svc::sim {
namespace {

constexpr std::size_t scratch_bytes = 64 * 1024;

// The loop of this thread. A reply on the connection's own thread needs no mailbox.
thread_local const HttpServerLoop* current_loop = nullptr;

constexpr std::array<std::string_view, 5> server_fields = {"connection", "content-length", "date", "server",
                                                           "transfer-encoding"};

bool is_server_field(std::string_view name) {
  return std::ranges::any_of(server_fields, [&](std::string_view field) { return api::same_header_name(name, field); });
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  const std::size_t start = out.size();
  out.append(name).append(": "sv).append(value);
  std::ranges::replace_if(std::span(out).subspan(start), is_ascii_control, ' ');
  out += "\r\n"sv;
}

// Statuses without a body (RFC 9110 section 6.4.1); 1xx never comes here.
bool has_no_body(int status) {
  return status == 204 || status == 304;
}

}  // namespace

// One wake-up handles all messages posted until then. Waking the loop for each of them would interrupt the fibers.
void LoopMailbox::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (!loop_) return;
    tasks_.push_back(std::move(task));
    if (is_woken_) return;
  }
  when_turn_ends([self = shared_from_this()] { self->wake_loop(); });
}

void LoopMailbox::wake_loop() {
  const std::lock_guard lock(mutex_);
  if (!loop_ || std::exchange(is_woken_, true)) return;
  loop_->wake();
}

LoopMember::LoopMember(HttpServerLoop& loop, Descriptor socket)
    : loop_(loop), socket_(loop.ready_set(), *this, std::move(socket)) {}

HttpServerLoop::HttpServerLoop(const HttpServerOptions& options)
    : tick_ms_(options.timer_tick_ms),
      stop_grace_ms_(options.stop_grace_ms),
      waiting_bytes_max_(options.waiting_bytes_max / options.io_threads),
      start_(std::chrono::steady_clock::now()),
      mailbox_(std::make_shared<LoopMailbox>(*this)),
      writer_(options.now),
      scratch_(std::make_unique_for_overwrite<char[]>(scratch_bytes)) {
  SVC_ASSERT(tick_ms_ > 0);
}

HttpServerLoop::~HttpServerLoop() {
  const std::lock_guard lock(mailbox_->mutex_);
  mailbox_->loop_ = nullptr;
}

std::span<char> HttpServerLoop::scratch() {
  return {scratch_.get(), scratch_bytes};
}

bool HttpServerLoop::is_current(const HttpServerLoop& loop) {
  return current_loop == &loop;
}

void HttpServerLoop::run() {
  current_loop = this;
  while (!stopping_ || !members_.empty()) {
    if (ready_set_.wait(patience_ms())) has_mail_ = true;
    pass_time();
    if (std::exchange(has_mail_, false)) read_mail();
    flush_gathered();
    left_.clear();
  }
  current_loop = nullptr;
  std::vector<std::function<void()>> late;
  {
    const std::lock_guard lock(mailbox_->mutex_);
    mailbox_->loop_ = nullptr;
    late.swap(mailbox_->tasks_);
  }
}

// The loop's own thread is awake.
void HttpServerLoop::wake() {
  if (is_current(*this))
    has_mail_ = true;
  else
    ready_set_.wake();
}

// How long there is nothing to do unless a socket is ready; nullopt: for ever.
std::optional<std::int64_t> HttpServerLoop::patience_ms() const {
  if (has_mail_ || !gathered_.empty()) return 0;
  if (!ticking_) return std::nullopt;
  const auto next_ms = static_cast<std::int64_t>(wheel_.now() + 1) * tick_ms_;
  return std::max<std::int64_t>(next_ms - elapsed_ms(), 0);
}

void HttpServerLoop::begin_stop() {
  if (std::exchange(stopping_, true)) return;
  grace_due_ = tick_after(stop_grace_ms_);
  ticking_ = true;
  const auto members = members_;  // a leaving member changes the set
  for (const auto& member : members) member->stop_gracefully();
}

void HttpServerLoop::kill_all() {
  const auto members = members_;
  for (const auto& member : members) member->kill();
}

void HttpServerLoop::adopt(std::shared_ptr<LoopMember> member) {
  member->deadline_.owner = member.get();
  members_.insert(std::move(member));
}

void HttpServerLoop::release(LoopMember& member) {
  left_.push_back(member.shared_from_this());
  waiting_bytes_ -= std::exchange(member.waiting_bytes_, 0);
  wheel_.arm(member.deadline_, TimerWheel::never);
  members_.erase(left_.back());
}

void HttpServerLoop::set_waiting(LoopMember& member, std::size_t bytes, Reader reader) {
  if (member.waiting_bytes_ == 0 || reader == Reader::moved) member.moved_at_ = ++moves_;
  if (bytes > member.waiting_bytes_) grown_bytes_ += bytes - member.waiting_bytes_;
  waiting_bytes_ += bytes - member.waiting_bytes_;
  member.waiting_bytes_ = bytes;
  // Counting visits all that waits, so it is done again only when the bound may have been reached since.
  if (waiting_bytes_ <= waiting_bytes_max_ || grown_bytes_ < room_bytes_) return;
  WaitingBytes all;
  for (const auto& each : members_) each->count_waiting(all);
  std::size_t held = all.bytes();
  while (held > waiting_bytes_max_) {
    LoopMember* const cut = slowest();
    if (cut == nullptr) break;
    held -= cut->waiting_for_it_alone();
    cut->kill();
  }
  grown_bytes_ = 0;
  room_bytes_ = waiting_bytes_max_ - std::min(held, waiting_bytes_max_);
}

LoopMember* HttpServerLoop::slowest() const {
  LoopMember* slowest = nullptr;
  std::size_t waiting = 0;
  for (const auto& each : members_) {
    if (each->waiting_bytes_ == 0) continue;
    ++waiting;
    if (slowest == nullptr || each->moved_at_ < slowest->moved_at_) slowest = each.get();
  }
  return waiting < 2 ? nullptr : slowest;
}

void HttpServerLoop::gather(LoopMember& member) {
  if (!std::exchange(member.gathered_, true)) gathered_.push_back(member.shared_from_this());
}

void HttpServerLoop::read_mail() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mailbox_->mutex_);
    tasks.swap(mailbox_->tasks_);
    mailbox_->is_woken_ = false;
  }
  for (const auto& task : tasks) task();
}

void HttpServerLoop::flush_gathered() {
  const auto gathered = std::exchange(gathered_, {});
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    if (i + 1 < gathered.size()) gathered[i + 1]->prepare();
    gathered[i]->gathered_ = false;
    gathered[i]->flush();
  }
}

std::int64_t HttpServerLoop::elapsed_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start_).count();
}

TimerWheel::Tick HttpServerLoop::tick_after(std::int64_t ms) {
  // An empty wheel does not tick; it catches up for free.
  if (!ticking_) wheel_.advance(real_tick(), [](TimerWheel::Entry&) {});
  return wheel_.now() + static_cast<TimerWheel::Tick>((ms + tick_ms_ - 1) / tick_ms_) + 1;
}

void HttpServerLoop::set_deadline(LoopMember& member, TimerWheel::Tick due) {
  wheel_.arm(member.deadline_, due);
  if (due != TimerWheel::never) ticking_ = true;
}

void HttpServerLoop::pass_time() {
  if (!ticking_) return;
  const TimerWheel::Tick now = real_tick();
  if (now == wheel_.now()) return;
  wheel_.advance(now,
                 [](TimerWheel::Entry& entry) { static_cast<LoopMember::Deadline&>(entry).owner->deadline_passed(); });
  if (now >= grace_due_) kill_all();
  ticking_ = stopping_ || !wheel_.idle();
}

std::string_view reason_phrase(int status) {
  return boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(static_cast<unsigned>(status)));
}

std::string http_date(TimestampMs time_ms) {
  return absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", absl::FromUnixMillis(time_ms), absl::UTCTimeZone());
}

bool ResponseWriter::write_head(std::string& out, const api::HttpResponse& response, ResponseShape shape) {
  const TimestampMs now_ms = now_();
  const bool is_new_second = now_ms / second_ms != date_second_;
  if (is_new_second) {
    date_second_ = now_ms / second_ms;
    own_lines_ = "Date: " + http_date(now_ms) + "\r\nServer: svc\r\n";
  }
  if (is_new_second || response.status != status_) {
    status_ = response.status;
    opening_ = "HTTP/1.1 " + std::to_string(status_) + ' ' + std::string(reason_phrase(status_)) + "\r\n" + own_lines_;
  }
  out += opening_;
  for (const api::Header& field : response.headers)
    if (!is_server_field(field.name)) append_field(out, field.name, field.value);
  const bool no_body = has_no_body(response.status);
  if (!no_body) out.append("Content-Length: "sv).append(std::to_string(response.body.size())).append("\r\n"sv);
  // Whoever names an upgrade has to name it here, too. (RFC 9110, 7.8)
  constexpr int upgrade_required = 426;
  const bool names_upgrade = response.status == upgrade_required && response.headers.contains("Upgrade");
  const std::string_view fate = shape.close ? "close" : shape.keep_alive ? "keep-alive" : "";
  if (names_upgrade || !fate.empty()) {
    out += names_upgrade ? "Connection: Upgrade"sv : "Connection: "sv;
    if (names_upgrade && !fate.empty()) out += ", "sv;
    out.append(fate).append("\r\n"sv);
  }
  out += "\r\n"sv;
  return !no_body && !shape.head;
}

}  // namespace svc::sim
