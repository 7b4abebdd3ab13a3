// The arguments of a command. Declarations fill the command's members during parsing, and the same declarations print
// its help.
#pragma once

#include <filesystem>

#include "base/address.h"
#include "cli/terminal/failure.h"

namespace svc::cli {

struct Declared {
  // Takes what was given: returns what is wrong with it, to follow "--flag "; empty: nothing.
  using Reader = std::function<std::string(const std::string& given)>;

  std::string names{};  // "-n,--network", or "MARKET" for a positional
  std::string value{};  // placeholder; empty for a flag that takes none
  std::string doc{};
  Reader take{};
  std::optional<std::string> otherwise{};  // the value of a flag without one; a value has to follow a "=" then
  bool positional = false;
  bool required = false;
  bool repeats = false;  // a positional that takes all remaining words, or a flag that may be given again
  std::span<const std::string_view> choices{};  // the allowed values; empty: any

  [[nodiscard]] bool is_called(std::string_view name) const;
  [[nodiscard]] bool takes_next_word() const { return !value.empty() && !otherwise; }
  // What stands for its value in help.
  [[nodiscard]] std::string_view placeholder() const { return positional ? names : value; }
};

// "-f,--file" is shown as "--file".
[[nodiscard]] std::string_view long_name(std::string_view names);

// Takes a well-formed address. If its letters are in both cases, they must be its checksum (EIP-55). Empty: no problem.
[[nodiscard]] std::string checksum_problem(std::string_view address);

// An argument as a row says it; a flag if its names begin with "-".
struct Argument {
  std::string_view names;  // "NAME", "--to", "-f,--file"
  std::string_view doc;
  std::string_view value{};                     // placeholder of a flag
  std::span<const std::string_view> choices{};  // compared without case; the value gets the spelling of the choice
  bool hides_global = false;                    // a flag of the program has this name and another meaning
  bool is_decimal = false;  // above zero, by the grammar of base/decimal.h; the digits are kept as typed
  bool is_refused = false;  // recognised and refused, with `doc` as the reason; nothing takes its value

  [[nodiscard]] bool is_flag() const { return names.starts_with('-'); }
};
[[nodiscard]] constexpr Argument refused(std::string_view name, std::string_view why) {
  return {.names = name, .doc = why, .is_refused = true};
}
[[nodiscard]] constexpr Argument decimal(std::string_view names, std::string_view doc, std::string_view value) {
  return {.names = names, .doc = doc, .value = value, .is_decimal = true};
}
// Replaces a global flag of its name.
template <class Row = Argument>
[[nodiscard]] constexpr Row hiding_global(Row row) {
  row.hides_global = true;
  return row;
}

class Arguments {
 public:
  Arguments() = default;
  Arguments(Arguments&&) = delete;

  // Positionals and values of flags may be empty only if they are called TEXT, or Q for a query.

  // The type of the value tells how it is read: a std::string is a positional that must be given, or the value of a
  // flag; a std::optional of one may be left out as well; a number, an address, a path, a choice or a bool is a flag; a
  // std::vector takes all remaining words, or those of a flag that may be repeated. Positionals are filled in the order
  // in which they are declared. A flag with a value that is given twice is an error, so that no value is silently lost.
  void add(bool& into, const Argument& row);
  void add(std::string& into, const Argument& row);
  void add(std::filesystem::path& into, const Argument& row);
  void add(std::optional<std::string>& into, const Argument& row);
  void add(std::vector<std::string>& into, const Argument& row);
  void add(std::optional<std::uint64_t>& into, const Argument& row);
  void add(std::optional<Address>& into, const Argument& row);
  // The choices are the words of the enumerators, in their order.
  template <class Into>
  requires std::is_enum_v<typename decltype(std::optional(std::declval<Into>()))::value_type>
  void add(Into& into, const Argument& row) {
    using Enum = typename decltype(std::optional(into))::value_type;
    choose(row, [&into](std::size_t place) { into = static_cast<Enum>(place); });
  }
  // A flag with an optional value: "--wait" means "--wait=otherwise".
  void text_or(std::string_view name, std::optional<std::string>& into, std::string otherwise, std::string_view value,
               std::string_view doc);
  using Reader = Declared::Reader;
  void read(const Argument& row, Reader reader);
  // From `least` to `most`.
  template <class Number>
  void bounded(std::string_view names, Number& into, std::uint64_t least, std::uint64_t most, std::string_view value,
               std::string_view doc) {
    read({names, doc, value}, [&into, least, most](const std::string& given) -> std::string {
      const auto number = parse_integer<std::uint64_t>(given);
      if (!number || *number < least || *number > most)
        return concat("must be from ", least, " to ", most, ", not \"", given, "\"");
      into = static_cast<Number>(*number);
      return {};
    });
  }

  // Removes a flag declared before, because the command has its own flag of that name.
  void give_way(std::string_view name);

  // The flag is recognised and refused with exit 2 and this sentence.
  void refused(std::string_view name, std::string_view why) { refused_.emplace_back(name, why); }

  // The words that were parsed, as typed.
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

  // Parses the words after the command's name. A failure tells what was expected; flags that can be understood are
  // taken all the same.
  Result<void> parse(const std::vector<std::string>& words);
  // The long names of the flags that were given then.
  [[nodiscard]] std::vector<std::string_view> given() const;
  // The places of the words that were neither flags nor values of flags, up to "--".
  [[nodiscard]] const std::vector<std::size_t>& argument_places() const { return argument_places_; }

  [[nodiscard]] const std::vector<Declared>& declared() const { return declared_; }
  // The flag of this name; null if there is none.
  [[nodiscard]] const Declared* find_flag(std::string_view name) const;
  // The flag that the word ends in, so that its value may follow: of "--file", "-f" or "-vf". Null if there is none.
  [[nodiscard]] const Declared* flag_at_end(std::string_view word) const;

  // The words given for MARKET arguments, to be replaced by the markets they stand for.
  [[nodiscard]] std::vector<std::string*> markets() const;

 private:
  Declared& declare(const Argument& row, Reader take);
  void choose(Argument row, std::function<void(std::size_t place)> take);
  std::vector<std::string> separate_values(std::optional<Failure>& wrong);

  std::vector<Declared> declared_;
  std::vector<std::size_t> times_;                                      // that each was given
  std::vector<std::pair<std::string_view, std::string_view>> refused_;  // name and why
  std::vector<std::string> words_;
  std::vector<std::size_t> argument_places_;
  std::vector<std::string*> markets_;
  std::vector<std::optional<std::string>*> maybe_markets_;
};

}  // namespace svc::cli
