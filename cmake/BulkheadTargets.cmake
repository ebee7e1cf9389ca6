# One library per room of the house, one test program per room.

add_library(bulkhead_options INTERFACE)
target_compile_options(bulkhead_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Werror
  -Wno-missing-field-initializers)  # designated initializers name what they set
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns wrongly of overlapping copies in "literal" + std::string (GCC bug 105651).
  target_compile_options(bulkhead_options INTERFACE -Wno-restrict)
endif()
target_include_directories(bulkhead_options INTERFACE ${CMAKE_SOURCE_DIR})
if(BULKHEAD_SANITIZE)
  target_compile_options(bulkhead_options INTERFACE
    -fsanitize=${BULKHEAD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  if(BULKHEAD_SANITIZE MATCHES "undefined")
    # ASan sees null pointers as well, and x86 knows no misalignment: these checks only double the time to compile.
    # The rooms are what UBSan watches and what a stack trace has to name, not the tests themselves.
    target_compile_options(bulkhead_options INTERFACE -fno-sanitize=null,alignment,vptr
      $<$<BOOL:$<TARGET_PROPERTY:BULKHEAD_IS_TEST>>:-fno-sanitize=undefined$<SEMICOLON>-O0$<SEMICOLON>-g0>)
  endif()
  if(BULKHEAD_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(bulkhead_options INTERFACE -Wno-tsan)  # Asio's fences, which TSan does not model
  endif()
  target_link_options(bulkhead_options INTERFACE -fsanitize=${BULKHEAD_SANITIZE})
endif()
if(BULKHEAD_COVERAGE)
  target_compile_options(bulkhead_options INTERFACE --coverage)
  target_link_options(bulkhead_options INTERFACE --coverage)
endif()

# bulkhead_room(NAME SOURCES a.cpp ... USES room ... [LINKS library ...])
# makes the library bulkhead_NAME; USES are other rooms, LINKS are outside libraries.
function(bulkhead_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LINKS" ${ARGN})
  add_library(bulkhead_${name} STATIC ${ROOM_SOURCES})
  target_link_libraries(bulkhead_${name} PUBLIC bulkhead_options)
  foreach(room IN LISTS ROOM_USES)
    target_link_libraries(bulkhead_${name} PUBLIC bulkhead_${room})
  endforeach()
  target_link_libraries(bulkhead_${name} PRIVATE ${ROOM_LINKS})
endfunction()

# bulkhead_embed_text(SOURCES HEADER NAME file ...)
# adds to the list SOURCES one that defines the text NAME, which HEADER declares, from these files.
function(bulkhead_embed_text sources header name)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  string(REPLACE ";" "|" inputs "${ARGN}")
  set(script ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DHEADER=${header} -DOUTPUT=${output} "-DINPUTS=${inputs}" -P ${script}
    DEPENDS ${ARGN} ${script}
    VERBATIM)
  # No compiler that is used here has the limit of 64 KiB that the standard allows.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  set(${sources} ${${sources}} ${output} PARENT_SCOPE)
endfunction()

# bulkhead_unit_tests(ROOM USES room ... [LINKS library ...])
# makes the program test_ROOM of every tests/unit/ROOM/*.cpp and names each test to ctest.
function(bulkhead_unit_tests room)
  cmake_parse_arguments(TEST "" "" "USES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${room}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${room} ${sources})
  set_target_properties(test_${room} PROPERTIES BULKHEAD_IS_TEST ON RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  foreach(used IN LISTS TEST_USES)
    target_link_libraries(test_${room} PRIVATE bulkhead_${used})
  endforeach()
  target_link_libraries(test_${room} PRIVATE bulkhead_options ${TEST_LINKS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(test_${room} PRIVATE BULKHEAD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  gtest_discover_tests(test_${room} TEST_PREFIX "${room}/" TEST_FILTER "-*/*" DISCOVERY_TIMEOUT 60)
  # A table of cases is one test: a process for each case would take a minute more.
  foreach(source IN LISTS sources)
    file(STRINGS ${source} tables REGEX "INSTANTIATE_TEST_SUITE_P|TYPED_TEST")
    if(tables)
      add_test(NAME ${room}/tables COMMAND test_${room} --gtest_filter=*/*)
      break()
    endif()
  endforeach()
endfunction()
