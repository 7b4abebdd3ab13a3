// Three nodes of one exchange on three etcd members of this machine, beside one node alone, in one run. Turns are
// taken, and the median turn counts.
//
//   - hot reads, and reads with an HMAC signature, of 1, 2 and 3 nodes, for each core that the asked nodes use
//   - signed orders, every second one matched, sent to all nodes; beside one sandbox with its log in a folder, and
//     beside a bare loop that puts the very batches of these orders on the same etcd
//
//   cluster_bench SVC FOLDER
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "cluster/machines.h"
#include "cluster/trader.h"
#include "sim/sandbox_options.h"

namespace {

using namespace svc;
using Steady = std::chrono::steady_clock;

constexpr auto lasts = std::chrono::milliseconds(2'000);  // one turn of one contestant
constexpr int turns = 5;
constexpr std::size_t connections = 64;
constexpr std::size_t few_connections = 8;  // batches of orders are small then
constexpr std::size_t batches_max = 500;    // kept, for the bare loop to repeat

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "cluster_bench: %s\n", why.c_str());
  std::exit(1);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::string wire_text(const api::HttpRequest& request) {
  std::string text = request.method + ' ' + request.target + " HTTP/1.1\r\nHost: localhost\r\n";
  for (const api::Header& field : request.headers)
    text.append(field.name).append(": ").append(field.value).append("\r\n");
  return text + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" + request.body;
}

// Sends the next request on a kept connection whenever the last one was answered.
class Load {
 public:
  explicit Load(const std::vector<std::uint16_t>& ports, std::size_t count = connections)
      : poll_(::epoll_create1(EPOLL_CLOEXEC)), lines_(count) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      lines_[i].socket = dial(ports[i % ports.size()]);
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      ::epoll_ctl(poll_, EPOLL_CTL_ADD, lines_[i].socket, &event);
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    for (const Line& line : lines_) ::close(line.socket);
    ::close(poll_);
  }

  // Requests a second. Every answer has that status.
  double run(const std::function<std::string()>& next, int status) {
    const std::string expected = "HTTP/1.1 " + std::to_string(status);
    std::size_t open = 0;
    answered_ = 0;
    const auto begin = Steady::now();
    for (Line& line : lines_) open += say(line, next());
    std::vector<epoll_event> events(lines_.size());
    std::vector<char> buffer(1 << 16);
    while (open > 0) {
      const int ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 10'000);
      if (ready <= 0) fail("no answer");
      for (int i = 0; i < ready; ++i) {
        Line& line = lines_[events[static_cast<std::size_t>(i)].data.u64];
        const ssize_t count = ::read(line.socket, buffer.data(), buffer.size());
        if (count <= 0) fail("a connection ended");
        line.answer.append(buffer.data(), static_cast<std::size_t>(count));
        if (!is_whole(line.answer)) continue;
        if (!line.answer.starts_with(expected)) fail("answered: " + line.answer);
        ++answered_;
        line.answer.clear();
        --open;
        if (Steady::now() - begin < lasts) open += say(line, next());
      }
    }
    return static_cast<double>(answered_) / std::chrono::duration<double>(Steady::now() - begin).count();
  }

  // In the latest run.
  [[nodiscard]] double answered() const { return static_cast<double>(answered_); }

 private:
  struct Line {
    int socket = -1;
    std::string answer{};
  };

  static int dial(std::uint16_t port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0) fail("cannot connect");
    return socket;
  }
  static std::size_t say(const Line& line, const std::string& request) {
    if (::write(line.socket, request.data(), request.size()) != static_cast<ssize_t>(request.size()))
      fail("cannot send");
    return 1;
  }
  static bool is_whole(const std::string& answer) {
    const auto end = answer.find("\r\n\r\n");
    if (end == std::string::npos) return false;
    constexpr std::string_view name = "content-length:";
    const auto at = std::search(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(end), name.begin(),
                                name.end(), [](char a, char b) { return std::tolower(a) == b; });
    if (at == answer.begin() + static_cast<std::ptrdiff_t>(end)) fail("an answer without a length");
    return answer.size() >= end + 4 + std::strtoull(&*(at + static_cast<std::ptrdiff_t>(name.size())), nullptr, 10);
  }

  int poll_;
  std::vector<Line> lines_;
  std::size_t answered_ = 0;
};

