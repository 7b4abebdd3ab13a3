#include "cli/terminal/text_template.h"

namespace svc::cli {

Result<TextTemplate, std::string> TextTemplate::parse(std::string_view text) {
  TextTemplate result;
  std::string plain;
  const auto flush = [&] {
    if (!plain.empty()) result.parts_.push_back({std::move(plain), false});
    plain.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\\') {
      if (next != 'n' && next != 't' && next != '\\') return unexpected("after \\ must come n, t or another \\");
      plain += next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
      ++i;
    } else if ((c == '{' || c == '}') && next == c) {
      plain += c;
      ++i;
    } else if (c == '}') {
      return unexpected("a } closes nothing; write }} for a brace");
    } else if (c == '{') {
      const auto close = text.find('}', i);
      if (close == std::string_view::npos) return unexpected("a { is not closed; write {{ for a brace");
      const std::string_view name = text.substr(i + 1, close - i - 1);
      if (name.empty() || name.find_first_of("{ \t") != std::string_view::npos) {
        return unexpected("between { and } must stand the name of a column or member");
      }
      flush();
      result.parts_.push_back({std::string(name), true});
      i = close;
    } else {
      plain += c;
    }
  }
  flush();
  return result;
}

}  // namespace svc::cli
