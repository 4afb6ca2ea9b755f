// Scans, histograms, compaction and sorts.
extern "C" __global__ void scan_hillis_steele(const int* x, int* out, int n) {
  __shared__ int s[2][256];
  int from = 0;
  s[0][threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] : 0;
  __syncthreads();
  for (int k = 1; k < 256; k *= 2) {
    const int v = s[from][threadIdx.x];
    s[1 - from][threadIdx.x] = threadIdx.x >= k ? v + s[from][threadIdx.x - k] : v;
    from = 1 - from;
    __syncthreads();
  }
  if (threadIdx.x < n) out[threadIdx.x] = s[from][threadIdx.x];
}

// Exclusive; up and down a tree.
extern "C" __global__ void scan_blelloch(const int* x, int* out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[2 * t] = x[2 * t];
  s[2 * t + 1] = x[2 * t + 1];
  int offset = 1;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) s[255] = 0;
  for (int d = 1; d < 256; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      const int a = offset * (2 * t + 1) - 1;
      const int b = offset * (2 * t + 2) - 1;
      const int v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  __syncthreads();
  out[2 * t] = s[2 * t];
  out[2 * t + 1] = s[2 * t + 1];
}

__device__ int WarpScan(int v) {
  for (int k = 1; k < 32; k *= 2) {
    const int other = __shfl_up_sync(~0u, v, k);
    if (threadIdx.x % 32 >= k) v += other;
  }
  return v;
}
extern "C" __global__ void scan_warps(const int* x, int* out) {
  __shared__ int sums[32];
  const int warp = threadIdx.x / 32;
  int v = WarpScan(x[threadIdx.x]);
  if (threadIdx.x % 32 == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) sums[threadIdx.x] = WarpScan(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0);
  __syncthreads();
  out[threadIdx.x] = v + (warp > 0 ? sums[warp - 1] : 0);
}

extern "C" __global__ void histogram_global(const unsigned char* x, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[x[i]], 1);
  }
}

extern "C" __global__ void histogram_shared(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&s[x[i]], 1);
  }
  __syncthreads();
  if (s[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

// One addition for all lanes that have the same bin.
extern "C" __global__ void histogram_match(const unsigned char* x, unsigned* bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned peers = __match_any_sync(~0u, i < n ? x[i] : 1000);
  if (i < n && (peers & ((1u << (threadIdx.x % 32)) - 1)) == 0) {
    atomicAdd(&bins[x[i]], __popc(peers));
  }
}

// Warp-aggregated atomics: positive elements, in any order.
extern "C" __global__ void compact(const int* x, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool keep = i < n && x[i] > 0;
  const unsigned mask = __ballot_sync(~0u, keep);
  const int lane = threadIdx.x % 32;
  int base = 0;
  if (lane == 0 && mask != 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = x[i];
}

extern "C" __global__ void bitonic_sort(int* x) {
  __shared__ int s[512];
  const int t = threadIdx.x;
  s[t] = x[t];
  s[t + 256] = x[t + 256];
  for (int size = 2; size <= 512; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const int a = 2 * t - (t & (stride - 1));
      const int b = a + stride;
      const bool up = (a & size) == 0;
      if ((s[a] > s[b]) == up) {
        const int v = s[a];
        s[a] = s[b];
        s[b] = v;
      }
    }
  }
  __syncthreads();
  x[t] = s[t];
  x[t + 256] = s[t + 256];
}

extern "C" __global__ void odd_even_sort(unsigned* x, int n) {
  extern __shared__ unsigned dynamic[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) dynamic[i] = x[i];
  for (int step = 0; step < n; ++step) {
    __syncthreads();
    for (int i = 2 * threadIdx.x + step % 2; i + 1 < n; i += 2 * blockDim.x) {
      const unsigned a = dynamic[i];
      const unsigned b = dynamic[i + 1];
      if (a > b) {
        dynamic[i] = b;
        dynamic[i + 1] = a;
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = dynamic[i];
}

// By the bits from the lowest, each pass stable.
extern "C" __global__ void radix_sort(unsigned* x) {
  __shared__ unsigned s[256];
  __shared__ int ones[8];
  const int t = threadIdx.x;
  unsigned v = x[t];
  for (int bit = 0; bit < 32; ++bit) {
    const unsigned b = v >> bit & 1;
    const unsigned mask = __ballot_sync(~0u, b);
    if (t % 32 == 0) ones[t / 32] = __popc(mask);
    __syncthreads();
    int before = 0;
    int total = 0;
    for (int w = 0; w < 8; ++w) {
      if (w < t / 32) before += ones[w];
      total += ones[w];
    }
    before += __popc(mask & ((1u << (t % 32)) - 1));
    s[b ? 256 - total + before : t - before] = v;
    __syncthreads();
    v = s[t];
  }
  x[t] = v;
}

extern "C" __global__ void rank_sort(const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int k = 0; k < n; ++k) rank += x[k] < x[i] || (x[k] == x[i] && k < i);
  out[rank] = x[i];
}

extern "C" __global__ void lower_bound(const int* sorted, const int* keys, int* out, int n, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int low = 0;
  int high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < keys[i]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[i] = low;
}
