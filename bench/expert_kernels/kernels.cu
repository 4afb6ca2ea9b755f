// What kernels.hlo computes, as one writes it by hand for these sizes: vectors of 16 bytes, shuffles,
// padded tiles. Compiled and measured by expert_kernels.py.
#include <cuda_bf16.h>

#include <cstdint>

// f32[1048576], 4 elements to a thread.
extern "C" __global__ void __launch_bounds__(256)
    sum_of_two(const float4* __restrict__ x, const float4* __restrict__ y, float4* __restrict__ z) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 a = x[i];
  const float4 b = y[i];
  z[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

extern "C" __global__ void __launch_bounds__(256)
    exponential(const float4* __restrict__ x, float4* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 a = x[i];
  y[i] = make_float4(expf(a.x), expf(a.y), expf(a.z), expf(a.w));
}

__device__ float Silu(float x) { return x / (1.0f + expf(-x)); }

extern "C" __global__ void __launch_bounds__(256)
    silu(const float4* __restrict__ x, float4* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 a = x[i];
  y[i] = make_float4(Silu(a.x), Silu(a.y), Silu(a.z), Silu(a.w));
}

// bf16[1024,1024] times and plus a row, 8 elements to a thread.
extern "C" __global__ void __launch_bounds__(256)
    scale_and_shift(const uint4* __restrict__ x, const uint4* __restrict__ scale,
                    const uint4* __restrict__ shift, uint4* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  uint4 a = x[i];
  const uint4 s = scale[i % 128];
  const uint4 b = shift[i % 128];
  __nv_bfloat162* const to = reinterpret_cast<__nv_bfloat162*>(&a);
  const __nv_bfloat162* const by = reinterpret_cast<const __nv_bfloat162*>(&s);
  const __nv_bfloat162* const plus = reinterpret_cast<const __nv_bfloat162*>(&b);
  for (int k = 0; k < 4; ++k) to[k] = __hadd2_rn(__hmul2_rn(to[k], by[k]), plus[k]);
  y[i] = a;
}

// f32[1024,1024], tiles of 32 by 32.
extern "C" __global__ void __launch_bounds__(256)
    transposed(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float tile[32][33];
  const int lane = threadIdx.x % 32;
  const int row = threadIdx.x / 32;
  const int i = blockIdx.x / 32 * 32;
  const int j = blockIdx.x % 32 * 32;
#pragma unroll
  for (int k = 0; k < 32; k += 8) tile[row + k][lane] = x[(i + row + k) * 1024 + j + lane];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 32; k += 8) y[(j + row + k) * 1024 + i + lane] = tile[lane][row + k];
}

// bf16[1024,1024], tiles of 64 by 64, words of two elements.
extern "C" __global__ void __launch_bounds__(256)
    transposed_halves(const uint32_t* __restrict__ x, uint32_t* __restrict__ y) {
  __shared__ uint16_t tile[64][66];
  const int lane = threadIdx.x % 32;
  const int row = threadIdx.x / 32;
  const int i = blockIdx.x / 16 * 64;
  const int j = blockIdx.x % 16 * 64;
#pragma unroll
  for (int k = 0; k < 64; k += 8) {
    const uint32_t word = x[((i + row + k) * 1024 + j) / 2 + lane];
    *reinterpret_cast<uint32_t*>(&tile[row + k][2 * lane]) = word;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 64; k += 8) {
    const uint32_t low = tile[2 * lane][row + k];
    const uint32_t high = tile[2 * lane + 1][row + k];
    y[((j + row + k) * 1024 + i) / 2 + lane] = low | high << 16;
  }
}

__device__ float SumOfWarp(float x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    x += __shfl_down_sync(0xffffffff, x, distance);
  }
  return x;
}

// f32[1024,1024] by rows: a block for each.
extern "C" __global__ void __launch_bounds__(256)
    row_sums(const float4* __restrict__ x, float* __restrict__ y) {
  __shared__ float of_warps[8];
  const float4 a = x[blockIdx.x * 256 + threadIdx.x];
  const float sum = SumOfWarp((a.x + a.y) + (a.z + a.w));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  float all = threadIdx.x < 8 ? of_warps[threadIdx.x] : 0.0f;
  for (int distance = 4; distance > 0; distance /= 2) {
    all += __shfl_down_sync(0xffffffff, all, distance);
  }
  if (threadIdx.x == 0) y[blockIdx.x] = all;
}

// The largest of each of 16,384 rows of 64 elements: 16 lanes for a row.
extern "C" __global__ void __launch_bounds__(256)
    row_maxima(const float4* __restrict__ x, float* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float4 a = x[i];
  const auto larger = [](float p, float q) { return p != p || p > q ? p : q; };
  float largest = larger(larger(a.x, a.y), larger(a.z, a.w));
  for (int distance = 8; distance > 0; distance /= 2) {
    largest = larger(largest, __shfl_down_sync(0xffffffff, largest, distance, 16));
  }
  if (i % 16 == 0) y[i / 16] = largest;
}

// f32[64,256,1024] over the middle dimension: 32 lanes of 4 columns, 8 groups of rows.
extern "C" __global__ void __launch_bounds__(256)
    column_sums(const float4* __restrict__ x, float4* __restrict__ y) {
  __shared__ float4 of_groups[8][32];
  const int lane = threadIdx.x % 32;
  const int group = threadIdx.x / 32;
  const int column = blockIdx.x % 8 * 32 + lane;
  const float4* const first = x + blockIdx.x / 8 * 256 * 256 + column;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 4
  for (int row = group; row < 256; row += 8) {
    const float4 a = first[row * 256];
    sum = make_float4(sum.x + a.x, sum.y + a.y, sum.z + a.z, sum.w + a.w);
  }
  of_groups[group][lane] = sum;
  __syncthreads();
  if (group > 0) return;
  for (int other = 1; other < 8; ++other) {
    const float4 a = of_groups[other][lane];
    sum = make_float4(sum.x + a.x, sum.y + a.y, sum.z + a.z, sum.w + a.w);
  }
  y[blockIdx.x / 8 * 256 + column] = sum;
}

// Two f32[1024,512] side by side.
extern "C" __global__ void __launch_bounds__(256)
    side_by_side(const float4* __restrict__ x, const float4* __restrict__ y,
                 float4* __restrict__ z) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int row = i / 128;
  const int column = i % 128;
  z[row * 256 + column] = x[i];
  z[row * 256 + 128 + column] = y[i];
}

// Rows of f32[8192,512] that are chosen by 2,048 numbers.
extern "C" __global__ void __launch_bounds__(256)
    chosen_rows(const float4* __restrict__ table, const int* __restrict__ numbers,
                float4* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int number = min(max(numbers[i / 128], 0), 8191);
  y[i] = table[number * 128 + i % 128];
}

// f32[2048,512] into rows of f32[8192,512] from a number on; `x` is where `z` is.
extern "C" __global__ void __launch_bounds__(256)
    updated_rows(float4* x, const float4* __restrict__ update, const int* __restrict__ start,
                 float4* z) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int first = min(max(*start, 0), 8192 - 2048);
  z[first * 128 + i] = update[i];
}
