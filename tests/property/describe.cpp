#include <boost/pfr/core.hpp>
#include <sstream>

#include "generator.h"

namespace svc::engine {
namespace {

template <class Command>
std::string_view name_of() {
  std::string_view text = __PRETTY_FUNCTION__;  // "... Command = svc::engine::Deposit; ..."
  text = text.substr(0, text.find_first_of(";]"));
  return text.substr(text.rfind(':') + 1);
}

struct Describe {
  std::ostringstream& out;

  template <class Command>
  void operator()(const Command& command) const {
    out << name_of<Command>();
    boost::pfr::for_each_field(command, [&](const auto& part) { add(part); });
  }

  void add(const Address& account) const { out << " #" << int{account.bytes[0]}; }
  void add(MarketIndex market) const { out << " m" << market.value; }
  void add(Usdx amount) const { out << " " << format_usdx(amount); }
  void add(const std::string& text) const { out << " " << text; }
  template <class Number>
  requires(std::integral<Number>) void add(Number number) const { out << " " << number; }
  template <trade::Word Word>
  void add(Word word) const {
    out << " " << to_string(word);
  }
  template <class Enum>
  requires(std::is_enum_v<Enum> && !trade::Word<Enum>) void add(Enum value) const {
    out << " " << static_cast<int>(value);
  }
  template <class Value>
  void add(const std::optional<Value>& value) const {
    if (value) add(*value);
  }
  template <class Value>
  void add(const std::vector<Value>& values) const {
    for (const Value& value : values) {
      out << " |";
      add(value);
    }
  }
  template <class Strong>
  requires(requires(const Strong& strong) { strong.value; }) void add(const Strong& strong) const { add(strong.value); }
  void add(const OracleTick::Price& price) const {
    add(price.market);
    out << "=" << price.index.value << (price.mark ? "!" : "");
  }
  void add(const OrderParams& p) const {
    for (const std::string_view word :
         {to_string(p.side), to_string(p.type), to_string(p.time_in_force), to_string(p.stp)})
      out << " " << word;
    out << " " << p.quantity.value.value << " @ " << p.price.value.value << " m" << p.market.value
        << (p.reduce_only ? " reduce-only" : "") << " trigger " << p.trigger.value.value;
    if (p.trailing_offset_bps) out << " trailing " << *p.trailing_offset_bps;
    if (p.limit_offset_bps) out << " offset " << *p.limit_offset_bps;
    if (p.max_slippage_bps) out << " slippage " << *p.max_slippage_bps;
    if (p.expires_at_ms != 0) out << " expires " << p.expires_at_ms;
    if (p.price.grid != Grid::on || p.quantity.grid != Grid::on || p.trigger.grid != Grid::on) out << " off-grid";
  }
};

}  // namespace

std::string describe(const Command& command) {
  std::ostringstream out;
  out << command.now_ms << " ";
  std::visit(Describe{out}, command.body);
  return out.str();
}

}  // namespace svc::engine
