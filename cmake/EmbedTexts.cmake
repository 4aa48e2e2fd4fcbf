# Writes a C++ file with a function that gives the texts of files: each as {"name", text}. A script:
#   cmake -DROOT=models/lib -DFILES=a.mtf;b.mtf -DHEADER=frontend/elaborate/elaborate.h
#         -DFUNCTION=mtfc::shipped_library -DTYPE=mtfc::LibraryFile -DOUT=texts.cpp
#         [-DSTAMP=FILE] -P EmbedTexts.cmake
# FILES are relative to ROOT; the names are these paths, or with -DNAMES=stem the stems. STAMP gets a
# digest of all names and texts.
list(SORT FILES)
set(entries "")
set(stamp "")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} text)
  file(SHA256 ${ROOT}/${file} hash)
  set(name ${file})
  if(NAMES STREQUAL stem)
    get_filename_component(name ${file} NAME_WE)
  endif()
  string(APPEND entries "      {\"${name}\", R\"mtfc-text(${text})mtfc-text\"},\n")
  string(APPEND stamp "${hash} ${file}\n")
endforeach()
file(WRITE ${OUT} "// Generated: texts of files below ${ROOT}.
#include \"${HEADER}\"

const std::vector<${TYPE}>& ${FUNCTION}() {
  static const std::vector<${TYPE}> texts = {
${entries}  };
  return texts;
}
")
if(STAMP)
  string(SHA256 stamp "${stamp}")
  file(WRITE ${STAMP} "${stamp}")
endif()
