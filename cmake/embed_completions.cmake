# The program prints the completion scripts that are installed with it: writes a C++ file that has them, for
# src/cli/commands/help.h.

set(completion_source ${CMAKE_BINARY_DIR}/completion_scripts.cpp)
set(completion_rows "")
foreach(shell bash zsh fish)
  set(script ${CMAKE_SOURCE_DIR}/completions/svc.${shell})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(READ ${script} text)
  string(APPEND completion_rows "      {\"${shell}\", R\"svc(${text})svc\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${completion_source} @ONLY CONTENT "#include \"cli/commands/help.h\"

namespace svc::cli {

std::span<const CompletionScript> completion_scripts() {
  static constexpr CompletionScript scripts[] = {
${completion_rows}  };
  return scripts;
}

}  // namespace svc::cli
")
