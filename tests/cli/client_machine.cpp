#include "cli/client_machine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/machine/paths.h"
#include "cli/run.h"
#include "cli/store/wallet_store.h"
#include "cli/stream_line.h"
#include "files.h"
#include "surroundings.h"

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

class Line final : public api::Transport {
 public:
  Line(ClientMachine& machine, std::string origin) : machine_(machine), origin_(std::move(origin)) {}

  Result<api::HttpResponse, api::TransportError> send(const api::HttpRequest& request) override {
    machine_.sent.push_back(request);
    if (machine_.down.contains(origin_)) {
      return unexpected(api::TransportError{.delivery = api::Delivery::not_sent,
                                            .reason = "connect " + origin_ + ": connection refused"});
    }
    if (machine_.intercept_at) {
      if (auto fate = machine_.intercept_at(origin_, request)) return std::move(*fate);
    }
    if (machine_.intercept) {
      if (auto fate = machine_.intercept(request)) return std::move(*fate);
    }
    api::HttpRequest arriving = request;
    arriving.headers.set("Host", origin_.substr(origin_.find("//") + 2));
    machine_.sandbox.pass_time();
    api::HttpResponse response = machine_.sandbox.handle(std::move(arriving));
    if (response.status == 0)
      return unexpected(api::TransportError{.delivery = api::Delivery::unknown, .reason = "the connection ended"});
    response.headers.set("Date", date(machine_.sandbox.clock().now_ms() + machine_.server_ahead_ms));
    return response;
  }

 private:
  static std::string date(TimestampMs now_ms) {
    const std::time_t seconds = now_ms / 1000;
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    char text[64];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc);
    return text;
  }

  ClientMachine& machine_;
  std::string origin_;
};

fs::path fresh_folder() {
  std::string pattern = (fs::temp_directory_path() / "svc-desk-XXXXXX").string();
  const char* made = ::mkdtemp(pattern.data());
  EXPECT_NE(made, nullptr);
  return pattern;
}

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  bool open = false;
  for (const char c : line) {
    if (c == '\'') {
      inside = !inside;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !inside) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

}  // namespace

Json RunResult::document() const {
  const auto document = parse_json(out);
  EXPECT_TRUE(document.has_value()) << out << err;
  return document ? *document : Json();
}

ClientMachine::ClientMachine(sim::SandboxOptions options) : sandbox(std::move(options), clock), home_(fresh_folder()) {
  variables = {{"HOME", home_.string()}, {"SVC_LOCAL_URL", "http://localhost:9090"}, {"TERM", "xterm"}};
  with_password = " --password-file " + write("password", "correct horse\n").string();
}

ClientMachine::~ClientMachine() {
  std::error_code ignored;
  fs::remove_all(home_, ignored);
}

