#include "signing/scrypt.h"

#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "base/limits.h"

namespace svc::signing {
namespace {

static_assert(std::endian::native == std::endian::little, "Salsa words are read as stored");

// Four words that go through the same steps; the compiler maps them to one SIMD register.
using Words4 = std::uint32_t __attribute__((vector_size(16)));

// The 64 bytes that Salsa20/8 works on, in diagonal order: word i here is word 5 i mod 16 of the text.
// In that order its column and row steps are the same vector operations. ROMix only moves and xors
// blocks, so they stay in this order until the end.
struct Block {
  Words4 rows[4];

  void operator^=(const Block& other) {
    for (int i = 0; i < 4; ++i) rows[i] ^= other.rows[i];
  }
};

constexpr std::size_t diagonal(std::size_t i) { return 5 * i % 16; }

template <int bits>
Words4 rotate(Words4 words) {
  return (words << bits) | (words >> (32 - bits));
}

// Word i becomes word i + by.
template <int by>
Words4 turn(Words4 words) {
  return __builtin_shufflevector(words, words, by % 4, (1 + by) % 4, (2 + by) % 4, (3 + by) % 4);
}

void salsa20_8(Block& block) {
  Words4 a = block.rows[0], b = block.rows[1], c = block.rows[2], d = block.rows[3];
  for (int double_round = 0; double_round < 4; ++double_round) {
    b ^= rotate<7>(a + d);
    c ^= rotate<9>(b + a);
    d ^= rotate<13>(c + b);
    a ^= rotate<18>(d + c);
    b = turn<3>(b), c = turn<2>(c), d = turn<1>(d);
    d ^= rotate<7>(a + b);
    c ^= rotate<9>(d + a);
    b ^= rotate<13>(c + d);
    a ^= rotate<18>(b + c);
    b = turn<1>(b), c = turn<2>(c), d = turn<3>(d);
  }
  block.rows[0] += a, block.rows[1] += b, block.rows[2] += c, block.rows[3] += d;
}

// scryptBlockMix over 2 r blocks: even results first, then odd ones.
void mix(const Block* in, Block* out, std::size_t r) {
  Block x = in[2 * r - 1];
  for (std::size_t i = 0; i < 2 * r; ++i) {
    x ^= in[i];
    salsa20_8(x);
    out[i / 2 + (i % 2) * r] = x;
  }
}

// Memory that is wiped before it is given back.
class Blocks {
 public:
  explicit Blocks(std::size_t count)
      : size_(count * sizeof(Block)), first_(static_cast<Block*>(std::aligned_alloc(64, size_))) {}
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() {
    if (first_) wipe(first_, size_);
    std::free(first_);
  }
  [[nodiscard]] Block* get() const { return first_; }

 private:
  std::size_t size_;
  Block* first_;
};

void load(Block* blocks, const std::uint8_t* text, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at) {
    std::uint32_t words[16];
    std::memcpy(words, text + 64 * at, sizeof words);
    for (std::size_t i = 0; i < 16; ++i) blocks[at].rows[i / 4][i % 4] = words[diagonal(i)];
  }
}

void store(const Block* blocks, std::uint8_t* text, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at) {
    std::uint32_t words[16];
    for (std::size_t i = 0; i < 16; ++i) words[diagonal(i)] = blocks[at].rows[i / 4][i % 4];
    std::memcpy(text + 64 * at, words, sizeof words);
  }
}

// scryptROMix of one lane, in place. `table` holds n of its states; `x` and `y` one each.
void romix(std::uint8_t* lane, const ScryptCost& cost, Block* table, Block* x, Block* y) {
  const std::size_t width = 2 * std::size_t{cost.r};
  load(x, lane, width);
  for (std::uint64_t i = 0; i < cost.n; ++i) {
    std::copy(x, x + width, table + i * width);
    mix(x, y, cost.r);
    std::swap(x, y);
  }
  for (std::uint64_t i = 0; i < cost.n; ++i) {
    const std::uint64_t j = x[width - 1].rows[0][0] & (cost.n - 1);
    for (std::size_t k = 0; k < width; ++k) x[k] ^= table[j * width + k];
    mix(x, y, cost.r);
    std::swap(x, y);
  }
  store(x, lane, width);
}

void pbkdf2_once(const Secret& password, std::span<const std::uint8_t> salt, std::span<std::uint8_t> out) {
  const std::string_view text = password.reveal();
  SVC_ASSERT(PKCS5_PBKDF2_HMAC(text.data(), static_cast<int>(text.size()), salt.data(), static_cast<int>(salt.size()), 1,
                               EVP_sha256(), static_cast<int>(out.size()), out.data()) == 1);
}

}  // namespace

bool is_acceptable(const ScryptCost& cost) {
  constexpr std::uint64_t work_max = limits::scrypt_work_max;
  if (cost.n < 2 || cost.n > work_max || !std::has_single_bit(cost.n)) return false;
  if (cost.r == 0 || cost.p == 0 || cost.r > work_max || cost.p > work_max) return false;
  if (cost.n * cost.r > work_max || cost.n * cost.r * cost.p > work_max) return false;
  return 128 * cost.r * (cost.n + cost.p + 2) <= limits::scrypt_memory_bytes_max;
}

bool scrypt(const Secret& password, std::span<const std::uint8_t> salt, const ScryptCost& cost,
            std::span<std::uint8_t> key) {
  SVC_ASSERT(is_acceptable(cost));
  const std::size_t width = 2 * std::size_t{cost.r};
  const std::size_t lane_bytes = width * sizeof(Block);
  const Blocks lanes(width * cost.p);
  const Blocks table(width * cost.n);
  const Blocks work(2 * width);
  if (!lanes.get() || !table.get() || !work.get()) return false;
  const std::span<std::uint8_t> bytes(reinterpret_cast<std::uint8_t*>(lanes.get()), lane_bytes * cost.p);
  pbkdf2_once(password, salt, bytes);
  for (std::uint32_t lane = 0; lane < cost.p; ++lane)
    romix(bytes.data() + lane * lane_bytes, cost, table.get(), work.get(), work.get() + width);
  pbkdf2_once(password, bytes, key);
  return true;
}

}  // namespace svc::signing
