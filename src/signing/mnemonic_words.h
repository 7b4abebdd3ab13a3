// The English word list of BIP-39: 2048 words, sorted, the first four letters distinct.
#pragma once

#include <array>
#include <string_view>

namespace svc::signing {

extern const std::array<std::string_view, 2048> mnemonic_words;

}  // namespace svc::signing
