# Writes a C++ file that holds the pages of docs/diagnostics. Run as a script:
#   cmake -DFILES=E100.md;E101.md -DOUT=pages.cpp -P EmbedPages.cmake
set(entries "")
foreach(file ${FILES})
  get_filename_component(code ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "      {\"${code}\", R\"mtfc-page(${text})mtfc-page\"},\n")
endforeach()
file(WRITE ${OUT} "// Generated from docs/diagnostics.
#include \"support/explain.h\"

namespace mtfc {

const std::vector<DiagnosticPage>& diagnostic_pages() {
  static const std::vector<DiagnosticPage> pages = {
${entries}  };
  return pages;
}

}  // namespace mtfc
")
