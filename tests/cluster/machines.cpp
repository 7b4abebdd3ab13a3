#include "cluster/machines.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace svc::cluster {
namespace {

constexpr auto poll_interval = std::chrono::milliseconds(50);
constexpr int polls_max = 12'000;  // ten minutes: a node replays the log, and a machine may have other work to do
constexpr const char* bridge = "svc0";
constexpr const char* nobodys_card = "02:00:00:00:00:01";
constexpr std::uint16_t member_port = 2379;
constexpr std::uint16_t node_port = 9091;

// One that the system chose, and that is free again now.
std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  if (::bind(socket, reinterpret_cast<sockaddr*>(&place), size) == 0)
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&place), &size);
  ::close(socket);
  return ntohs(place.sin_port);
}

std::string random_token() {
  std::ifstream source("/dev/urandom", std::ios::binary);
  std::string token;
  for (int i = 0; i < 32; ++i) token += "0123456789abcdef"[static_cast<unsigned char>(source.get()) & 15];
  return token;
}

// Runs in the child. Enters the other network, if there is one. The home is the node's own, because a sandbox gets
// another name if one of the same home has that name.
[[noreturn]] void become(int network, int output, const std::filesystem::path& home, std::vector<std::string> words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const char* folder : {"HOME", "XDG_RUNTIME_DIR"}) ::setenv(folder, home.c_str(), 1);
  if (network >= 0 && ::setns(network, CLONE_NEWNET) != 0) ::_exit(126);
  if (output >= 0) {
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  ::_exit(127);
}

std::string last_line(const std::filesystem::path& file) {
  std::ifstream text(file);
  std::string last;
  for (std::string line; std::getline(text, line);)
    if (!line.empty()) last = line;
  return last;
}

}  // namespace

Machines::Machines(Terms terms) : terms_(std::move(terms)), token_(random_token()) {
  const bool apart = terms_.wiring == Wiring::namespaces;
  for (std::size_t i = 0; i < member_count; ++i)
    members_.push_back({.name = "etcd-" + std::to_string(i + 1),
                        .host = apart ? "10.77.0.1" + std::to_string(i) : "127.0.0.1",
                        .port = apart ? member_port : free_port(),
                        .peer_port = apart ? static_cast<std::uint16_t>(member_port + 1) : free_port()});
  for (std::size_t i = 0; i < terms_.nodes; ++i)
    nodes_.push_back({.name = std::string(1, static_cast<char>('a' + i)),
                      .host = apart ? "10.77.0.2" + std::to_string(i) : "127.0.0.1",
                      .port = apart ? node_port : free_port()});
}

Machines::~Machines() {
  for (auto* machines : {&nodes_, &members_})
    for (Machine& machine : *machines) {
      end(machine);
      if (machine.network >= 0) ::close(machine.network);
    }
}

Result<std::unique_ptr<Machines>, std::string> Machines::start(Terms terms) {
  auto machines = std::make_unique<Machines>(std::move(terms));
  SVC_TRY(machines->prepare());
  for (std::size_t i = 0; i < member_count; ++i) SVC_TRY(machines->start_member(i));
  SVC_TRY(machines->wait_for_members());
  for (std::size_t i = 0; i < machines->node_count(); ++i) SVC_TRY(machines->start_node(i));
  return machines;
}

