# Writes OUTPUT, a C++ file that has the FILES of FOLDER as data; see src/sim/control/console_page.h. The compiler copies
# each as it stands, and its checksum is its ETag, so that a changed file is another source.

include(${CMAKE_CURRENT_LIST_DIR}/embedded_table.cmake)
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_mjs "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")

# The first part of the style sheet goes into the page, so that the first paint waits for no second request.
set(first_paint_ends "/* -- Everything above stands in the page as well")
file(READ ${FOLDER}/style.css style)
file(READ ${FOLDER}/index.html page)
string(FIND "${style}" "${first_paint_ends}" length)
if(length EQUAL -1 OR NOT page MATCHES "<style></style>")
  message(FATAL_ERROR "style.css does not say where its first part ends, or index.html has no place for it")
endif()
string(SUBSTRING "${style}" 0 ${length} style)
string(REPLACE "<style></style>" "<style>${style}</style>" page "${page}")
file(WRITE ${OUTPUT}.index.html "${page}")

set(declarations "")
set(rows "")
set(number 0)
foreach(name IN LISTS FILES)
  set(file ${FOLDER}/${name})
  if(name STREQUAL "index.html")
    set(file ${OUTPUT}.index.html)
  endif()
  file(SHA256 ${file} checksum)
  string(SUBSTRING ${checksum} 0 32 etag)
  string(REGEX REPLACE ".*\\." "" ending ${name})
  if(NOT DEFINED type_${ending})
    message(FATAL_ERROR "${name} has no content type")
  endif()
  set(symbol svc_console_file_${number})
  set(packed ${OUTPUT}.${number}.gz)
  execute_process(COMMAND gzip -9 -n -c ${file} OUTPUT_FILE ${packed} COMMAND_ERROR_IS_FATAL ANY)
  string(APPEND declarations "asm(R\"(.pushsection .rodata.${symbol},\"a\"
.globl ${symbol}, ${symbol}_packed, ${symbol}_end
.hidden ${symbol}, ${symbol}_packed, ${symbol}_end
${symbol}: .incbin \"${file}\"
${symbol}_packed: .incbin \"${packed}\"
${symbol}_end:
.popsection)\");
extern \"C\" __attribute__((visibility(\"hidden\"))) const char ${symbol}[], ${symbol}_packed[], ${symbol}_end[];
")
  string(APPEND rows "      {.name = \"${name}\",
       .content_type = \"${type_${ending}}\",
       .etag = \"\\\"${etag}\\\"\",
       .content = {${symbol}, ${symbol}_packed},
       .packed = {${symbol}_packed, ${symbol}_end}},
")
  math(EXPR number "${number} + 1")
endforeach()

svc_write_table(${OUTPUT} sim/control/console_page.h sim::ConsoleFile sim::console_files "${declarations}" "${rows}")
# file(CONFIGURE) leaves a file that would stay the same as old as it is, and the build would run this again each time.
file(TOUCH ${OUTPUT})
