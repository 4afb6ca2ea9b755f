# Installs the project, builds a program against the package and runs it.
# Run as: cmake -DBUILD_DIR=... -DCONSUMER_DIR=... -DWORK_DIR=... -P install_test.cmake
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
run(${CMAKE_COMMAND} --build "${WORK_DIR}/build")
run("${WORK_DIR}/build/consumer")
set(expected "(d0, d1) -> (d1, d0), domain: d0 in [0, 2], d1 in [0, 1]\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the program printed:\n${output}")
endif()
run("${WORK_DIR}/build/cute_consumer")
if(NOT output STREQUAL "((_8,_4),(3,2)):((_1,24),(_8,96))")
  message(FATAL_ERROR "the program of layout/cute printed:\n${output}")
endif()
run("${WORK_DIR}/prefix/bin/hlo-indexing" --version)
