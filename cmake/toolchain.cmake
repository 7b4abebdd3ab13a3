# How every target of ours is compiled and linked.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Paths inside the tree do not count, so that a second checkout finds what the first one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

add_library(svc_options INTERFACE)
# A failed assertion names its file as the tree does, wherever that was built.
target_compile_options(svc_options INTERFACE -fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=)
# ccache gives the compiler paths relative to the folder of the build.
file(RELATIVE_PATH svc_source_from_build ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
target_compile_options(svc_options INTERFACE -fmacro-prefix-map=${svc_source_from_build}=)
target_compile_options(svc_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A unity build puts the constants of several files into one: only locals that hide locals are told. What a class keeps
  # may then have a type of an unnamed namespace without harm.
  target_compile_options(svc_options INTERFACE -Wshadow=local -Wno-subobject-linkage)
  # g++ 12 sees through inlining what is not there, in optionals above all.
  target_compile_options(svc_options INTERFACE -Wno-maybe-uninitialized)
  # The compiler collects its garbage from 128 MiB on, over and over in a unit of a GiB. From 512 MiB on a build takes a
  # tenth less time.
  target_compile_options(svc_options INTERFACE --param=ggc-min-heapsize=524288)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The fuzz targets alone are compiled by it. It takes what a generic lambda uses for unused.
  target_compile_options(svc_options INTERFACE -Wno-unused-lambda-capture)
endif()
target_include_directories(svc_options INTERFACE ${CMAKE_SOURCE_DIR}/src)

include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)

# The binary holds keys: canaries, checked copies, control-flow protection, no address that is known beforehand, and no
# table of pointers that can be written to after the start. tests/readme/check_hardening reads it off the binary. (D-603)
# The files of tests go without (their targets have the property svc_is_test): an eighth of their compilation.
set(svc_hardening -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
target_compile_options(svc_options INTERFACE
  "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:svc_is_test>>>:${svc_hardening}>")
if(NOT SVC_SANITIZE)
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()

# GNU ld takes ten seconds for a binary, mold two. Only GNU ld packs relocations so that glibc takes them, and so it links
# releases. (D-604)
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  set(svc_link_fast -fuse-ld=mold)
endif()

# The binary carries its libraries; only glibc stays shared, because a static one breaks name
# resolution.
if(NOT SVC_SANITIZE)
  add_link_options(-static-libstdc++ -static-libgcc)
else()
  add_compile_options(-fsanitize=${SVC_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SVC_SANITIZE})
  if(SVC_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With these, g++ no longer knows at compile time that the address of a function is not null.
    add_compile_options(-fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute)
  endif()
  if(SVC_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # Asio's fences are not modelled; g++ says so at each of them
  endif()
endif()
add_link_options(-Wl,--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)
