// The sandbox as a process: sockets, signals, the ready line, and the housekeeping thread.

#include <absl/cleanup/cleanup.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "api/codec.h"
#include "base/fibers.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/process.h"
#include "base/shown_text.h"
#include "base/text.h"
#include "sim/control/control_surface.h"
#include "sim/gateway/delay_line.h"
#include "sim/gateway/fault_book.h"
#include "sim/gateway/http_server.h"
#include "sim/sim.h"
#include "sim/venue.h"

namespace svc::limits {
constexpr int log_end_waits = 10;                           // for the log's reader, after the sandbox has stopped
constexpr std::int64_t log_end_wait_ms = 20;                // each of them, real time
constexpr std::size_t failure_lines_bytes_max = 64u << 10;  // that wait for the log; what comes after is dropped
}  // namespace svc::limits

namespace svc::sim {
namespace {

// Blocks the stop signals in this thread and its children, so that they can be waited for, and SIGPIPE; restores the
// mask at the end.
class StopSignals {
 public:
  StopSignals() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGTERM);
    ::sigaddset(&set_, SIGINT);
    // Under nohup it is ignored, and stays so.
    struct sigaction hangup {};
    if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) ::sigaddset(&set_, SIGHUP);
    sigset_t blocked = set_;
    ::sigaddset(&blocked, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &former_);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  // A second signal has asked for what is done already.
  ~StopSignals() {
    constexpr timespec at_once{};
    while (::sigtimedwait(&set_, nullptr, &at_once) > 0) {
    }
    ::pthread_sigmask(SIG_SETMASK, &former_, nullptr);
  }

  void wait() const {
    int signal = 0;
    while (::sigwait(&set_, &signal) != 0) {
    }
  }

 private:
  sigset_t set_{};
  sigset_t former_{};
};

// What exceptions of handlers said, as lines for the log. Its reader may be slow, so that I/O threads leave them here.
// Safe to use from any thread.
class HandlerFailures {
 public:
  void add(std::string_view what) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() < limits::failure_lines_bytes_max)
      lines_ += "a request failed: " + escaped(what, {}, OddBytes::are_escaped) + '\n';
  }
  [[nodiscard]] std::string take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::string lines_;
};

// Runs regularly while the sandbox runs: does what is due and writes the request log.
class Housekeeper {
 public:
  Housekeeper(Venue& venue, HandlerFailures& failures, const LogSink& log)
      : venue_(venue),
        failures_(failures),
        follower_(venue.requests(), venue.options().log),
        log_(log),
        unwritten_(venue.notices()),
        thread_([this](std::stop_token stop) {
          std::unique_lock lock(mutex_);
          while (!stop.stop_requested()) {
            woken_.wait_for(lock, stop, std::chrono::milliseconds(limits::housekeeping_ms), [] { return false; });
            work();
          }
          // Writes the lines of the last moments. The log's reader has some time for them.
          work();
          for (int i = 0; i < limits::log_end_waits && !unwritten_.empty(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(limits::log_end_wait_ms));
            write_log();
          }
        }) {}

 private:
  void work() {
    venue_.pass_time();
    write_log();
    if (std::string problem = venue_.log_problem(); problem != problem_) {
      problem_ = std::move(problem);
      unwritten_ += problem_.empty() ? "the log takes writes again\n" : "the log: " + problem_ + '\n';
    }
    if (std::string network = venue_.unreadable_snapshot(); network != unreadable_) {
      unreadable_ = std::move(network);
      if (!unreadable_.empty())
        unwritten_ +=
            "a snapshot of " + unreadable_ + " cannot be read again, so its log is kept whole: a defect of svc\n";
    }
  }

  // Never waits for the log's reader. New lines are taken once the previous ones were written, so that only those
  // of one pass are kept here; the follower counts lost ones.
  void write_log() {
    if (unwritten_.empty()) unwritten_ = failures_.take() + follower_.new_lines();
    if (!unwritten_.empty()) unwritten_.erase(0, log_(unwritten_));
  }

  Venue& venue_;
  HandlerFailures& failures_;
  RequestFollower follower_;
  const LogSink& log_;
  std::string unwritten_;
  std::string problem_;     // of the log, as told last
  std::string unreadable_;  // the network whose snapshot is, likewise
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread thread_;  // last: stops before what it uses is gone
};

