#include "cli/shell/own_flags.h"

#include <algorithm>

#include "cli/arguments.h"
#include "cli/globals.h"

namespace svc::cli {
namespace {

// "-n,--network" names both.
bool names(const Declared& declared, std::string_view flag) {
  std::string_view rest = declared.names;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    if (rest.substr(0, comma) == flag) return true;
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return false;
}

}  // namespace

std::vector<FlagWords> flags_of_every_line(const Context& context) {
  Arguments globals;
  GlobalWords ignored;
  declare_globals(globals, ignored);
  std::vector<FlagWords> flags;
  const std::vector<std::string>& words = context.typed();
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string_view flag = std::string_view(words[i]).substr(0, words[i].find('='));
    const auto known = std::find_if(globals.declared().begin(), globals.declared().end(),
                                    [&](const Declared& one) { return names(one, flag); });
    const bool takes_next = takes_next_word(globals, words[i]) && i + 1 < words.size();
    if (known != globals.declared().end()) {
      flags.push_back(takes_next ? FlagWords{words[i], words[i + 1]} : FlagWords{words[i]});
    }
    if (takes_next) ++i;
  }
  return flags;
}

}  // namespace svc::cli