// Processor time so far, in seconds.
double used(const std::vector<pid_t>& processes) {
  double sum = 0;
  for (const pid_t process : processes) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    unsigned long user = 0, system = 0;
    if (std::sscanf(text.c_str() + text.rfind(')'), ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                    &system) == 2)
      sum += static_cast<double>(user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  return sum;
}

// One sandbox with its log in a folder.
class Alone {
 public:
  Alone(const std::string& svc, const std::filesystem::path& folder) {
    const auto ready = folder / "alone.ready";
    std::vector<std::string> words{svc,
                                   "serve",
                                   "--local",
                                   "--state",
                                   (folder / "alone").string(),
                                   "--name",
                                   "alone",
                                   "--port",
                                   "0",
                                   "--log",
                                   "none",
                                   "--flow",
                                   "none",
                                   "--limits",
                                   "off",
                                   "--ready-file",
                                   ready.string()};
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (std::freopen("/dev/null", "w", stdout) == nullptr) ::_exit(126);
      std::vector<char*> arguments;
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      ::execvp(arguments.front(), arguments.data());
      ::_exit(127);
    }
    std::error_code error;
    while (std::filesystem::file_size(ready, error) == 0 || error) {
      if (::waitpid(process_, nullptr, WNOHANG) != 0) fail("a sandbox alone does not start");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::ifstream file(ready);
    url = *api::parse_url(cluster::Json::parse(file)["url"].get<std::string>());
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;
  ~Alone() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  api::Url url;

 private:
  pid_t process_ = 0;
};

// Two accounts that trade with each other.
class Traders {
 public:
  explicit Traders(const api::Url& node) {
    cluster::Lines lines({node});
    for (const sim::DevAccount& account : sim::dev_accounts(2, Usdx{})) {
      auto trader = cluster::Trader::sign_in(lines, 0, *signing::PrivateKey::from_hex(account.private_key));
      if (!trader) fail(trader.error());
      both_.push_back(std::move(*trader));
    }
  }

  std::string order() {
    // Both sides in turn, so that positions stay small.
    const bool is_first = ++orders_ % 2 == 0;
    const bool buys = (orders_ / 2 % 2 == 0) == is_first;
    return wire_text(both_[is_first ? 0 : 1].sign(
        "POST", "/orders",
        std::string(R"({"market_id":"BTC-USDX-PERP","side":")") + (buys ? "Buy" : "Sell") +
            R"(","order_type":"Limit","quantity":"0.01","price":"60000","time_in_force":"GTC"})"));
  }
  [[nodiscard]] std::string read() const { return wire_text(both_[0].sign("GET", "/account/fees", {})); }

 private:
  std::vector<cluster::Trader> both_;
  std::uint64_t orders_ = 0;
};

struct Batches {
  std::vector<std::string> values;
  double writes = 0;  // in one
};

// The newest batches of the log.
Batches newest_batches(sim::EtcdClient& client, std::int64_t after_revision, double writes) {
  Batches batches;
  std::size_t count = 0;
  sim::EtcdRange range = sim::keys_below("svc/local/log/");
  while (true) {
    const auto page = client.read(range, 64);
    if (!page) fail("etcd does not answer");
    for (const sim::EtcdKeyValue& row : page->rows) {
      if (row.mod_revision <= after_revision) continue;
      ++count;
      if (batches.values.size() < batches_max) batches.values.push_back(row.value);
    }
    if (!page->has_more) break;
    range.key = page->rows.back().key + '\0';
  }
  batches.writes = writes / static_cast<double>(count);
  return batches;
}

// Writes a second.
double bare_loop(sim::EtcdClient& client, const Batches& batches, std::uint64_t& number) {
  std::size_t puts = 0;
  const auto begin = Steady::now();
  for (; Steady::now() - begin < lasts; ++puts)
    if (!client.commit({.puts = {{.key = "bare/" + std::to_string(++number),
                                  .value = batches.values[puts % batches.values.size()]}}}))
      fail("etcd refused a put");
  return static_cast<double>(puts) * batches.writes / std::chrono::duration<double>(Steady::now() - begin).count();
}

}  // namespace

int main(int word_count, char** words) {
  if (word_count != 3) fail("usage: cluster_bench SVC FOLDER");
  if (!std::filesystem::is_empty(words[2])) fail("the folder is not empty");
  auto started =
      cluster::Machines::start({.svc = words[1], .folder = words[2], .flags = {"--flow", "none", "--limits", "off"}});
  if (!started) fail(started.error());
  cluster::Machines& machines = **started;
  const auto leader = machines.leader();
  if (!leader) fail(leader.error());
  std::vector<std::uint16_t> ports;  // the leader first
  std::vector<pid_t> processes;
  for (std::size_t i = 0; i < machines.node_count(); ++i) {
    const std::size_t node = (*leader + i) % machines.node_count();
    ports.push_back(machines.url(node).port);
    processes.push_back(machines.process_of(node));
  }
  Traders traders(machines.url(*leader));
  const std::string ticker =
      wire_text({.method = "GET", .target = "/markets/BTC-USDX-PERP/ticker", .headers = {}, .body = {}});

  std::vector<double> reads[3], checks[3], rates[3];
  for (int turn = 0; turn <= turns; ++turn)
    for (std::size_t nodes = 1; nodes <= 3; ++nodes) {
      const std::vector<std::uint16_t> asked(ports.begin(), ports.begin() + static_cast<std::ptrdiff_t>(nodes));
      const std::vector<pid_t> busy(processes.begin(), processes.begin() + static_cast<std::ptrdiff_t>(nodes));
      Load load(asked);
      const auto per_core = [&](const std::function<std::string()>& next, double* a_second) {
        const double before = used(busy);
        const auto begin = Steady::now();
        const double rate = load.run(next, 200);
        const double took = std::chrono::duration<double>(Steady::now() - begin).count();
        if (a_second != nullptr) *a_second = rate;
        return rate * took / (used(busy) - before);
      };
      double rate = 0;
      const double read = per_core([&] { return ticker; }, &rate);
      const double check = per_core([&] { return traders.read(); }, nullptr);
      if (turn == 0) continue;  // warms up
      reads[nodes - 1].push_back(read);
      checks[nodes - 1].push_back(check);
      rates[nodes - 1].push_back(rate);
    }
  for (std::size_t i = 0; i < 3; ++i)
    std::printf(
        "%zu nodes: %.0f reads a second; for each core used %.0f reads a second (%.2f of one node), "
        "%.0f signed reads a second (%.2f of one node)\n",
        i + 1, median(rates[i]), median(reads[i]), median(reads[i]) / median(reads[0]), median(checks[i]),
        median(checks[i]) / median(checks[0]));
  std::fflush(stdout);  // before a child has a copy of it

  const Alone alone(words[1], words[2]);
  Traders own(alone.url);
  sim::EtcdClient client(sim::parse_etcd_address(machines.state())->members, sim::dial_by_http());
  std::vector<pid_t> members;
  for (std::size_t i = 0; i < cluster::Machines::member_count; ++i) members.push_back(machines.process_of_member(i));
  std::uint64_t number = 0;
  for (const std::size_t count : {few_connections, connections}) {
    std::vector<double> writes, in_batch, to_bare, to_alone, nodes_us, members_us, bare_us;
    for (int turn = 0; turn <= turns; ++turn) {
      const auto before = client.read({.key = "x"}, 1);
      if (!before) fail("etcd does not answer");
      Load load(ports, count);
      const double nodes_before = used(processes), members_before = used(members);
      const double rate = load.run([&] { return traders.order(); }, 201);
      const double nodes_after = used(processes), members_after = used(members);
      const Batches batches = newest_batches(client, before->revision, load.answered());
      const std::uint64_t first = number;
      const double bare_before = used(members);
      const double bare = bare_loop(client, batches, number);
      const double bare_after = used(members);
      const double folder = Load({alone.url.port}, count).run([&] { return own.order(); }, 201);
      if (turn == 0) continue;  // warms up
      writes.push_back(rate);
      in_batch.push_back(batches.writes);
      to_bare.push_back(rate / bare);
      to_alone.push_back(rate / folder);
      nodes_us.push_back(1e6 * (nodes_after - nodes_before) / load.answered());
      members_us.push_back(1e6 * (members_after - members_before) / load.answered());
      bare_us.push_back(1e6 * (bare_after - bare_before) / (static_cast<double>(number - first) * batches.writes));
    }
    std::printf(
        "3 nodes, %zu connections: %.0f orders a second, %.1f in a batch; %.2f of a bare loop of the same batches, "
        "%.2f of one node with its log in a folder; processor time of an order: nodes %.0f us, members %.0f us "
        "(bare loop: %.0f us)\n",
        count, median(writes), median(in_batch), median(to_bare), median(to_alone), median(nodes_us),
        median(members_us), median(bare_us));
    std::fflush(stdout);
  }
  return 0;
}
