# The runtime's own sources become part of the binary: `mtfc emit --backend mpi` ships them.
file(GLOB_RECURSE mtfc_runtime_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src
  ${CMAKE_SOURCE_DIR}/src/runtime/*.h ${CMAKE_SOURCE_DIR}/src/runtime/*.cpp
  ${CMAKE_SOURCE_DIR}/src/runtime/*.inc)
foreach(name check draw_key dtype scalar)
  list(APPEND mtfc_runtime_files support/${name}.h support/${name}.cpp)
endforeach()
list(APPEND mtfc_runtime_files support/id.h support/scalar_ops.def)
set(mtfc_runtime_texts ${CMAKE_BINARY_DIR}/generated/shipped_runtime.cpp)
list(TRANSFORM mtfc_runtime_files PREPEND ${CMAKE_SOURCE_DIR}/src/
  OUTPUT_VARIABLE mtfc_runtime_paths)
add_custom_command(
  OUTPUT ${mtfc_runtime_texts}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR}/src "-DFILES=${mtfc_runtime_files}"
          -DOUT=${mtfc_runtime_texts} -DSTAMP=${CMAKE_BINARY_DIR}/libmtfc_runtime.stamp -P ${CMAKE_SOURCE_DIR}/cmake/EmbedRuntime.cmake
  DEPENDS ${mtfc_runtime_paths} ${CMAKE_SOURCE_DIR}/cmake/EmbedRuntime.cmake
  COMMENT "Embedding the runtime"
  VERBATIM)
target_sources(mtfc_backends PRIVATE ${mtfc_runtime_texts})
