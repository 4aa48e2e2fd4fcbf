# docs/diagnostics/*.md become part of the binary (`mtfc explain CODE`).
file(GLOB mtfc_page_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/diagnostics/*.md)
set(mtfc_pages ${CMAKE_BINARY_DIR}/generated/diagnostic_pages.cpp)
add_custom_command(
  OUTPUT ${mtfc_pages}
  COMMAND ${CMAKE_COMMAND} "-DFILES=${mtfc_page_files}" -DOUT=${mtfc_pages}
          -P ${CMAKE_SOURCE_DIR}/cmake/EmbedPages.cmake
  DEPENDS ${mtfc_page_files} ${CMAKE_SOURCE_DIR}/cmake/EmbedPages.cmake
  COMMENT "Embedding the pages of the diagnostics"
  VERBATIM)
target_sources(mtfc_support PRIVATE ${mtfc_pages})