Result<void, std::string> Machines::prepare() {
  std::ofstream(terms_.folder / "token") << token_.reveal();
  std::filesystem::permissions(terms_.folder / "token",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  if (terms_.wiring == Wiring::loopback) return {};
  SVC_TRY(ip(-1, {"link", "set", "lo", "up"}));
  SVC_TRY(ip(-1, {"link", "add", bridge, "type", "bridge"}));
  SVC_TRY(ip(-1, {"addr", "add", "10.77.0.1/24", "dev", bridge}));
  SVC_TRY(ip(-1, {"link", "set", bridge, "up"}));
  std::size_t number = 0;
  for (auto* machines : {&members_, &nodes_})
    for (Machine& machine : *machines) SVC_TRY(make_network(machine, number++));
  return {};
}

// A network belongs to a process, and then to whoever has it open.
Result<void, std::string> Machines::make_network(Machine& machine, std::size_t number) {
  int made[2];
  int used[2];
  if (::pipe2(made, O_CLOEXEC) != 0 || ::pipe2(used, O_CLOEXEC) != 0) return unexpected(std::string("no pipe"));
  const pid_t holder = ::fork();
  if (holder == 0) {
    const bool done = ::unshare(CLONE_NEWNET) == 0;
    ::close(used[1]);
    char byte = done ? '1' : '0';
    if (::write(made[1], &byte, 1) != 1) ::_exit(1);
    (void)!::read(used[0], &byte, 1);  // ends when the parent has the network
    ::_exit(0);
  }
  char byte = '0';
  const bool is_made = ::read(made[0], &byte, 1) == 1 && byte == '1';
  const std::string card = "svc0." + std::to_string(number);
  auto wired =
      is_made ? ip(-1, {"link", "add", card, "type", "veth", "peer", "name", "eth0", "netns", std::to_string(holder)})
              : Result<void, std::string>(unexpected(std::string("network namespaces are not permitted here")));
  if (wired) machine.network = ::open(("/proc/" + std::to_string(holder) + "/ns/net").c_str(), O_RDONLY | O_CLOEXEC);
  for (const int end : {made[0], made[1], used[0], used[1]}) ::close(end);
  ::waitpid(holder, nullptr, 0);
  SVC_TRY(wired);
  SVC_TRY(ip(-1, {"link", "set", card, "master", bridge, "up"}));
  SVC_TRY(ip(machine.network, {"link", "set", "lo", "up"}));
  SVC_TRY(ip(machine.network, {"addr", "add", machine.host + "/24", "dev", "eth0"}));
  return ip(machine.network, {"link", "set", "eth0", "up"});
}

Result<void, std::string> Machines::ip(int network, std::vector<std::string> words) const {
  words.insert(words.begin(), "ip");
  std::string said;
  for (const std::string& word : words) said += word + ' ';
  const auto log = terms_.folder / "ip.log";
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const pid_t child = ::fork();
  if (child == 0) become(network, output, terms_.folder, std::move(words));
  ::close(output);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status == 0) return {};
  return unexpected(said + "fails: " + last_line(log));
}

std::filesystem::path Machines::log_of(const Machine& machine) const {
  return terms_.folder / (machine.name + ".log");
}

void Machines::run(Machine& machine, std::vector<std::string> words) const {
  const int output = ::open(log_of(machine).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  machine.process = ::fork();
  if (machine.process == 0) become(machine.network, output, terms_.folder / machine.name, std::move(words));
  ::close(output);
}

void Machines::end(Machine& machine) const {
  if (machine.process <= 0) return;
  ::kill(machine.process, SIGKILL);
  ::waitpid(machine.process, nullptr, 0);
  machine.process = 0;
}

std::optional<std::size_t> Machines::find(const std::string& name) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].name == name) return i;
  return std::nullopt;
}

api::Url Machines::url(std::size_t node) const {
  return {.scheme = api::Scheme::http, .host = nodes_[node].host, .port = nodes_[node].port, .prefix = {}};
}

std::string Machines::state() const {
  sim::EtcdAddress address;
  for (const Machine& member : members_) address.members.push_back({.host = member.host, .port = member.port});
  return to_string(address);
}

sim::EtcdClient Machines::members() const {
  std::vector<api::HostPort> members;
  for (const Machine& member : members_)
    if (member.process > 0) members.push_back({.host = member.host, .port = member.port});
  return sim::EtcdClient(members, sim::dial_by_http());
}

Result<std::size_t, std::string> Machines::leader() const {
  const auto row = members().read_one(sim::EtcdAddress{}.name + "/leader");
  if (!row) return unexpected(row.error().reason);
  if (!*row) return unexpected(std::string("no node leads"));
  const auto node = find((*row)->value);
  if (!node) return unexpected("an unknown node leads: " + (*row)->value);
  return *node;
}

