#include "cli/store/nonce_file.h"

#include <algorithm>
#include <charconv>

#include "cli/terminal/json.h"

namespace svc::cli {
namespace {

constexpr std::int64_t nonce_file_version = 1;

Failure nonces_damaged(const std::filesystem::path& file) {
  return internal_error("the nonce file " + file.string() +
                        " is damaged; a nonce below one already used would be refused, so it is not guessed");
}

Result<Json, Failure> load(const std::filesystem::path& file) {
  const auto text = SVC_TRY(read_private(file));
  if (!text) return Json::object({{"version", nonce_file_version}, {"last", Json::object()}});
  auto document = parse_json(*text);
  const bool usable = document && document->integer_at("version") == nonce_file_version && document->find("last");
  if (!usable) return unexpected(nonces_damaged(file));
  return std::move(*document);
}

// A string, because a nonce may exceed 2^63.
Result<std::uint64_t, Failure> next(const Json& document, const std::filesystem::path& file, const Address& signer,
                                    TimestampMs now_ms) {
  const auto now = static_cast<std::uint64_t>(std::max<TimestampMs>(now_ms, 0));
  const auto last = document.find("last")->string_at(to_string(signer));
  if (!last) return now;
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(last->data(), last->data() + last->size(), value);
  if (error != std::errc{} || stop != last->data() + last->size() || value == ~std::uint64_t{0}) {
    return unexpected(nonces_damaged(file));
  }
  return std::max(value + 1, now);
}

}  // namespace

Result<std::uint64_t, Failure> take_nonce(const Paths& paths, std::string_view network, const Address& signer,
                                          TimestampMs now_ms, std::int64_t patience_ms) {
  const std::filesystem::path file = paths.nonces(network);
  // The file itself is replaced by rename, so the lock is on a separate file that stays.
  const auto lock = SVC_TRY(FileLock::take(file.string() + ".lock", patience_ms));
  auto document = load(file);
  if (!document) return unexpected(document.error());
  const auto nonce = next(*document, file, signer, now_ms);
  if (!nonce) return nonce;
  Json last = *document->find("last");
  last.set(to_string(signer), std::to_string(*nonce));
  document->set("last", std::move(last));
  SVC_TRY(write_private(file, document->dump() + "\n"));
  return nonce;
}

Result<std::optional<FileLock>, Failure> try_nonce_lane(const Paths& paths, std::string_view network,
                                                        const Address& signer) {
  return FileLock::try_take(paths.nonces(network).string() + "." + to_string(signer) + ".lane");
}

Result<std::uint64_t, Failure> peek_nonce(const Paths& paths, std::string_view network, const Address& signer,
                                          TimestampMs now_ms) {
  const std::filesystem::path file = paths.nonces(network);
  const auto document = SVC_TRY(load(file));
  return next(document, file, signer, now_ms);
}

}  // namespace svc::cli
