// Requests to a running sandbox beside a bare epoll loop that writes the same bytes, in turns, over 64 kept
// connections, each of which sends the next request when the last was answered.
//
//   http_bench PORT PROCESS TURNS MILLISECONDS [FOLDER]    standard input, one measurement a line:
//     NAME GET TARGET [KEY_ID SECRET]             a read, signed or not
//     NAME GET TARGET Bearer TOKEN                a read of a session
//     NAME ORDERS PATH KEY_ID SECRET KEY_ID SECRET    limit orders of two accounts; every second trades with the one
//                                                     before
//     NAME ACTIONS PATH [KEY_ID SECRET Wallet KEY]...    limit orders with a typed-data action, each connection's by an
//                                                     account of its own
//
// The sandbox must run on core 0; the loop runs there as well and the load on core 1. Prints a line of JSON for each:
// bytes of an answer, and the ratios ours / loop of answers a second, of the server's processor time for an answer, of
// the median and of the 99th percentile of latency, each as [median, smallest, largest] of the turns; and both servers'
// processor time in microseconds. For actions also answers a second / signers that libsecp256k1 recovers in a second on
// the server's core. With a folder, where the sandbox keeps its state beside, also answers a second / rows that a bare
// SQLite loop on the server's core writes there in a second, with as many in a commit as the sandbox had.
#include <secp256k1_recovery.h>

#include <iostream>
#include <optional>
#include <sstream>

#include "bench/account.h"
#include "bench/bare_journal.h"
#include "bench/http_load.h"
#include "contract/signing_client.h"

namespace {

using namespace svc::bench;

constexpr std::size_t connections = 64;
constexpr int load_core = 1;
constexpr int server_core = 0;
constexpr std::size_t orders_per_second_max = 60'000;   // signed before a turn
constexpr std::size_t actions_per_second_max = 30'000;  // likewise

struct Ratios {
  std::vector<double> values{};

  [[nodiscard]] std::string text() {
    std::sort(values.begin(), values.end());
    char buffer[96];
    std::snprintf(buffer, sizeof buffer, "[%.3f,%.3f,%.3f]", values[values.size() / 2], values.front(), values.back());
    return buffer;
  }
};

struct Measurement {
  std::string name{};
  std::string kind{};
  std::string target{};
  std::vector<Key> keys{};
  std::string token{};
  std::vector<svc::signing::PrivateKey> wallets{};
};

std::optional<Measurement> read_measurement(const std::string& line) {
  std::istringstream words(line);
  Measurement wanted;
  if (!(words >> wanted.name >> wanted.kind >> wanted.target)) return std::nullopt;
  std::string id;
  std::string secret;
  while (words >> id >> secret) {
    if (id == "Bearer")
      wanted.token = secret;
    else if (id == "Wallet")
      wanted.wallets.push_back(svc::signing::PrivateKey::from_hex(secret).value());
    else
      wanted.keys.push_back(key_of(id, secret));
  }
  return wanted;
}

// Headers of the action for that body.
std::string action_headers(const svc::signing::PrivateKey& wallet, const std::string& target, const std::string& body) {
  static const svc::SystemClock clock;
  static std::uint64_t nonce = static_cast<std::uint64_t>(now_ms()) * 1'000;
  const svc::contract::Participant who{
      .wallet = wallet, .agent = wallet, .key_id = {}, .key_secret = {}, .session = {}};
  const auto request = svc::contract::SigningClient(clock).with_action(
      {.method = "POST", .target = target, .headers = {}, .body = body}, who, {.nonce = ++nonce});
  std::string headers;
  for (const svc::api::Header& header : request.headers)
    headers.append(header.name).append(": ").append(header.value).append("\r\n");
  return headers;
}

// Order number `number` of a trader. Of two neighbours one makes and one takes; sides change, so that positions stay
// small.
std::string order_of(const Measurement& wanted, std::size_t trader, std::size_t number, std::int64_t at_ms) {
  const bool is_maker = trader % 2 == 0;
  const std::string side = is_maker == (number % 2 == 0) ? "Buy" : "Sell";
  const std::string body = R"({"market_id":"BTC-USDX-PERP","side":")" + side +
                           R"(","order_type":"Limit","quantity":"0.01","price":"60000","time_in_force":")" +
                           (is_maker ? "GTC" : "IOC") + R"("})";
  return request_of("POST", wanted.target, &wanted.keys.at(trader), body, at_ms,
                    wanted.wallets.empty() ? "" : action_headers(wanted.wallets.at(trader), wanted.target, body));
}

