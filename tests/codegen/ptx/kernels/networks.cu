// Kernels of neural networks, half precision, atomics, calls.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float WarpMax(float v) {
  for (int k = 16; k > 0; k /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, k));
  return v;
}
__device__ float WarpSum(float v) {
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(~0u, v, k);
  return v;
}

// A warp to a row.
extern "C" __global__ void softmax_warp(const float* x, float* out, int columns) {
  const float* row = x + blockIdx.x * columns;
  float most = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += 32) most = fmaxf(most, row[i]);
  most = WarpMax(most);
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += __expf(row[i] - most);
  sum = WarpSum(sum);
  for (int i = threadIdx.x; i < columns; i += 32) {
    out[blockIdx.x * columns + i] = __expf(row[i] - most) / sum;
  }
}

// In one pass over the row.
extern "C" __global__ void softmax_online(const float* x, float* out, int columns) {
  __shared__ float mosts[128];
  __shared__ float sums[128];
  const float* row = x + blockIdx.x * columns;
  float most = -INFINITY;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 128) {
    const float v = row[i];
    const float next = fmaxf(most, v);
    sum = sum * expf(most - next) + expf(v - next);
    most = next;
  }
  mosts[threadIdx.x] = most;
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {
    if (threadIdx.x < k && mosts[threadIdx.x + k] > -INFINITY) {
      const float next = fmaxf(mosts[threadIdx.x], mosts[threadIdx.x + k]);
      sums[threadIdx.x] = sums[threadIdx.x] * expf(mosts[threadIdx.x] - next) +
                          sums[threadIdx.x + k] * expf(mosts[threadIdx.x + k] - next);
      mosts[threadIdx.x] = next;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < columns; i += 128) {
    out[blockIdx.x * columns + i] = expf(row[i] - mosts[0]) / sums[0];
  }
}

extern "C" __global__ void layer_norm(const float* x, const float* scale, const float* bias,
                                      float* out, int columns) {
  const float* row = x + blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += row[i];
  const float mean = WarpSum(sum) / columns;
  float squares = 0;
  for (int i = threadIdx.x; i < columns; i += 32) {
    squares += (row[i] - mean) * (row[i] - mean);
  }
  const float inverse = rsqrtf(WarpSum(squares) / columns + 1e-5f);
  for (int i = threadIdx.x; i < columns; i += 32) {
    out[blockIdx.x * columns + i] = (row[i] - mean) * inverse * scale[i] + bias[i];
  }
}

extern "C" __global__ void rms_norm_half(const __half2* x, __half2* out, int columns) {
  const __half2* row = x + blockIdx.x * columns / 2;
  float sum = 0;
  for (int i = threadIdx.x; i < columns / 2; i += 32) {
    const float2 v = __half22float2(row[i]);
    sum += v.x * v.x + v.y * v.y;
  }
  const float inverse = rsqrtf(WarpSum(sum) / columns);
  for (int i = threadIdx.x; i < columns / 2; i += 32) {
    const float2 v = __half22float2(row[i]);
    out[blockIdx.x * columns / 2 + i] = __floats2half2_rn(v.x * inverse, v.y * inverse);
  }
}

extern "C" __global__ void axpy_half2(const __half2* x, __half2* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) y[i] = __hfma2(__float2half2_rn(a), x[i], y[i]);
}

extern "C" __global__ void relu_bf16(const __nv_bfloat162* x, __nv_bfloat162* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) y[i] = __hmax2(x[i], __float2bfloat162_rn(0));
}

extern "C" __global__ void gelu(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] * (1 + tanhf(0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
}

extern "C" __global__ void sigmoid_double(const double* x, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1 / (1 + exp(-x[i]));
}

// Three by three, with the border of the tile in shared memory.
extern "C" __global__ void convolution(const float* x, const float* weights, float* y, int rows,
                                       int columns) {
  __shared__ float tile[10][34];
  const int r0 = blockIdx.y * 8 - 1;
  const int c0 = blockIdx.x * 32 - 1;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 10 * 34; i += 256) {
    const int r = r0 + i / 34;
    const int c = c0 + i % 34;
    tile[i / 34][i % 34] = r >= 0 && r < rows && c >= 0 && c < columns ? x[r * columns + c] : 0;
  }
  __syncthreads();
  const int r = blockIdx.y * 8 + threadIdx.y;
  const int c = blockIdx.x * 32 + threadIdx.x;
  if (r >= rows || c >= columns) return;
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 3; ++k) sum += weights[i * 3 + k] * tile[threadIdx.y + i][threadIdx.x + k];
  }
  y[r * columns + c] = sum;
}

extern "C" __global__ void embedding(const int* tokens, const float4* table, float4* out, int width) {
  const float4* row = table + tokens[blockIdx.x] * (width / 4);
  for (int i = threadIdx.x; i < width / 4; i += blockDim.x) out[blockIdx.x * (width / 4) + i] = row[i];
}

__device__ void AtomicMaxFloat(float* address, float v) {
  int old = __float_as_int(*(volatile float*)address);
  while (__int_as_float(old) < v) {
    const int assumed = old;
    old = atomicCAS((int*)address, assumed, __float_as_int(v));
    if (old == assumed) break;
  }
}
extern "C" __global__ void max_by_cas(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) AtomicMaxFloat(out, x[i]);
}

// A lock that one lane of each block takes.
extern "C" __global__ void counter_with_lock(int* lock, int* counter) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *(volatile int*)counter = *(volatile int*)counter + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

struct Affine {
  float scale;
  float offset;
  int repeat;
};
extern "C" __global__ void affine_by_value(const float* x, float* y, Affine f, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < f.repeat; ++k) v = v * f.scale + f.offset;
  y[i] = v;
}

__device__ __noinline__ int Ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return Ackermann(m - 1, n == 0 ? 1 : Ackermann(m, n - 1));
}
extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = Ackermann(2, threadIdx.x % 5); }

__constant__ float kPolynomial[5] = {1, -2, 0.5f, 3, -0.25f};
extern "C" __global__ void horner(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 4; k >= 0; --k) sum = fmaf(sum, x[i], kPolynomial[k]);
  y[i] = sum;
}

extern "C" __global__ void gcds(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i];
  unsigned y = b[i];
  while (y != 0) {
    const unsigned r = x % y;
    x = y;
    y = r;
  }
  out[i] = x;
}
