#include "cli/arguments/arguments.h"

#include <CLI/CLI.hpp>

#include "cli/arguments/spelling.h"
#include "signing/key.h"

namespace svc::cli {
namespace {

constexpr std::string_view market_word = "MARKET";

// An empty value is most often a variable that a script has not set. Only what is free text may be meant to be empty.
bool may_be_empty(std::string_view placeholder) {
  return placeholder == "TEXT" || placeholder == "Q";
}

template <class T>
Declared::Reader text_into(T& into, bool is_free) {
  return [&into, is_free](const std::string& given) {
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      into.push_back(given);
    else
      into = given;
    return given.empty() && !is_free ? "is empty" : "";
  };
}

// Whether a word may be one of these names: "--file", "--file=x", or combined letters such as "-vf".
bool is_mentioned(std::string_view names, const std::vector<std::string>& words) {
  const std::string_view name = long_name(names);
  const bool has_letter = names[0] == '-' && names[1] != '-';
  return std::ranges::any_of(words, [&](const std::string& word) {
    if (!word.starts_with("--")) return has_letter && word.starts_with('-') && word.find(names[1]) != word.npos;
    return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
  });
}

Failure unexpected_argument(const std::string& word) {
  return usage_error("unexpected argument \"", word, "\"");
}

Failure unexpected_word(const std::string& word, const std::vector<Declared>& declared,
                        const std::vector<std::pair<std::string_view, std::string_view>>& refused) {
  if (!word.starts_with('-') || word == "-") return unexpected_argument(word);
  const std::string given = word.substr(0, word.find('='));
  for (const auto& [name, why] : refused)
    if (name == given) return usage_error(given, ": ", why);
  std::vector<std::string_view> known;
  for (const Declared& one : declared)
    if (!one.positional) known.push_back(long_name(one.names));
  Failure failure = usage_error("unknown flag " + given);
  if (const auto near = nearest(given, known)) failure.message += "; did you mean " + std::string(*near) + "?";
  return failure;
}

}  // namespace

std::string_view long_name(std::string_view names) {
  const auto comma = names.rfind(',');
  return comma == std::string_view::npos ? names : names.substr(comma + 1);
}

std::string checksum_problem(std::string_view address) {
  if (signing::checksum_holds(address)) return {};
  return concat(address, " has a wrong digit: the case of its letters is not its checksum");
}

bool Declared::is_called(std::string_view name) const {
  for (std::string_view rest = names; !rest.empty();)
    if (take_line(rest, ',') == name) return true;
  return false;
}

const Declared* Arguments::find_flag(std::string_view name) const {
  return found_where(declared_, [&](const Declared& one) { return !one.positional && one.is_called(name); });
}

const Declared* Arguments::flag_at_end(std::string_view word) const {
  const Declared* flag = find_flag(word);
  if (flag != nullptr || word.size() < 3 || word[0] != '-' || word[1] == '-') return flag;
  const Declared* first = find_flag(word.substr(0, 2));
  const bool others_follow = first != nullptr && first->value.empty();
  return others_follow ? flag_at_end(concat("-", word.substr(2))) : nullptr;
}

Declared& Arguments::declare(const Argument& row, Reader take) {
  if (row.hides_global) give_way(row.names);
  return declared_.emplace_back(
      Declared{std::string(row.names), std::string(row.value), std::string(row.doc), std::move(take)});
}

void Arguments::add(bool& into, const Argument& row) {
  const auto set = [&into](const std::string&) {
    into = true;
    return "";
  };
  declare(row, set).repeats = true;
}

void Arguments::add(std::string& into, const Argument& row) {
  Declared& one = declare(row, text_into(into, !row.is_flag() && may_be_empty(row.names)));
  one.positional = one.required = !row.is_flag();
  if (row.names == market_word) markets_.push_back(&into);
}

void Arguments::add(std::filesystem::path& into, const Argument& row) {
  declare(row, text_into(into, false));
}

void Arguments::add(std::optional<std::string>& into, const Argument& row) {
  if (!row.choices.empty())
    return choose(row, [&into, allowed = row.choices](std::size_t place) { into = std::string(allowed[place]); });
  if (row.is_decimal)
    return read(row, [&into](const std::string& given) -> std::string {
      into = completed_decimal(given);
      const auto number = parse_decimal(*into);
      if (!number) return "must be a decimal number such as 0.25, not \"" + *into + "\"";
      return number->coefficient > 0 ? "" : "must be above zero, not " + *into;
    });
  const std::string_view placeholder = row.is_flag() ? row.value : row.names;
  declare(row, text_into(into, may_be_empty(placeholder))).positional = !row.is_flag();
  if (placeholder == market_word) maybe_markets_.push_back(&into);
}

void Arguments::add(std::vector<std::string>& into, const Argument& row) {
  Declared& one = declare(row, text_into(into, !row.is_flag() || may_be_empty(row.value)));
  one.positional = !row.is_flag();
  one.repeats = true;
}

void Arguments::add(std::optional<std::uint64_t>& into, const Argument& row) {
  read(row, [&into](const std::string& given) {
    into = parse_integer<std::uint64_t>(given);
    return into ? "" : "must be a whole number, not \"" + given + "\"";
  });
}

void Arguments::add(std::optional<Address>& into, const Argument& row) {
  Argument shown = row;
  shown.value = "ADDR";
  read(shown, [&into](const std::string& given) {
    into = parse_address(given);
    return into ? checksum_problem(given) : "must be 0x and 40 hex digits, not \"" + given + "\"";
  });
}

void Arguments::text_or(std::string_view name, std::optional<std::string>& into, std::string otherwise,
                        std::string_view value, std::string_view doc) {
  declare({name, doc, value}, text_into(into, may_be_empty(value))).otherwise = std::move(otherwise);
}

void Arguments::read(const Argument& row, Reader reader) {
  declare(row, [reader = std::move(reader), is_free = may_be_empty(row.value)](const std::string& given) {
    return given.empty() && !is_free ? "is empty" : reader(given);
  });
}

void Arguments::choose(Argument row, std::function<void(std::size_t place)> take) {
  const std::string words = joined(row.choices, {}, "|");
  row.value = words;
  read(row, [allowed = row.choices, take = std::move(take)](const std::string& given) -> std::string {
    const auto found = std::ranges::find(allowed, bare_word(given), bare_word);
    if (found == allowed.end()) return "must be one of " + joined(allowed) + ", not \"" + given + "\"";
    take(static_cast<std::size_t>(found - allowed.begin()));
    return {};
  });
  declared_.back().choices = row.choices;
}

std::vector<std::string*> Arguments::markets() const {
  std::vector<std::string*> given = markets_;
  for (std::optional<std::string>* one : maybe_markets_)
    if (*one) given.push_back(&**one);
  return given;
}

std::vector<std::string_view> Arguments::given() const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < times_.size(); ++i)
    if (times_[i] > 0 && !declared_[i].positional) names.push_back(long_name(declared_[i].names));
  return names;
}

