#include "signing/hash.h"

#include <gtest/gtest.h>

#include <string>

#include "base/encoding.h"

namespace svc::signing {
namespace SVC_FILE {

TEST(Keccak256, MatchesPublishedDigests) {
  struct Row {
    std::string_view text, digest;
  };
  const Row rows[] = {
      {"", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"},
      {"abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"},
      {"The quick brown fox jumps over the lazy dog",
       "4d741b6f1eb29cb2a9b9911c82f56fa8d73b04959d3d9d222895df6c0b28aa15"},
  };
  for (const Row& row : rows) EXPECT_EQ(to_hex(keccak256(row.text)), row.digest) << row.text;
}

TEST(Keccak256, MatchesReferenceAroundTheBlockOf136Bytes) {
  struct Row {
    std::size_t size;
    std::string_view digest;
  };
  const Row rows[] = {
      {135, "34367dc248bbd832f4e3e69dfaac2f92638bd0bbd18f2912ba4ef454919cf446"},
      {136, "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e"},
      {137, "d869f639c7046b4929fc92a4d988a8b22c55fbadb802c0c66ebcd484f1915f39"},
      {272, "cf7fcd4f705ee749930d19ca84561a9bf62516bd90a471545fa2f49fdc7e63c8"},
  };
  for (const Row& row : rows) EXPECT_EQ(to_hex(keccak256(std::string(row.size, 'a'))), row.digest) << row.size;
}

TEST(Keccak256, DoesNotDependOnHowTheTextIsSplit) {
  std::string text;
  for (int i = 0; i < 400; ++i) text.push_back(static_cast<char>(i));
  const Hash32 whole = keccak256(text);
  for (std::size_t cut = 1; cut < text.size(); cut += 7) {
    Keccak256 hash;
    for (std::size_t at = 0; at < text.size(); at += cut) hash.update(as_bytes(std::string_view(text).substr(at, cut)));
    EXPECT_EQ(hash.finish(), whole) << "pieces of " << cut;
  }
}

TEST(Sha256, MatchesPublishedDigests) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace SVC_FILE
}  // namespace svc::signing
