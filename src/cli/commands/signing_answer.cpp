#include "cli/commands/signing_answer.h"

#include "base/hex.h"
#include "base/limits.h"
#include "cli/files/private_file.h"

namespace svc::cli {
namespace {

Json hex_or_null(const std::optional<signing::Hash32>& hash) {
  return hash ? Json(to_hex_0x(*hash)) : Json();
}

}  // namespace

Json describe(const SigningFacts& facts) {
  return Json::object({{"canonical", facts.canonical},
                       {"type", facts.type},
                       {"domain_separator", hex_or_null(facts.domain_separator)},
                       {"struct_hash", hex_or_null(facts.struct_hash)},
                       {"digest", hex_or_null(facts.digest)},
                       {"signature", facts.signature},
                       {"address", facts.address ? Json(to_string(*facts.address)) : Json()}});
}

Answer signing_answer(Json data) {
  std::string text = data.dump() + "\n";
  return {.data = std::move(data), .text = std::move(text)};
}

void sign(SigningFacts& facts, const std::optional<signing::PrivateKey>& key) {
  if (!key || !facts.digest) return;
  facts.signature = signing::to_string(key->sign(*facts.digest));
  facts.address = key->address();
}

Result<std::string, Failure> read_document(Context& context, std::string_view flag,
                                           const std::optional<std::string>& file) {
  if (!file) return std::string();
  if (*file == "-") {
    auto text = context.environment().read_input(limits::input_bytes_max);
    if (!text) return unexpected(usage_error("standard input is too long"));
    return std::move(*text);
  }
  auto given = SVC_TRY(read_given(*file, std::string(flag) + " file", limits::input_bytes_max, LooseMode::accept));
  return std::move(given.text);
}

}  // namespace svc::cli
