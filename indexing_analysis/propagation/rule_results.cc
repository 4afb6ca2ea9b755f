#include "indexing_analysis/propagation/rule_results.h"

#include "indexing_analysis/rules/rule_table.h"
#include "simplifier/domain/scaling.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Instruction;

namespace {

// More constraints than that on one access come from generated programs only, and every step looks
// at all of them.
constexpr size_t kMaxConstraints = 64;

}  // namespace

// Collects what a rule finds, unless that depends on the query.
class RuleResults::Sink : public ReadSink {
 public:
  Sink(RuleResults& results, DigitContext& digits, const DeviceCounts& devices)
      : results_(results), digits_(digits), devices_(devices) {}

  void Read(size_t operand, int64_t leaf, Access access) override {
    const std::string reason = Canonicalize(digits_, results_.options_, access);
    if (access.map.empty || !reads_) return;
    reads_->push_back({operand, leaf, results_.accesses_.Intern(std::move(access)),
                       results_.reasons_.insert(reason).first->getKey()});
  }
  void ReadSameIndex(size_t operand, int64_t leaf) override {
    if (reads_) reads_->push_back({operand, leaf, {}, ""});
  }
  void ReadUnknown(std::string) override { GiveUp(); }
  Sum RuntimeValue(const Instruction&, llvm::ArrayRef<Sum>, Interval bounds, Access&) override {
    GiveUp();
    return simplifier::Constant(bounds.lower);
  }
  Sum ExecutingDevice(Access&) override {
    GiveUp();
    return simplifier::Constant(0);
  }
  const DeviceCounts& devices() override { return devices_; }
  void Compose(const IndexingMap&, Access&) override { GiveUp(); }
  const CustomCallRegistry* custom_calls() override { return results_.options_.custom_calls; }
  mlir::MLIRContext* mlir_context() override { return results_.mlir_context_; }

  std::optional<RuleReads> Take() { return std::move(reads_); }

 private:
  void GiveUp() { reads_.reset(); }

  RuleResults& results_;
  DigitContext& digits_;
  DeviceCounts devices_;
  std::optional<RuleReads> reads_ = RuleReads();
};

std::optional<RuleReads> RuleResults::Apply(const Instruction& instruction, int64_t output_leaf,
                                            const DeviceCounts& devices,
                                            const InternedAccess& access) {
  DigitContext digits;
  const Access copy = CopyTo(digits, access);
  const simplifier::FactScope facts(digits, copy.map.constraints);
  Sink sink(*this, digits, devices);
  ReadContext context(instruction, output_leaf, copy, digits, sink);
  ReadRuleOf(instruction.opcode())(context);
  return sink.Take();
}

const RuleReads* RuleResults::Find(const InstructionClass& instruction_class,
                                   const Instruction& instruction, int64_t output_leaf,
                                   const DeviceCounts& devices, const InternedAccess& access) {
  const auto [position, is_new] = reads_.try_emplace({&instruction_class, &access});
  if (is_new || options_.disabled_memo_tables.IsDisabled(MemoTable::kRuleResults)) {
    position->second = Apply(instruction, output_leaf, devices, access);
  }
  return position->second ? &*position->second : nullptr;
}

BoundAccess RuleResults::Scalar(const InternedAccess& access) {
  BoundAccess& scalar = scalars_[&access];
  const bool is_known =
      scalar.interned != nullptr && !options_.disabled_memo_tables.IsDisabled(MemoTable::kScalars);
  if (is_known) return scalar;
  DigitContext digits;
  Access copy = CopyTo(digits, access);
  copy.map.results.erase(
      copy.map.results.begin(),
      copy.map.results.begin() + static_cast<std::ptrdiff_t>(copy.Index().size()));
  Canonicalize(digits, options_, copy);
  scalar = accesses_.Intern(std::move(copy));
  return scalar;
}

std::string Canonicalize(DigitContext& digits, const AnalysisOptions& options, Access& access) {
  std::string reason = std::move(access.superset_reason);
  access.superset_reason.clear();
  if (options.simplification == AnalysisOptions::Simplification::kFull) {
    simplifier::Tighten(digits, access.map);
    // s0 // 2 with s0 mod 2 = 0 and with s0 mod 2 = 1 are the same access.
    const auto first_range = static_cast<VariableId>(access.num_dimensions);
    if (!access.ranges.empty() && simplifier::ScaleByResidue(digits, access.map, first_range)) {
      simplifier::Tighten(digits, access.map);
    }
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
