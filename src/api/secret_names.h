// The names under which secrets travel. A client hides their values in what it shows, a sandbox in what it keeps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "api/http/http_message.h"

namespace svc::api {

// Members of bodies and parameters of queries that let their holder act for somebody.
inline constexpr std::string_view secret_members[] = {"secret",     "token",    "signature",  "private_key", "password",
                                                      "passphrase", "mnemonic", "api_secret", "admin_secret"};

// Whoever misspells the case of a name sends the secret all the same.
[[nodiscard]] inline bool is_secret_member(std::string_view name) {
  return std::ranges::any_of(secret_members, [&](std::string_view one) { return same_header_name(one, name); });
}

// Each of those names contains exactly one of the first seven; header fields have the others as well.
inline constexpr std::string_view secret_words[] = {
    "secret", "token", "signature", "private_key", "password", "passphrase", "mnemonic", "authorization", "cookie"};
inline constexpr std::size_t words_of_members = 7;
inline constexpr std::size_t words_of_headers = std::size(secret_words);

// How often the text holds one of the first `words` of these, in any case, and also with hyphens (X-Private-Key). Looks
// at each byte once, because the bodies of all writes pass here.
[[nodiscard]] inline std::size_t count_secret_words(std::string_view text, std::size_t words) {
  constexpr std::size_t first_letters = 3;
  constexpr std::size_t every = std::size(secret_words);
  // For each letter a bit for each word that begins with it, then one for each that has it second, and third.
  static constexpr auto having = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::size_t word = 0; word < every; ++word)
      for (std::size_t place = 0; place < first_letters; ++place)
        for (const char letter : {secret_words[word][place], static_cast<char>(secret_words[word][place] - 'a' + 'A')})
          table[static_cast<unsigned char>(letter)] |= 1u << (place * every + word);
    return table;
  }();
  const auto is_spelled = [](char as, char letter) {
    return lower_letter(as) == letter || (as == '-' && letter == '_');
  };
  std::size_t count = 0;
  std::uint32_t begun = 0;  // which words the last letters are the first ones of
  for (std::size_t at = 0; at < text.size(); ++at) {
    begun = (begun << every | ((1u << every) - 1)) & having[static_cast<unsigned char>(text[at])];
    const std::uint32_t may_be_there = begun >> ((first_letters - 1) * every);
    if (may_be_there == 0) continue;
    const std::string_view from_there = text.substr(at + 1 - first_letters);
    for (std::size_t word = 0; word < words; ++word)
      if ((may_be_there >> word & 1u) != 0 &&
          std::ranges::equal(from_there.substr(0, secret_words[word].size()), secret_words[word], is_spelled))
        ++count;
  }
  return count;
}

// Whether a value has the form of a private key or of the secret of an API key, which some put into the field of
// another name: 64 hex digits, with or without 0x.
[[nodiscard]] inline bool has_form_of_secret(std::string_view value) {
  constexpr std::size_t digits = 64;
  if (value.starts_with("0x") || value.starts_with("0X")) value.remove_prefix(2);
  return value.size() == digits && value.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Whether a header field holds a credential or a signature. Browsers send the token of a stream as its protocol.
[[nodiscard]] inline bool is_secret_header(std::string_view name) {
  return count_secret_words(name, words_of_headers) > 0 || same_header_name(name, "Sec-WebSocket-Protocol");
}

}  // namespace svc::api
