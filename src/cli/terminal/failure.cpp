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

namespace {

constexpr ExitMeaning of_program{ExitCode::internal, "program_exit", "of the program that the command ran", "-"};

}  // namespace

const ExitMeaning& meaning_of(ExitCode code) {
  for (const ExitMeaning& meaning : exit_meanings())
    if (meaning.code == code) return meaning;
  return of_program;
}

const ExitMeaning& meaning_of(const Failure& failure) {
  return failure.of_program ? of_program : meaning_of(failure.exit);
}

std::span<const LocalCode> local_codes() {
  using enum ExitCode;
  static constexpr LocalCode codes[] = {
#define X(code, ...) {#code, __VA_ARGS__},
#include "cli/terminal/local_codes.def"
#undef X
  };
  return codes;
}

const LocalCode* find_local_code(std::string_view code) {
  const auto codes = local_codes();
  const auto found = std::ranges::find(codes, code, &LocalCode::code);
  return found == codes.end() ? nullptr : &*found;
}

}  // namespace svc::cli
