# models/lib/*.mtf become part of the binary (`shipped_library()`).
file(GLOB mtfc_library_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/models/lib/*.mtf)
set(mtfc_library_texts ${CMAKE_BINARY_DIR}/generated/library_texts.cpp)
add_custom_command(
  OUTPUT ${mtfc_library_texts}
  COMMAND ${CMAKE_COMMAND} "-DFILES=${mtfc_library_files}" -DOUT=${mtfc_library_texts}
          -P ${CMAKE_SOURCE_DIR}/cmake/EmbedLibrary.cmake
  DEPENDS ${mtfc_library_files} ${CMAKE_SOURCE_DIR}/cmake/EmbedLibrary.cmake
  COMMENT "Embedding the library"
  VERBATIM)
target_sources(mtfc_frontend PRIVATE ${mtfc_library_texts})