// The requests of one turn, signed before it is timed. There is one row for all connections, or one for each.
struct Requests {
  std::vector<std::vector<std::string>> rows{};
  bool is_repeated = false;
};

Requests requests_of(const Measurement& wanted, double seconds) {
  const std::int64_t at_ms = now_ms();
  if (!wanted.token.empty())
    return {{{"GET " + wanted.target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + wanted.token +
              "\r\n\r\n"}},
            true};
  if (wanted.kind == "GET")
    return {{{request_of("GET", wanted.target, wanted.keys.empty() ? nullptr : &wanted.keys[0], "", at_ms)}}, true};
  Requests requests;
  if (wanted.wallets.empty()) {
    std::vector<std::string>& row = requests.rows.emplace_back();
    for (std::size_t i = 0; i < static_cast<std::size_t>(seconds * orders_per_second_max); ++i)
      row.push_back(order_of(wanted, i % 2, i / 2, at_ms));
    return requests;
  }
  const auto each = static_cast<std::size_t>(seconds * actions_per_second_max) / connections;
  for (std::size_t trader = 0; trader < connections; ++trader) {
    std::vector<std::string>& row = requests.rows.emplace_back();
    for (std::size_t i = 0; i < each; ++i) row.push_back(order_of(wanted, trader, i, at_ms));
  }
  return requests;
}

Run run_for(Load& load, const Requests& requests, double seconds, std::string& unexpected) {
  const double end = seconds_now() + seconds;
  std::vector<std::size_t> sent(requests.rows.size());
  return load.run(
      [&](std::size_t connection) -> const std::string* {
        const std::size_t row = connection % sent.size();
        const auto& texts = requests.rows[row];
        const bool over = seconds_now() >= end || (!requests.is_repeated && sent[row] == texts.size());
        return over ? nullptr : &texts[sent[row]++ % texts.size()];
      },
      [&](const std::string& answer) {
        if (!answer.starts_with("HTTP/1.1 20")) unexpected = answer;
      });
}

// The answer that the loop is to repeat: of orders the one with fills.
std::string sample_of(std::uint16_t port, const Measurement& wanted) {
  const int fd = dial(port);
  std::string sample;
  if (wanted.kind == "GET") {
    sample = answer_to(fd, requests_of(wanted, 0).rows.front().front());
  } else {
    for (std::size_t trader = 0; trader < 2; ++trader) sample = answer_to(fd, order_of(wanted, trader, 0, now_ms()));
  }
  close(fd);
  return sample;
}

// Signers that libsecp256k1 recovers in a second on the server's core.
double recoveries_a_second(double seconds) {
  run_on_core(server_core);
  static secp256k1_context* const context = secp256k1_context_create(SECP256K1_CONTEXT_VERIFY);
  auto digest = svc::signing::keccak256("order");
  const auto signature = svc::contract::key_of('1').sign(digest);
  std::size_t recovered = 0;
  const double begin = seconds_now();
  for (; seconds_now() - begin < seconds; ++recovered) {
    secp256k1_ecdsa_recoverable_signature parsed;
    secp256k1_pubkey signer;
    ++digest[0];
    if (secp256k1_ecdsa_recoverable_signature_parse_compact(context, &parsed, signature.bytes.data(),
                                                            signature.bytes[64] - 27) != 1)
      fail("a signature");
    if (secp256k1_ecdsa_recover(context, &signer, &parsed, digest.data()) != 1)
      --recovered;  // a few digests have no signer
  }
  const double rate = static_cast<double>(recovered) / (seconds_now() - begin);
  run_on_core(load_core);
  return rate;
}

