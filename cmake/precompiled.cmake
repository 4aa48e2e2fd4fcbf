# The standard headers that most files read are parsed once: about half of the time of a build. A
# compiler cache (given as CMAKE_CXX_COMPILER_LAUNCHER) does better without, and a build without
# shows includes that are missing.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(MTFC_PRECOMPILE "parse the standard headers once" ${precompile})

set(mtfc_precompiled <algorithm> <array> <charconv> <cmath> <compare> <cstdint> <cstdio> <cstring>
  <deque> <fstream> <functional> <limits> <map> <memory> <numeric> <optional> <set>
  <span> <sstream> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector>)

# mtfc_precompile(TARGET GROUP [HEADERS]): the targets of a group have the same flags; the first
# makes what the others use.
function(mtfc_precompile target group)
  if(NOT MTFC_PRECOMPILE)
    return()
  endif()
  get_property(first GLOBAL PROPERTY mtfc_precompiled_${group})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${mtfc_precompiled} ${ARGN})
    set_property(GLOBAL PROPERTY mtfc_precompiled_${group} ${target})
  endif()
endfunction()
