#include "tests/property/random.h"

#include <numeric>

namespace hlo_indexing::testing {

std::vector<int64_t> Random::Permutation(size_t n) {
  std::vector<int64_t> permutation(n);
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t i = n; i > 1; --i) {
    std::swap(permutation[i - 1],
              permutation[static_cast<size_t>(Between(0, static_cast<int64_t>(i) - 1))]);
  }
  return permutation;
}

Sizes RandomFactors(Random& random, int64_t total, size_t max_rank) {
  Sizes sizes;
  while (sizes.size() + 1 < max_rank && !random.OneIn(4)) {
    std::vector<int64_t> divisors;
    for (int64_t k = 1; k * k <= total; ++k) {
      if (total % k != 0) continue;
      divisors.push_back(k);
      divisors.push_back(total / k);
    }
    sizes.push_back(random.Pick(divisors));
    total /= sizes.back();
  }
  if (total > 1 || sizes.empty()) sizes.push_back(total);
  return sizes;
}

}  // namespace hlo_indexing::testing
