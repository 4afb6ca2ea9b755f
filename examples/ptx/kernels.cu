// Kernels that docs/ptx.md runs on the virtual GPU. kernels.ptx is what nvcc makes of them:
//   nvcc -ptx -arch=sm_90 -lineinfo kernels.cu

extern "C" __global__ void saxpy(const float* x, float* y, float a, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// Reverses each 256 elements. Another warp may not have written yet what this one reads.
extern "C" __global__ void reverse_racing(const float* in, float* out) {
  __shared__ float tile[256];
  const unsigned i = threadIdx.x;
  tile[i] = in[blockIdx.x * 256 + i];
  out[blockIdx.x * 256 + i] = tile[255 - i];
}

extern "C" __global__ void reverse(const float* in, float* out) {
  __shared__ float tile[256];
  const unsigned i = threadIdx.x;
  tile[i] = in[blockIdx.x * 256 + i];
  __syncthreads();
  out[blockIdx.x * 256 + i] = tile[255 - i];
}

// Transposes a matrix of n x n, n a multiple of 32, by tiles of 32 x 32 that a block of 32 x 8 moves.
// With rows of 32 floats the elements of a column are all in one bank.
template <int kRow>
__device__ void Transpose(const float* in, float* out, int n) {
  __shared__ float tile[32 * kRow];
  const int column = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    tile[(threadIdx.y + i) * kRow + threadIdx.x] = in[(row + i) * n + column];
  }
  __syncthreads();
  const int out_column = blockIdx.y * 32 + threadIdx.x;
  const int out_row = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) {
    out[(out_row + i) * n + out_column] = tile[threadIdx.x * kRow + threadIdx.y + i];
  }
}

extern "C" __global__ void transpose(const float* in, float* out, int n) {
  Transpose<32>(in, out, n);
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int n) {
  Transpose<33>(in, out, n);
}
