#include "tests/property/random_window.h"

#include <cstdint>
#include <vector>

namespace hlo_indexing::testing {

std::string RandomWindow(Random& random) {
  static const std::vector<std::string> results = {
      "d0 + s0", "d0", "s0", "d0 * 2 + s0", "s0 * 2", "(d0 + s0) floordiv 2", "d0 + d1", "d1 + s0"};
  const auto box = [&](const std::string& name) {
    const int64_t lower = random.Between(0, 3);
    return name + " in [" + std::to_string(lower) + ", " +
           std::to_string(lower + random.Between(0, 5)) + "]";
  };
  std::string text = "(d0, d1)[s0] -> (" + random.Pick(results) + ", " + random.Pick(results) +
                     "), domain: " + box("d0") + ", " + box("d1") + ", " + box("s0");
  if (random.OneIn(3)) text += ", d0 + s0 in [" + std::to_string(random.Between(0, 4)) + ", 9]";
  if (random.OneIn(4)) text += ", s0 mod 2 in [0, 0]";
  return text;
}

}  // namespace hlo_indexing::testing
