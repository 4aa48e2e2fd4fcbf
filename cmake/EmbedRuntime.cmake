# Writes a C++ file that holds the sources that emitted programs are shipped with, and a stamp of
# them, by which an emitted program knows a runtime that it may link. Run as a script:
#   cmake -DROOT=src -DFILES=runtime/pool.h;... -DOUT=shipped_runtime.cpp
#         -DSTAMP=libmtfc_runtime.stamp -P EmbedRuntime.cmake
list(SORT FILES)
set(entries "")
set(stamp "")  # as in the CMakeLists.txt of emitted programs (src/backends/cpp/build_files.cpp)
foreach(file ${FILES})
  file(READ ${ROOT}/${file} text)
  string(APPEND entries "      {\"${file}\", R\"mtfc-source(${text})mtfc-source\"},\n")
  file(SHA256 ${ROOT}/${file} hash)
  string(APPEND stamp "${hash} ${file}\n")
endforeach()
string(SHA256 stamp "${stamp}")
file(WRITE ${STAMP} "${stamp}")
file(WRITE ${OUT} "// Generated from src/runtime and src/support.
#include \"backends/cpp/shipped.h\"

namespace mtfc::backends {

const std::vector<ShippedFile>& shipped_runtime() {
  static const std::vector<ShippedFile> files = {
${entries}  };
  return files;
}

}  // namespace mtfc::backends
")
