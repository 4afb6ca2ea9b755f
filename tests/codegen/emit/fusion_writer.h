// Writes fusions whose arrays have layouts of all kinds, instruction by instruction.
#ifndef HLO_INDEXING_TESTS_CODEGEN_EMIT_FUSION_WRITER_H_
#define HLO_INDEXING_TESTS_CODEGEN_EMIT_FUSION_WRITER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hlo/element_type.h"
#include "tests/property/random.h"
#include "tests/property/random_computation.h"

namespace hlo_indexing::testing {

/// A layout for an array, with its braces: none, an order of dimensions, tiles of one or two
/// levels, padding at the end, elements of less than a byte.
/// Example: "s4", {3, 5} -> "{0,1:T(2,4)(2,1)E(4)}"
std::string RandomLayout(Random& random, const std::string& type, const Sizes& sizes,
                         bool is_row_major);

/// An instruction of the fusion.
struct FusedValue {
  std::string name;
  std::string type;
  Sizes sizes;
};

/// The names of operands, with commas.
std::string List(const std::vector<FusedValue>& values);

/// A fusion, and what calls it. Parameters and outputs have layouts of any kind, what is between
/// them has orders of dimensions.
class FusionWriter {
 public:
  enum class Layouts : uint8_t {
    kAny,
    kRowMajor,  // without tiles or padding
  };
  /// Half of all fusions keep one order of dimensions, as XLA's do.
  explicit FusionWriter(Random& source, Layouts layouts = Layouts::kAny)
      : random(source),
        layouts_(layouts),
        is_row_major_(layouts == Layouts::kRowMajor || source.OneIn(2)) {}

  Random& random;

  FusedValue Parameter(const std::string& type, const Sizes& sizes);
  /// Example: Add("f32", {3}, "negate(v0)")
  FusedValue Add(const std::string& type, const Sizes& sizes, const std::string& expression);
  /// The same in the layout of a parameter.
  FusedValue AddLike(const FusedValue& parameter, const std::string& expression);
  FusedValue Constant(const std::string& type, const std::string& value);
  /// The shape of a tuple of arrays of these types and sizes, in layouts of their own.
  std::string TupleShape(const std::vector<std::pair<std::string, Sizes>>& arrays);
  /// A tuple of arrays, whose shape is this text; it has no type.
  FusedValue AddTuple(const std::string& shape, const std::string& expression);
  FusedValue Element(const FusedValue& tuple, int64_t number, const std::string& type,
                     const Sizes& sizes);

  /// The name of a computation that combines two scalars.
  std::string Reducer(const std::string& type, const std::string& opcode);
  /// The name of one that finds the largest of values with their numbers.
  std::string ArgMax(const std::string& type);
  /// The name of one that adds an array to a carried one, and gives the sum as both.
  std::string RunningSum(const std::string& type, const Sizes& sizes);
  /// The name of one that compares the first of two arrays' elements.
  std::string KeyComparator(const std::string& type, const std::string& other);
  /// The name of one that compares two scalars.
  std::string Comparator(const std::string& type, const std::string& direction);

  /// A module whose entry calls the fusion, or that has it as its only computation, which is then
  /// the kernel.
  std::string Module(std::vector<FusedValue> outputs);

 private:
  struct Line {
    std::string name;
    std::string shape;
    std::string expression;
    bool has_layout = false;
  };
  std::string NewName() { return "v" + std::to_string(lines_.size()); }
  // An output in a layout of its own.
  Line& LineOf(const FusedValue& value);

  std::string LayoutOf(const std::string& type, const Sizes& sizes) {
    return layouts_ == Layouts::kRowMajor ? "" : RandomLayout(random, type, sizes, is_row_major_);
  }

  Layouts layouts_;
  bool is_row_major_;
  std::vector<Line> lines_;
  std::vector<std::string> parameters_;
  Callees callees_;
};

/// The class of a type by its name.
hlo::ElementClass ClassOf(const std::string& type);
int64_t BitsOf(const std::string& type);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_CODEGEN_EMIT_FUSION_WRITER_H_
