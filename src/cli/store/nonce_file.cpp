#include "cli/store/nonce_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/store/kept_document.h"

namespace svc::cli {
namespace {

constexpr std::size_t sector_bytes = 512;

KeptDocument nonces_of(const Paths& paths, std::string_view network) {
  return {paths.nonces(network), 1, "nonce file",
          "without it nonces begin at the time of this machine, and one that was used is refused"};
}

// The last nonce of each signer.
Result<Json> load(const KeptDocument& file) {
  return SVC_TRY(file.read("last")).value_or(Json::object());
}

// A string, because a nonce may exceed 2^63.
Result<std::uint64_t> next(const Json& nonces, const KeptDocument& file, const Address& signer, TimestampMs now_ms) {
  const auto now = static_cast<std::uint64_t>(std::max<TimestampMs>(now_ms, 0));
  const auto last = nonces.string_at(to_string(signer));
  if (!last) return now;
  const auto value = parse_integer<std::uint64_t>(*last);
  if (!value || *value == ~std::uint64_t{0}) return unexpected(file.damaged());
  return std::max(*value + 1, now);
}

// Overwrites the digits in place and does not wait for the disk: the text fits into one sector, so a power cut leaves
// the former nonces or these. A nonce written in part is not below the former one, because its first digits are the new
// ones. False if the file has another length. (D-880)
bool overwrite(const std::filesystem::path& file, std::string_view text) {
  const Descriptor handle(::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  if (!handle || text.size() > sector_bytes || ::fstat(handle.get(), &status) != 0) return false;
  if (status.st_size != static_cast<off_t>(text.size())) return false;
  return ::pwrite(handle.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

Result<void> store(const KeptDocument& file, Json nonces) {
  auto document = SVC_TRY(file.read());
  if (document && overwrite(file.file(), document->set("last", nonces).dump() + "\n")) return {};
  return file.write(Json::object({{"last", std::move(nonces)}}));
}

}  // namespace

Result<std::uint64_t> take_nonce(const Paths& paths, std::string_view network, const Address& signer,
                                 TimestampMs now_ms, std::int64_t patience_ms) {
  const KeptDocument file = nonces_of(paths, network);
  const auto lock = SVC_TRY(file.lock(patience_ms));
  auto nonces = SVC_TRY(load(file));
  const auto nonce = SVC_TRY(next(nonces, file, signer, now_ms));
  nonces.set(to_string(signer), std::to_string(nonce));
  SVC_TRY(store(file, std::move(nonces)));
  return nonce;
}

Result<std::optional<FileLock>> try_nonce_lane(const Paths& paths, std::string_view network, const Address& signer) {
  return FileLock::try_take(paths.nonces(network).string() + "." + to_string(signer) + ".lane");
}

Result<std::uint64_t> peek_nonce(const Paths& paths, std::string_view network, const Address& signer,
                                 TimestampMs now_ms) {
  const KeptDocument file = nonces_of(paths, network);
  return next(SVC_TRY(load(file)), file, signer, now_ms);
}

}  // namespace svc::cli
