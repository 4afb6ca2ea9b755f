#include "indexing_analysis/rule_memory.h"

#include <string>

namespace hlo_indexing::indexing_analysis {

using hlo::Instruction;

namespace {

// More constraints than that on one access come from generated programs only, and every step looks
// at all of them.
constexpr size_t kMaxConstraints = 64;

}  // namespace

// Takes down what a rule finds.
class RuleMemory::Sink : public ReadSink {
 public:
  Sink(RuleMemory& memory, DigitContext& digits, const DeviceCounts& devices)
      : memory_(memory), digits_(digits), devices_(devices) {}

  void Read(size_t operand, int64_t leaf, Access access) override {
    const std::string reason = Settle(digits_, memory_.options_, access);
    if (access.map.empty || !reads_) return;
    reads_->push_back({operand, leaf, memory_.shared_accesses_.Share(std::move(access)),
                       memory_.reasons_.insert(reason).first->getKey()});
  }
  void ReadSameIndex(size_t operand, int64_t leaf) override {
    if (reads_) reads_->push_back({operand, leaf, {}, ""});
  }
  void ReadUnknown(std::string) override { Forget(); }
  Sum RuntimeValue(const Instruction&, llvm::ArrayRef<Sum>, Interval bounds, Access&) override {
    Forget();
    return simplifier::Constant(bounds.lower);
  }
  Sum OwnDevice(Access&) override {
    Forget();
    return simplifier::Constant(0);
  }
  const DeviceCounts& devices() override { return devices_; }
  void Compose(const IndexingMap&, Access&) override { Forget(); }
  const CustomCallRegistry* custom_calls() override { return memory_.options_.custom_calls; }
  mlir::MLIRContext* mlir_context() override { return memory_.mlir_context_; }

  std::optional<FoundReads> Take() { return std::move(reads_); }

 private:
  void Forget() { reads_.reset(); }

  RuleMemory& memory_;
  DigitContext& digits_;
  DeviceCounts devices_;
  std::optional<FoundReads> reads_ = FoundReads();
};

std::optional<FoundReads> RuleMemory::Apply(const Instruction& instruction, int64_t output_leaf,
                                            const DeviceCounts& devices,
                                            const SharedAccess& shared) {
  DigitContext digits;
  const Access access = CopyShared(digits, shared);
  const simplifier::FactScope facts(digits, access.map.constraints);
  Sink sink(*this, digits, devices);
  ReadContext context(instruction, output_leaf, access, digits, sink);
  ReadRuleOf(instruction.opcode())(context);
  return sink.Take();
}

const FoundReads* RuleMemory::Find(const InstructionClass& instruction_class,
                                   const Instruction& instruction, int64_t output_leaf,
                                   const DeviceCounts& devices, const SharedAccess& shared) {
  const auto [position, is_new] = reads_.try_emplace({&instruction_class, &shared});
  if (is_new) position->second = Apply(instruction, output_leaf, devices, shared);
  return position->second ? &*position->second : nullptr;
}

const SharedAccess* RuleMemory::Identity(llvm::ArrayRef<int64_t> sizes) {
  const auto [position, is_new] = identities_.try_emplace(Sizes(sizes), nullptr);
  if (!is_new) return position->second;
  DigitContext digits;
  Access identity;
  identity.num_dimensions = sizes.size();
  for (const int64_t size : sizes) {
    const VariableId variable = identity.AddRange({0, size - 1});
    if (size > 0) identity.map.results.push_back(identity.map.Variable(digits, variable));
  }
  if (!identity.map.empty) position->second = shared_accesses_.Share(std::move(identity)).shared;
  return position->second;
}

const SharedAccess* RuleMemory::Whole(const SharedAccess& identity, llvm::ArrayRef<int64_t> sizes,
                                      int64_t devices) {
  const auto [position, is_new] = wholes_.try_emplace({&identity, Sizes(sizes), devices}, nullptr);
  if (!is_new) return position->second;
  DigitContext digits;
  Access whole;
  whole.num_dimensions = identity.access.num_dimensions;
  whole.map.boxes = identity.access.map.boxes;
  ReadAll(digits, sizes, whole);
  whole.has_device = devices != 0;
  if (whole.has_device) ReadAll(digits, devices, whole);
  RenumberRanges(digits, whole);
  if (!whole.map.empty) position->second = shared_accesses_.Share(std::move(whole)).shared;
  return position->second;
}

const PlacedAccess& RuleMemory::Scalar(const SharedAccess& shared) {
  PlacedAccess& known = scalars_[&shared];
  if (known.shared != nullptr) return known;
  DigitContext digits;
  Access scalar = CopyShared(digits, shared);
  scalar.map.results.erase(
      scalar.map.results.begin(),
      scalar.map.results.begin() + static_cast<std::ptrdiff_t>(scalar.Index().size()));
  Settle(digits, options_, scalar);
  known = shared_accesses_.Share(std::move(scalar));
  return known;
}

std::string Settle(DigitContext& digits, const AnalysisOptions& options, Access& access) {
  std::string reason = std::move(access.superset_reason);
  access.superset_reason.clear();
  if (options.simplification == AnalysisOptions::Simplification::kFull) {
    simplifier::Tighten(digits, access.map);
  }
  if (access.map.empty) return reason;
  if (access.map.constraints.size() > kMaxConstraints) {
    access.map.constraints.resize(kMaxConstraints);
    if (reason.empty()) reason = "some of very many constraints are left out";
  }
  RenumberRanges(digits, access);
  return reason;
}

}  // namespace hlo_indexing::indexing_analysis
