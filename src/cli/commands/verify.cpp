// verify: offline, without a network
#include <algorithm>
#include <array>

#include "base/hex.h"
#include "cli/arguments.h"
#include "cli/commands/groups.h"
#include "cli/commands/signing_answer.h"
#include "signing/personal_message.h"
#include "signing/typed_data_document.h"

namespace svc::cli {
namespace {

// Half the order of the group, rounded down: a higher s is the malleable twin of a lower one (EIP-2).
constexpr std::string_view half_order = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

class Verify final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.text("--message", message_, "TEXT", "the text that was signed (EIP-191)");
    arguments.text("--typed", typed_, "FILE", "the typed-data document that was signed; - for standard input");
    arguments.text("--file", file_, "FILE",
                   "what was signed: a typed-data document, or else a text; - for standard input");
    arguments.text("--digest", digest_, "HEX", "the digest that was signed");
    arguments.text("--signature", signature_, "HEX", "65 bytes: r, s, v");
    arguments.address("--address", expected_, "who should have signed");
  }

  Result<Answer, Stop> run(Context& context) override {
    const int given = message_.has_value() + typed_.has_value() + file_.has_value() + digest_.has_value();
    if (given != 1) return unexpected(Stop(usage_error("give one of --message, --typed, --file and --digest")));
    if (!signature_) return unexpected(Stop(usage_error("--signature is required")));
    const auto raw = from_hex_exact<65>(strip_0x(*signature_));
    if (!raw) return unexpected(Stop(usage_error("--signature must be 130 hex digits: r, s and v")));
    auto facts = compute(context);
    if (!facts) return unexpected(Stop(facts.error()));

    const auto signature = signing::parse_signature(*signature_);
    const auto recovered = signature ? signing::recover(*facts->digest, *signature) : std::nullopt;
    facts->signature = signature ? signing::to_string(*signature) : to_hex_0x(*raw);
    facts->address = recovered;
    const bool low_s = to_hex(std::span(*raw).subspan(32, 32)) <= half_order;
    const bool match = recovered && (!expected_ || *recovered == *expected_);
    Json data = describe(*facts);
    data.set("recovered", recovered ? Json(to_string(*recovered)) : Json());
    data.set("expected", expected_ ? Json(to_string(*expected_)) : Json());
    data.set("match", expected_ || !recovered ? Json(match) : Json());
    data.set("low_s", low_s);
    Answer answer = signing_answer(std::move(data));
    if (!match) {
      answer.failure = Failure{
          .exit = ExitCode::authentication,
          .code = "signature_mismatch",
          .message = recovered ? "the signature is " + to_string(*recovered) + "'s, not " + to_string(*expected_) + "'s"
                     : low_s   ? "the signature is nobody's"
                               : "the signature has a high s, which is refused (EIP-2)"};
    }
    return answer;
  }

 private:
  Result<SigningFacts, Failure> compute(Context& context) {
    SigningFacts facts;
    if (message_) {
      facts.canonical = *message_;
      facts.digest = signing::personal_message_digest(*message_);
    } else if (typed_ || file_) {
      const auto document = SVC_TRY(read_document(context, typed_ ? "--typed" : "--file", typed_ ? typed_ : file_));
      const auto json = parse_json(document);
      if (file_ && (!json || json->find("primaryType") == nullptr)) {
        facts.canonical = document;
        facts.digest = signing::personal_message_digest(document);
        return facts;
      }
      const auto hashes = signing::hash_typed_data(document);
      if (!hashes) return unexpected(usage_error(hashes.error()));
      facts.type = hashes->type;
      facts.domain_separator = hashes->domain_separator;
      facts.struct_hash = hashes->struct_hash;
      facts.digest = hashes->digest;
    } else {
      const auto digest = from_hex_exact<32>(strip_0x(*digest_));
      if (!digest) return unexpected(usage_error("--digest must be 64 hex digits"));
      facts.digest = *digest;
    }
    return facts;
  }

  std::optional<std::string> message_, typed_, file_, digest_, signature_;
  std::optional<Address> expected_;
};

constexpr std::array verify_rows{
    CommandRow{"verify", "--message TEXT|--typed FILE|--digest HEX --signature HEX", "Tell who signed; offline",
               make<Verify>},
};

}  // namespace

std::span<const CommandRow> verify_commands() {
  return verify_rows;
}

}  // namespace svc::cli