// Commits of the sandbox to its log so far.
std::uint64_t commits_of(std::uint16_t port) {
  const int fd = dial(port);
  const std::string answer = answer_to(fd, "GET /_svc/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
  close(fd);
  return body_of(answer, "status")["commits"];
}

// As the sandbox logs such an order.
svc::sim::Unit unit_of(const Measurement& wanted) {
  svc::sim::Unit unit{.body = svc::sim::CommandBody(svc::engine::PlaceOrder{})};
  if (!wanted.wallets.empty()) unit.nonces.push_back({});
  return unit;
}

// Rows a second, `group` in a commit.
double rows_a_second(svc::bench::BareJournal& journal, double group, double seconds) {
  run_on_core(server_core);
  const double rate = journal.turn(static_cast<std::size_t>(group + 0.5), std::chrono::duration<double>(seconds));
  run_on_core(load_core);
  return rate;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    std::fprintf(stderr, "usage: http_bench PORT PROCESS TURNS MILLISECONDS [FOLDER] <MEASUREMENTS\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const pid_t server = std::atoi(argv[2]);
  const int turns = std::atoi(argv[3]);
  const double seconds = std::atof(argv[4]) / 1e3;
  run_on_core(load_core);
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto wanted = read_measurement(line);
    if (!wanted) continue;
    const std::string sample = sample_of(port, *wanted);
    if (!sample.starts_with("HTTP/1.1 20")) {
      std::printf("{\"name\":\"%s\",\"missing\":\"%.12s\"}\n", wanted->name.c_str(), sample.c_str());
      continue;
    }
    const BareServer loop(server_core, [&](int listener) { answer_all(listener, sample); });
    Load ours(port, server, connections);
    Load theirs(loop.port(), loop.process(), connections);
    Ratios rate, processor, median, p99;
    Ratios our_us, loop_us, to_recoveries, to_sqlite, in_commit;
    std::optional<BareJournal> journal;
    if (argc == 6) journal.emplace(std::filesystem::path(argv[5]) / (wanted->name + ".db"), unit_of(*wanted));
    std::string unexpected;
    for (int turn = -1; turn < turns; ++turn) {
      const auto requests = requests_of(*wanted, seconds);
      const std::uint64_t commits_before = journal ? commits_of(port) : 0;
      const Run a = run_for(ours, requests, seconds, unexpected);
      const double group =
          journal ? static_cast<double>(a.answers) / static_cast<double>(commits_of(port) - commits_before) : 0;
      const Run b = run_for(theirs, requests, seconds, unexpected);
      if (turn < 0) continue;  // warm-up
      rate.values.push_back(a.rate() / b.rate());
      to_recoveries.values.push_back(wanted->wallets.empty() ? 0 : a.rate() / recoveries_a_second(seconds));
      to_sqlite.values.push_back(journal ? a.rate() / rows_a_second(*journal, group, seconds) : 0);
      in_commit.values.push_back(group);
      processor.values.push_back(a.processor_us() / b.processor_us());
      median.values.push_back(a.percentile(0.5) / b.percentile(0.5));
      p99.values.push_back(a.percentile(0.99) / b.percentile(0.99));
      our_us.values.push_back(a.processor_us());
      loop_us.values.push_back(b.processor_us());
    }
    if (!unexpected.empty()) std::fprintf(stderr, "http_bench: %s: %.200s\n", wanted->name.c_str(), unexpected.c_str());
    std::printf(
        "{\"name\":\"%s\",\"bytes\":%zu,\"rate\":%s,\"processor\":%s,\"p50\":%s,\"p99\":%s,\"us\":%s,\"loop_us\":%s,"
        "\"to_recoveries\":%s,\"to_sqlite\":%s,\"in_commit\":%s}\n",
        wanted->name.c_str(), sample.size(), rate.text().c_str(), processor.text().c_str(), median.text().c_str(),
        p99.text().c_str(), our_us.text().c_str(), loop_us.text().c_str(), to_recoveries.text().c_str(),
        to_sqlite.text().c_str(), in_commit.text().c_str());
    std::fflush(stdout);
  }
  return 0;
}
