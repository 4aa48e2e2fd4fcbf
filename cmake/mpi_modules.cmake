# One shared library for each MPI implementation that is found: what `mtfc` loads when it runs under
# mpirun. Without MPI everything else is built as well.
set(mtfc_mpi_wrappers)
foreach(name openmpi mpich)
  find_program(MTFC_MPICXX_${name} mpicxx.${name})
  if(MTFC_MPICXX_${name})
    list(APPEND mtfc_mpi_wrappers ${name})
  endif()
endforeach()
if(NOT mtfc_mpi_wrappers)  # a cluster's own: one wrapper without a family name
  find_program(MTFC_MPICXX mpicxx)
  if(MTFC_MPICXX)
    execute_process(COMMAND ${MTFC_MPICXX} --showme:version RESULT_VARIABLE other
                    OUTPUT_QUIET ERROR_QUIET)
    set(name openmpi)
    if(other)
      set(name mpich)  # and its kin: MVAPICH, Intel MPI
    endif()
    set(MTFC_MPICXX_${name} ${MTFC_MPICXX})
    list(APPEND mtfc_mpi_wrappers ${name})
  endif()
endif()

# Its few sources are compiled as one: most of the time goes into the standard headers.
set(mtfc_mpi_modules)
file(GLOB mtfc_mpi_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/comm/mpi/*.cpp)
file(GLOB mtfc_mpi_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/comm/mpi/*.h
     ${mtfc_network_headers})
set(mtfc_mpi_unit ${CMAKE_BINARY_DIR}/mpi_module.cpp)
list(TRANSFORM mtfc_mpi_sources REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
string(JOIN "" includes "#include \"network_stamp.h\"\n" ${includes})
file(CONFIGURE OUTPUT ${mtfc_mpi_unit} CONTENT "${includes}")
foreach(name ${mtfc_mpi_wrappers})
  set(module ${CMAKE_BINARY_DIR}/mtfc_mpi_${name}.so)
  add_custom_command(
    OUTPUT ${module}
    COMMAND ${CMAKE_COMMAND} -E env OMPI_CXX=${CMAKE_CXX_COMPILER} MPICH_CXX=${CMAKE_CXX_COMPILER}
            ${MTFC_MPICXX_${name}} -std=c++20 -O2 -Wall -Wextra -fPIC -shared
            -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -I${CMAKE_SOURCE_DIR}/src -I${mtfc_stamp_folder} ${mtfc_mpi_unit} -o ${module}
    DEPENDS ${mtfc_mpi_unit} ${mtfc_stamp_folder}/network_stamp.h ${mtfc_mpi_sources} ${mtfc_mpi_headers}
    COMMENT "MPI: ${name}"
    VERBATIM)
  list(APPEND mtfc_mpi_modules ${module})
endforeach()
add_custom_target(mtfc_mpi ALL DEPENDS ${mtfc_mpi_modules})
