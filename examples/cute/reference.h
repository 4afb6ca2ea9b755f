#ifndef HLO_INDEXING_EXAMPLES_CUTE_REFERENCE_H_
#define HLO_INDEXING_EXAMPLES_CUTE_REFERENCE_H_

#include <cstdint>
#include <cstdio>
#include <vector>

// Inputs for the examples, and plain loops that say what must come out.
namespace examples {

/// Small integers, so that sums of products are exact in any order.
inline std::vector<float> MakeMatrix(int rows, int columns, int modulus) {
  std::vector<float> matrix(static_cast<size_t>(rows) * static_cast<size_t>(columns));
  const int middle = modulus / 2;
  for (size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] = static_cast<float>(static_cast<int>(i % static_cast<size_t>(modulus)) - middle);
  }
  return matrix;
}

/// Whether out is the transpose of the m x n matrix in, both row-major; prints a difference.
inline bool IsTranspose(std::vector<float> const& in, std::vector<float> const& out, int m, int n) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (out[j * m + i] != in[i * n + j]) {
        printf("transpose %d x %d: wrong at (%d,%d)\n", m, n, static_cast<int>(i),
               static_cast<int>(j));
        return false;
      }
    }
  }
  printf("transpose %d x %d: right\n", m, n);
  return true;
}

/// Whether c(i,j) is the sum over l of a(i,l) * b(j,l), all column-major; prints a difference.
inline bool IsProduct(std::vector<float> const& a, std::vector<float> const& b,
                      std::vector<float> const& c, int m, int n, int k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += a[i + l * m] * b[j + l * n];
      if (c[i + j * m] != sum) {
        printf("gemm %d x %d x %d: wrong at (%d,%d)\n", m, n, k, static_cast<int>(i),
               static_cast<int>(j));
        return false;
      }
    }
  }
  printf("gemm %d x %d x %d: right\n", m, n, k);
  return true;
}

/// The number of tiles that cover an extent. *(100, 32) -> 4*
inline int Tiles(int extent, int tile) { return (extent + tile - 1) / tile; }

}  // namespace examples

#endif  // HLO_INDEXING_EXAMPLES_CUTE_REFERENCE_H_
