// Which of the targets of one program is meant: that after the last point of the name it was started under.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

struct ChosenTarget {
  std::string_view name;
  void (*run)(std::string_view text);
};

// Empty: none is named. `--list` prints the names and ends the program; a name that is not known ends it with 2.
inline std::string chosen_target(int argc, char** argv, const std::vector<std::string>& names) {
  if (argc > 1 && std::string_view(argv[1]) == "--list") {
    for (const std::string& name : names) std::cout << name << '\n';
    std::exit(0);
  }
  const std::string_view program = argv[0];
  const std::string_view file = program.substr(program.rfind('/') + 1);
  const auto point = file.find('.');
  if (point == std::string_view::npos) return {};
  const std::string wanted(file.substr(point + 1));
  for (const std::string& name : names)
    if (name == wanted) return wanted;
  std::cerr << "no target " << wanted << "; --list prints them\n";
  std::exit(2);
}

}  // namespace svc
