// The names under which secrets travel. A client hides their values in what it shows, a sandbox in what it keeps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
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

// How often the text holds one of the first `words` of these, in any case, and also with hyphens (X-Private-Key).
[[nodiscard]] inline std::size_t count_secret_words(std::string_view text, std::size_t words) {
  // The bodies of all writes pass here, and most letters begin no word.
  static constexpr auto begins_one = [] {
    std::array<bool, 256> table{};
    for (const std::string_view word : secret_words)
      for (const char letter : {word.front(), upper_letter(word.front())})
        table[static_cast<unsigned char>(letter)] = true;
    return table;
  }();
  const auto is_spelled = [](char letter, char as) {
    return lower_letter(as) == letter || (as == '-' && letter == '_');
  };
  std::size_t count = 0;
  for (; !text.empty(); text.remove_prefix(1)) {
    if (!begins_one[static_cast<unsigned char>(text.front())]) continue;
    for (const std::string_view word : std::span(secret_words).first(words)) {
      const bool may_be_it = text.size() >= word.size() && lower_letter(text[1]) == word[1];
      if (may_be_it && std::equal(word.begin(), word.end(), text.begin(), is_spelled)) ++count;
    }
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
