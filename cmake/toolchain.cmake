# How every target of ours is compiled and linked.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Paths inside the tree do not count, so that a second checkout finds what the first one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

add_library(svc_options INTERFACE)
target_compile_options(svc_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wimplicit-fallthrough -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A unity build puts the constants of several files into one: only locals that hide locals are told. What a class keeps
  # may then have a type of an unnamed namespace without harm.
  target_compile_options(svc_options INTERFACE -Wshadow=local -Wno-subobject-linkage)
  # g++ 12 sees through inlining what is not there, in optionals above all: told, but no error.
  target_compile_options(svc_options INTERFACE -Wno-error=maybe-uninitialized)
endif()
target_include_directories(svc_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
if(SVC_CHECK_INVARIANTS)
  target_compile_definitions(svc_options INTERFACE SVC_CHECK_INVARIANTS=1)
endif()

# The binary carries its libraries; only glibc stays shared, because a static one breaks name
# resolution.
if(NOT SVC_SANITIZE)
  add_link_options(-static-libstdc++ -static-libgcc)
else()
  add_compile_options(-fsanitize=${SVC_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SVC_SANITIZE})
  if(SVC_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # Asio's fences are not modelled; g++ says so at each of them
  endif()
endif()
add_link_options(-Wl,--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)
