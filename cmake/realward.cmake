# The house: stages, units, tests. See docs/architecture.md.

add_library(rw_options INTERFACE)
target_compile_options(rw_options INTERFACE -Wall -Wextra -Wno-unused-parameter -ffp-contract=off)
target_include_directories(rw_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(rw_options INTERFACE REALWARD_VERSION="${PROJECT_VERSION}")
if(RW_SANITIZE)
  target_compile_options(rw_options INTERFACE -fsanitize=${RW_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  if(RW_SANITIZE MATCHES "undefined")
    # These four double the compile time of template code. A null access stops under the address sanitizer anyway.
    target_compile_options(rw_options INTERFACE -fno-sanitize=null,alignment,vptr,object-size)
  endif()
  target_link_options(rw_options INTERFACE -fsanitize=${RW_SANITIZE})
endif()

# rw_stage(NAME [STAGES left...] [LINK targets...] UNITS unit...)
# A sanitizer build leaves out every stage that links LibTorch, itself or through a stage: the
# distribution's LibTorch is not instrumented (docs/howto/test.md).
# One static library per stage. Every unit is NAME.h and/or NAME.cc with its NAME_test.cc beside it; a
# unit without a test does not configure. STAGES may name only stages left of this one.
function(rw_stage NAME)
  cmake_parse_arguments(ARG "" "" "STAGES;LINK;UNITS;TEST_LINK" ${ARGN})
  list(FIND RW_STAGES ${NAME} own_index)
  if(own_index LESS 0)
    message(FATAL_ERROR "stage ${NAME} is not in RW_STAGES (${RW_STAGES})")
  endif()
  set(stage_targets "")
  set(torch FALSE)
  if("torch" IN_LIST ARG_LINK)
    set(torch TRUE)
  endif()
  foreach(dep IN LISTS ARG_STAGES)
    list(FIND RW_STAGES ${dep} dep_index)
    if(dep_index LESS 0 OR NOT dep_index LESS own_index)
      message(FATAL_ERROR "stage ${NAME} may not link ${dep}: code uses only what is left of it in ${RW_STAGES}")
    endif()
    list(APPEND stage_targets rw_${dep})
    get_property(dep_torch GLOBAL PROPERTY RW_LINKS_TORCH_${dep})
    if(dep_torch)
      set(torch TRUE)
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY RW_LINKS_TORCH_${NAME} ${torch})
  if(RW_SANITIZE AND torch)
    message(STATUS "stage ${NAME} links LibTorch: left out of the sanitizer build")
    return()
  endif()
  set(sources "")
  set(tests "")
  foreach(unit IN LISTS ARG_UNITS)
    set(stem ${CMAKE_CURRENT_SOURCE_DIR}/${unit})
    if(NOT EXISTS ${stem}_test.cc)
      message(FATAL_ERROR "unit ${NAME}/${unit} has no test: write ${unit}_test.cc beside it")
    endif()
    if(NOT EXISTS ${stem}.h)
      message(FATAL_ERROR "unit ${NAME}/${unit} has no header ${unit}.h")
    endif()
    if(EXISTS ${stem}.cc)
      list(APPEND sources ${unit}.cc)
    endif()
    list(APPEND tests ${unit}_test.cc)
  endforeach()
  add_library(rw_${NAME} STATIC ${sources})
  target_link_libraries(rw_${NAME} PUBLIC rw_options ${stage_targets} ${ARG_LINK})
  if(RW_SANITIZE)
    # Built only where a test needs it.
    set_target_properties(rw_${NAME} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    if(RW_SANITIZE STREQUAL "thread" AND NOT NAME IN_LIST RW_THREADED_STAGES)
      return()
    endif()
  endif()
  add_executable(${NAME}_test ${tests})
  target_link_libraries(${NAME}_test PRIVATE rw_${NAME} GTest::gtest GTest::gmock GTest::gtest_main
    rapidcheck ${ARG_TEST_LINK})
  target_compile_definitions(${NAME}_test PRIVATE RW_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  # What is tested is optimised as in the preset; the tests themselves only need to compile soon.
  if(RW_SANITIZE)
    target_compile_options(${NAME}_test PRIVATE -O0)
  else()
    target_compile_options(${NAME}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  rw_discover(${NAME}_test ${NAME}.)
endfunction()

# Registers the tests of a GoogleTest program with ctest, names prefixed.
function(rw_discover TARGET PREFIX)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "" ${ARGN})
  include(GoogleTest)
  set(props TIMEOUT 300)
  if(ARG_TIMEOUT)
    set(props TIMEOUT ${ARG_TIMEOUT})
  endif()
  if(ARG_LABEL)
    list(APPEND props LABELS ${ARG_LABEL})
  endif()
  gtest_discover_tests(${TARGET} TEST_PREFIX "${PREFIX}" DISCOVERY_TIMEOUT 60 PROPERTIES ${props})
endfunction()

# A stray include still compiles, so the build lints them too; a self-test proves the lint bites.
function(rw_include_lint)
  add_custom_target(include_lint ALL
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} "-DSTAGES=${RW_STAGES}"
      -P ${CMAKE_SOURCE_DIR}/cmake/include_lint.cmake
    COMMENT "Checking that includes point left" VERBATIM)
  add_test(NAME house.include_lint_refuses_an_include_to_the_right
    COMMAND ${CMAKE_COMMAND} "-DSTAGES=${RW_STAGES}" -DSELF_TEST_DIR=${CMAKE_BINARY_DIR}/lint_self_test
      -DROOT=${CMAKE_SOURCE_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/include_lint_test.cmake)
endfunction()

# ./check runs tools/check_docs.py itself; this proves that each of its checks bites.
function(rw_docs_check)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME house.check_docs_finds_each_fault
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/tools/check_docs_test.py)
endfunction()
