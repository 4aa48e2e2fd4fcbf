# mtfc_embed(TARGET NAME ROOT root FILES f... HEADER h FUNCTION f TYPE t [NAMES stem] [STAMP file]):
# files become part of the binary (EmbedTexts.cmake).
function(mtfc_embed target name)
  cmake_parse_arguments(EMBED "" "ROOT;HEADER;FUNCTION;TYPE;NAMES;STAMP" "FILES" ${ARGN})
  set(out ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  list(TRANSFORM EMBED_FILES PREPEND ${EMBED_ROOT}/ OUTPUT_VARIABLE paths)
  set(script ${CMAKE_SOURCE_DIR}/cmake/EmbedTexts.cmake)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DROOT=${EMBED_ROOT} "-DFILES=${EMBED_FILES}" -DHEADER=${EMBED_HEADER}
            -DFUNCTION=${EMBED_FUNCTION} -DTYPE=${EMBED_TYPE} -DNAMES=${EMBED_NAMES}
            -DSTAMP=${EMBED_STAMP} -DOUT=${out} -P ${script}
    DEPENDS ${paths} ${script}
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()

# mtfc_files(VARIABLE ROOT GLOB...): files below ROOT, relative to it.
function(mtfc_files variable root)
  list(TRANSFORM ARGN PREPEND ${root}/)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${root} ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
