// What a read rule is given, and whom it tells what it finds.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_READ_CONTEXT_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_READ_CONTEXT_H_

#include <cstdint>
#include <string>

#include "hlo/module.h"
#include "indexing_analysis/maps/access.h"
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
  /// The number of the executing device, a runtime value of `access` below devices().Count().
  virtual Sum ExecutingDevice(Access& access) = 0;
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
  /// A new range variable over the indices of a dimension of that size.
  Sum AddRange(Access& access, int64_t size);
  /// Restricts the access to those elements for which `sum` lies in `bounds`.
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
  /// The same if the verifier has not checked that the index fits: as far as it does.
  void ReadWithin(size_t operand, int64_t leaf, Access access, llvm::ArrayRef<Sum> index);
  /// The array of another device is read.
  void ReadFromDevice(size_t operand, int64_t leaf, Access access, llvm::ArrayRef<Sum> index,
                      const Sum& device);
  /// It is read at the index of the output.
  void ReadSameIndex(size_t operand, int64_t leaf = 0) { sink_.ReadSameIndex(operand, leaf); }
  /// The same if the verifier has not checked that the shapes are the same.
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

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_READ_CONTEXT_H_
