// Floats of 8 bits. narrow_floats_test.cc runs
// small_floats.ptx, which nvcc made of this file:
//
//   nvcc -arch=sm_90 -std=c++17 -O3 -DNDEBUG -ptx -I. small_floats.cu -o - | grep -v '^//'
#include "tests/layout/cute/device/element_kernels.h"

PRODUCTS(FloatsOfE4m3, float, float_e4m3_t, float_e4m3_t, float)
PRODUCTS(FloatsOfE5m2, float, float_e5m2_t, float_e5m2_t, float)
CONVERT(ToE4m3, float, float_e4m3_t)
CONVERT(ToE5m2, float, float_e5m2_t)
CONVERT(FromE4m3, float_e4m3_t, float)
CONVERT(FromE5m2, float_e5m2_t, float)
