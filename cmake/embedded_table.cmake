# Writes a C++ file that defines a function of `header`, which returns these rows.
function(svc_write_table output header type function declarations rows)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [=[
#include "@header@"

@declarations@
std::span<const svc::@type@> svc::@function@() {
  static const svc::@type@ rows[] = {
@rows@  };
  return rows;
}
]=])
endfunction()
