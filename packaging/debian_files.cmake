# Before CPack builds the Debian package: what Debian's policy asks for, and the date of the release for every file, so that
# the same source gives the same bytes.
set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(doc ${usr}/share/doc/svc)
set(released "$ENV{SOURCE_DATE_EPOCH}")
if(released STREQUAL "")
  string(TIMESTAMP released "%s" UTC)
endif()
execute_process(COMMAND date -u -R -d @${released} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)

file(MAKE_DIRECTORY ${usr}/share/lintian/overrides)
file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/lintian_overrides ${usr}/share/lintian/overrides/svc)
file(RENAME ${doc}/CHANGELOG.md ${doc}/NEWS)
file(WRITE ${doc}/changelog "svc (${CPACK_PACKAGE_VERSION}) stable; urgency=medium

  * NEWS.gz lists the changes.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
file(GLOB pages ${usr}/share/man/man*/*)
execute_process(COMMAND gzip -9nf ${pages} ${doc}/changelog ${doc}/NEWS COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND find ${usr} -exec touch -h -d @${released} "{}" + COMMAND_ERROR_IS_FATAL ANY)
