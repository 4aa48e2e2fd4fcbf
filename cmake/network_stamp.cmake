# What mtfc and a library share is known by a digest of its text, so that one of another build is refused.
set(mtfc_network_headers ${CMAKE_SOURCE_DIR}/src/comm/network.h ${CMAKE_SOURCE_DIR}/src/support/combine.h
    ${CMAKE_SOURCE_DIR}/src/support/dtype.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mtfc_network_headers})
set(mtfc_network_stamp "")
foreach(header ${mtfc_network_headers})
  file(SHA256 ${header} digest)
  string(APPEND mtfc_network_stamp ${digest})
endforeach()
string(SHA256 mtfc_network_stamp "${mtfc_network_stamp}")
set(mtfc_stamp_folder ${CMAKE_BINARY_DIR}/generated/network_stamp)
file(CONFIGURE OUTPUT ${mtfc_stamp_folder}/network_stamp.h
     CONTENT "// Generated: cmake/network_stamp.cmake.\n#define MTFC_NETWORK_STAMP \"${mtfc_network_stamp}\"\n")
target_include_directories(mtfc_backends PRIVATE ${mtfc_stamp_folder})
