# One static library a room of src/. A room sees only the rooms that it links: each has an include
# path of its own, a folder with a link to the room.
option(MTFC_UNITY "compile several sources of a room as one" ON)

# mtfc_room(NAME OPTIMISE LIBRARIES...): OPTIMISE is the level in Release builds. What handles text
# gains nothing by more than -O1.
function(mtfc_room name optimise)
  mtfc_runtime_sources(sources ${CMAKE_SOURCE_DIR}/src ${name})
  add_library(mtfc_${name} STATIC ${sources})
  mtfc_room_includes(mtfc_${name} ${name} PUBLIC)
  list(TRANSFORM ARGN PREPEND mtfc_)
  target_link_libraries(mtfc_${name} PUBLIC ${ARGN} PRIVATE mtfc_flags)
  mtfc_compile_quickly(mtfc_${name} sources ${optimise} 24)
endfunction()

function(mtfc_room_includes target name scope)
  set(path ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${path})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${path}/${name} SYMBOLIC)
  target_include_directories(${target} ${scope} ${path})
endfunction()

# mtfc_compile_quickly(TARGET GROUP OPTIMISE BATCH [HEADERS]): precompiled headers, where many units
# use them (precompiled.cmake); BATCH sources at once. GROUP: targets with the same flags.
function(mtfc_compile_quickly target group optimise batch)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${optimise}>)
  # The others are one or two units: headers would be parsed about as often either way.
  if(optimise STREQUAL "-O1" OR group STREQUAL "tests")
    mtfc_precompile(${target} ${group}${optimise} ${ARGN})
  endif()
  if(MTFC_UNITY AND batch GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()
