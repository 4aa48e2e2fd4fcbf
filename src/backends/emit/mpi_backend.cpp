// `emit --backend mpi`: one MPI rank is one processor of the mesh.
#include "backends/backends.h"
#include "backends/emit/cpp/emit_cpp.h"

namespace mtfc::backends {
namespace {

Form mpi_form(const Emission& e) {
  Form form;
  form.find =
      "# A wrapper, such as mpicxx, has MPI by itself; the search for one takes seconds every "
      "time.\n"
      "include(CheckCXXSourceCompiles)\n"
      "check_cxx_source_compiles(\"#include <mpi.h>\\nint main() { return MPI_Finalize(); }\"\n"
      "                          COMPILER_HAS_MPI)\n"
      "set(mpi)\n"
      "if(NOT COMPILER_HAS_MPI)\n"
      "  find_package(MPI REQUIRED COMPONENTS CXX)\n"
      "  set(mpi MPI::MPI_CXX)\n"
      "endif()\n"
      "file(GLOB mpi_sources ${CMAKE_SOURCE_DIR}/runtime/comm/mpi/*.cpp)\n";
  form.sources = "${mpi_sources}";
  form.targets = "${mpi}";
  form.needs = "an MPI library, ";
  form.who = e.pipeline
                 ? "Every rank is one processor of a stage's mesh and runs what its stage does;\n"
                   "those of the first stage come first."
                 : "Every rank is one processor of the mesh and runs the same code.";
  form.configure = " -DCMAKE_CXX_COMPILER=mpicxx";
  std::int64_t ranks = 0;
  for (const Mesh& mesh : e.meshes()) ranks += mesh.processors();
  form.run = "mpirun -n " + std::to_string(ranks) + " build/program --steps 10";
  form.options = "`--threads N` (on each rank)";
  form.includes =
      "#include \"train/emitted/processor_main.h\"\n"
      "#include \"comm/mpi/mpi_network.h\"\n";
  form.main_body =
      "  const auto network = mtfc::runtime::mpi::open_network();\n"
      "  return mtfc::runtime::processor_main(emitted::module, emitted::plan, *network, argc,\n"
      "                                       argv);\n";
  return form;
}

}  // namespace

Backend mpi() {
  const auto emit = [](const Emission& e) { return emit_cpp(mpi_form(e), e); };
  return {"mpi", "straight-line C++ for one MPI rank a processor, with its runtime", emit};
}

}  // namespace mtfc::backends
