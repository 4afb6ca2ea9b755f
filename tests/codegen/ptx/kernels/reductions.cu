// Reductions, by the ways in which kernels write them. extern "C": the tests name them.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// A block through shared memory, half of the threads at each step.
extern "C" __global__ void sum_shared(const float* x, float* out, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = 128; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// A warp by shuffles, the warps of a block through shared memory.
__device__ float WarpSum(float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(~0u, v, k);
  return v;
}
extern "C" __global__ void sum_shuffle(const float* x, float* out, int n) {
  __shared__ float s[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  v = WarpSum(v);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = WarpSum(threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
  }
}

extern "C" __global__ void sum_vectors(const float4* x, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n / 4; i += blockDim.x) {
    const float4 f = x[i];
    v += f.x + f.y + f.z + f.w;
  }
  v = WarpSum(v);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}

extern "C" __global__ void max_redux(const unsigned* x, unsigned* out, int n) {
  unsigned v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v = max(v, x[i]);
  v = __reduce_max_sync(~0u, v);
  if (threadIdx.x % 32 == 0) atomicMax(out, v);
}

// The index of the least element.
extern "C" __global__ void argmin(const float* x, int* out, int n) {
  __shared__ float values[256];
  __shared__ int places[256];
  float best = 3.4e38f;
  int place = -1;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (x[i] < best) {
      best = x[i];
      place = i;
    }
  }
  values[threadIdx.x] = best;
  places[threadIdx.x] = place;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k) {
      const float other = values[threadIdx.x + k];
      if (other < values[threadIdx.x] ||
          (other == values[threadIdx.x] && places[threadIdx.x + k] < places[threadIdx.x])) {
        values[threadIdx.x] = other;
        places[threadIdx.x] = places[threadIdx.x + k];
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = places[0];
}

// A warp to a row.
extern "C" __global__ void row_sums(const float* x, float* out, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  float v = 0;
  for (int i = threadIdx.x % 32; i < columns; i += 32) v += x[row * columns + i];
  v = WarpSum(v);
  if (threadIdx.x % 32 == 0) out[row] = v;
}

extern "C" __global__ void column_sums(const float* x, float* out, int rows, int columns) {
  __shared__ float s[8][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float v = 0;
  if (column < columns) {
    for (int r = threadIdx.y; r < rows; r += 8) v += x[r * columns + column];
  }
  s[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y == 0 && column < columns) {
    for (int r = 1; r < 8; ++r) v += s[r][threadIdx.x];
    out[column] = v;
  }
}

// The last block to finish adds up what all have found.
__device__ unsigned finished;
extern "C" __global__ void sum_last_block(const float* x, float* partial, float* out, int n) {
  __shared__ bool is_last;
  float v = 0;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) v += x[i];
  v = WarpSum(v);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    is_last = atomicAdd(&finished, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  v = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += 32) v += ((volatile float*)partial)[i];
  v = WarpSum(v);
  if (threadIdx.x == 0) *out = v;
}

extern "C" __global__ void sum_grid(const float* x, float* partial, float* out, int n) {
  cg::grid_group grid = cg::this_grid();
  float v = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) v += x[i];
  v = WarpSum(v);
  if (threadIdx.x == 0) partial[blockIdx.x] = v;
  grid.sync();
  if (blockIdx.x != 0) return;
  v = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += 32) v += partial[i];
  v = WarpSum(v);
  if (threadIdx.x == 0) *out = v;
}

// Steps of a stencil, each after all blocks have made the one before.
extern "C" __global__ void stencil_grid(float* a, float* b, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  const int i = grid.thread_rank();
  for (int s = 0; s < steps; ++s) {
    if (i < n) b[i] = a[i] + a[(i + 1) % n];
    grid.sync();
    float* t = a;
    a = b;
    b = t;
  }
}

extern "C" __global__ void sum_tiles(const float* x, float* out, int n) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  float v = x[block.thread_rank()];
  for (int k = 4; k > 0; k /= 2) v += tile.shfl_xor(v, k);
  if (tile.thread_rank() == 0) out[block.thread_rank() / 8] = v;
}

extern "C" __global__ void dot_double(const double* x, const double* y, double* out, int n) {
  __shared__ double s[128];
  double v = 0;
  for (int i = threadIdx.x; i < n; i += 128) v = fma(x[i], y[i], v);
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = s[0];
}