Result<void, std::string> Machines::start_member(std::size_t number) {
  Machine& member = members_[number];
  const auto url = [](const Machine& of, std::uint16_t port) {
    return "http://" + of.host + ':' + std::to_string(port);
  };
  std::string all;
  for (const Machine& one : members_) all += (all.empty() ? "" : ",") + one.name + '=' + url(one, one.peer_port);
  // Slower than usual: two busy cores would elect a leader again and again. One thread at a time for each: three
  // members with two would keep waking each other.
  run(member,
      {"env", "GOMAXPROCS=1", "etcd", "--name=" + member.name, "--data-dir=" + (terms_.folder / member.name).string(),
       "--heartbeat-interval=250", "--election-timeout=2500", "--initial-cluster=" + all,
       "--listen-client-urls=" + url(member, member.port), "--advertise-client-urls=" + url(member, member.port),
       "--listen-peer-urls=" + url(member, member.peer_port),
       "--initial-advertise-peer-urls=" + url(member, member.peer_port)});
  int status = 0;
  if (::waitpid(member.process, &status, WNOHANG) == 0) return {};
  member.process = 0;
  return unexpected("etcd does not start; is the package etcd-server there? " + last_line(log_of(member)));
}

Result<void, std::string> Machines::wait_for_members() const {
  sim::EtcdClient client = members();
  for (int polls = 0; polls < polls_max; ++polls) {
    if (client.read_one("x")) return {};
    std::this_thread::sleep_for(poll_interval);
  }
  return unexpected("etcd does not answer: " + last_line(log_of(members_.front())));
}

Result<void, std::string> Machines::start_node(std::size_t number) {
  Machine& node = nodes_[number];
  const auto ready = terms_.folder / (node.name + ".ready");
  std::filesystem::remove(ready);
  std::vector<std::string> words{terms_.svc.string(),
                                 "serve",
                                 "--local",
                                 "--state",
                                 state(),
                                 "--name",
                                 node.name,
                                 "--host",
                                 node.host,
                                 "--port",
                                 std::to_string(node.port),
                                 "--log",
                                 "none",
                                 "--ready-file",
                                 ready.string(),
                                 "--control-token-file",
                                 (terms_.folder / "token").string()};
  if (terms_.wiring == Wiring::namespaces) words.push_back("--allow-remote");
  words.insert(words.end(), terms_.flags.begin(), terms_.flags.end());
  run(node, std::move(words));
  for (int polls = 0; polls < polls_max; ++polls) {
    std::error_code error;
    if (std::filesystem::file_size(ready, error) > 0 && !error) return {};
    if (::waitpid(node.process, nullptr, WNOHANG) != 0) {
      node.process = 0;
      return unexpected("node " + node.name + " does not start: " + last_line(log_of(node)));
    }
    std::this_thread::sleep_for(poll_interval);
  }
  return unexpected("node " + node.name + " is not ready: " + last_line(log_of(node)));
}

void Machines::pause_node(std::size_t node) const {
  ::kill(nodes_[node].process, SIGSTOP);
}

void Machines::go_on(std::size_t node) const {
  ::kill(nodes_[node].process, SIGCONT);
}

// Frames go to a card that nobody has: they vanish, as in a network that is cut.
Result<void, std::string> Machines::pass(const Machine& one, const Machine& other, Passing passing) const {
  for (const auto& [from, to] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    if (passing == Passing::yes)
      SVC_TRY(ip(from->network, {"neigh", "del", to->host, "dev", "eth0"}));
    else
      SVC_TRY(
          ip(from->network, {"neigh", "replace", to->host, "lladdr", nobodys_card, "dev", "eth0", "nud", "permanent"}));
  }
  return {};
}

Result<void, std::string> Machines::cut_nodes(std::size_t node, std::size_t other) {
  if (terms_.wiring == Wiring::loopback) return unexpected(std::string("a network on loopback cannot be cut"));
  cuts_.emplace_back(&nodes_[node], &nodes_[other]);
  return pass(nodes_[node], nodes_[other], Passing::no);
}

Result<void, std::string> Machines::cut_from_members(std::size_t node) {
  if (terms_.wiring == Wiring::loopback) return unexpected(std::string("a network on loopback cannot be cut"));
  for (const Machine& member : members_) {
    cuts_.emplace_back(&nodes_[node], &member);
    SVC_TRY(pass(nodes_[node], member, Passing::no));
  }
  return {};
}

Result<void, std::string> Machines::heal() {
  for (const auto& [one, other] : std::exchange(cuts_, {})) SVC_TRY(pass(*one, *other, Passing::yes));
  return {};
}

}  // namespace svc::cluster
