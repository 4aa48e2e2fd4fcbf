# Ninja starts two compilers more than there are processors. A unit here takes a gigabyte, and four of
# them on two processors share a cache that holds two: a fifth more time. Through a compiler cache most
# are lookups, and it may stay.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  set_property(GLOBAL PROPERTY JOB_POOLS compile=${processors})
  set(CMAKE_JOB_POOL_COMPILE compile)
endif()
