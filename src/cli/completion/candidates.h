// What may stand where a command line is being typed. Shells and the interactive shell ask the same question;
// values that change (markets, open orders) come from whoever asks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace svc::cli {

// What is not written in the program itself.
enum class ValueKind : std::uint8_t {
  market,
  order,      // open orders of the account, by id
  client_id,  // the same, by the id we gave them
  key,        // API keys stored here
  network,
  wallet,
  agent,
  account,  // those whose wallets are stored here
  profile,
  alias,
};

struct Candidate {
  std::string text;
  std::string about{};  // one line; may be empty
};

using ValueSource = std::function<std::vector<Candidate>(ValueKind)>;

struct Candidates {
  std::vector<Candidate> all{};  // those that begin with what is typed, in the order they should be shown
  bool files = false;            // names of files fit as well
};

// `words` are those after the program's name; the last one is being typed and may be empty.
[[nodiscard]] Candidates candidates(const std::vector<std::string>& words, const ValueSource& values);

}  // namespace svc::cli
