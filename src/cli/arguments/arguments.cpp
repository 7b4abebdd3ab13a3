#include "cli/arguments/arguments.h"

#include <CLI/CLI.hpp>

#include "cli/arguments/spelling.h"
#include "signing/key.h"

namespace svc::cli {
namespace {

constexpr std::string_view market_word = "MARKET";

// Whether a word may be one of these names: "--file", "--file=x", or combined letters such as "-vf".
bool is_mentioned(std::string_view names, const std::vector<std::string>& words) {
  const std::string_view name = long_name(names);
  const bool has_letter = names[0] == '-' && names[1] != '-';
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    if (!word.starts_with("--")) return has_letter && word.starts_with('-') && word.find(names[1]) != word.npos;
    return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
  });
}

}  // namespace

struct Arguments::Parser {
  struct Option {
    std::string names;
    std::function<void(CLI::App&, const std::string& names)> add;
    std::function<std::string()> problem;  // of the given text, to follow "--flag "; empty if it is valid
  };

  CLI::App app;
  std::vector<Option> options;
};

namespace {

template <class T>
auto filling(T& into) {
  return [&into](CLI::App& app, const std::string& names) { return app.add_option(names, into); };
}

bool holds_empty(const std::string& given) {
  return given.empty();
}
bool holds_empty(const std::optional<std::string>& given) {
  return given && given->empty();
}
bool holds_empty(const std::vector<std::string>& given) {
  return std::ranges::find(given, "") != given.end();
}

// An empty value is most often a variable that a script has not set. Only what is free text may be meant to be empty.
bool may_be_empty(std::string_view placeholder) {
  return placeholder == "TEXT" || placeholder == "Q";
}
template <class T>
std::function<std::string()> not_empty(const T& into, std::string_view placeholder) {
  if (may_be_empty(placeholder)) return {};
  return [&into] { return holds_empty(into) ? "is empty" : ""; };
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
  const std::string_view all = std::string_view(names).substr(0, names.find("[="));
  const auto comma = all.find(',');
  return all == name ||
         (comma != std::string_view::npos && (all.substr(0, comma) == name || all.substr(comma + 1) == name));
}

const Declared* Arguments::find_flag(std::string_view name) const {
  const auto found =
      std::ranges::find_if(declared_, [&](const Declared& one) { return !one.positional && one.is_called(name); });
  return found == declared_.end() ? nullptr : &*found;
}

Arguments::Arguments() : parser_(std::make_unique<Parser>()) {
  parser_->app.set_help_flag();
}
Arguments::~Arguments() = default;

template <class Add>
void Arguments::add(Declared declared, Add add_option, std::function<std::string()> problem) {
  parser_->options.push_back(
      {declared.names.substr(0, declared.names.find("[=")), std::move(add_option), std::move(problem)});
  declared_.push_back(std::move(declared));
}

void Arguments::positional(std::string_view name, std::string& into, std::string_view doc) {
  add(
      {.names = std::string(name), .doc = std::string(doc), .positional = true, .required = true},
      [&into](CLI::App& app, const std::string& all) { app.add_option(all, into)->required(); }, not_empty(into, name));
  if (name == market_word) markets_.push_back(&into);
}

void Arguments::positional(std::string_view name, std::optional<std::string>& into, std::string_view doc) {
  add({.names = std::string(name), .doc = std::string(doc), .positional = true}, filling(into), not_empty(into, name));
  if (name == market_word) maybe_markets_.push_back(&into);
}

void Arguments::remaining(std::string_view name, std::vector<std::string>& into, std::string_view doc) {
  add({.names = std::string(name), .doc = std::string(doc), .positional = true, .repeats = true}, filling(into));
}

void Arguments::flag(std::string_view names, bool& into, std::string_view doc) {
  add({.names = std::string(names), .doc = std::string(doc)},
      [&into](CLI::App& app, const std::string& all) { app.add_flag(all, into)->disable_flag_override(); });
}

void Arguments::text(std::string_view names, std::optional<std::string>& into, std::string_view value,
                     std::string_view doc) {
  add({std::string(names), std::string(value), std::string(doc)}, filling(into), not_empty(into, value));
  if (value == market_word) maybe_markets_.push_back(&into);
}

std::vector<std::string*> Arguments::markets() const {
  std::vector<std::string*> given = markets_;
  for (std::optional<std::string>* one : maybe_markets_)
    if (*one) given.push_back(&**one);
  return given;
}

void Arguments::text_or(std::string_view name, std::optional<std::string>& into, std::string otherwise,
                        std::string_view value, std::string_view doc) {
  add({.names = concat(name, "[=", value, "]"), .doc = std::string(doc)}, filling(into));
  otherwise_.emplace_back(name, std::move(otherwise));
}

void Arguments::texts(std::string_view names, std::vector<std::string>& into, std::string_view value,
                      std::string_view doc) {
  add(
      {std::string(names), std::string(value), std::string(doc)},
      [&into](CLI::App& app, const std::string& all) {
        // One word each time: the library would also take the words that follow, and the "--" that ends the flags.
        app.add_option(all, into)->expected(1)->allow_extra_args(false)->take_all();
      },
      not_empty(into, value));
}

void Arguments::read(std::string_view names, std::string_view value, std::string_view doc, Reader reader) {
  const auto given = std::make_shared<std::optional<std::string>>();
  add({std::string(names), std::string(value), std::string(doc)}, filling(*given),
      [given, reader = std::move(reader), free = may_be_empty(value)]() -> std::string {
        if (!*given) return {};
        return (*given)->empty() && !free ? "is empty" : reader(**given);
      });
}

void Arguments::integer(std::string_view names, std::optional<std::uint64_t>& into, std::string_view value,
                        std::string_view doc) {
  read(names, value, doc, [&into](const std::string& given) {
    into = parse_integer<std::uint64_t>(given);
    return into ? "" : "must be a whole number, not \"" + given + "\"";
  });
}

void Arguments::decimal(std::string_view names, std::optional<std::string>& into, std::string_view value,
                        std::string_view doc) {
  add({std::string(names), std::string(value), std::string(doc)}, filling(into), [&into]() -> std::string {
    if (!into) return {};
    *into = completed_decimal(*into);
    const auto number = parse_decimal(*into);
    if (!number) return "must be a decimal number such as 0.25, not \"" + *into + "\"";
    return number->coefficient > 0 ? "" : "must be above zero, not " + *into;
  });
}

void Arguments::address(std::string_view names, std::optional<Address>& into, std::string_view doc) {
  read(names, "ADDR", doc, [&into](const std::string& given) {
    into = parse_address(given);
    return into ? checksum_problem(given) : "must be 0x and 40 hex digits, not \"" + given + "\"";
  });
}

void Arguments::choice(std::string_view names, std::span<const std::string_view> allowed, std::string_view doc,
                       std::function<void(std::size_t place)> take) {
  read(names, joined(allowed, {}, "|"), doc,
       [allowed, take = std::move(take)](const std::string& given) -> std::string {
         const auto found = std::ranges::find(allowed, bare_word(given), bare_word);
         if (found == allowed.end()) return "must be one of " + joined(allowed) + ", not \"" + given + "\"";
         take(static_cast<std::size_t>(found - allowed.begin()));
         return {};
       });
  declared_.back().choices = allowed;
}

void Arguments::choice(std::string_view names, std::optional<std::string>& into,
                       std::span<const std::string_view> allowed, std::string_view doc) {
  choice(names, allowed, doc, [&into, allowed](std::size_t place) { into = std::string(allowed[place]); });
}

void Arguments::give_way(std::string_view name) {
  std::erase_if(parser_->options, [&](const Parser::Option& one) { return long_name(one.names) == name; });
  std::erase_if(declared_, [&](const Declared& one) { return long_name(one.names) == name; });
}

namespace {

Failure unexpected_word(const std::string& word, const std::vector<Declared>& declared,
                        const std::vector<std::pair<std::string_view, std::string_view>>& refused) {
  if (!word.starts_with('-') || word == "-") return usage_error("unexpected argument \"", word, "\"");
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

// A flag whose value is missing takes the next word; if that is a flag, what it protects from would happen.
Result<void> Arguments::check_values(const std::vector<std::string>& words) const {
  for (std::size_t i = 0; i + 1 < words.size() && words[i] != "--"; ++i) {
    const Declared* flag = find_flag(words[i]);
    if (flag == nullptr || flag->value.empty()) continue;
    const std::string& value = words[++i];
    // A misspelt flag counts, and so does one that the command refuses. A sentence is a text.
    const bool is_flag = value.size() > 2 && value.starts_with("--") && value.find(' ') == std::string::npos;
    if (!is_flag && find_flag(value) == nullptr) continue;
    return usage_error(words[i - 1], " needs a value, and \"", value, "\" is a flag; ", long_name(flag->names),
                       "=VALUE takes any");
  }
  return {};
}

Result<void> Arguments::parse(const std::vector<std::string>& words) {
  words_ = words;
  SVC_TRY(check_values(words));
  // The words that are neither flags nor positionals; the library includes "--".
  const auto extras = [this] {
    std::vector<std::string> left = parser_->app.remaining();
    std::erase(left, "--");
    return left;
  };
  // The library takes the words in reverse order.
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  for (const auto& [name, otherwise] : otherwise_) {
    for (std::string& word : reversed)
      if (word == name) word += "=" + otherwise;
  }
  parser_->app.allow_extras();
  // The library compares every name with all others, so only the options that the line may mean are registered.
  for (const Parser::Option& option : parser_->options)
    if (!option.names.starts_with('-') || is_mentioned(option.names, words)) option.add(parser_->app, option.names);
  try {
    parser_->app.parse(std::move(reversed));
  } catch (const CLI::RequiredError& error) {
    // An unknown flag explains a missing argument better than the library's message.
    for (const std::string& extra : extras()) return unexpected_word(extra, declared_, refused_);
    const std::string what = error.what();
    return usage_error("missing " + what.substr(0, what.find(' ')));
  } catch (const CLI::ParseError& error) {
    const std::string what = error.what();
    // What the library says behind the name of the flag, and what we say.
    static constexpr std::pair<std::string_view, std::string_view> sayings[] = {
        {": At Most 1 required", " is given more than once"},
        {" was given a disallowed flag override", " takes no value"},
        {": 1 required TEXT missing", " needs a value"}};
    for (const auto& [theirs, ours] : sayings) {
      const auto end = what.find(theirs);
      const bool lacks_dashes = std::islower(static_cast<unsigned char>(what.front())) != 0;
      if (end != what.npos) return usage_error(lacks_dashes ? "--" : "", what.substr(0, end), ours);
    }
    return usage_error(what);
  }
  for (const std::string& extra : extras()) return unexpected_word(extra, declared_, refused_);
  for (const Parser::Option& option : parser_->options) {
    const std::string problem = option.problem ? option.problem() : "";
    if (!problem.empty()) return usage_error(long_name(option.names), " ", problem);
  }
  return {};
}

}  // namespace svc::cli
