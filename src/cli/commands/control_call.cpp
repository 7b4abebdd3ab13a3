#include "cli/commands/control_call.h"

#include <fstream>

#include "cli/commands/read.h"
#include "cli/terminal/render.h"

namespace svc::cli {

void copy_members(const Json& from, std::initializer_list<std::string_view> names, Json& to) {
  for (const std::string_view name : names)
    if (const Json* value = from.find(name)) to.set(name, *value);
}

Result<void> take_markets(Context& context, const std::string& file, sim::SandboxOptions& options) {
  const auto text = SVC_TRY(read_bytes(context, file, "--markets file"));
  auto listed = sim::parse_markets_file(text);
  if (!listed) return usage_error("--markets: " + listed.error());
  options.markets = std::move(listed->markets);
  options.start_prices = std::move(listed->prices);
  return {};
}

std::string xml_text(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> entities{
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}}};
  std::string out = escaped(text);
  for (const auto& [character, entity] : entities) out = with_each(out, character, entity);
  return out;
}

Result<void> write_junit(const std::string& file, const std::string& report) {
  std::ofstream stream(file, std::ios::binary);
  stream << report << std::flush;
  if (!stream) return usage_error("--junit " + file + ": cannot be written");
  return {};
}

}  // namespace svc::cli
