#include "cli/arguments/arguments.h"

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

// A negative number is an argument.
bool looks_like_flag(std::string_view word) {
  if (word.size() < 2 || word.front() != '-' || is_digit(word[1])) return false;
  constexpr std::string_view begin_no_name = "-! \n";
  const std::string_view name = word.substr(word.starts_with("--") ? 2 : 1);
  return !name.empty() && begin_no_name.find(name.front()) == std::string_view::npos;
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
  const auto found =
      std::ranges::find_if(declared_, [&](const Declared& one) { return !one.positional && one.is_called(name); });
  return found == declared_.end() ? nullptr : &*found;
}

Declared& Arguments::add(std::string_view names, std::string_view value, std::string_view doc, Reader take) {
  return declared_.emplace_back(Declared{std::string(names), std::string(value), std::string(doc), std::move(take)});
}

void Arguments::positional(std::string_view name, std::string& into, std::string_view doc) {
  Declared& one = add(name, {}, doc, text_into(into, may_be_empty(name)));
  one.positional = one.required = true;
  if (name == market_word) markets_.push_back(&into);
}

void Arguments::positional(std::string_view name, std::optional<std::string>& into, std::string_view doc) {
  add(name, {}, doc, text_into(into, may_be_empty(name))).positional = true;
  if (name == market_word) maybe_markets_.push_back(&into);
}

void Arguments::remaining(std::string_view name, std::vector<std::string>& into, std::string_view doc) {
  Declared& one = add(name, {}, doc, text_into(into, true));
  one.positional = one.repeats = true;
}

void Arguments::flag(std::string_view names, bool& into, std::string_view doc) {
  const auto set = [&into](const std::string&) {
    into = true;
    return "";
  };
  add(names, {}, doc, set).repeats = true;
}

void Arguments::text(std::string_view names, std::optional<std::string>& into, std::string_view value,
                     std::string_view doc) {
  add(names, value, doc, text_into(into, may_be_empty(value)));
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
  add(name, value, doc, text_into(into, true)).otherwise = std::move(otherwise);
}

void Arguments::texts(std::string_view names, std::vector<std::string>& into, std::string_view value,
                      std::string_view doc) {
  add(names, value, doc, text_into(into, may_be_empty(value))).repeats = true;
}

void Arguments::read(std::string_view names, std::string_view value, std::string_view doc, Reader reader) {
  add(names, value, doc, [reader = std::move(reader), is_free = may_be_empty(value)](const std::string& given) {
    return given.empty() && !is_free ? "is empty" : reader(given);
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
  add(names, value, doc, [&into](const std::string& given) -> std::string {
    into = completed_decimal(given);
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

std::vector<std::string_view> Arguments::given() const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < times_.size(); ++i)
    if (times_[i] > 0 && !declared_[i].positional) names.push_back(long_name(declared_[i].names));
  return names;
}

void Arguments::give_way(std::string_view name) {
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

Result<void> Arguments::parse(const std::vector<std::string>& words) {
  words_ = words;
  argument_places_.clear();
  times_.assign(declared_.size(), 0);
  std::vector<std::string> problems(declared_.size());
  std::vector<std::string> unexpected_words;
  std::optional<Failure> wrong;  // the first
  const auto refuse = [&](Failure failure) {
    if (!wrong) wrong = std::move(failure);
  };
  const auto take = [&](const Declared& one, const std::string& given) {
    const auto place = static_cast<std::size_t>(&one - declared_.data());
    if (times_[place]++ > 0 && !one.repeats) return;
    std::string problem = one.take(given);
    if (problems[place].empty()) problems[place] = std::move(problem);
  };
  const auto take_positional = [&](const std::string& word) {
    for (std::size_t i = 0; i < declared_.size(); ++i)
      if (declared_[i].positional && (declared_[i].repeats || times_[i] == 0)) return take(declared_[i], word);
    if (word != "--") unexpected_words.push_back(word);
  };
  bool flags_are_over = false;
  std::vector<std::string> left(words.rbegin(), words.rend());
  while (!left.empty()) {
    const std::string word = std::move(left.back());
    left.pop_back();
    if (flags_are_over || !looks_like_flag(word)) {
      if (!flags_are_over && word != "--") argument_places_.push_back(words.size() - left.size() - 1);
      if (flags_are_over || word != "--") take_positional(word);
      flags_are_over = flags_are_over || word == "--";
      continue;
    }
    const bool is_long = word.starts_with("--");
    const std::string name(word, 0, is_long ? word.find('=') : 2);
    const Declared* flag = find_flag(name);
    if (flag == nullptr) {
      unexpected_words.push_back(word);
      continue;
    }
    // Behind the "=" or the letter.
    const bool has_more = word.size() > name.size();
    const std::string more = has_more ? word.substr(name.size() + (is_long ? 1 : 0)) : std::string();
    if (flag->value.empty()) {
      if (is_long && !more.empty() && more != "true") refuse(usage_error(name, " takes no value"));
      if (!is_long && has_more) left.push_back("-" + more);  // letters may stand together
      take(*flag, {});
    } else if (has_more || flag->otherwise) {
      take(*flag, has_more ? more : *flag->otherwise);
    } else if (left.empty()) {
      refuse(usage_error(long_name(flag->names), " needs a value"));
    } else {
      // If the value is missing, what the next flag protects from would happen. A misspelt flag counts, and so does one
      // that the command refuses. A sentence is a text.
      const std::string& next = left.back();
      const bool is_flag = next.size() > 2 && next.starts_with("--") && next.find(' ') == std::string::npos;
      if (is_flag || find_flag(next) != nullptr) {
        refuse(usage_error(word, " needs a value, and \"", next, "\" is a flag; ", long_name(flag->names),
                           "=VALUE takes any"));
        continue;
      }
      take(*flag, next);
      left.pop_back();
    }
  }
  if (wrong) return std::move(*wrong);
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (times_[i] > 1 && !declared_[i].repeats)
      return usage_error(long_name(declared_[i].names), " is given more than once");
  // An unknown flag explains a missing argument better.
  if (!unexpected_words.empty()) return unexpected_word(unexpected_words.front(), declared_, refused_);
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (declared_[i].required && times_[i] == 0) return usage_error("missing ", declared_[i].names);
  for (std::size_t i = 0; i < declared_.size(); ++i)
    if (!problems[i].empty()) return usage_error(long_name(declared_[i].names), " ", problems[i]);
  return {};
}

}  // namespace svc::cli
