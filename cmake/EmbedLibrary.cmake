# Writes a C++ file that holds the texts of the shipped library. Run as a script:
#   cmake -DFILES=a.mtf;b.mtf -DOUT=library_texts.cpp -P EmbedLibrary.cmake
set(entries "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND entries "      {\"${name}\", R\"mtfc-text(${text})mtfc-text\"},\n")
endforeach()
file(WRITE ${OUT} "// Generated from models/lib.
#include \"frontend/elaborate/elaborate.h\"

namespace mtfc {

const std::vector<LibraryFile>& shipped_library() {
  static const std::vector<LibraryFile> files = {
${entries}  };
  return files;
}

}  // namespace mtfc
")
