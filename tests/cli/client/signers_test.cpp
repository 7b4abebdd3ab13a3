// Signing with external signers, programs and services. Their answers are checked before anything is sent.
#include "cli/client/signers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>

#include "base/encoding.h"
#include "cli/client_machine.h"
#include "signing/key.h"
#include "signing/typed_data.h"

namespace svc::cli {
namespace SVC_FILE {

// n - s with the other v: mathematically the same signature, but refused everywhere since EIP-2.
std::string with_high_s(const signing::Signature& low) {
  const auto n = from_hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
  signing::Signature high = low;
  int borrow = 0;
  for (std::size_t i = 32; i-- > 0;) {
    const int digit = (*n)[i] - low.bytes[32 + i] - borrow;
    borrow = digit < 0 ? 1 : 0;
    high.bytes[32 + i] = static_cast<std::uint8_t>(digit + 256 * borrow);
  }
  high.bytes[64] = low.bytes[64] == 27 ? 28 : 27;
  return to_hex_0x(high.bytes);
}

// A wallet service in this process, whose answers can be replaced.
class RpcWallet {
  signing::PrivateKey key_;

 public:
  explicit RpcWallet(ClientMachine& machine) : key_(*signing::PrivateKey::from_hex(std::string(64, '7'))) {
    machine.intercept = [this](const api::HttpRequest& request) -> Intercepted {
      const auto question = parse_json(request.body);
      if (!question || question->find("jsonrpc") == nullptr) return {};
      return answer(*question);
    };
  }
  std::string address() const { return to_string(key_.address()); }
  // As if another account of it had been selected.
  void select(signing::PrivateKey key) {
    key_ = std::move(key);
    accounts = {Json(address())};
  }

  // Replaces the answer to a signing request.
  std::function<Result<api::HttpResponse, api::TransportError>(const signing::Hash32& digest)> wrong_answer;
  std::vector<Json> accounts{Json(address())};
  std::vector<std::string> methods;

  static api::HttpResponse body(std::string text) { return {.status = 200, .headers = {}, .body = std::move(text)}; }
  static api::HttpResponse result(Json value) {
    Json answer = Json::object({{"jsonrpc", "2.0"}, {"id", 1}});
    return body(answer.set("result", std::move(value)).dump());
  }
  [[nodiscard]] const signing::PrivateKey& key() const { return key_; }

