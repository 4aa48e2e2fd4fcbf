#include "backends/cpp/build_files.h"

namespace mtfc::backends {
namespace {

// What the runtime needs and how it is compiled. The flags must be those of the compiler's own
// runtime: they decide the bits. Optimisation does not.
constexpr const char* kBeginning = R"(cmake_minimum_required(VERSION 3.16)
project(emitted LANGUAGES C CXX)

set(MTFC_RUNTIME "" CACHE PATH
    "a build folder of another emitted program, or of mtfc itself, whose runtime is linked")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
)";

constexpr const char* kRuntime = R"(
# The runtime: the same for all programs of one mtfc, which its stamp tells.
set(runtime_libraries Threads::Threads ZLIB::ZLIB Eigen3::Eigen nlohmann_json::nlohmann_json
    PkgConfig::PCRE2 ${CMAKE_DL_LIBS})
file(GLOB_RECURSE runtime_files RELATIVE ${CMAKE_SOURCE_DIR} runtime/* support/*)
list(SORT runtime_files)
set(stamp "")
foreach(file ${runtime_files})
  file(SHA256 ${CMAKE_SOURCE_DIR}/${file} hash)
  string(APPEND stamp "${hash} ${file}\n")
endforeach()
string(SHA256 stamp "${stamp}")
if(MTFC_RUNTIME)
  set(other "")
  if(EXISTS ${MTFC_RUNTIME}/libmtfc_runtime.stamp)
    file(READ ${MTFC_RUNTIME}/libmtfc_runtime.stamp other)
  endif()
  if(NOT other STREQUAL stamp)
    message(FATAL_ERROR "MTFC_RUNTIME: no runtime of the same mtfc is in ${MTFC_RUNTIME}")
  endif()
  add_library(mtfc_runtime INTERFACE)
  target_link_libraries(mtfc_runtime INTERFACE ${MTFC_RUNTIME}/libmtfc_runtime.a
                        ${MTFC_RUNTIME}/libmtfc_support.a ${runtime_libraries})
else()
  file(WRITE ${CMAKE_BINARY_DIR}/libmtfc_runtime.stamp "${stamp}")
  file(GLOB_RECURSE runtime_sources ${CMAKE_SOURCE_DIR}/runtime/*.cpp)
  list(FILTER runtime_sources EXCLUDE REGEX "/runtime/mpi/")  # belongs to a program
  file(GLOB support_sources ${CMAKE_SOURCE_DIR}/support/*.cpp)
  add_library(mtfc_support STATIC ${support_sources})
  add_library(mtfc_runtime STATIC ${runtime_sources})
  foreach(library mtfc_support mtfc_runtime)
    target_include_directories(${library} PUBLIC ${CMAKE_SOURCE_DIR})
    target_compile_options(${library} PRIVATE -ffp-contract=off -Wall -Wextra)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # GCC 12 warns wrongly about "text" + std::string (its bug 105651).
      target_compile_options(${library} PRIVATE -Wno-restrict -Wno-maybe-uninitialized)
    endif()
    target_link_libraries(${library} PUBLIC ${runtime_libraries})
  endforeach()
  target_link_libraries(mtfc_runtime PUBLIC mtfc_support)

  # The loops over elements are compiled once per instruction set and chosen at run time.
  set(loop_flags -O3 -fno-math-errno -fno-trapping-math)
  # GCC 12 takes the undefined operand of its own intrinsics for a mistake.
  set(eigen_flags -O3 -fno-math-errno -Wno-maybe-uninitialized -Wno-uninitialized)
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
endif()
)";

// The program is long and straight: optimising it gains nothing, the runtime does the work.
std::string program_lines(const Form& form, const std::vector<EmittedFile>& files) {
  std::string sources;
  for (const EmittedFile& file : files)
    if (file.path.ends_with(".cpp")) sources += "\n    " + file.path;
  std::string text = R"(
# The program: straight-line calls of the runtime, which gain nothing by being optimised.
set(program_sources)";
  text += sources + R"()
set_source_files_properties(${program_sources} PROPERTIES COMPILE_OPTIONS "-O0;-Wall;-Wextra")
)";
  text += "add_executable(program ${program_sources}";
  if (!form.sources.empty()) text += " " + form.sources;
  text += R"()
target_include_directories(program PRIVATE ${CMAKE_SOURCE_DIR})
target_compile_options(program PRIVATE -ffp-contract=off)
target_compile_definitions(program PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
)";
  text += "target_link_libraries(program PRIVATE mtfc_runtime";
  if (!form.targets.empty()) text += " " + form.targets;
  return text + ")\n";
}

}  // namespace

std::string cmake_text(const Form& form, const std::vector<EmittedFile>& files) {
  return kBeginning + form.find + kRuntime + program_lines(form, files);
}

std::string readme_text(const Form& form) {
  return "# An emitted program\n\n"
         "Made by mtfc. " +
         form.who +
         "\n\n"
         "```\n"
         "cmake -S . -B build" +
         form.configure +
         "\n"
         "cmake --build build --parallel\n" +
         form.run +
         "\n"
         "```\n\n"
         "It needs " +
         form.needs +
         "zlib, Eigen, nlohmann-json and PCRE2. The log goes to stdout,\n"
         "one JSON object a line, everything else to stderr. Options: `--steps N`,\n"
         "`--data NAME=PATH` (another file for a data source),\n" +
         form.options +
         ",\n"
         "`--log FILE`, `--out DIR` (checkpoints) or `--out FILE.npz` (the variables at the end),\n"
         "`--resume DIR|FILE` (a checkpoint, also of another mesh or of `mtfc train`), "
         "`--quiet`.\n\n"
         "`main.cpp` holds the model's tables; `train_*.cpp` and the like the programs, one\n"
         "statement for each instruction, with the line of the model that it comes from; "
         "`runtime`\n"
         "and `support` the library that they call. Its compilation takes most of the time, once:\n"
         "`-DMTFC_RUNTIME=DIR` links the library that lies in the build folder of another program\n"
         "of the same mtfc, or in the folder of mtfc itself.\n";
}

}  // namespace mtfc::backends
