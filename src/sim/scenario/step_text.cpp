#include "sim/scenario/step_text.h"

#include <map>

namespace svc::sim::scenario {
namespace {

using nlohmann::json;

// What a term of an order needs behind it.
enum class Behind : std::uint8_t { text, integer, nothing };

struct Term {
  const char* field;
  Behind behind = Behind::text;
  const char* family = "";  // of order types, if the term decides it
};

const std::map<std::string, Term>& terms() {
  static const std::map<std::string, Term> table = {
      {"@", {"price"}},
      {"stop", {"trigger_price", Behind::text, "Stop"}},
      {"profit", {"trigger_price", Behind::text, "TakeProfit"}},
      {"trail", {"trailing_offset_bps", Behind::integer, "Trailing"}},
      {"offset", {"limit_offset_bps", Behind::integer}},
      {"slippage", {"max_slippage_bps", Behind::integer}},
      {"reduce-only", {"reduce_only", Behind::nothing}},
      {"stp", {"stp"}},
      {"in", {"market"}},
      {"as", {"label"}},
      {"id", {"client_id"}},
  };
  return table;
}

bool is_time_in_force(const std::string& word) {
  return word == "GTC" || word == "IOC" || word == "FOK" || word == "PostOnly";
}

// ACCOUNT buys|sells QUANTITY TERM...; "-" says that what the term needs is not given.
json read_order(Words& words, const std::string& account, const char* side) {
  json step = {{"op", "place"}, {"account", account}, {"side", side}, {"quantity", words.next("a quantity")}};
  std::string family;
  bool limit = false;
  while (!words.done()) {
    const std::string word = words.next("a term");
    const auto term = terms().find(word);
    if (is_time_in_force(word)) {
      step["tif"] = word;
    } else if (word == "limit") {
      limit = true;
    } else if (term == terms().end()) {
      fail(words.line(), "unknown term \"" + word + "\"");
    } else {
      const auto& [field, behind, decides] = term->second;
      if (*decides != '\0') family = decides;
      if (behind == Behind::nothing) {
        step[field] = true;
      } else if (!words.skip("-")) {
        step[field] = behind == Behind::integer ? read_integer(words, field) : json(words.next(field));
      }
    }
  }
  if (step.contains("stp") && step["stp"] == "none") step["stp"] = nullptr;
  const bool trailing = family == "Trailing";
  limit = limit || step.contains(trailing ? "limit_offset_bps" : "price");
  step["type"] = family + (limit ? "Limit" : trailing ? "Stop" : "Market");
  return step;
}

json read_marks(Words& words) {
  json marks = json::object();
  do {
    const std::string market = words.next("a market");
    marks[market] = words.next("a price");
  } while (!words.done());
  return {{"op", "set_marks"}, {"marks", std::move(marks)}};
}

json read_amend(Words& words) {
  json step = {{"op", "amend"}, {"order", words.next("an order")}};
  if (words.skip("@")) step["price"] = words.next("a price");
  if (words.skip("to")) step["size"] = words.next("a size");
  if (words.skip("as")) step["label"] = words.next("a label");
  return step;
}

json read_cancel_all(Words& words) {
  json step = {{"op", "cancel_all"}, {"account", words.next("an account")}};
  if (words.skip("in")) step["market"] = words.next("a market");
  return step;
}

json read_transfer(Words& words) {
  json step = {{"op", "transfer"}, {"account", words.next("an account")}};
  step["to"] = words.next("the other account");
  step["amount"] = words.next("an amount");
  return step;
}

json read_settle(Words& words) {
  json step = {{"op", "settle"}, {"market", words.next("a market")}};
  if (!words.skip("at")) fail(words.line(), "expected at PRICE");
  step["price"] = words.next("a price");
  return step;
}

json read_margin(Words& words) {
  json step = {{"op", "margin"}, {"account", words.next("an account")}};
  step["direction"] = words.next("add or remove");
  step["amount"] = words.next("an amount");
  return step;
}

json read_funding(Words& words) {
  json step = {{"op", "funding"}, {"rate", words.next("a rate")}};
  if (!words.skip("at")) fail(words.line(), "expected at INDEX");
  step["index"] = words.next("an index");
  return step;
}

json read_resume(Words& words) {
  json step = {{"op", "operator_resume"}, {"market", words.next("a market")}, {"inject", "0"}};
  if (words.skip("with")) step["inject"] = words.next("an amount");
  return step;
}

template <const char* const& op>
json read_funds(Words& words) {
  json step = {{"op", op}, {"account", words.next("an account")}};
  step["amount"] = words.next("an amount");
  return step;
}

constexpr const char* deposit = "deposit";
constexpr const char* withdraw = "withdraw";

struct Verb {
  json (*read)(Words&);
  bool in_market = false;  // may end with "in MARKET"
};

const std::map<std::string, Verb>& verbs() {
  static const std::map<std::string, Verb> table = {
      {"deposit", {read_funds<deposit>}},
      {"withdraw", {read_funds<withdraw>}},
      {"insure", {[](Words& w) -> json {
         return {{"op", "fund_insurance"}, {"amount", w.next("an amount")}};
       }}},
      {"mark", {read_marks}},
      {"amend", {read_amend}},
      {"cancel", {[](Words& w) -> json {
         return {{"op", "cancel"}, {"order", w.next("an order")}};
       }}},
      {"cancel-all", {read_cancel_all}},
      {"disconnect", {[](Words& w) -> json {
         return {{"op", "disconnect"}, {"account", w.next("an account")}};
       }}},
      {"transfer", {read_transfer}},
      {"halt", {[](Words& w) -> json {
         return {{"op", "halt"}, {"market", w.next("a market")}};
       }}},
      {"settle", {read_settle}},
      {"leverage",
       {[](Words& w) -> json {
          json step = {{"op", "set_leverage"}, {"account", w.next("an account")}};
          step["leverage"] = read_integer(w, "leverage");
          return step;
        },
        true}},
      {"mode",
       {[](Words& w) -> json {
          json step = {{"op", "set_margin_mode"}, {"account", w.next("an account")}};
          step["mode"] = w.next("cross or isolated");
          return step;
        },
        true}},
      {"margin", {read_margin, true}},
      {"funding", {read_funding, true}},
      {"wait", {[](Words& w) -> json {
         return {{"op", "advance_ms"}, {"ms", read_integer(w, "milliseconds")}};
       }}},
      {"resume", {read_resume}},
  };
  return table;
}

}  // namespace

json read_integer(Words& words, const char* what) {
  const std::string& word = words.next(what);
  constexpr std::size_t digits_max = 18;
  const std::size_t sign = word.starts_with('-') ? 1 : 0;
  const std::size_t digits = word.size() - sign;
  const bool whole = digits > 0 && digits <= digits_max && word.find_first_not_of("0123456789", sign) == word.npos;
  if (!whole) fail(words.line(), std::string(what) + " must be a whole number, not \"" + word + "\"");
  return std::stoll(word);
}

json read_step(const TextLine& line, const std::string& market) {
  Words words(line);
  const std::string first = words.next("a step");
  if (words.skip("buys") || words.skip("sells")) {
    json step = read_order(words, first, line.words[1] == "buys" ? "Buy" : "Sell");
    if (!step.contains("market")) step["market"] = market;
    return step;
  }
  const auto verb = verbs().find(first);
  if (verb == verbs().end()) fail(line, "neither a step nor an expectation: " + first);
  json step = verb->second.read(words);
  if (verb->second.in_market) step["market"] = words.skip("in") ? words.next("a market") : market;
  words.finish();
  return step;
}

}  // namespace svc::sim::scenario
