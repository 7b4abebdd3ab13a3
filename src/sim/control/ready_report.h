// What a started sandbox says about itself: one JSON line on standard output, a file for scripts
// that wait, and the runtime file by which the command line finds the running sandbox.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/fixed.h"
#include "base/result.h"

namespace svc::sim {

// A development account. Its key is public knowledge (the mnemonic is printed in every tutorial), so
// it is plain text; it stands for play money on local only.
struct DevAccount {
  std::size_t index = 0;
  Address address;
  std::string private_key;  // 0x and 64 hex digits
  Usdx balance;             // paid in at the start
};

// One of several networks behind one port, told apart by the Host of a request.
struct ServedNetwork {
  std::string network;
  std::string host;  // name, without port
  std::string deployment;
  std::string domain_name;
};

struct ReadyReport {
  std::string name;
  std::string host;  // by which to reach it, without brackets
  std::uint16_t port = 0;
  std::string network;
  std::string deployment;
  std::string domain_name;
  std::int64_t pid = 0;
  std::uint64_t seed = 0;
  std::vector<DevAccount> accounts;
  std::vector<ServedNetwork> networks;  // if several are served

  [[nodiscard]] std::string url() const;      // http://HOST:PORT, no path
  [[nodiscard]] std::string ws() const;       // ws://HOST:PORT, no path
  [[nodiscard]] std::string control() const;  // url + /_svc
};

// One JSON object on one line, without the line feed.
[[nodiscard]] std::string to_json(const ReadyReport& report);
// [{"index","address","private_key","balance"}]
[[nodiscard]] std::string to_json(const std::vector<DevAccount>& accounts);

// Writes beside the target, then renames over it: a reader sees the whole text or no file. Creates
// missing folders (mode 0700); the file has mode 0600. The error is one line for the user.
[[nodiscard]] Result<void, std::string> write_whole_file(const std::filesystem::path& path, std::string_view text);

}  // namespace svc::sim
