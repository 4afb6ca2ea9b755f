// Puts random computations together, instruction by instruction.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_COMPUTATION_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_COMPUTATION_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/random.h"

namespace hlo_indexing::testing {

/// *{2, 3}, "," -> 2,3*
std::string Join(const Sizes& values, const char* separator = ",");
/// *{2, 3} -> {2,3}*
std::string Braces(const Sizes& values);
/// *"f32", {2, 3} -> f32[2,3]*
std::string ShapeText(const std::string& type, const Sizes& sizes);
int64_t Count(const Sizes& sizes);
inline size_t At(int64_t i) { return static_cast<size_t>(i); }

/// The computations that a module calls, each under a name of its own.
class Callees {
 public:
  /// The name of a computation with this body, text in braces: `name`, or that with a number.
  std::string Add(const std::string& name, const std::string& body);
  std::string Text() const;

 private:
  std::vector<std::pair<std::string, std::string>> computations_;
};

/// A computation in the making. The functions that write an instruction of an opcode ask it for
/// operands of the shapes that they want and end with Result.
class RandomComputation {
 public:
  enum class Operands : uint8_t {
    kParameters,  // each is a parameter of its own
    kValues,      // what is there already, brought to the shape that is wanted
  };
  struct Parameter {
    std::string shape;
    /// Of an f32 array.
    Sizes sizes;
    enum class Kind : uint8_t { kArray, kIndex, kOther } kind = Kind::kOther;
  };

  RandomComputation(Random& source, Operands operands, Callees& callees_of_module)
      : random(source), callees(callees_of_module), operands_(operands) {}

  Random& random;
  Callees& callees;

  /// The name of an array of that type.
  std::string Operand(const Sizes& sizes) { return Operand("f32", sizes); }
  std::string Operand(const std::string& type, const Sizes& sizes);
  /// The name of an s32[] that may stand for an index, inside of bounds or not.
  std::string Index();
  /// The name of a new parameter.
  std::string AddParameter(const std::string& shape) {
    return AddParameter({shape, {}, Parameter::Kind::kOther});
  }
  /// Writes an instruction; its name.
  std::string Line(const std::string& shape, const std::string& operation);
  /// Writes the instruction that all this is for.
  void Result(const std::string& shape, const std::string& operation);
  void Result(const Sizes& sizes, const std::string& operation) {
    Result(ShapeText("f32", sizes), operation);
  }
  /// Ends with a root of one array or a tuple of some. The shape of the root.
  std::string AddRoot();

  Operands operands() const { return operands_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::string& body() const { return body_; }
  bool has_arrays() const { return !arrays_.empty(); }
  void AddArrayParameter() { Known(AddParameter(RandomArray())); }

  /// Sizes are 0, 1, primes and others.
  int64_t Size();
  Sizes SomeSizes(int64_t min_rank, int64_t max_rank);
  /// As many of the numbers below n, ascending.
  Sizes Subset(size_t n, size_t count);
  Sizes Subset(size_t n) { return Subset(n, At(random.Between(0, static_cast<int64_t>(n)))); }
  bool Maybe() { return random.OneIn(2); }

 private:
  // A named f32 array.
  struct Array {
    std::string name;
    Sizes sizes;
  };

  std::string AddParameter(Parameter parameter);
  Parameter RandomArray();
  void Known(const std::string& parameter) {
    arrays_.push_back({parameter, parameters_.back().sizes});
  }
  const Array& PickArray();
  std::string Adapted(const Array& array, const Sizes& sizes);
  std::string PickIndex();
  // Makes the arrays of a result available.
  void AddArrays(const std::string& name, const std::string& shape);
  void AddArray(const std::string& name, const std::string& type, const Sizes& sizes);

  Operands operands_;
  int next_name_ = 0;
  std::vector<Parameter> parameters_;
  std::string body_;
  std::vector<Array> arrays_;
  std::vector<std::string> indices_;
};

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_COMPUTATION_H_