Environment ClientMachine::environment(RunResult& ran) {
  Environment environment;
  environment.out = [this, &ran](std::string_view text) {
    ran.out += text;
    return disk_is_full ? Written::failed : reader_is_gone ? Written::reader_gone : Written::whole;
  };
  environment.err = [&ran](std::string_view text) { ran.err += text; };
  environment.read_input = [this](std::size_t limit) -> Result<std::string, std::string> {
    if (input.size() <= limit) return input;
    return unexpected(std::string("File too large"));
  };
  environment.read_line = [this]() -> std::optional<std::string> {
    if (input.empty()) return std::nullopt;
    std::string line = input.substr(0, input.find('\n'));
    input.erase(0, std::min(input.size(), line.size() + 1));
    return line;
  };
  environment.ask = [this](std::string_view question, Echo) -> std::optional<Secret> {
    asked = question;
    if (answers.empty()) return std::nullopt;
    Secret answer(answers.front());
    answers.erase(answers.begin());
    return answer;
  };
  environment.in_is_terminal = in_is_terminal;
  environment.out_is_terminal = out_is_terminal;
  environment.err_is_terminal = err_is_terminal;
  environment.out_columns = [this] { return out_columns; };
  environment.working_folder = working_folder;
  if (interrupted) {
    environment.signals_are_taken = true;
    environment.interrupted = interrupted;
  }
  environment.start_apart = [this](const std::vector<std::string>& words) { started.push_back(words); };
  environment.variables = variables;
  environment.clock = &clock;
  environment.uptime_ms = [this] { return clock.now_ms() - machine_start_ms + hour_ms + uptime_ahead_ms; };
  environment.random = [this](std::span<std::uint8_t> bytes) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(chance_.next());
  };
  environment.sleep_ms = [this](std::int64_t ms) {
    slept_ms += ms;
    clock.advance(ms);
  };
  if (open_log) environment.open_log = open_log;
  environment.print_on_signal = print_on_signal;
  environment.start_keeper = [](const std::vector<std::string>&, const Variables&) {
    return Result<std::unique_ptr<Keeper>, std::string>(std::unique_ptr<Keeper>());
  };
  environment.start_program = [this](
                                  const std::vector<std::string>& words,
                                  const Variables& given) -> Result<std::unique_ptr<SupervisedProgram>, std::string> {
    if (!program) return unexpected(words.front() + ": no such program");
    return program(given);
  };
  environment.show_page = [this](const std::string& address) {
    shown_pages.push_back(address);
    return true;
  };
  environment.ask_agent = [this](const fs::path&, const std::string& line, const Secret& key) {
    if (agent_is_stopped) return std::optional(std::string());
    return agent ? std::optional(agent->answer(line, key.reveal(), clock.now_ms() - clock_set_by_ms)) : std::nullopt;
  };
  environment.start_agent = [this](const fs::path&) -> Result<void, std::string> {
    if (!agent) agent.emplace();
    return {};
  };
  environment.connect = [this](const Route& route) -> Result<std::unique_ptr<api::Transport>, std::string> {
    origins.push_back(route.origin);
    timeout_ms = route.timeout_ms;
    return std::unique_ptr<api::Transport>(std::make_unique<Line>(*this, route.origin));
  };
  environment.open_link =
      [this](const Route& route,
             const std::string& target) -> Result<std::unique_ptr<api::MessageLink>, api::LinkRefusal> {
    if (down.contains(route.origin)) {
      return unexpected(api::LinkRefusal{.code = "no_connection", .reason = "connect " + route.origin + ": refused"});
    }
    stream_origins.push_back(route.origin);
    return open_stream_line(*this, route.origin, target);
  };
  return environment;
}

void ClientMachine::cut_streams() {
  for (StreamLine* stream : streams) stream->cut();
}

RunResult ClientMachine::run(std::string_view line) {
  return run(split(line));
}

RunResult ClientMachine::run(const std::vector<std::string>& words) {
  RunResult ran;
  Environment outside = environment(ran);
  ran.exit = cli::run(words, outside);
  return ran;
}

Address ClientMachine::add_wallet(const std::string& network, const std::string& name, std::string_view password) {
  RunResult ran;
  const Environment outside = environment(ran);
  const auto paths = find_paths(outside);
  const auto wallet =
      store_wallet(*paths, network, name, fresh_key(outside), Secret(std::string(password)), {.n = 2}, clock.now_ms());
  EXPECT_TRUE(wallet.has_value()) << name;
  return wallet ? wallet->address : Address{};
}

Address ClientMachine::add_trader(const std::string& name) {
  const Address address = add_wallet("local", name);
  for (const std::string& line : {"login --wallet " + name + " --password-file " + (home_ / "password").string(),
                                  std::string("keys create"), std::string("deposits submit --amount 10000")}) {
    const RunResult ran = run("-n local " + line);
    EXPECT_EQ(ran.exit, 0) << line << "\n" << ran.err;
  }
  return address;
}

std::filesystem::path ClientMachine::write(const std::string& name, std::string_view text) {
  const fs::path file = home_ / name;
  std::ofstream(file, std::ios::binary) << text;
  ::chmod(file.c_str(), 0600);
  return file;
}

std::string ClientMachine::read(const std::string& name) const {
  return file_text(home_ / name);
}

std::vector<Json> ClientMachine::journal(const std::string& network) const {
  std::vector<Json> lines;
  std::error_code none;
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(state() / "journal" / network, none)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.empty()) continue;
      const auto document = parse_json(line);
      EXPECT_TRUE(document.has_value()) << line;
      if (document) lines.push_back(*document);
    }
  }
  return lines;
}

std::string read_golden(const std::string& name) {
  return file_text(test::source_folder() / "tests/golden/cli" / name);
}

void expect_golden(const std::string& name, const std::string& text) {
  test::expect_generated("tests/golden/cli/" + name, text);
}

}  // namespace svc::cli
