// What the lines of one shell have in common, beyond what each says itself.
#pragma once

#include <memory>
#include <set>
#include <string>

namespace svc::cli {

class Pinned;

struct Sitting {
  std::shared_ptr<Pinned> pinned{};  // shared with what the shell asks unseen
  bool expanded = false;         // tables show a line per field
  bool numbers_orders = false;   // rows of orders are numbered, for whoever names them by their row
  bool orders_agreed = false;    // a person has typed the name of a network with real funds
  bool repeats = false;          // what runs will run again and again: writes are refused
  bool locked = false;           // nobody was here for a while: the next write asks for the password
  std::set<std::string> told{};  // notices that need no second telling
};

}  // namespace svc::cli
