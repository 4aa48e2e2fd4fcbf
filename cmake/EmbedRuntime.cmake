# Writes a C++ file that holds the sources that emitted programs are shipped with. Run as a script:
#   cmake -DROOT=src -DFILES=runtime/pool.h;... -DOUT=shipped_runtime.cpp -P EmbedRuntime.cmake
set(entries "")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} text)
  string(APPEND entries "      {\"${file}\", R\"mtfc-source(${text})mtfc-source\"},\n")
endforeach()
file(WRITE ${OUT} "// Generated from src/runtime and src/support.
#include \"backends/mpi/emit_mpi.h\"

namespace mtfc::backends {

const std::vector<ShippedFile>& shipped_runtime() {
  static const std::vector<ShippedFile> files = {
${entries}  };
  return files;
}

}  // namespace mtfc::backends
")
