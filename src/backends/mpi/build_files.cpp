#include "backends/mpi/build_files.h"

namespace mtfc::backends {

// The flags must be those of the compiler's own runtime: they decide the bits.
std::string cmake_text() {
  return R"(cmake_minimum_required(VERSION 3.16)
project(emitted LANGUAGES C CXX)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_package(MPI REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)

file(GLOB_RECURSE runtime_sources ${CMAKE_SOURCE_DIR}/runtime/*.cpp ${CMAKE_SOURCE_DIR}/support/*.cpp)
file(GLOB program_sources ${CMAKE_SOURCE_DIR}/*.cpp)
add_executable(program ${program_sources} ${runtime_sources})
target_include_directories(program PRIVATE ${CMAKE_SOURCE_DIR})
target_compile_options(program PRIVATE -ffp-contract=off)
target_compile_definitions(program PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(program PRIVATE MPI::MPI_CXX Threads::Threads ZLIB::ZLIB Eigen3::Eigen
                      nlohmann_json::nlohmann_json PkgConfig::PCRE2 ${CMAKE_DL_LIBS})
# The program is long and straight: optimising it gains nothing, the runtime does the work.
set_source_files_properties(${program_sources} PROPERTIES COMPILE_OPTIONS -O0)

# The loops over elements are compiled once per instruction set and chosen at run time.
set(loop_flags -O3 -fno-math-errno -fno-trapping-math)
set(eigen_flags -O3 -fno-math-errno)
function(compile_isa name loops eigen)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/runtime/isa/blocks_${name}.cpp
    PROPERTIES COMPILE_OPTIONS "${loop_flags};${loops}")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/runtime/isa/eigen_${name}.cpp
    PROPERTIES COMPILE_OPTIONS "${eigen_flags};${eigen}")
endfunction()
compile_isa(baseline "" "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  compile_isa(avx2 "-mavx2" "-mavx2;-mfma")
  set(avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq)
  compile_isa(avx512 "${avx512};-mprefer-vector-width=512" "${avx512};-mfma")
endif()
)";
}

std::string readme_text(std::int64_t processors) {
  const std::string ranks = std::to_string(processors);
  return "# An emitted program\n\n"
         "Made by mtfc. Every rank is one processor of the mesh and runs the same code.\n\n"
         "```\n"
         "cmake -S . -B build -DCMAKE_CXX_COMPILER=mpicxx\n"
         "cmake --build build --parallel\n"
         "mpirun -n " +
         ranks +
         " build/program --steps 10\n"
         "```\n\n"
         "It needs an MPI library, zlib, Eigen, nlohmann-json and PCRE2. The log goes to stdout,\n"
         "one JSON object a line, everything else to stderr. Options: `--steps N`,\n"
         "`--data NAME=PATH` (another file for a data source), `--threads N` (on each rank),\n"
         "`--log FILE`, `--out DIR` (checkpoints) or `--out FILE.npz` (the variables at the end),\n"
         "`--resume DIR|FILE` (a checkpoint, also of another mesh or of `mtfc train`), `--quiet`.\n\n"
         "`main.cpp` holds the model's tables; `train_*.cpp` and the like the programs, one\n"
         "statement for each instruction, with the line of the model that it comes from; "
         "`runtime`\n"
         "and `support` the library that they call.\n";
}

}  // namespace mtfc::backends