// Threads that wait for the disk on behalf of requests that cannot share a thread (base/fibers.h), started as they are
// needed. Safe to use from any thread.
class WritePool {
 public:
  // Accepted work is finished first.
  ~WritePool() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    woken_.notify_all();
  }

  // False if too much work is waiting; the work is then not done.
  [[nodiscard]] bool run(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.size() >= limits::writes_waiting_max) return false;
      // The thread first: if it cannot be made, the caller learns that the work is not done.
      const bool busy = waiting_.size() >= idle_;
      if (busy && threads_.size() < limits::write_threads_max) threads_.emplace_back([this] { serve(); });
      waiting_.push_back(std::move(work));
    }
    woken_.notify_one();
    return true;
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      woken_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) return;
      const std::function<void()> work = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable woken_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool is_over_ = false;
  std::vector<std::jthread> threads_;
};

constexpr std::int64_t name_look_ms = 20;
constexpr std::int64_t name_wait_ms_max = 5'000;  // for a killed process of that name

constexpr std::string_view start_member = "start_ticks";

// The process named in a running-sandbox file. Its id may belong to another process by now.
struct Holder {
  pid_t pid = 0;            // 0: none
  std::uint64_t start = 0;  // 0: not known

  // A file with our own id was left by somebody before us.
  [[nodiscard]] ProcessState state() const {
    return pid == ::getpid() ? ProcessState::gone : process_state(pid, start);
  }
};

Holder holder_of_name(const std::filesystem::path& path) {
  const auto document = nlohmann::json::parse(file_text(path), nullptr, false);
  if (!document.is_object() || !document.contains("pid") || !document["pid"].is_number_integer()) return {};
  Holder holder{.pid = document["pid"].get<pid_t>()};
  const auto start = document.find(start_member);
  if (start != document.end() && start->is_number_unsigned()) holder.start = start->get<std::uint64_t>();
  return holder;
}

// Whether something stands there that no sandbox has made: a folder, a pipe, or a link, which may lead to a file of the
// user. (D-1056)
bool is_no_running_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

// One process at a time looks into that folder and writes to it, until it closes this.
Descriptor locked_folder(const std::filesystem::path& folder) {
  Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor) static_cast<void>(TEMP_FAILURE_RETRY(::flock(descriptor.get(), LOCK_EX)));
  return descriptor;
}

// The file by which `svc local` finds this sandbox; removed when the sandbox ends. It is claimed first, with only the
// process id, and completed once requests are accepted. (D-263)
class RunningFile {
 public:
  RunningFile() = default;
  RunningFile(const RunningFile&) = delete;
  RunningFile& operator=(const RunningFile&) = delete;
  ~RunningFile() {
    // Another sandbox has the name if somebody removed the file meanwhile.
    std::error_code ignored;
    if (!path_.empty() && holder_of_name(path_).pid == ::getpid()) std::filesystem::remove(path_, ignored);
  }

  // If the name is in use, the sandbox runs under that name and its process id. A process killed a moment ago is
  // waited for.
  [[nodiscard]] Result<void, std::string> claim(SandboxOptions& options) {
    if (options.running_file.empty()) return {};
    const std::filesystem::path folder = options.running_file.parent_path();
    if (!make_folders(folder).empty())
      return unexpected("cannot create " + folder.string() + ": " + std::strerror(errno));
    for (std::int64_t waited_ms = 0;; waited_ms += name_look_ms) {
      {
        const Descriptor alone = locked_folder(folder);
        const bool is_blocked = is_no_running_file(options.running_file);
        const ProcessState state = is_blocked ? ProcessState::runs : holder_of_name(options.running_file).state();
        if (state != ProcessState::ending || waited_ms >= name_wait_ms_max) {
          if (state != ProcessState::gone) {
            options.name += '-' + std::to_string(::getpid());
            options.running_file.replace_filename(options.name + options.running_file.extension().string());
          }
          auto written = write(options.running_file, {{"pid", ::getpid()}});
          if (written) path_ = options.running_file;
          return written;
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(name_look_ms));
    }
  }

  [[nodiscard]] Result<void, std::string> publish(std::string_view line) const {
    return path_.empty() ? Result<void, std::string>() : write(path_, nlohmann::ordered_json::parse(line));
  }

 private:
  [[nodiscard]] static Result<void, std::string> write(const std::filesystem::path& path,
                                                       nlohmann::ordered_json document) {
    if (const std::uint64_t start = start_of_process(::getpid()); start != 0) document[start_member] = start;
    return write_whole_file(path, document.dump() + '\n');
  }

  std::filesystem::path path_;
};

// Never replaces a device or a pipe by a file.
Result<void, std::string> write_ready_file(const std::filesystem::path& path, std::string_view line) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return unexpected("--ready-file " + path.string() + " is not a file that can be written");
  return about("--ready-file: ", write_whole_file(path, line));
}

