# Libraries from Debian. Third-party headers are system headers: our warnings do not apply to them.

set(THREADS_PREFER_PTHREAD_FLAG TRUE)
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.81 REQUIRED)  # headers: Asio, Beast, URL; Context is compiled

function(svc_static_library target archive header)
  find_library(${target}_ARCHIVE NAMES ${archive} REQUIRED)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE ${${target}_ARCHIVE} ${ARGN})
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
endfunction()

svc_static_library(svc_nettle libnettle.a nettle/hmac.h)
svc_static_library(svc_secp256k1 libsecp256k1.a secp256k1_recovery.h)
svc_static_library(svc_sodium libsodium.a sodium/crypto_pwhash_scryptsalsa208sha256.h)
svc_static_library(svc_sqlite libsqlite3.a sqlite3.h m dl Threads::Threads)

# The line editor of the shell, with what it stands on.
svc_static_library(svc_edit libedit.a histedit.h)
foreach(archive bsd md tinfo)
  find_library(svc_edit_${archive}_ARCHIVE NAMES lib${archive}.a REQUIRED)
  target_link_libraries(svc_edit INTERFACE ${svc_edit_${archive}_ARCHIVE})
endforeach()
# Civil time in the zones of the system; g++ 12 has no std::chrono::time_zone. (D-421)
set(absl_parts)
foreach(part time_zone strings strings_internal int128 throw_delegate raw_logging_internal base spinlock_wait civil_time)
  find_library(absl_${part}_ARCHIVE NAMES libabsl_${part}.a REQUIRED)
  list(APPEND absl_parts ${absl_${part}_ARCHIVE})
endforeach()
svc_static_library(svc_time_zones libabsl_time.a absl/time/time.h ${absl_parts} Threads::Threads)

find_path(toml_INCLUDE toml++/toml.h REQUIRED)
add_library(svc_toml INTERFACE)
target_include_directories(svc_toml SYSTEM INTERFACE ${toml_INCLUDE})
target_compile_definitions(svc_toml INTERFACE TOML_HEADER_ONLY=1)

# Loaded when asked for, never linked. (D-936, D-420)
find_path(openssl_INCLUDE openssl/ssl.h REQUIRED)
find_path(jq_INCLUDE jq.h REQUIRED)
find_path(qrencode_INCLUDE qrencode.h REQUIRED)  # likewise (D-535)

# Full-screen views. The archive for wide characters, which leans on the one of terminal descriptions.
svc_static_library(svc_ncurses libncursesw.a curses.h)
target_link_libraries(svc_ncurses INTERFACE ${svc_edit_tinfo_ARCHIVE})

add_library(svc_boost INTERFACE)
target_include_directories(svc_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(svc_boost INTERFACE BOOST_ASIO_NO_DEPRECATED=1)
target_link_libraries(svc_boost INTERFACE Threads::Threads)
find_library(boost_context_ARCHIVE NAMES libboost_context.a REQUIRED)
target_link_libraries(svc_boost INTERFACE ${boost_context_ARCHIVE})
