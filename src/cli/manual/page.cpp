#include "cli/manual/page.h"

#include "cli/program_version.h"

namespace svc::cli {
namespace {

// Pages are part of the source tree: their date is that of their text, not of the build.
constexpr std::string_view manual_date = "2026-11-22";

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// Nothing of the text is taken for a request or an escape, and a hyphen can be copied as one.
std::string escaped_roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else {
      out += c;
    }
  }
  return out;
}

std::string roff_block(const Block& block, bool first) {
  const std::string text = escaped_roff(block.text);
  switch (block.kind) {
    case Block::Kind::paragraph: return (first ? "" : ".PP\n") + text + "\n";
    case Block::Kind::item:
      return ".TP\n\\fB" + escaped_roff(block.term) + "\\fR\n" + (text.empty() ? "\\&" : text) + "\n";
    case Block::Kind::code: return std::string(first ? "" : ".PP\n") + ".nf\n.RS\n" + text + "\n.RE\n.fi\n";
    case Block::Kind::heading: return ".SS " + text + "\n";
  }
  return {};
}

// Lines of at most 78 characters, each with the indent.
std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t line_chars_max = 78;
  std::string out;
  std::string line;
  while (!text.empty()) {
    const auto blank = text.find(' ');
    const std::string_view word = text.substr(0, blank);
    text = blank == std::string_view::npos ? std::string_view{} : text.substr(blank + 1);
    if (!line.empty() && indent + line.size() + 1 + word.size() > line_chars_max) {
      out += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  return line.empty() ? out : out + std::string(indent, ' ') + line + "\n";
}

}  // namespace

std::string roff(const ManualPage& page) {
  std::string out = ".TH " + escaped_roff(upper(page.name)) + " " + std::to_string(page.number) + " " +
                    std::string(manual_date) + " \"svc " + std::string(program_version) + "\"\n";
  out += ".SH NAME\n" + escaped_roff(page.name) + " \\- " + escaped_roff(page.summary) + "\n";
  for (const Section& section : page.sections) {
    out += ".SH " + escaped_roff(section.title) + "\n";
    bool first = true;
    for (const Block& block : section.blocks) {
      out += roff_block(block, first);
      first = block.kind == Block::Kind::heading;
    }
  }
  return out;
}

std::string plain_text(const ManualPage& page) {
  std::string out = upper(page.name) + "(" + std::to_string(page.number) + ")\n\nNAME\n";
  out += wrapped(page.name + " - " + page.summary, 4);
  for (const Section& section : page.sections) {
    out += "\n" + section.title + "\n";
    for (const Block& block : section.blocks) {
      switch (block.kind) {
        case Block::Kind::paragraph: out += wrapped(block.text, 4); break;
        case Block::Kind::item: out += "    " + block.term + "\n" + wrapped(block.text, 12); break;
        case Block::Kind::code: out += "        " + block.text + "\n"; break;
        case Block::Kind::heading: out += "\n  " + block.text + "\n"; break;
      }
    }
  }
  return out;
}

}  // namespace svc::cli
