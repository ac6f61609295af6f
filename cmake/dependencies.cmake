# Third-party packages. Debian's, except MuJoCo, which ./setup unpacks from its wheel into .deps.

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(pugixml REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Ceres REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
if(RW_WITH_BENCH)
  find_package(benchmark REQUIRED)
endif()
find_package(Torch REQUIRED)

# LibTorch on reference BLAS is ten times slower and nothing says so at run time.
get_filename_component(RW_BLAS_REAL /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libblas.so.3 REALPATH)
if(NOT RW_BLAS_REAL MATCHES "openblas")
  message(FATAL_ERROR "libblas.so.3 is ${RW_BLAS_REAL}, not OpenBLAS: training would be ten times slower. "
    "Install libopenblas-dev (./setup does) or select it with update-alternatives.")
endif()

set(RW_DEPS_DIR ${CMAKE_SOURCE_DIR}/.deps CACHE PATH "Where ./setup put the fetched dependencies")
file(GLOB RW_MUJOCO_LIB ${RW_DEPS_DIR}/mujoco/libmujoco.so.*)
if(NOT RW_MUJOCO_LIB)
  message(FATAL_ERROR "MuJoCo is not in ${RW_DEPS_DIR}/mujoco. Run ./setup first.")
endif()
add_library(mujoco::mujoco SHARED IMPORTED)
set_target_properties(mujoco::mujoco PROPERTIES
  IMPORTED_LOCATION ${RW_MUJOCO_LIB}
  INTERFACE_INCLUDE_DIRECTORIES ${RW_DEPS_DIR}/mujoco/include
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${RW_DEPS_DIR}/mujoco/include)