void Arguments::give_way(std::string_view name) {
  std::erase_if(declared_, [&](const Declared& one) { return long_name(one.names) == name; });
}

// The library gets each value as a word of its own. Behind "--flag=" it would take the next word for the value, and
// behind "--flag" even a flag.
std::vector<std::string> Arguments::separate_values(std::optional<Failure>& wrong) {
  std::vector<std::string> separate;
  argument_places_.clear();
  std::size_t i = 0;
  for (; i < words_.size() && words_[i] != "--"; ++i) {
    const std::string& word = words_[i];
    // A negative number is an argument.
    const bool is_argument = word.size() < 2 || word.front() != '-' || is_digit(word[1]);
    if (is_argument) argument_places_.push_back(i);
    const auto sign = word.starts_with("--") ? word.find('=') : word.npos;
    const std::string name = word.substr(0, sign);
    const Declared* flag = is_argument ? nullptr : flag_at_end(name);
    if (flag == nullptr || flag->value.empty()) {
      separate.push_back(word);
      continue;
    }
    std::optional<std::string> value = flag->otherwise;
    if (sign != word.npos) value = word.substr(sign + 1);
    if (!value && i + 1 < words_.size()) {
      // If the value is missing, what the next flag protects from would happen. A misspelt flag counts, and so does one
      // that the command refuses. A sentence is a text.
      const std::string& next = words_[i + 1];
      const bool is_flag = next.size() > 2 && next.starts_with("--") && next.find(' ') == next.npos;
      if (!is_flag && flag_at_end(next) == nullptr)
        value = words_[++i];
      else if (!wrong)
        wrong = usage_error(word, " needs a value, and \"", next, "\" is a flag; ", long_name(flag->names),
                            "=VALUE takes any");
    }
    if (value)
      separate.insert(separate.end(), {name, *value});
    else if (!wrong)
      wrong = usage_error(long_name(flag->names), " needs a value");
  }
  return followed_by(std::move(separate), {words_.begin() + static_cast<std::ptrdiff_t>(i), words_.end()});
}

Result<void> Arguments::parse(const std::vector<std::string>& words) {
  words_ = words;
  std::optional<Failure> wrong;  // the first
  const std::vector<std::string> separate = separate_values(wrong);

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> options(declared_.size());
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    const Declared& one = declared_[i];
    // The library compares every name with all others, so it gets only the flags that the line may mean.
    if (!one.positional && !is_mentioned(one.names, words)) continue;
    options[i] = one.positional || !one.value.empty() ? app.add_option(one.names) : app.add_flag(one.names);
    options[i]->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    // All words that are left. Without a number the library would take "[a,b]" for two words.
    if (one.positional && one.repeats) options[i]->expected(static_cast<int>(words.size()) + 1);
  }
  try {
    app.parse(std::vector<std::string>(separate.rbegin(), separate.rend()));  // it takes them in reverse order
  } catch (const CLI::ParseError& error) {
    if (!wrong) wrong = usage_error(error.what());
  }

  times_.assign(declared_.size(), 0);
  std::vector<std::string> problems(declared_.size());
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    const Declared& one = declared_[i];
    for (const std::string& given : options[i] != nullptr ? options[i]->results() : std::vector<std::string>()) {
      const bool has_needless_value = !one.positional && one.value.empty() && given != "true";
      if (has_needless_value && !wrong) wrong = usage_error(long_name(one.names), " takes no value");
      if (times_[i]++ > 0 && !one.repeats) continue;
      const std::string problem = one.take(given);
      if (problems[i].empty()) problems[i] = problem;
    }
  }
  if (wrong) return std::move(*wrong);
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (times_[i] > 1 && !declared_[i].repeats)
      return usage_error(long_name(declared_[i].names), " is given more than once");
  // A value that is wrong explains a word too many better ("--limit= 5"), and an unknown flag a missing argument.
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (!problems[i].empty()) return usage_error(long_name(declared_[i].names), " ", problems[i]);
  bool flags_are_over = false;
  for (const std::string& extra : app.remaining()) {
    if (extra != "--") return flags_are_over ? unexpected_argument(extra) : unexpected_word(extra, declared_, refused_);
    flags_are_over = true;
  }
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (declared_[i].required && times_[i] == 0) return usage_error("missing ", declared_[i].names);
  return {};
}

}  // namespace svc::cli
