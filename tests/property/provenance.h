// What every output element reads, found by carrying sets of elements through a computation: the
// oracle of the indexing maps. Straight from the meaning of each opcode, element by element; shares
// nothing with the read rules.
#ifndef HLO_INDEXING_TESTS_PROPERTY_PROVENANCE_H_
#define HLO_INDEXING_TESTS_PROPERTY_PROVENANCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "hlo/module.h"

namespace hlo_indexing::testing {

/// One element of one array of one operand of the instruction in question, on one device.
struct Source {
  size_t operand = 0;
  int64_t leaf = 0;
  int64_t element = 0;  // row-major
  int64_t device = 0;

  friend auto operator<=>(const Source&, const Source&) = default;
};

using Sources = std::set<Source>;

/// The values of integer arrays: those that are given, and what is computed from them and
/// constants.
class IntegerValues {
 public:
  void Set(const hlo::Instruction& instruction, std::vector<int64_t> values) {
    given_[&instruction] = std::move(values);
  }
  /// The element at a row-major position of an instruction that these calls lead to, the outermost
  /// first. Nothing for opcodes other than parameter, constant, iota, add and copy.
  std::optional<int64_t> Get(const hlo::Instruction& instruction, int64_t element,
                             llvm::ArrayRef<const hlo::Instruction*> calls) const;

 private:
  std::map<const hlo::Instruction*, std::vector<int64_t>> given_;
};

/// What the outcome of a run depends on besides integers.
struct Circumstances {
  /// The device that runs, of how many.
  int64_t device = 0;
  int64_t num_devices = 1;
  /// How often loops run.
  int64_t iterations = 0;
};

/// For each array of the instruction's output and each element of it, what it reads of the
/// operands.
std::vector<std::vector<Sources>> Provenance(const hlo::Instruction& instruction,
                                             const IntegerValues& integers,
                                             const Circumstances& circumstances = {});

/// The index of a row-major position.
std::vector<int64_t> Unflatten(int64_t position, llvm::ArrayRef<int64_t> sizes);
/// The row-major position of an index; nothing where it lies outside.
std::optional<int64_t> Flatten(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> sizes);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_PROVENANCE_H_
