# What an installed svc consists of, and the Debian package of it. `scripts/release` builds all packages.

include(GNUInstallDirs)

install(TARGETS svc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(section 1 7)
  file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/man/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/completions/svc.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME svc)
install(FILES ${CMAKE_SOURCE_DIR}/completions/svc.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _svc)
install(FILES ${CMAKE_SOURCE_DIR}/completions/svc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE)

# The licence of svc, and the notices of every library whose code is in the binary.
install(CODE "
  execute_process(
    COMMAND node \"${CMAKE_SOURCE_DIR}/packaging/bill_of_materials.mjs\" notices \"${CMAKE_BINARY_DIR}\"
    OUTPUT_FILE \"${CMAKE_BINARY_DIR}/copyright\" COMMAND_ERROR_IS_FATAL ANY)")
install(FILES ${CMAKE_BINARY_DIR}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME svc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_STRIP_FILES TRUE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The svc authors <svc@packages.invalid>")
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONFLICTS daemontools)  # it has another /usr/bin/svc
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libssl3, ca-certificates, tzdata, libjq1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libqrencode4")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "command line and sandbox exchange for perpetual futures")
set(CPACK_PACKAGE_DESCRIPTION "svc trades, scripts and operates a perpetual-futures exchange from the command
line: exact JSON, exit codes that a script can branch on, and no order sent
twice. The same binary is a complete sandbox exchange to develop against,
with matching, margin, funding, liquidation and a clock that you control.")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/debian_files.cmake)
include(CPack)
