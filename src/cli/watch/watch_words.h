// What a watch is about: channels and markets as they are typed, and the word by which a later run goes on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/stream_client.h"
#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

struct WatchWords {
  std::vector<std::string> channels;  // known ones; "account" stands for its four
  std::vector<std::string> markets;
};

// Channels come first, then markets; exit 2 with the list of channels for a word that is neither.
[[nodiscard]] Result<WatchWords, Failure> split_watch_words(const std::vector<std::string>& words);

// One subscription for each channel of an account, and for each market of each market channel.
[[nodiscard]] Result<std::vector<api::StreamKey>, Failure> stream_keys(const WatchWords& words,
                                                                      const std::vector<std::string>& intervals);

// NETWORK~ACCOUNT~MARKS; the account is "-" where it is not known. Empty without marks.
[[nodiscard]] std::string cursor_text(const std::string& network, const std::string& account, const api::StreamMarks& marks);
// Exit 2 unless it is one of that network and account.
[[nodiscard]] Result<api::StreamMarks, Failure> parse_cursor(const std::string& text, const std::string& network,
                                                             const std::string& account);

}  // namespace svc::cli
