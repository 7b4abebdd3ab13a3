// A machine on which every example of the help can run: placeholders such as $ORDER and $ADDR are created just before
// the line that needs them.
#pragma once

#include <string>
#include <string_view>

#include "cli/client_machine.h"

namespace svc::cli {

class ExampleMachine {
 public:
  ExampleMachine();

  // The words after "svc", with files and variables filled in.
  std::string ready(std::string_view example);
  // Restores what the line may have removed: the session, settings, an open market.
  void tidy(std::string_view example);

  ClientMachine machine;

 private:
  std::string id_of(const std::string& line, std::string_view path);
  void log_in();

  Address other_;
};

}  // namespace svc::cli
