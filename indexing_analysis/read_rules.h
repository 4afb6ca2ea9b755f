// What every opcode reads: one rule per family, one table.
//
// A rule is given an access to one element of an instruction's output, as digit sums, and says
// which elements of the operands are read. The same rule serves an instruction by itself, where the
// access is the identity, and any path through a fusion. The relation that each rule states is
// documented with it; composition, simplification and reporting happen elsewhere.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_READ_RULES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_READ_RULES_H_

#include <cstdint>
#include <string>

#include "hlo/module.h"
#include "indexing_analysis/access.h"
#include "llvm/ADT/ArrayRef.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::indexing_analysis {

/// Receives what a rule finds.
class ReadSink {
 public:
  virtual ~ReadSink() = default;
  /// Operand array `leaf` is read at the results of the access.
  virtual void Read(size_t operand, int64_t leaf, Access access) = 0;
  /// It is read at the index at which the output is accessed.
  virtual void ReadSameIndex(size_t operand, int64_t leaf) = 0;
  /// Nothing is known about what is read of the operands.
  virtual void ReadUnknown(std::string reason) = 0;
  /// The element at `index` of an operand's array, as a value in `bounds`: known if it is a
  /// constant, a runtime value of `access` otherwise. Values outside are clamped.
  virtual Sum RuntimeValue(const hlo::Instruction& operand, llvm::ArrayRef<Sum> index,
                           Interval bounds, Access& access) = 0;
};

/// One application of a rule.
class ReadContext {
 public:
  ReadContext(const hlo::Instruction& instruction, int64_t output_leaf, const Access& access,
              DigitContext& digits, ReadSink& sink)
      : instruction_(instruction),
        output_leaf_(output_leaf),
        access_(access),
        digits_(digits),
        sink_(sink) {}

  const hlo::Instruction& instruction() const { return instruction_; }
  int64_t output_leaf() const { return output_leaf_; }
  DigitContext& digits() { return digits_; }
  /// The shape of the output array that is accessed.
  const hlo::Shape& output() const { return instruction_.shape().ArrayLeaf(output_leaf_); }
  const hlo::Shape& operand(size_t i) const { return instruction_.operand(i).shape(); }
  size_t num_operands() const { return instruction_.operands().size(); }
  /// The index of the output element.
  llvm::ArrayRef<Sum> index() const { return access_.map.results; }

  /// A copy of the access, to add variables and constraints to.
  Access Start() const { return access_; }
  /// A new range variable in [0, size - 1].
  Sum AddRange(Access& access, int64_t size);
  /// Restricts the access to where `sum` lies in `bounds`.
  void Constrain(Access& access, const Sum& sum, Interval bounds) const;
  /// See ReadSink.
  Sum RuntimeValue(size_t operand, llvm::ArrayRef<Sum> index, Interval bounds, Access& access) {
    return sink_.RuntimeValue(instruction_.operand(operand), index, bounds, access);
  }

  /// Array `leaf` of an operand is read at `index`, under the variables and constraints of
  /// `access`.
  void Read(size_t operand, int64_t leaf, Access access, llvm::ArrayRef<Sum> index);
  /// It is read at the index of the output.
  void ReadSameIndex(size_t operand, int64_t leaf = 0) { sink_.ReadSameIndex(operand, leaf); }
  void ReadUnknown(std::string reason) { sink_.ReadUnknown(std::move(reason)); }

 private:
  const hlo::Instruction& instruction_;
  int64_t output_leaf_;
  const Access& access_;
  DigitContext& digits_;
  ReadSink& sink_;
};

using ReadRule = void (*)(ReadContext&);

/// The rule of an opcode; null where there is none. Fusion and call have none: the analysis follows
/// them.
ReadRule ReadRuleOf(hlo::Opcode opcode);

/// Whether what an instruction of this opcode reads depends on values, so that equal instructions
/// may read differently.
bool ReadsRuntimeValues(hlo::Opcode opcode);

namespace read_rules {

// read_rules_elementwise.cc
void NoOperands(ReadContext& context);
void Elementwise(ReadContext& context);
void BitcastConvert(ReadContext& context);
void Tuple(ReadContext& context);
void GetTupleElement(ReadContext& context);

// read_rules_movement.cc
void Broadcast(ReadContext& context);
void Transpose(ReadContext& context);
void Reverse(ReadContext& context);
void Reshape(ReadContext& context);
void Bitcast(ReadContext& context);
void Slice(ReadContext& context);
void Pad(ReadContext& context);
void Concatenate(ReadContext& context);

// read_rules_contraction.cc
void Reduce(ReadContext& context);
void Dot(ReadContext& context);

// read_rules_dynamic.cc
void DynamicSlice(ReadContext& context);
void DynamicUpdateSlice(ReadContext& context);

}  // namespace read_rules

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_READ_RULES_H_
