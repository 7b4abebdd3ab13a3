// How answers are shown, for all commands of a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/failure.h"

namespace svc::cli {

class Shell;

// \pset NAME VALUE: a global flag about output for all lines that do not say it themselves; without a value
// it is taken back, without a name all are listed.
[[nodiscard]] Result<int, Failure> set_print(Shell& shell, const std::vector<std::string>& words);

// That format for all lines; a second time back to what it was before.
[[nodiscard]] Result<int, Failure> toggle_output(Shell& shell, std::string_view format);

}  // namespace svc::cli
