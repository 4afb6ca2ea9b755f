// Transposes and products of matrices.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

extern "C" __global__ void transpose_naive(const float* x, float* out, int n) {
  const int i = blockIdx.y * 8 + threadIdx.y;
  const int k = blockIdx.x * 32 + threadIdx.x;
  if (i < n && k < n) out[k * n + i] = x[i * n + k];
}

extern "C" __global__ void transpose_tiles(const float* x, float* out, int rows, int columns) {
  __shared__ float tile[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += 8) {
    const int row = blockIdx.y * 32 + r;
    if (row < rows && c < columns) tile[r][threadIdx.x] = x[row * columns + c];
  }
  __syncthreads();
  const int column = blockIdx.y * 32 + threadIdx.x;
  for (int r = threadIdx.y; r < 32; r += 8) {
    const int row = blockIdx.x * 32 + r;
    if (row < columns && column < rows) out[row * rows + column] = tile[threadIdx.x][r];
  }
}

extern "C" __global__ void transpose_swizzled(const int* x, int* out) {
  __shared__ int tile[32 * 32];
  for (int r = threadIdx.y; r < 32; r += 8) {
    tile[r * 32 + (threadIdx.x ^ r)] = x[r * 32 + threadIdx.x];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 32; r += 8) {
    out[r * 32 + threadIdx.x] = tile[threadIdx.x * 32 + (r ^ threadIdx.x)];
  }
}

// A 4 by 4 transpose in the registers of 4 lanes.
extern "C" __global__ void transpose_shuffle(const int4* x, int4* out) {
  int4 v = x[threadIdx.x];
  int a[4] = {v.x, v.y, v.z, v.w};
  int b[4];
  const int lane = threadIdx.x % 4;
  for (int k = 0; k < 4; ++k) {
    int received[4];
    for (int e = 0; e < 4; ++e) received[e] = __shfl_sync(~0u, a[e], k, 4);
    b[k] = lane == 0 ? received[0] : lane == 1 ? received[1] : lane == 2 ? received[2] : received[3];
  }
  out[threadIdx.x] = make_int4(b[0], b[1], b[2], b[3]);
}

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || k >= n) return;
  float sum = 0;
  for (int e = 0; e < n; ++e) sum += a[i * n + e] * b[e * n + k];
  c[i * n + k] = sum;
}

extern "C" __global__ void matmul_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16];
  __shared__ float bs[16][16];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  float sum = 0;
  for (int e = 0; e < n; e += 16) {
    as[y][x] = a[(blockIdx.y * 16 + y) * n + e + x];
    bs[y][x] = b[(e + y) * n + blockIdx.x * 16 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = sum;
}

// Four by four sums to a thread.
extern "C" __global__ void matmul_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float as[32][33];
  __shared__ float bs[32][33];
  const int t = threadIdx.x;
  const int x = t % 8 * 4;
  const int y = t / 8 * 4;
  float sums[4][4] = {};
  for (int e = 0; e < n; e += 32) {
    for (int i = t; i < 32 * 32; i += 64) {
      as[i / 32][i % 32] = a[(blockIdx.y * 32 + i / 32) * n + e + i % 32];
      bs[i / 32][i % 32] = b[(e + i / 32) * n + blockIdx.x * 32 + i % 32];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sums[i][j] += as[y + i][k] * bs[k][x + j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      c[(blockIdx.y * 32 + y + i) * n + blockIdx.x * 32 + x + j] = sums[i][j];
    }
  }
}

// Two stages of cp.async.
extern "C" __global__ void matmul_async(const float* a, const float* b, float* c, int n) {
  __shared__ __align__(16) float as[2][16][16];
  __shared__ __align__(16) float bs[2][16][16];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const auto load = [&](int e, int stage) {
    __pipeline_memcpy_async(&as[stage][y][x], &a[(blockIdx.y * 16 + y) * n + e + x], 4);
    __pipeline_memcpy_async(&bs[stage][y][x], &b[(e + y) * n + blockIdx.x * 16 + x], 4);
    __pipeline_commit();
  };
  load(0, 0);
  float sum = 0;
  for (int e = 0; e < n; e += 16) {
    const int stage = e / 16 % 2;
    if (e + 16 < n) {
      load(e + 16, 1 - stage);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[stage][y][k] * bs[stage][k][x];
    __syncthreads();
  }
  c[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = sum;
}

// A warp to 16 by 16 results, wmma.
extern "C" __global__ void matmul_wmma(const half* a, const half* b, float* c, int n) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> af;
  fragment<matrix_b, 16, 16, 16, half, row_major> bf;
  fragment<accumulator, 16, 16, 16, float> cf;
  fill_fragment(cf, 0.0f);
  for (int e = 0; e < n; e += 16) {
    load_matrix_sync(af, a + blockIdx.y * 16 * n + e, n);
    load_matrix_sync(bf, b + e * n + blockIdx.x * 16, n);
    mma_sync(cf, af, bf, cf);
  }
  store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, cf, n, mem_row_major);
}

// mma.sync with ldmatrix from shared memory.
extern "C" __global__ void matmul_mma(const half* a, const half* b, float* c, int n) {
  __shared__ __align__(16) half as[16][16];
  __shared__ __align__(16) half bs[16][8];
  const int lane = threadIdx.x;
  float d[4] = {};
  for (int e = 0; e < n; e += 16) {
    for (int i = lane; i < 256; i += 32) as[i / 16][i % 16] = a[(blockIdx.y * 16 + i / 16) * n + e + i % 16];
    for (int i = lane; i < 128; i += 32) bs[i / 8][i % 8] = b[(e + i / 8) * n + blockIdx.x * 8 + i % 8];
    __syncthreads();
    unsigned ar[4];
    unsigned br[2];
    const unsigned ap = __cvta_generic_to_shared(&as[lane % 16][lane / 16 * 8]);
    const unsigned bp = __cvta_generic_to_shared(&bs[lane % 16][0]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(ar[0]), "=r"(ar[1]), "=r"(ar[2]), "=r"(ar[3]) : "r"(ap));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(br[0]), "=r"(br[1]) : "r"(bp));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(ar[0]), "r"(ar[1]), "r"(ar[2]), "r"(ar[3]), "r"(br[0]), "r"(br[1]));
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4 + i / 2 * 8;
    const int column = lane % 4 * 2 + i % 2;
    c[(blockIdx.y * 16 + row) * n + blockIdx.x * 8 + column] = d[i];
  }
}

extern "C" __global__ void matvec(const float* a, const float* x, float* y, int n) {
  const int row = blockIdx.x;
  float sum = 0;
  for (int k = threadIdx.x; k < n; k += 32) sum = fmaf(a[row * n + k], x[k], sum);
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(~0u, sum, k);
  if (threadIdx.x == 0) y[row] = sum;
}

extern "C" __global__ void int8_dot(const int* a, const int* b, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __dp4a(a[i], b[i], i);
}
