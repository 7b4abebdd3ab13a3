// A folder includes only what stands to its left in docs/architecture.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "lint/source_tree.h"

namespace svc::lint {
namespace SVC_FILE {

// Room -> the rooms it may include besides itself. The longest matching prefix names a file's room.
const std::map<std::string, std::set<std::string>> may_include = {
    {"base", {}},
    {"trade", {"base"}},
    {"signing", {"base"}},
    {"api", {"base", "trade", "signing"}},
    {"sim/engine", {"base", "trade"}},
    {"sim/scenario", {"base", "trade", "signing", "sim/engine"}},
    {"sim/services", {"base", "signing", "api", "sim/engine"}},
    {"sim/sequencer", {"base", "api", "sim/engine", "sim/services"}},
    {"sim/etcd", {"base", "signing", "api", "sim/sequencer"}},
    {"sim/views", {"base", "trade", "sim/engine", "sim/sequencer"}},
    {"sim/gateway", {"base", "signing", "api", "sim/engine", "sim/sequencer", "sim/views", "sim/services"}},
    {"sim/cluster", {"base", "api", "sim/sequencer", "sim/etcd", "sim/gateway"}},
    {"sim/streams",
     {"base", "signing", "api", "sim/engine", "sim/sequencer", "sim/views", "sim/services", "sim/gateway"}},
    {"sim/actors", {"base", "sim/engine", "sim/sequencer", "sim/views"}},
    {"sim/control",
     {"base", "signing", "api", "sim/engine", "sim/scenario", "sim/sequencer", "sim/views", "sim/services",
      "sim/gateway", "sim/actors"}},
    {"sim",
     {"base", "signing", "api", "sim/engine", "sim/scenario", "sim/sequencer", "sim/views", "sim/services",
      "sim/gateway", "sim/streams", "sim/actors", "sim/control", "sim/etcd", "sim/cluster"}},
    {"cli/terminal", {"base", "trade"}},
    {"cli/arguments", {"base", "signing", "api", "cli/terminal"}},
    {"cli/machine", {"base", "signing", "api", "cli/terminal"}},
    {"cli/store", {"base", "signing", "api", "cli/terminal", "cli/arguments", "cli/machine"}},
    {"cli/client", {"base", "trade", "signing", "api", "cli/terminal", "cli/arguments", "cli/machine", "cli/store"}},
    {"cli/commands",
     {"base", "trade", "signing", "api", "sim", "cli/terminal", "cli/arguments", "cli/machine", "cli/store",
      "cli/client"}},
    {"cli/shell",
     {"base", "api", "cli/terminal", "cli/arguments", "cli/machine", "cli/store", "cli/client", "cli/commands"}},
    {"cli",
     {"base", "cli/terminal", "cli/arguments", "cli/machine", "cli/store", "cli/client", "cli/commands", "cli/shell"}},
    {"", {"cli"}},
};

std::string room_of(const std::string& path) {
  std::string room = path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  while (!may_include.contains(room)) {
    const auto slash = room.rfind('/');
    room = slash == std::string::npos ? "" : room.substr(0, slash);
  }
  return room;
}

TEST(IncludeDirection, EveryIncludePointsToARoomThatMayBeSeen) {
  const std::regex include_line(R"(^\s*#include\s+"([^"]+)\")");
  int includes = 0;
  for (const auto& file : read_tree("src", {".h", ".cpp"})) {
    const std::string room = room_of(file.path.substr(4));
    for (const auto& line : file.lines) {
      std::smatch match;
      if (!std::regex_search(line.text, match, include_line)) continue;
      ++includes;
      const std::string target = room_of(match[1].str());
      EXPECT_TRUE(target == room || may_include.at(room).contains(target))
          << place(file, line) << ": " << (room.empty() ? "main" : room) << " may not include " << match[1];
    }
  }
  EXPECT_GT(includes, 20);
}

// The layers of the API, lowest first: messages and connections, the contract and its codec, streams.
TEST(IncludeDirection, TheApiIsLayered) {
  const auto layer_of = [](std::string_view path) {
    if (path.starts_with("api/http/") || path.starts_with("api/cpp17/")) return 0;
    return path.starts_with("api/stream/") ? 2 : 1;
  };
  const std::regex include_line(R"(^\s*#include\s+"(api/[^"]+)\")");
  for (const auto& file : read_tree("src/api", {".h", ".cpp"})) {
    for (const auto& line : file.lines) {
      std::smatch match;
      if (!std::regex_search(line.text, match, include_line)) continue;
      EXPECT_LE(layer_of(match[1].str()), layer_of(file.path.substr(4))) << place(file, line) << ": " << match[1];
    }
  }
}

// Rooms that see nothing but rooms taken away before can be taken away; those that are left see each other in a circle.
TEST(IncludeDirection, NoRoomMayBeSeenFromItself) {
  auto left = may_include;
  const auto stands_alone = [&](const auto& room) {
    return std::none_of(room.second.begin(), room.second.end(), [&](const auto& seen) { return left.contains(seen); });
  };
  for (std::size_t round = 0; round < may_include.size(); ++round) std::erase_if(left, stands_alone);
  for (const auto& [room, seen] : left) ADD_FAILURE() << (room.empty() ? "main" : room) << " is seen by what it sees";
}

TEST(IncludeDirection, TheCommandLineSeesTheSandboxThroughOneHeader) {
  for (const auto& file : read_tree("src/cli", {".h", ".cpp"})) {
    for (const auto& line : file.lines) {
      if (line.text.find("#include \"sim/") == std::string::npos) continue;
      EXPECT_NE(line.text.find("\"sim/sim.h\""), std::string::npos) << place(file, line);
    }
  }
}

}  // namespace SVC_FILE
}  // namespace svc::lint
