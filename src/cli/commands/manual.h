// A manual page, and its two renderings: for man(1), and for reading as it stands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

struct Block {
  enum class Kind { paragraph, item, code, heading } kind = Kind::paragraph;
  std::string text;    // of an item: what it means; of code: one command line
  std::string term{};  // of an item
};

[[nodiscard]] inline Block paragraph(std::string text) {
  return {.kind = Block::Kind::paragraph, .text = std::move(text)};
}

[[nodiscard]] inline Block item(std::string term, std::string text) {
  return {.kind = Block::Kind::item, .text = std::move(text), .term = std::move(term)};
}

[[nodiscard]] inline Block code(std::string line) {
  return {.kind = Block::Kind::code, .text = std::move(line)};
}

struct Section {
  std::string title;  // "EXAMPLES"
  std::vector<Block> blocks;
};

struct ManualPage {
  std::string name;     // "svc-orders"
  int number = 1;       // 1: commands, 7: everything around them
  std::string summary;  // after the name, in lower case
  std::vector<Section> sections;

  [[nodiscard]] std::string file_name() const { return name + "." + std::to_string(number); }
};

// Source in the language of man(7).
[[nodiscard]] std::string roff(const ManualPage& page);
[[nodiscard]] std::string plain_text(const ManualPage& page);

// The parts of the manual that no table holds.

[[nodiscard]] ManualPage networks_page();
[[nodiscard]] ManualPage sandbox_page();

// The manual: svc(1), a page per first word of the commands, and three pages about what is around them. All of
// it is derived from the tables that the program itself works by.

[[nodiscard]] std::vector<ManualPage> manual_pages();
// One of them by its name, "svc-orders"; nullopt if there is none.
[[nodiscard]] std::optional<ManualPage> manual_page(const std::string& name);

}  // namespace svc::cli
