// Compares what clients were told with the truth.
//
// Promises that are checked
//   (V1) an order reported as accepted exists, once, with the requested terms
//   (V2) an order reported as not accepted never exists, not even later
//   (V3) every existing order was reported, or is in the journal as accepted: nothing is forgotten
//   (V4) once everything is settled, no outbox holds an order that never came to exist
//   (V5) a stream has no gaps, no repetitions and no wrong order, unless it reported them
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/json.h"
#include "vopr/server.h"
#include "vopr/world.h"

namespace svc::vopr {

// A command given to a client, with everything that identifies it.
struct Intent {
  enum class Kind : std::uint8_t { order, amend, deposit, cancel };
  Kind kind = Kind::order;
  std::size_t seat = 0;
  std::size_t machine = 0;
  std::string client_id{};
  std::string side{};  // "Buy"
  std::string quantity{};
  std::string price{};
  std::string amount{};
  std::string order_id{};  // of an existing order, as reported; of the order to be changed

  std::vector<std::string> accepted_by{};      // who reported that it exists
  std::vector<std::string> not_accepted_by{};  // who reported that it does not and never will

  [[nodiscard]] std::string name() const;
};

class Ledger {
 public:
  explicit Ledger(World& world) : world_(world) {}

  Intent& add(Intent intent);
  [[nodiscard]] std::deque<Intent>& intents() { return intents_; }

  [[nodiscard]] std::size_t orders_under(std::string_view client_id) const;

  // The end of a command.
  void told(Intent& intent, bool is_accepted, const std::string& by);
  // The result of looking up an entry of that machine's outbox. `record`: for a batch, each result; null if not
  // given.
  void heard(std::size_t machine, std::string_view id, std::string_view verdict, const cli::Json& record,
             const std::string& by);
  // A notice contains only the client id.
  void heard_notice(std::size_t machine, std::string_view client_id, std::string_view verdict, const std::string& by);

  // The output for a follower of the seat's fills, complete or not.
  void watched(std::size_t seat, const std::string& lines, const std::string& by);

  // An outbox row after everything is settled.
  void still_open(std::size_t machine, std::string_view id);

  // Rows of `journal export`, after everything is settled.
  void read_journal(std::size_t machine, const cli::Json& rows);

  // Records what the exchange may have forgotten in the end.
  void look(Server& server, const std::vector<Seat>& seats);
  // Compares the exchange's state with everything above.
  void check(Server& server, const std::vector<Seat>& seats);
  // After a check, in a world whose exchange has forgotten nothing.
  void check_outboxes() const;
  // The state found by the latest check, for comparisons.
  [[nodiscard]] const std::string& truth() const { return truth_; }
  [[nodiscard]] std::uint64_t writes_there() const { return there_; }

 private:
  struct Written {  // a row of a journal
    std::string operation;
    std::string target;
    cli::Json body;
    std::string result;
  };
  struct Verdict {
    std::size_t machine = 0;
    std::string id;
    std::string verdict;
    cli::Json record;
    std::string by;
  };
  struct Truth {
    std::vector<cli::Json> orders;  // all orders that ever existed
    std::vector<cli::Json> deposits;
    std::vector<std::string> fills;  // ids, oldest first
  };
  struct Watched {
    std::size_t seat = 0;
    std::string lines;
    std::string by;
  };

  [[nodiscard]] static bool is_of(const Intent& intent, const Written& written, const cli::Json& body);
  void apply(const Verdict& verdict);
  void apply(Intent& intent, std::string_view verdict, const std::string& by);
  [[nodiscard]] Truth read(Server& server, const Seat& seat);
  [[nodiscard]] std::size_t count(const Intent& intent, const Truth& truth) const;
  void check(const Intent& intent, std::size_t there);
  void check(const Watched& watched, const std::vector<std::string>& fills);

  World& world_;
  std::deque<Intent> intents_;
  std::vector<Verdict> verdicts_;
  std::map<std::pair<std::size_t, std::string>, Written> journal_;
  std::vector<Watched> watched_;
  std::map<std::string, std::map<std::string, cli::Json>> known_orders_;  // by account and order id
  std::set<std::pair<std::size_t, std::string>> open_;
  std::set<const Intent*> there_now_;
  std::string truth_;
  std::uint64_t there_ = 0;
};

}  // namespace svc::vopr