Result<void, std::string> write_to_fd(int fd, std::string_view text) {
  if (write_all(fd, text) != Written::whole)
    return unexpected("--ready-fd " + std::to_string(fd) + ": " + std::strerror(errno));
  // Readers until end-of-file need not wait for the sandbox to stop. A standard stream stays open: the next socket
  // would get its number, and the sandbox would write its log into that socket.
  if (fd > STDERR_FILENO) ::close(fd);
  return {};
}

std::size_t io_threads() {
  // The processors that this process may use; in a container that may be fewer than there are.
  cpu_set_t ours;
  CPU_ZERO(&ours);
  const bool known = ::sched_getaffinity(0, sizeof ours, &ours) == 0;
  const auto processors = known ? static_cast<std::size_t>(CPU_COUNT(&ours)) : std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(processors, 1, limits::io_threads_max);
}

// As --state names it; empty: in memory.
std::string state_of(const SandboxOptions& options) {
  return options.etcd ? to_string(*options.etcd) : options.state_folder.string();
}

// The ready line and the effective settings, for starting the same sandbox again.
std::string config_document(const Venue& venue) {
  const SandboxOptions& options = venue.options();
  auto document = nlohmann::ordered_json::parse(api::to_json(venue.report()));
  const auto flow = [&]() -> std::string {
    if (options.flow == FlowKind::tape) return "tape:" + options.tape_file.string();
    return options.flow == FlowKind::bots ? "bots" : "none";
  }();
  const auto& below = options.versions.policy.deprecated_below;
  document["options"] = {
      {"flow", flow},
      {"clock", to_string(options.clock)},
      {"limits", options.limits.multiplier},
      {"open_orders", options.open_orders},
      {"faucet", options.faucet},
      {"require_action", options.require_action},
      {"auth", options.auth == AuthStyle::lenient ? "lenient" : "strict"},
      {"unknown_fields", options.unknown_fields == UnknownFields::accept ? "accept" : "refuse"},
      {"strict_market_id", options.strict_market_ids},
      {"strict_query", options.strict_query},
      {"bare_streams", options.bare_streams},
      {"operator", options.operator_exits},
      {"latency_ms", options.latency.base_ms},
      {"latency_jitter_ms", options.latency.jitter_ms},
      {"state", state_of(options)},
      {"session_stream_tokens", options.session_mints_stream_tokens},
      {"client_ip_header", options.client_ip_header},
      {"min_api_version", api::to_string(options.versions.policy.minimum)},
      {"deprecated_below", below ? nlohmann::ordered_json(api::to_string(*below)) : nullptr},
      {"require_api_version", options.versions.header_required},
      {"chain_block_ms", options.money.chain.block_ms},
      {"chain_confirmations", options.money.chain.deposit_confirmations},
      {"switched_off", joined(
                           options.money.switched_off, [](Switchable one) { return api::to_string(one); }, ",")}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

// Waits for the process that has the state, which may be ending, or for an etcd that elects. Each reason has a time of
// its own. (D-655, D-854)
StateFolder::TryAgain patient_start(const SandboxOptions& options, const LogSink& log) {
  const std::int64_t wait_ms = options.etcd ? limits::etcd_leader_wait_ms : limits::state_lock_wait_ms;
  const std::int64_t look_ms = options.etcd ? limits::etcd_leader_look_ms : limits::state_lock_look_ms;
  std::map<std::string, TimestampMs> ends_ms;  // by reason
  return [wait_ms, look_ms, log, ends_ms](const std::string& reason) mutable {
    const TimestampMs now_ms = LeaseClock().now_ms();
    const auto [end, is_new] = ends_ms.try_emplace(reason, now_ms + wait_ms);
    if (is_new)
      static_cast<void>(
          log("--state: " + reason + ": trying again for " + std::to_string(wait_ms / second_ms) + " s\n"));
    if (now_ms >= end->second) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(look_ms));
    return true;
  };
}

}  // namespace

LogSink log_to(int descriptor) {
  return [descriptor](std::string_view text) {
    std::size_t taken = 0;
    while (taken < text.size()) {
      // A pipe that is ready has room for at least that much.
      pollfd entry{.fd = descriptor, .events = POLLOUT, .revents = 0};
      if (::poll(&entry, 1, 0) != 1) return taken;
      const std::size_t piece = std::min<std::size_t>(text.size() - taken, PIPE_BUF);
      const ssize_t written = ::write(descriptor, text.data() + taken, piece);
      if (written > 0) taken += static_cast<std::size_t>(written);
      if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return taken;
      if (written < 0 && errno != EINTR) return text.size();
    }
    return taken;
  };
}

