#include "tests/property/random_map.h"

namespace hlo_indexing::testing {
namespace {

// Expressions over named variables.
class ExpressionWriter {
 public:
  ExpressionWriter(Random& random, const std::vector<std::string>& names)
      : random_(random), names_(names) {}

  // Operands are made one after the other, in an order that does not depend on the compiler.
  std::string Write(int depth) {
    if (depth == 0 || random_.OneIn(5)) return Leaf();
    const int64_t operation = random_.Between(0, 5);
    const std::string first = Write(depth - 1);
    switch (operation) {
      case 0:
        return "(" + first + " + " + Write(depth - 1) + ")";
      case 1:
        return "(" + first + " - " + Write(depth - 1) + ")";
      case 2:
        return first + " * " + Factor();
      case 3:
        return "(" + first + " floordiv " + Factor() + ")";
      case 4:
        return "(" + first + " ceildiv " + Factor() + ")";
      default:
        return "(" + first + " mod " + Factor() + ")";
    }
  }

 private:
  std::string Leaf() {
    return random_.OneIn(6) ? std::to_string(random_.Between(-20, 20)) : random_.Pick(names_);
  }

  std::string Factor() {
    static const std::vector<int64_t> factors = {2,  3,  4, 5,  6,  7,  8, 10,
                                                 12, 16, 1, -1, -2, -3, -4};
    return std::to_string(random_.Pick(factors));
  }

  Random& random_;
  const std::vector<std::string>& names_;
};

}  // namespace

std::string RandomMap(Random& random) {
  const int64_t dimensions = random.Between(1, 3);
  const int64_t ranges = random.OneIn(3) ? random.Between(1, 2) : 0;
  // Known at run time only: bounds that constraints imply stay constraints.
  const bool are_runtime = ranges > 0 && random.OneIn(2);
  // Few enough points to try them all.
  const int64_t widest = dimensions + ranges <= 3 ? 9 : (dimensions + ranges == 4 ? 5 : 3);
  std::vector<std::string> names;
  std::string head = "(";
  std::string domain;
  for (int64_t i = 0; i < dimensions + ranges; ++i) {
    const bool is_range = i >= dimensions;
    const std::string name = is_range ? (are_runtime ? "rt" : "s") + std::to_string(i - dimensions)
                                      : "d" + std::to_string(i);
    if (i == dimensions) head += are_runtime ? "){" : ")[";
    if (i != 0 && i != dimensions) head += ", ";
    head += name;
    names.push_back(name);
    const int64_t lower = random.OneIn(3) ? random.Between(-8, 4) : 0;
    const int64_t upper = lower + random.Between(0, widest);
    domain += (domain.empty() ? "" : ", ") + name + " in [" + std::to_string(lower) + ", " +
              std::to_string(upper) + "]";
  }
  head += ranges == 0 ? ")" : (are_runtime ? "}" : "]");
  ExpressionWriter writer(random, names);
  std::string results;
  const int64_t num_results = random.Between(1, 2);
  for (int64_t i = 0; i < num_results; ++i) {
    results += (results.empty() ? "" : ", ") + writer.Write(4);
  }
  const int64_t constraints = random.OneIn(2) ? random.Between(1, 3) : 0;
  for (int64_t i = 0; i < constraints; ++i) {
    const int64_t lower = random.Between(-10, 10);
    domain += ", " + writer.Write(2) + " in [" + std::to_string(lower) + ", " +
              std::to_string(lower + random.Between(0, 12)) + "]";
  }
  return head + " -> (" + results + "), domain: " + domain;
}

}  // namespace hlo_indexing::testing
