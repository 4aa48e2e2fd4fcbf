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
  if(MTFC_TEST_ONLY)  # rooms that no test links are not built
    set_target_properties(mtfc_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  mtfc_compile_quickly(mtfc_${name} sources ${optimise} 40)
endfunction()

function(mtfc_room_includes target name scope)
  set(path ${CMAKE_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${path})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${path}/${name} SYMBOLIC)
  target_include_directories(${target} ${scope} ${path})
endfunction()

# mtfc_compile_quickly(TARGET GROUP OPTIMISE MOST [HEADERS]): precompiled headers, where many units
# use them (precompiled.cmake); at most MOST sources at once, in units that are alike. What two units
# have from templates is compiled twice: a tenth of the time goes with half of the units. GROUP:
# targets with the same flags.
function(mtfc_compile_quickly target group optimise most)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${optimise}>)
  # The others are one or two units: headers would be parsed about as often either way.
  if(optimise STREQUAL "-O1" OR group STREQUAL "tests")
    mtfc_precompile(${target} ${group}${optimise} ${ARGN})
  endif()
  if(MTFC_UNITY AND most GREATER 1)
    get_target_property(sources ${target} SOURCES)
    list(LENGTH sources count)
    math(EXPR units "(${count} + ${most} - 1) / ${most}")
    math(EXPR batch "(${count} + ${units} - 1) / ${units} + 2")  # and generated texts
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()
