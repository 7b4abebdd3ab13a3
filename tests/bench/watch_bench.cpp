// Compares a command that follows a busy book with a bare loop that reads the same frames.
//
//   watch_bench READY_FILE SECONDS COMMAND [ARG...]    prints how many events the command handles for each of the
//   loop's
//                                                      in the same processor time, and the microseconds of both
//
// The sandbox runs without bots and limits. The command prints one line per event of the channel book.
#include <fcntl.h>
#include <sys/prctl.h>

#include <fstream>

#include "api/http/url.h"
#include "bench/account.h"
#include "bench/stream_reader.h"

namespace {

using namespace svc::bench;

constexpr std::size_t connections = 8;
constexpr const char* subscription = R"({"subscribe":["book:BTC-USDX-PERP"]})";

// A process that does `work` with the writing end of a pipe as its standard output.
struct Child {
  template <class Work>
  explicit Child(Work work) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    process = fork();
    if (process < 0) fail("fork");
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(ends[1], STDOUT_FILENO);
      work();
      _exit(1);
    }
    close(ends[1]);
    output = ends[0];
    fcntl(output, F_SETFL, O_NONBLOCK);
  }
  ~Child() {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
  // The number of lines that it wrote since the last call.
  std::size_t lines() {
    std::size_t count = 0;
    char buffer[1 << 16];
    for (ssize_t bytes = 0; (bytes = read(output, buffer, sizeof buffer)) > 0;)
      count += static_cast<std::size_t>(std::count(buffer, buffer + bytes, '\n'));
    return count;
  }

  pid_t process = 0;
  int output = -1;
};

[[noreturn]] void read_frames(std::uint16_t port) {
  Reader reader;
  upgrade(reader, port, "/v1/stream", subscription);
  std::vector<char> buffer(1 << 18);
  for (std::uint64_t told = 0;; told = reader.frames) {
    const ssize_t count = recv(reader.fd, buffer.data(), buffer.size(), 0);
    if (count <= 0) fail("the stream ended");
    take(reader, buffer.data(), static_cast<std::size_t>(count));
    const std::string lines(reader.frames - told, '\n');
    write_all(STDOUT_FILENO, lines);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc > 3 ? argv[1] : "");
  const Json ready = Json::parse(file, nullptr, false);
  if (!ready.is_object()) {
    std::fprintf(stderr, "usage: watch_bench READY_FILE SECONDS COMMAND [ARG...]\n");
    return 2;
  }
  const double seconds = std::atof(argv[2]);
  const std::uint16_t port = svc::api::parse_url(ready["url"].get<std::string>())->port;
  const int fd = dial(port);
  std::vector<Key> keys;
  for (std::size_t i = 0; i < connections; ++i) {
    const Account account = sign_in(fd, ready["domain_name"], ready["accounts"][i]["private_key"]);
    keys.push_back(key_of(account.id, account.secret));
  }

  Child watch([&] { execvp(argv[3], argv + 3); });
  Child bare([&] { read_frames(port); });
  sleep(1);

  // Each account buys and sells in turn, so that every order changes the book.
  Load load(port, ready["pid"], connections);
  std::vector<std::string> requests(connections);
  std::vector<std::size_t> sent(connections);
  std::size_t events = 0;
  std::size_t frames = 0;
  const auto count = [&] {
    events += watch.lines();
    frames += bare.lines();
  };
  count();
  events = frames = 0;
  const double watch_before = processor_seconds(watch.process);
  const double bare_before = processor_seconds(bare.process);
  const double end = seconds_now() + seconds;
  std::size_t answers = 0;
  (void)load.run(
      [&](std::size_t connection) -> const std::string* {
        if (seconds_now() > end) return nullptr;
        const std::size_t number = sent[connection]++;
        const std::string body = std::string(R"({"market_id":"BTC-USDX-PERP","side":")") +
                                 (number % 2 == 0 ? "Buy" : "Sell") +
                                 R"(","order_type":"Limit","quantity":"0.01","price":"60000","time_in_force":"GTC"})";
        requests[connection] = request_of("POST", "/orders", &keys[connection], body, now_ms());
        return &requests[connection];
      },
      [&](const std::string& answer) {
        if (!answer.starts_with("HTTP/1.1 20")) fail(answer);
        if (++answers % 64 == 0) count();
      });
  for (std::size_t quiet = 0; quiet < 20; ++quiet) {
    const std::size_t before = events + frames;
    usleep(50'000);
    count();
    if (events + frames != before) quiet = 0;
  }
  const double watch_us = (processor_seconds(watch.process) - watch_before) * 1e6 / static_cast<double>(events);
  const double bare_us = (processor_seconds(bare.process) - bare_before) * 1e6 / static_cast<double>(frames);
  std::printf("%.2f (%.1f and %.1f us for each of %zu and %zu events)\n", bare_us / watch_us, watch_us, bare_us, events,
              frames);
  return 0;
}
