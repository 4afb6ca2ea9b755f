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
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/access.h"
#include "llvm/ADT/ArrayRef.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::indexing_analysis {

class CustomCallRegistry;

/// How many devices run a module. Device r * partitions + p runs partition p of replica r.
struct DeviceCounts {
  int64_t replicas = 1;
  int64_t partitions = 1;

  int64_t Count() const { return replicas * partitions; }
};

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
  /// The element at `index` of an operand's array, as a value in `bounds`: known if it follows from
  /// constants, a runtime value of `access` otherwise. Values outside are clamped.
  virtual Sum RuntimeValue(const hlo::Instruction& operand, llvm::ArrayRef<Sum> index,
                           Interval bounds, Access& access) = 0;
  /// The number of the device that asks, a runtime value of `access` below devices().Count().
  virtual Sum OwnDevice(Access& access) = 0;
  virtual const DeviceCounts& devices() = 0;
  /// Makes the results of `map`, a map from the output's array, the results of `access`.
  virtual void Compose(const IndexingMap& map, Access& access) = 0;
  /// The registered maps of custom calls; may be null.
  virtual const CustomCallRegistry* custom_calls() = 0;
  virtual mlir::MLIRContext* mlir_context() = 0;
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
  llvm::ArrayRef<Sum> index() const { return access_.Index(); }

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

  /// The device whose output is accessed.
  Sum Device(Access& access);
  const DeviceCounts& devices() { return sink_.devices(); }
  void Compose(const IndexingMap& map, Access& access) { sink_.Compose(map, access); }
  const CustomCallRegistry* custom_calls() { return sink_.custom_calls(); }
  mlir::MLIRContext* mlir_context() { return sink_.mlir_context(); }

  /// Array `leaf` of an operand is read at `index`, under the variables and constraints of
  /// `access`.
  void Read(size_t operand, int64_t leaf, Access access, llvm::ArrayRef<Sum> index);
  /// The same where the verifier has not seen to it that the index fits: as far as it does.
  void ReadWithin(size_t operand, int64_t leaf, Access access, llvm::ArrayRef<Sum> index);
  /// The array of another device is read.
  void ReadFromDevice(size_t operand, int64_t leaf, Access access, llvm::ArrayRef<Sum> index,
                      const Sum& device);
  /// It is read at the index of the output.
  void ReadSameIndex(size_t operand, int64_t leaf = 0) { sink_.ReadSameIndex(operand, leaf); }
  /// The same where the verifier has not seen to it that the shapes are the same.
  void ReadSameIndexWithin(size_t operand, int64_t leaf);
  /// Every element of the array is read; perhaps, if a reason says why it may be fewer.
  void ReadWhole(size_t operand, int64_t leaf, llvm::StringRef superset_reason = "");
  /// Every element of every array of the operand.
  void ReadWholeOperand(size_t operand, llvm::StringRef superset_reason = "");
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

/// Whether an instruction of this opcode may read what other devices hold, which depends on how
/// many there are.
bool ReadsOtherDevices(hlo::Opcode opcode);

/// Whether what an instruction of this opcode reads depends on values, so that equal instructions
/// may read differently.
bool ReadsRuntimeValues(hlo::Opcode opcode);

/// Which parameters an array of the computation's root depends on, taking every operand of an
/// instruction as used. *tuple(add(a, b), a), 1 -> {true, false}*
std::vector<bool> UsedParameters(const hlo::Computation& computation, size_t leaf);

namespace read_rules {

// read_rules_elementwise.cc
void NoOperands(ReadContext& context);
void Elementwise(ReadContext& context);
void FirstOperand(ReadContext& context);
void Random(ReadContext& context);
void RandomBits(ReadContext& context);
void BitcastConvert(ReadContext& context);

// read_rules_tuple.cc
void Tuple(ReadContext& context);
void GetTupleElement(ReadContext& context);
void CopyStart(ReadContext& context);
void FirstElement(ReadContext& context);
void SecondElement(ReadContext& context);
void AsyncUpdate(ReadContext& context);
void CustomCall(ReadContext& context);

// read_rules_movement.cc
void Broadcast(ReadContext& context);
void Transpose(ReadContext& context);
void Reverse(ReadContext& context);
void Reshape(ReadContext& context);
void DynamicReshape(ReadContext& context);
void Bitcast(ReadContext& context);
void Slice(ReadContext& context);
void Pad(ReadContext& context);
void Concatenate(ReadContext& context);

// read_rules_contraction.cc
void Reduce(ReadContext& context);
void Dot(ReadContext& context);
void ScaledDot(ReadContext& context);
void RaggedDot(ReadContext& context);

// read_rules_window.cc
void ReduceWindow(ReadContext& context);
void Convolution(ReadContext& context);
void SelectAndScatter(ReadContext& context);

// read_rules_lines.cc
void Sort(ReadContext& context);
void TopK(ReadContext& context);
void Fft(ReadContext& context);
void Scan(ReadContext& context);
void BatchNormTraining(ReadContext& context);
void BatchNormInference(ReadContext& context);
void BatchNormGrad(ReadContext& context);

// read_rules_triangular.cc
void Cholesky(ReadContext& context);
void TriangularSolve(ReadContext& context);

// read_rules_dynamic.cc
void DynamicSlice(ReadContext& context);
void DynamicUpdateSlice(ReadContext& context);
void Gather(ReadContext& context);
void Scatter(ReadContext& context);

// read_rules_collectives.cc
void AllReduce(ReadContext& context);
void AllGather(ReadContext& context);
void ReduceScatter(ReadContext& context);
void AllToAll(ReadContext& context);
void CollectiveBroadcast(ReadContext& context);
void CollectivePermute(ReadContext& context);
void RaggedAllToAll(ReadContext& context);

}  // namespace read_rules

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_READ_RULES_H_
