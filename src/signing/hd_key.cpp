#include "signing/hd_key.h"

#include <nettle/hmac.h>

#include <algorithm>

#include "base/hex.h"

namespace svc::signing {
namespace {

// I_L and I_R of the standard: the key's part and the chain code.
struct Halves {
  std::array<std::uint8_t, 64> bytes{};

  Halves(std::span<const std::uint8_t> key, std::span<const std::uint8_t> message) {
    hmac_sha512_ctx hash;
    hmac_sha512_set_key(&hash, key.size(), key.data());
    hmac_sha512_update(&hash, message.size(), message.data());
    hmac_sha512_digest(&hash, bytes.size(), bytes.data());
    wipe(&hash, sizeof hash);
  }
  Halves(const Halves&) = delete;
  Halves& operator=(const Halves&) = delete;
  ~Halves() { wipe(bytes.data(), bytes.size()); }

  [[nodiscard]] std::span<const std::uint8_t, 32> left() const { return std::span(bytes).first<32>(); }
  [[nodiscard]] std::span<const std::uint8_t, 32> right() const { return std::span(bytes).last<32>(); }
};

// What a child is derived from: 0x00 and the key if hardened, else the compressed point; then the number.
std::array<std::uint8_t, 37> child_message(const PrivateKey& key, std::uint32_t number) {
  std::array<std::uint8_t, 37> message{};
  if (number >= hardened) {
    std::copy(key.reveal().begin(), key.reveal().end(), message.begin() + 1);
  } else {
    const auto point = key.compressed_public_key();
    std::copy(point.begin(), point.end(), message.begin());
  }
  for (std::size_t i = 0; i < 4; ++i) message[33 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return message;
}

}  // namespace

HdKey::HdKey(PrivateKey key, std::span<const std::uint8_t> chain_code) : key_(std::move(key)) {
  std::copy(chain_code.begin(), chain_code.end(), chain_code_.begin());
}

HdKey::~HdKey() {
  wipe(chain_code_.data(), chain_code_.size());
}

std::optional<HdKey> HdKey::from_seed(std::span<const std::uint8_t> seed) {
  const Halves halves(as_bytes("Bitcoin seed"), seed);
  auto key = PrivateKey::from_bytes(halves.left());
  if (!key) return std::nullopt;
  return HdKey(std::move(*key), halves.right());
}

std::optional<HdKey> HdKey::child(std::uint32_t number) const {
  auto message = child_message(key_, number);
  const Halves halves(chain_code_, message);
  wipe(message.data(), message.size());
  auto key = key_.tweaked(halves.left());
  if (!key) return std::nullopt;
  return HdKey(std::move(*key), halves.right());
}

}  // namespace svc::signing
