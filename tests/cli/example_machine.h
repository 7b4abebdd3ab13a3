// A desk on which every example of the help can be run: what $ORDER, $ADDR and the like stand for is made just
// before the line that needs it.
#pragma once

#include <string>
#include <string_view>

#include "cli/client_machine.h"

namespace svc::cli {

class ExampleMachine {
 public:
  ExampleMachine();

  // The words after "svc", with names of the home folder and variables filled in.
  std::string ready(std::string_view example);
  // Puts back what the line may have taken away: the session, settings, an open market.
  void tidy(std::string_view example);

  ClientMachine machine;

 private:
  std::string id_of(const std::string& line, std::string_view path);
  void log_in();

  Address other_;
};

}  // namespace svc::cli
