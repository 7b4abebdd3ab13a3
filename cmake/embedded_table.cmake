# Writes a C++ file with the function that `header` declares and the build makes up: it returns these rows.
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
