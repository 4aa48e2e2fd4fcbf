# The rooms that run programs. They are compiled for mtfc and, from the same sources, beside the
# programs that it writes: what decides bits stands here, once.
set(mtfc_runtime_rooms support sources kernels comm data train)

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
set(mtfc_runtime_libraries Threads::Threads ZLIB::ZLIB Eigen3::Eigen nlohmann_json::nlohmann_json
    PkgConfig::PCRE2 ${CMAKE_DL_LIBS})

# Without contraction every instruction set gives the same bits.
set(mtfc_runtime_options -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler collects its garbage late: a tenth of its time for 130 MB more.
  list(APPEND mtfc_runtime_options --param=ggc-min-heapsize=524288)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns wrongly about "text" + std::string (its bug 105651).
  list(APPEND mtfc_runtime_options -Wno-restrict -Wno-maybe-uninitialized)
endif()

# mtfc_runtime_sources(VARIABLE ROOT ROOM): what needs MPI is built for each implementation.
function(mtfc_runtime_sources variable root room)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${root}/${room}/*.cpp)
  list(FILTER found EXCLUDE REGEX "/comm/mpi/")
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# The loops over elements are compiled once per instruction set and chosen at run time, without
# reassociation.
function(mtfc_compile_isa folder)
  # As fast as -O3 in two thirds of the compiler's time: vector loops of any length, no copies of them
  # for special cases; and Eigen's loops are vector code as they are written.
  set(loop_level -O2 -ftree-vectorize)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND loop_level -fvect-cost-model=dynamic -fno-gcse -fno-tree-vrp)
  endif()
  set(eigen_level -O3 -fno-tree-vectorize)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(loop_level -O1)  # half of the time, the same bits
    set(eigen_level -O1)
  endif()
  set(loop_flags ${loop_level} -fno-math-errno -fno-trapping-math)
  set(eigen_flags ${eigen_level} -fno-math-errno)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 takes the undefined operand of its own intrinsics for a mistake.
    list(APPEND eigen_flags -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
  if(MTFC_SANITIZE)  # checks in vectorised loops take the compiler minutes and a gigabyte
    set(loop_flags -O1 -g0 -fno-math-errno -fno-trapping-math)
    list(APPEND eigen_flags -g0 -fno-sanitize=all)  # nor are Eigen's insides ours to check
  endif()
  set(micro_flags -O3 -fno-tree-vectorize)  # vector code as it is written, results in registers
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND micro_flags -Wno-maybe-uninitialized -Wno-uninitialized)
  endif()
  if(MTFC_SANITIZE)
    list(APPEND micro_flags -g0 -fno-sanitize=all)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    # Processors of before 2013: not worth the compiler's time.
    set(loops_baseline -O1 -fno-tree-vectorize)
    set(eigen_baseline -O1)
  else()
    set(loops_baseline)
    set(eigen_baseline)
  endif()
  set(avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq)
  set(loops_avx2 -mavx2)
  set(eigen_avx2 -mavx2 -mfma)
  set(loops_avx512 ${avx512} -mprefer-vector-width=512)
  set(eigen_avx512 ${avx512} -mfma)
  foreach(isa baseline avx2 avx512)
    if(NOT isa STREQUAL baseline AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      continue()  # the files are empty there
    endif()
    set_source_files_properties(${folder}/blocks_${isa}.cpp PROPERTIES
      COMPILE_OPTIONS "${loop_flags};${loops_${isa}}"
      SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
    if(NOT isa STREQUAL baseline)
      set_source_files_properties(${folder}/micro_${isa}.cpp PROPERTIES
        COMPILE_OPTIONS "${micro_flags};${eigen_${isa}}"
        SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    set_source_files_properties(${folder}/eigen_${isa}.cpp PROPERTIES
      COMPILE_OPTIONS "${eigen_flags};${eigen_${isa}}"
      SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()