Result<void, std::string> serve(const SandboxOptions& wanted, const LogSink& out, const LogSink& log) {
  if (auto refused = refusal(wanted)) return unexpected(std::move(*refused));
  SandboxOptions options = wanted;

  const StopSignals stop_signals;
  RunningFile running;
  SVC_TRY(running.claim(options));
  const SystemClock machine;
  DelayLine delays;
  options.after_ms = [&delays](std::int64_t ms, std::function<void()> then) { delays.after_ms(ms, std::move(then)); };
  auto opened = SVC_TRY(Venue::open(options, machine, {.try_again = patient_start(options, log)}));
  Venue& venue = *opened;

  HttpServerOptions server_options;
  // Clients compare their clock with the Date field: it must tell the sandbox's time.
  server_options.now = [&venue] { return venue.clock().now_ms(); };
  HandlerFailures failures;
  server_options.handler_failed = [&failures](std::string_view what) { failures.add(what); };
  server_options.refuse = [](TransportRefusal refusal) { return Gateway::refuse(refusal); };
  server_options.io_threads = io_threads();
  server_options.requests.roomy_below = "/_";
  server_options.is_roomy = [&venue](const Peer& peer, std::string_view target, std::string_view name,
                                     std::string_view value) {
    return (target == api::control::LoadState::op.path && is_loopback_address(peer.address)) ||
           venue.is_call_of_node(target, name, value);
  };
  server_options.requests.roomy_body_bytes_max = limits::state_document_bytes_max;
  WritePool controllers;
  // A commit over the network costs more than it takes to gather what is there already. While one waits for etcd, a
  // second thread refuses what comes.
  const bool is_on_etcd = is_etcd_address(state_of(options));
  Fibers writers(std::max<std::size_t>(io_threads(), is_on_etcd ? 2 : 1),
                 is_on_etcd ? IdleWorkOf::all_threads : IdleWorkOf::each_thread);
  const bool is_logged = !state_of(options).empty();
  server_options.upgrade = [&venue, &writers, is_logged](api::HttpRequest&& request, const std::string& head,
                                                         const Peer& peer, const Upgrade& upgrade) {
    // A token of a stream is spent in the log.
    if (!is_logged) return venue.upgrade(std::move(request), head, peer, upgrade);
    const auto shared = std::make_shared<api::HttpRequest>(std::move(request));
    if (!writers.run([&venue, shared, head, peer, upgrade] { venue.upgrade(std::move(*shared), head, peer, upgrade); }))
      upgrade.refuse(Gateway::refuse(TransportRefusal::too_many_connections));
  };
  // Requests that may wait for the disk do so elsewhere, in fibers; the requests of one connection keep their
  // order, because they come one at a time. (D-013, D-580) The control surface may replace everything, with its own
  // locks, so it has threads of its own.
  if (is_logged) server_options.pipeline_depth_max = 1;
  HttpServer server(std::move(server_options), [&](api::HttpRequest&& request, const Peer& peer, SendReply reply) {
    if (!venue.may_wait(request)) return venue.handle(std::move(request), peer, reply);
    // std::function requires copyable content.
    const auto shared = std::make_shared<api::HttpRequest>(std::move(request));
    const auto work = [&venue, shared, peer, reply] { venue.handle(std::move(*shared), peer, reply); };
    if (!(Venue::may_replace_state(shared->path()) ? controllers.run(work) : writers.run(work)))
      reply(Gateway::refuse(TransportRefusal::too_many_connections));
  });
  const auto port = server.listen(options.host, options.port);
  if (!port) {
    // The tape of a failed start would block the next one.
    std::error_code ignored;
    if (std::filesystem::is_regular_file(options.record_file, ignored))
      std::filesystem::remove(options.record_file, ignored);
    return unexpected(port.error());
  }
  venue.set_port(*port);

  // The server stops before the housekeeper, so that the last answers are logged.
  const Housekeeper housekeeper(venue, failures, log);
  const std::jthread telling([&venue](const std::stop_token& stop) { venue.run_streams(stop); });
  std::jthread serving([&server] { server.run(); });
  const absl::Cleanup stop_at_the_end([&] {
    server.stop();
    venue.give_up_waiting();
    delays.end();  // what is held back refers to both
  });

  const std::string line = api::to_json(venue.report()) + '\n';
  if (!options.config_file.empty())
    SVC_TRY(about("--config-out: ", write_whole_file(options.config_file, config_document(venue))));
  SVC_TRY(running.publish(line));
  if (!options.ready_file.empty()) SVC_TRY(write_ready_file(options.ready_file, line));
  if (options.ready_fd) SVC_TRY(write_to_fd(*options.ready_fd, line));
  if (out(line) != line.size()) return unexpected("the ready line cannot be written");

  stop_signals.wait();
  // The state includes the last answers.
  server.stop();
  serving.join();
  venue.give_up_waiting();  // a write that waits for its log would hold up the dump for as long
  return venue.dump();
}

}  // namespace svc::sim
