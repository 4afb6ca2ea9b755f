#include "indexing_analysis/passed_on.h"

namespace hlo_indexing::indexing_analysis {
namespace {

// Takes down the array whose index is passed on; there is nothing else to be found.
class PassedOnSink : public ReadSink {
 public:
  void ReadSameIndex(size_t operand, int64_t leaf) override { array = {operand, leaf}; }
  void Read(size_t, int64_t, Access) override {}
  void ReadUnknown(std::string) override {}
  Sum RuntimeValue(const hlo::Instruction&, llvm::ArrayRef<Sum>, Interval bounds,
                   Access&) override {
    return simplifier::Constant(bounds.lower);
  }
  Sum OwnDevice(Access&) override { return simplifier::Constant(0); }
  const DeviceCounts& devices() override { return devices_; }
  void Compose(const IndexingMap&, Access&) override {}
  const CustomCallRegistry* custom_calls() override { return nullptr; }
  mlir::MLIRContext* mlir_context() override { return nullptr; }

  std::optional<OperandLeaf> array;

 private:
  DeviceCounts devices_;
};

}  // namespace

std::optional<OperandLeaf> PassedOn(const hlo::Instruction& instruction, int64_t output_leaf) {
  PassedOnSink sink;
  DigitContext digits;
  const Access access;
  ReadContext context(instruction, output_leaf, access, digits, sink);
  ReadRuleOf(instruction.opcode())(context);
  return sink.array;
}

}  // namespace hlo_indexing::indexing_analysis
