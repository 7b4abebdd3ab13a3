#include "cli/machine/unlock_agent.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "base/encoding.h"
#include "cli/machine/private_file.h"
#include "cli/machine/programs.h"
#include "signing/keystore.h"

namespace svc::cli::unlock {
namespace {

Json error(std::string_view text) {
  return Json::object({{"error", text}});
}

constexpr int look_ms = 1'000;               // between two checks for expired keys
constexpr int idle_looks_max = 120;          // before the first key: the user is typing a password
constexpr std::int64_t patience_ms = 5'000;  // for one request
constexpr int other_start_looks = 100;       // for an agent that another process is starting, or that is ending
constexpr int other_start_look_ms = 20;

using Attach = int (*)(int, const sockaddr*, socklen_t);

// A socket attached to that name; none, with errno, if that fails.
Descriptor socket_at(const std::filesystem::path& name, Attach attach) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = name.string();
  if (text.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return Descriptor();
  }
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || attach(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  return Descriptor();
}

bool send_all(int descriptor, std::string_view text) {
  const NoPipeSignal none;
  return write_all(descriptor, text) == Written::whole;
}

// Reads a line, whose line feed must fit as well, and nothing behind it. Returns its size without the line feed;
// nullopt if it is longer or takes too long.
std::optional<std::size_t> read_line(int descriptor, std::span<char> line, std::int64_t until_ms) {
  std::size_t size = 0;
  while (size < line.size()) {
    const std::int64_t left_ms = until_ms - steady_ms();
    if (left_ms <= 0 || !wait_for_bytes(descriptor, left_ms)) return std::nullopt;
    const std::span<char> room = line.subspan(size);
    const ssize_t there = ::recv(descriptor, room.data(), room.size(), MSG_PEEK);
    if (there <= 0) return std::nullopt;
    const auto end = std::ranges::find(room.first(static_cast<std::size_t>(there)), '\n') - room.begin();
    const ssize_t taken = std::min<ssize_t>(there, end + 1);
    if (::read(descriptor, room.data(), static_cast<std::size_t>(taken)) != taken) return std::nullopt;
    if (end < there) return size + static_cast<std::size_t>(end);
    size += static_cast<std::size_t>(taken);
  }
  return std::nullopt;
}

void converse(int peer, UnlockAgent& agent, std::span<char> key) {
  std::array<char, line_bytes_max + 1> line;
  const std::int64_t until_ms = steady_ms() + patience_ms;
  const auto line_size = read_line(peer, line, until_ms);
  const auto key_size = line_size ? read_line(peer, key, until_ms) : std::nullopt;
  if (key_size) {
    std::string answer = agent.answer({line.data(), *line_size}, {key.data(), *key_size}, uptime_ms());
    if (send_all(peer, answer)) send_all(peer, "\n");
    wipe(answer.data(), answer.size());
  }
  wipe(key.data(), key.size());
}

[[noreturn]] void serve(int listener, const std::filesystem::path& socket) {
  UnlockAgent agent;
  std::array<char, key_bytes_max + 1> key{};
  static_cast<void>(::mlock(key.data(), key.size()));
  // Whoever removes the runtime folder, as at the last logout, leaves an agent that nobody can reach or lock.
  struct stat own {};
  const bool is_known = ::lstat(socket.c_str(), &own) == 0;
  const auto can_be_reached = [&] {
    struct stat now {};
    return is_known && ::lstat(socket.c_str(), &now) == 0 && now.st_dev == own.st_dev && now.st_ino == own.st_ino;
  };
  int idle_looks = 0;
  bool has_held = false;
  while (idle_looks < idle_looks_max && !(has_held && agent.empty()) && can_be_reached()) {
    pollfd ready{listener, POLLIN, 0};
    const bool somebody = ::poll(&ready, 1, look_ms) > 0;
    agent.pass_time(uptime_ms());
    idle_looks = agent.empty() && !somebody ? idle_looks + 1 : 0;
    if (!somebody) continue;
    const Descriptor peer(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (peer && is_of_user(peer.get(), ::geteuid())) converse(peer.get(), agent, key);
    has_held = has_held || !agent.empty();
  }
  if (can_be_reached()) ::unlink(socket.c_str());  // it may be another agent's by now
  ::_exit(0);
}

// The listening socket, mode 0600; only after this is the agent's start reported.
Descriptor listen_at(const std::filesystem::path& socket) {
  ::unlink(socket.c_str());  // of a killed agent
  const mode_t before = ::umask(0177);
  Descriptor listener = socket_at(socket, ::bind);
  ::umask(before);
  return listener && ::listen(listener.get(), 16) == 0 ? std::move(listener) : Descriptor();
}

// The lock that allows one agent; its file has the process id. None if an agent answers instead, or with errno set.
struct Lock {
  Descriptor file;
  bool agent_is_there = false;
};
Lock take_lock(const std::filesystem::path& socket) {
  Lock lock{.file = Descriptor(::open((socket.string() + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600))};
  for (int look = 0; lock.file && look < other_start_looks; ++look) {
    if (::flock(lock.file.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    lock.agent_is_there = static_cast<bool>(socket_at(socket, ::connect));
    if (lock.agent_is_there) break;
    ::poll(nullptr, 0, other_start_look_ms);
  }
  if (!lock.file) return lock;
  lock.file.close();
  errno = EBUSY;
  return lock;
}

// Detaches from the terminal and from every pipe that another process may be reading.
[[noreturn]] void become_agent(int listener, int lock, const std::filesystem::path& socket) {
  ::setsid();
  keep_out_of_dumps();
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_NAME, "svc-unlock");
  const std::string pid = std::to_string(::getpid()) + "\n";
  static_cast<void>(!::ftruncate(lock, 0));
  static_cast<void>(!::pwrite(lock, pid.data(), pid.size(), 0));
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 3; ++descriptor) ::dup2(nothing, descriptor);
  const auto [low, high] = std::minmax({static_cast<unsigned>(listener), static_cast<unsigned>(lock)});
  for (const auto& [first, last] : {std::pair{3U, low - 1}, std::pair{low + 1, high - 1}, std::pair{high + 1, ~0U}})
    if (first <= last) ::close_range(first, last, 0);
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGINT, SIG_IGN);
  static_cast<void>(!::chdir("/"));
  serve(listener, socket);
}

}  // namespace

UnlockAgent::Held::Held(const Json& question, const signing::PrivateKey& private_key, std::int64_t until)
    : network(question.string_at("network").value_or("")),
      wallet(question.string_at("wallet").value_or("")),
      key(private_key),
      until_ms(until),
      uses_left(question.integer_at("uses")) {
  // If the memory cannot be locked (a small limit), the key may be swapped out, as in any other process. It is never
  // unlocked again, because the page may hold another key too.
  static_cast<void>(::mlock(&key, sizeof key));
}

void UnlockAgent::pass_time(std::int64_t now_ms) {
  held_.remove_if([&](const Held& held) { return held.until_ms <= now_ms; });
}

UnlockAgent::Held* UnlockAgent::find(const Json& question) {
  return found_where(held_, [&](const Held& held) { return held.is_meant_by(question); });
}

Json UnlockAgent::hold(const Json& question, std::string_view key_text, std::int64_t now_ms) {
  const auto key = signing::PrivateKey::from_hex(key_text);
  const auto ttl_ms = question.integer_at("ttl_ms").value_or(ttl_ms_default);
  const auto uses = question.integer_at("uses");
  if (!key || ttl_ms <= 0 || ttl_ms > ttl_ms_max || (uses && *uses <= 0)) return error("malformed");
  held_.remove_if([&](const Held& held) { return held.is_meant_by(question); });
  if (held_.size() >= keys_max) return error("it holds as many keys as it can");
  const Held& held = held_.emplace_back(question, *key, now_ms + ttl_ms);
  return Json::object({{"left_ms", held.until_ms - now_ms}, {"uses_left", held.uses_left}});
}

Json UnlockAgent::sign(Held& held, const Json& question) {
  const auto digest = from_hex_exact<32>(question.string_at("digest").value_or(""));
  if (!digest) return error("malformed");
  Json answer = Json::object({{"signature", signing::to_string(held.key.sign(*digest))}});
  if (held.uses_left) --*held.uses_left;
  answer.set("uses_left", held.uses_left);
  if (held.uses_left == 0) held_.remove_if([&](const Held& one) { return &one == &held; });
  return answer;
}

Json UnlockAgent::list(std::int64_t now_ms) const {
  return Json::object({{"held", Json::list(held_, [&](const Held& held) {
                          return Json::object({{"network", held.network},
                                               {"wallet", held.wallet},
                                               {"address", to_string(held.key.address())},
                                               {"left_ms", held.until_ms - now_ms},
                                               {"uses_left", held.uses_left}});
                        })}});
}

Json UnlockAgent::lock(const Json& question) {
  const bool all = question.find("wallet") == nullptr;
  const auto locked = held_.remove_if([&](const Held& held) { return all || held.is_meant_by(question); });
  return Json::object({{"locked", locked}});
}

std::string UnlockAgent::answer(std::string_view line, std::string_view key, std::int64_t now_ms) {
  pass_time(now_ms);
  const Json question = json_or_null(line);
  const auto op = question.string_at("op");
  if (!op) return error("malformed").dump();
  if (op == "hold") return hold(question, key, now_ms).dump();
  if (op == "list") return list(now_ms).dump();
  if (op == "lock") return lock(question).dump();
  Held* held = find(question);
  if (held == nullptr) return error("locked").dump();
  if (op == "sign") return sign(*held, question).dump();
  if (op == "ring") return Json::object({{"ring", to_hex(signing::ring_seal_of(held->key, held->network))}}).dump();
  if (op == "show") return Json::object({{"address", to_string(held->key.address())}}).dump();
  return error("malformed").dump();
}

bool is_of_user(int descriptor, uid_t user) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == user;
}

void keep_out_of_dumps() {
  ::prctl(PR_SET_DUMPABLE, 0);
}

std::optional<std::string> ask(const std::filesystem::path& socket, const std::string& line, const Secret& key) {
  const Descriptor agent = socket_at(socket, ::connect);
  const int descriptor = agent.get();
  if (!agent || !is_of_user(descriptor, ::geteuid())) return std::nullopt;
  // Mostly there is no key, and all goes in one piece.
  const bool is_sent = key.empty() ? send_all(descriptor, line + "\n\n")
                                   : send_all(descriptor, line + "\n") && send_all(descriptor, key.reveal()) &&
                                         send_all(descriptor, "\n");
  if (!is_sent) return std::string();
  std::string answer;
  const bool is_whole = read_all(descriptor, answer_bytes_max, answer, patience_ms) && answer.ends_with('\n');
  answer.resize(is_whole ? answer.size() - 1 : 0);
  return answer;
}

Result<void, std::string> start(const std::filesystem::path& socket) {
  if (socket_at(socket, ::connect)) return {};
  const Lock lock = take_lock(socket);
  if (lock.agent_is_there) return {};
  if (!lock.file) return unexpected(socket.string() + ".lock: " + std::strerror(errno));
  const Descriptor listener = listen_at(socket);
  const pid_t pid = listener ? ::fork() : -1;
  if (pid == 0) become_agent(listener.get(), lock.file.get(), socket);
  if (pid < 0) return unexpected(socket.string() + ": " + std::strerror(errno));
  return {};
}

}  // namespace svc::cli::unlock
