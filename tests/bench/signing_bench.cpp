// Signing and recovering a typed order against libsecp256k1 alone on the same digest: what hashing,
// encoding and checking add. scripts/bench prints the ratios.
#include <benchmark/benchmark.h>
#include <secp256k1_recovery.h>

#include "signing/action_request.h"
#include "signing/domain.h"
#include "signing/hmac.h"
#include "signing/key.h"

namespace {

using namespace svc;
using namespace svc::signing;

const PrivateKey key = *PrivateKey::from_hex("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");

PlaceOrder order(std::uint64_t nonce) {
  return {{key.address(), "svc-local", 1'700'000'000'000, nonce},
          {.market_id = "BTC-USDX-PERP",
           .side = "Buy",
           .order_type = "Limit",
           .price = "50000",
           .quantity = "0.1",
           .time_in_force = "GTC",
           .client_id = "strategy-7-000001"}};
}

Hash32 digest_of(const Hash32& domain_separator, std::uint64_t nonce) {
  return typed_data_digest(domain_separator, struct_hash(order(nonce)));
}

secp256k1_context* context() {
  static secp256k1_context* made = secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
  return made;
}

void raw_sign(benchmark::State& state) {
  Hash32 digest = keccak256("order");
  for (auto _ : state) {
    secp256k1_ecdsa_recoverable_signature signature;
    benchmark::DoNotOptimize(
        secp256k1_ecdsa_sign_recoverable(context(), &signature, digest.data(), key.reveal().data(), nullptr, nullptr));
    ++digest[0];
  }
}
BENCHMARK(raw_sign);

void sign_typed_order(benchmark::State& state) {
  const Hash32 domain_separator = separator(action_domain("Svc Exchange"));
  std::uint64_t nonce = 0;
  for (auto _ : state) benchmark::DoNotOptimize(key.sign(digest_of(domain_separator, ++nonce)));
}
BENCHMARK(sign_typed_order);

void raw_recover(benchmark::State& state) {
  Hash32 digest = keccak256("order");
  const Signature signature = key.sign(digest);
  for (auto _ : state) {
    secp256k1_ecdsa_recoverable_signature parsed;
    secp256k1_pubkey point;
    benchmark::DoNotOptimize(secp256k1_ecdsa_recoverable_signature_parse_compact(
        context(), &parsed, signature.bytes.data(), signature.bytes[64] - 27));
    benchmark::DoNotOptimize(secp256k1_ecdsa_recover(context(), &point, &parsed, digest.data()));
    ++digest[0];
  }
}
BENCHMARK(raw_recover);

void recover_typed_order(benchmark::State& state) {
  const Hash32 domain_separator = separator(action_domain("Svc Exchange"));
  const Signature signature = key.sign(digest_of(domain_separator, 0));
  std::uint64_t nonce = 0;
  for (auto _ : state) benchmark::DoNotOptimize(recover(digest_of(domain_separator, ++nonce), signature));
}
BENCHMARK(recover_typed_order);

void hash_typed_order(benchmark::State& state) {
  const Hash32 domain_separator = separator(action_domain("Svc Exchange"));
  std::uint64_t nonce = 0;
  for (auto _ : state) benchmark::DoNotOptimize(digest_of(domain_separator, ++nonce));
}
BENCHMARK(hash_typed_order);

void keccak_of_one_block(benchmark::State& state) {
  const Hash32 input = keccak256("order");
  for (auto _ : state) benchmark::DoNotOptimize(keccak256(input));
}
BENCHMARK(keccak_of_one_block);

constexpr std::string_view body =
    R"({"market_id":"BTC-USDX-PERP","side":"Buy","order_type":"Limit","price":"50000","quantity":"0.1","time_in_force":"GTC"})";

void action_of_request(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
        action_of<PlaceOrder>({"POST", "/orders", "", body}, {key.address(), "svc-local", 1'700'000'000'000, 1}));
}
BENCHMARK(action_of_request);

void hmac_of_request(benchmark::State& state) {
  const auto secret = HmacKey::from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  for (auto _ : state)
    benchmark::DoNotOptimize(secret->sign(hmac_canonical({"POST", "/orders", "", body}, 1'700'000'000'000)));
}
BENCHMARK(hmac_of_request);

}  // namespace

BENCHMARK_MAIN();