 private:
  Result<api::HttpResponse, api::TransportError> answer(const Json& question) {
    const std::string method = question.text_at("method");
    const auto& params = question.find("params")->items();
    methods.push_back(method);
    if (method == "eth_accounts") return result(Json::array(accounts));
    signing::Hash32 digest{};
    if (method == "personal_sign") {
      const auto bytes = from_hex(strip_0x(params.at(0).text()));
      EXPECT_TRUE(bytes.has_value());
      digest = signing::personal_message_digest(std::string(bytes->begin(), bytes->end()));
    } else {
      EXPECT_EQ(method, "eth_signTypedData_v4");
      digest = signing::hash_typed_data(params.at(1).text())->digest;
    }
    if (wrong_answer) return wrong_answer(digest);
    return result(signing::to_string(key_.sign(digest)));
  }
};

const std::string rpc = " --signer http://127.0.0.1:8545";

TEST(RpcSigner, LogsInAndSignsActionsAndOwnerStructs) {
  ClientMachine machine;
  RpcWallet wallet(machine);
  for (const char* line : {" login", " keys create", " deposits submit --amount 1000",
                           " buy 0.1 BTC-USDX-PERP @ 30000 --action sign", " transfers enroll", " transfers list",
                           " withdrawals submit 5", " agents register 0x00000000000000000000000000000000000000aa"}) {
    const RunResult ran = machine.run("-n local --json" + rpc + line);
    EXPECT_EQ(ran.exit, 0) << line << "\n" << ran.out << ran.err;
    EXPECT_EQ(ran.document().string_at("account"), wallet.address()) << line;
  }
  EXPECT_EQ(std::count(wallet.methods.begin(), wallet.methods.end(), "personal_sign"), 2) << "login and its key ring";
  EXPECT_EQ(std::count(wallet.methods.begin(), wallet.methods.end(), "eth_signTypedData_v4"), 5);
  // Without the flag its session is still current, and it signs actions without a prompt.
  EXPECT_FALSE(has(machine.run("-n local buy 0.1 BTC-USDX-PERP @ 30001").err, "without a signed action"));
}

TEST(RpcSigner, ThatAnswersForAnotherAccountThanLoggedInSignsForNone) {
  ClientMachine machine;
  RpcWallet wallet(machine);
  for (const char* line : {" login", " keys create", " deposits submit --amount 1000"})
    ASSERT_EQ(machine.run("-n local" + rpc + line).exit, 0) << line;
  wallet.select(*signing::PrivateKey::from_hex(std::string(64, '8')));
  wallet.methods.clear();
  for (const char* line : {" agents register 0x00000000000000000000000000000000000000aa", " transfers enroll",
                           " withdrawals submit 5", " buy 0.1 BTC-USDX-PERP @ 30000 --action sign"}) {
    const RunResult ran = machine.run("-n local" + rpc + line);
    EXPECT_EQ(ran.exit, 4) << line << "\n" << ran.err;
    EXPECT_TRUE(has(ran.err, "logged in with it; nothing was sent"));
  }
  EXPECT_EQ(std::count(wallet.methods.begin(), wallet.methods.end(), "eth_signTypedData_v4"), 0);
  EXPECT_EQ(machine.run("-n local" + rpc + " login").exit, 0);
  EXPECT_EQ(machine.run("-n local" + rpc + " transfers enroll").exit, 0);
}

TEST(RpcSigner, WithAWrongAnswerNothingIsSent) {
  ClientMachine machine;
  RpcWallet wallet(machine);
  for (const char* line : {" login", " keys create", " deposits submit --amount 1000"}) {
    ASSERT_EQ(machine.run("-n local" + rpc + line).exit, 0) << line;
  }
  const signing::PrivateKey other = *signing::PrivateKey::from_hex(std::string(64, '8'));
  using Digest = const signing::Hash32&;
  using Answer = Result<api::HttpResponse, api::TransportError>;
  struct Row {
    std::string name;
    std::function<Answer(Digest)> answer;
    std::string sentence;
  };
  const std::vector<Row> rows{
      {"another key", [&](Digest d) -> Answer { return wallet.result(signing::to_string(other.sign(d))); },
       "signed something else, or with another key"},
      {"another digest",
       [&](Digest d) -> Answer {
         signing::Hash32 wrong = d;
         wrong[0] ^= 1;
         return wallet.result(signing::to_string(wallet.key().sign(wrong)));
       },
       "signed something else, or with another key"},
      {"high s", [&](Digest d) -> Answer { return wallet.result(with_high_s(wallet.key().sign(d))); }, "low s"},
      {"half a signature", [&](Digest) -> Answer { return wallet.result("0x1234"); }, "is no signature"},
      {"an empty text", [&](Digest) -> Answer { return wallet.result(""); }, "is no signature"},
      {"an object",
       [&](Digest) -> Answer {
         return wallet.result(Json::object({{"r", "0x1"}}));
       },
       "is no signature"},
      {"null", [&](Digest) -> Answer { return wallet.result(Json()); }, "is no signature"},
      {"no JSON", [&](Digest) -> Answer { return wallet.body("<html>"); }, "refused"},
      {"no result", [&](Digest) -> Answer { return wallet.body("{}"); }, "refused"},
      {"a refusal",
       [&](Digest) -> Answer { return wallet.body(R"({"error":{"code":4001,"message":"User rejected"}})"); },
       "User rejected"},
      {"nothing", [&](Digest) -> Answer { return *unanswered(api::Delivery::unknown); }, "connection reset"},
  };
  for (const Row& row : rows) {
    wallet.wrong_answer = row.answer;
    for (const std::string line :
         {" buy 0.1 BTC-USDX-PERP @ 30000 --action sign", " withdrawals submit 5", " login", " transfers enroll",
          " agents register 0x00000000000000000000000000000000000000aa"}) {
      machine.sent.clear();
      const RunResult ran = machine.run("-n local --json" + rpc + line);
      EXPECT_EQ(ran.exit, 4) << row.name << line << ran.out;
      EXPECT_EQ(ran.code(), "signer_failed") << row.name << line;
      EXPECT_NE(ran.document().string_at("error.message")->find(row.sentence), std::string::npos) << ran.out;
      for (const api::HttpRequest& request : machine.sent) {
        EXPECT_TRUE(request.method == "GET" || request.body.find("jsonrpc") != std::string::npos)
            << row.name << line << " sent " << request.target;
      }
    }
  }
}

TEST(RpcSigner, ThatTakesTooLongIsAFailure) {
  ClientMachine machine;
  RpcWallet wallet(machine);
  for (const char* line : {" login", " keys create", " deposits submit --amount 1000"}) {
    ASSERT_EQ(machine.run("-n local" + rpc + line).exit, 0) << line;
  }
  std::int64_t takes_ms = 30'000;
  wallet.wrong_answer = [&](const signing::Hash32& digest) -> Result<api::HttpResponse, api::TransportError> {
    machine.clock.advance(takes_ms);
    return wallet.result(signing::to_string(wallet.key().sign(digest)));
  };
  const auto posted = [&](std::string_view target) {
    return std::any_of(machine.sent.begin(), machine.sent.end(), [&](const api::HttpRequest& one) {
      return one.method == "POST" && one.target.ends_with(target);
    });
  };
  const RunResult late = machine.run("-n local --json" + rpc + " buy 0.1 BTC-USDX-PERP @ 30000 --action sign");
  EXPECT_EQ(late.exit, 4);
  EXPECT_EQ(late.code(), "signer_too_late");
  EXPECT_FALSE(posted("/orders"));
  EXPECT_EQ(machine.run("-n local --json" + rpc + " transfers enroll").code(), "signer_too_late");
  // A request without a signed time has no time limit.
  EXPECT_EQ(machine.run("-n local" + rpc + " login").exit, 0);
  takes_ms = 20'000;
  EXPECT_EQ(machine.run("-n local" + rpc + " buy 0.1 BTC-USDX-PERP @ 30000 --action sign").exit, 0);
  EXPECT_TRUE(posted("/orders"));
}

TEST(RpcSigner, NeedsTheAccountNamedIfThereAreSeveral) {
  ClientMachine machine;
  RpcWallet wallet(machine);
  const std::string other = "0x00000000000000000000000000000000000000aa";
  wallet.accounts = {Json(other), Json(wallet.address())};
  EXPECT_TRUE(has(machine.run("-n local" + rpc + " login").err, "has 2 accounts; say which with #ADDRESS"));
  EXPECT_EQ(machine.run("-n local" + rpc + "#" + wallet.address() + " login").exit, 0);
  EXPECT_EQ(machine.run("-n local" + rpc + "#0x00000000000000000000000000000000000000bb login").exit, 4);
  wallet.accounts = {};
  EXPECT_EQ(machine.run("-n local" + rpc + " login").exit, 4);
  wallet.accounts = {Json(7)};
  EXPECT_EQ(machine.run("-n local" + rpc + " login").exit, 4);
}

// The first account of the development mnemonic, wherever its key is.
TEST(RpcSigner, WithADevelopmentKeySignsOnLocalOnly) {
  ClientMachine machine;
  RpcWallet wallet(machine);
  wallet.accounts = {Json("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")};
  ASSERT_EQ(machine.run("network add other --rest http://localhost:9090 --funds play").exit, 0);
  const RunResult refused = machine.run("-n other --json" + rpc + " login");
  EXPECT_EQ(refused.exit, 14) << refused.out;
  EXPECT_EQ(refused.code(), "dev_key");
}

TEST(RpcSigner, IsNotAskedInADryRun) {
  ClientMachine machine;
  RpcWallet wallet(machine);
  for (const char* line : {" login", " keys create"}) ASSERT_EQ(machine.run("-n local" + rpc + line).exit, 0);
  wallet.methods.clear();
  const RunResult plan = machine.run("-n local --json --dry-run" + rpc + " buy 0.1 BTC-USDX-PERP @ 30000");
  EXPECT_EQ(plan.exit, 0) << plan.out;
  EXPECT_TRUE(has(plan.out, "a signer outside is not asked in a dry run"));
  EXPECT_EQ(machine.run("-n local --dry-run" + rpc + " withdrawals submit 5").exit, 2);
  EXPECT_TRUE(wallet.methods.empty());
}

TEST(RpcSigner, SignsNoBareHashes) {
  ClientMachine machine;
  RpcWallet wallet(machine);
  const RunResult refused = machine.run("-n local --auth agent" + rpc + " account show");
  EXPECT_EQ(refused.exit, 2);
  EXPECT_TRUE(has(refused.err, "signers outside do not do"));
  EXPECT_TRUE(wallet.methods.empty());
}

// An external signer that always prints the same.
std::string program(ClientMachine& machine, const std::string& script) {
  const auto file = machine.write("signer", "#!/bin/sh\n" + script + "\n");
  ::chmod(file.c_str(), 0700);
  return "exec:" + file.string();
}

TEST(ExecSigner, WithAWrongAnswerNothingIsSent) {
  ClientMachine machine;
  const std::string address = R"(echo '{"address":"0x00000000000000000000000000000000000000aa"}')";
  const std::string knows_its_address = "read question\ncase $question in\n*'\"method\":\"address\"'*) " + address;
  const auto signing = [&](const std::string& does) { return knows_its_address + " ;;\n*) " + does + " ;;\nesac"; };
  struct Row {
    std::string script;
    std::string sentence;
  };
  for (const Row& row : {
           Row{signing(R"(echo '{"error":"the button was not pressed"}')"), "the button was not pressed"},
           Row{signing(R"(echo '{"error":"declined","signature":"0x00"}')"), "declined"},
           Row{signing("exit 3"), "it ended with exit 3"},
           Row{signing(":"), "answered no JSON object"},
           Row{signing("echo yes"), "answered no JSON object"},
           Row{signing(R"(echo '{"signature":7}')"), "answered no JSON object"},
           Row{signing(R"(echo '{"signature":"0x00"}')"), "is no signature"},
           Row{signing("head -c 100000 /dev/zero"), "too long"},
           Row{signing("kill -9 $$"), "it ended with exit 137"},
           Row{R"(echo '{"address":"me"}')", "where an address was expected"},
           Row{"exit 1", "it ended with exit 1"},
       }) {
    machine.sent.clear();
    const RunResult ran = machine.run({"-n", "local", "--json", "--signer", program(machine, row.script), "login"});
    EXPECT_EQ(ran.exit, 4) << row.script;
    EXPECT_EQ(ran.code(), "signer_failed") << row.script;
    EXPECT_NE(ran.document().string_at("error.message")->find(row.sentence), std::string::npos) << ran.out;
    for (const api::HttpRequest& request : machine.sent) EXPECT_EQ(request.method, "GET") << row.script;
  }
  EXPECT_EQ(machine.run({"-n", "local", "--signer", "exec:/nowhere", "login"}).exit, 4);
  EXPECT_EQ(machine.run({"-n", "local", "--signer", "exec:", "login"}).exit, 2);
  EXPECT_EQ(machine.run({"-n", "local", "--signer", "http://", "login"}).exit, 2);
}

}  // namespace SVC_FILE
}  // namespace svc::cli
