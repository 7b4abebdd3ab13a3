#include "cli/terminal/failure.h"

namespace svc::cli {

std::span<const ExitMeaning> exit_meanings() {
  static constexpr ExitMeaning meanings[] = {
#define X(name, number, category, meaning, may_retry) {ExitCode::name, category, meaning, may_retry},
#include "cli/terminal/exit_codes.def"
#undef X
  };
  return meanings;
}

static constexpr ExitMeaning of_program{ExitCode::internal, "program_exit", "of the program that the command ran", "-"};

const ExitMeaning& meaning_of(ExitCode code) {
  for (const ExitMeaning& meaning : exit_meanings())
    if (meaning.code == code) return meaning;
  return of_program;
}

const ExitMeaning& meaning_of(const Failure& failure) {
  return failure.of_program ? of_program : meaning_of(failure.exit);
}

}  // namespace svc::cli
