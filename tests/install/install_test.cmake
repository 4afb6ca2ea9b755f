# Installs the project, builds a program against the package and runs it.
# Run as: cmake -DBUILD_DIR=... -DCONSUMER_DIR=... -DWORK_DIR=... -DCXX_COMPILER=... -DREADELF=... -DPKG_CONFIG=... -DSTATIC=ON -P
# install_test.cmake; STATIC says that the static archives of the dependencies are there.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN} failed:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${WORK_DIR}/prefix")
run(${CMAKE_COMMAND} -G Ninja -S "${CONSUMER_DIR}" -B "${WORK_DIR}/build"
  "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
  -DCMAKE_BUILD_TYPE=Release)
set(programs consumer)
if(STATIC)
  list(APPEND programs static_consumer)
endif()
run(${CMAKE_COMMAND} --build "${WORK_DIR}/build" --target ${programs} cute_consumer)
set(expected "(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]\n")
foreach(program ${programs})
  run("${WORK_DIR}/build/${program}")
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${program} printed:\n${output}")
  endif()
endforeach()
run("${WORK_DIR}/build/cute_consumer")
if(NOT output STREQUAL "((_8,_4),(3,2)):((_1,24),(_8,96))")
  message(FATAL_ERROR "the program of layout/cute printed:\n${output}")
endif()
if(STATIC)
  run("${READELF}" -d "${WORK_DIR}/build/static_consumer")
  if(output MATCHES "libMLIR|libLLVM|libabsl")
    message(FATAL_ERROR "static_consumer needs shared libraries:\n${output}")
  endif()
endif()
run("${WORK_DIR}/prefix/bin/hlo-indexing" --version)

# The same program without CMake.
run(${CMAKE_COMMAND} -E env "PKG_CONFIG_PATH=${WORK_DIR}/prefix/lib/pkgconfig"
  "${PKG_CONFIG}" --cflags --libs hlo_indexing)
separate_arguments(flags UNIX_COMMAND "${output}")
run("${CXX_COMPILER}" "${CONSUMER_DIR}/consumer.cc" -o "${WORK_DIR}/pkg_config_consumer" ${flags})
run("${WORK_DIR}/pkg_config_consumer")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the program built with pkg-config printed:\n${output}")
endif()

# What shells and man read, made by the program that was installed.
foreach(pair IN ITEMS
    "--print-completion=bash;share/bash-completion/completions/hlo-indexing"
    "--print-completion=zsh;share/zsh/site-functions/_hlo-indexing"
    "--print-man-page;share/man/man1/hlo-indexing.1")
  list(GET pair 0 option)
  list(GET pair 1 file)
  run("${WORK_DIR}/prefix/bin/hlo-indexing" ${option})
  file(READ "${WORK_DIR}/prefix/${file}" installed)
  if(NOT installed STREQUAL output OR output STREQUAL "")
    message(FATAL_ERROR "${file} is not what hlo-indexing ${option} prints")
  endif()
endforeach()
