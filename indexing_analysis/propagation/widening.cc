#include "indexing_analysis/propagation/widening.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "indexing_analysis/maps/index_range.h"
#include "indexing_analysis/propagation/called_computations.h"
#include "indexing_analysis/propagation/rule_results.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Twine.h"

namespace hlo_indexing::indexing_analysis {

using hlo::Shape;

namespace {

// An array inside a loop that is read in more ways counts as read whole.
constexpr size_t kMaxAccessesInLoop = 12;
// So does an operand of a call that is inside of a computation.
constexpr size_t kMaxAccessesOfNestedOperand = 256;
// Accesses with few runtime values cost little, and people understand them: 24 accesses may have
// one each. Those of updates one after the other have one more with each, and there this is 8.
constexpr size_t kMaxValuesOfAccesses = 24;

std::string TooMany(llvm::StringRef start, int64_t limit, llvm::StringRef end) {
  return (start + llvm::Twine(limit) + end).str();
}

std::string TooManyWays(size_t max_accesses) {
  return TooMany("an array inside is read in more than ", static_cast<int64_t>(max_accesses),
                 " ways");
}

// Whether index `i` has no upper end, and nothing says yet that it lies in the array.
bool LeavesDimension(const Access& access, const Shape& shape, size_t i) {
  const int64_t size = shape.sizes()[i];
  const Sum& index = access.Index()[i];
  if (size == hlo::kUnboundedSize) return false;
  if (simplifier::NaturalRange(index).upper != Interval::kPlusInfinity) return false;
  return llvm::none_of(access.map.constraints, [&](const simplifier::Constraint& constraint) {
    return constraint.expression == index && IndexRange(size).Contains(constraint.bounds);
  });
}

// Keeps the constraints that may say which elements the runtime values of the index are: those on
// variables, and on values that these elements depend on.
void DropConstraintsOnOtherValues(Access& access) {
  using simplifier::Atom;
  llvm::SmallPtrSet<const Atom*, 8> of_index;
  llvm::SmallPtrSet<const Atom*, 8> of_elements;
  for (const Sum& sum : access.Index()) {
    ForEachAtom(sum, of_index, [&](const Atom& atom) {
      if (!atom.IsFunction()) return;
      for (const Sum& argument : atom.arguments) {
        ForEachAtom(argument, of_elements, [](const Atom& /*atom*/) {});
      }
    });
  }
  llvm::erase_if(access.map.constraints, [&](const simplifier::Constraint& constraint) {
    bool is_on_others = false;
    llvm::SmallPtrSet<const Atom*, 8> seen;
    ForEachAtom(constraint.expression, seen, [&](const Atom& atom) {
      is_on_others = is_on_others || (atom.IsFunction() && !of_elements.contains(&atom));
    });
    return is_on_others;
  });
}

// Whatever the constraints are.
bool LiesIn(llvm::ArrayRef<Sum> index, const Shape& shape) {
  for (size_t i = 0; i < index.size(); ++i) {
    if (!IndexRange(shape.sizes()[i]).Contains(simplifier::NaturalRange(index[i]))) return false;
  }
  return true;
}

bool LeavesArray(const AccessSet::Entry& entry, const Shape& shape) {
  if (!entry.access->interned->has_unbounded_index) return false;
  const Access& access = entry.access->interned->access;
  for (size_t i = 0; i < access.Index().size(); ++i) {
    if (LeavesDimension(access, shape, i)) return true;
  }
  return false;
}

}  // namespace

void Widening::RestrictToArray(AccessSet& accesses, const Shape& shape) {
  llvm::SmallVector<AccessSet::Entry, 2> restricted;
  for (const AccessSet::Entry& entry : accesses.entries()) {
    if (LeavesArray(entry, shape)) restricted.push_back(Restricted(entry, shape));
  }
  if (restricted.empty()) return;
  accesses.Remove(query_.outputs, [&](const AccessSet::Entry& entry) {
    return LeavesArray(entry, shape) ? entry.outputs : kNoOutputs;
  });
  for (const AccessSet::Entry& entry : restricted) {
    if (entry.access != nullptr) accesses.Add(query_.outputs, entry);
  }
}

// Without an access if no index lies in the array.
AccessSet::Entry Widening::Restricted(const AccessSet::Entry& entry, const Shape& shape) {
  DigitContext digits;
  Access access = CopyTo(digits, *entry.access);
  for (size_t i = 0; i < access.Index().size(); ++i) {
    if (!LeavesDimension(access, shape, i)) continue;
    access.map.constraints.push_back({access.Index()[i], IndexRange(shape.sizes()[i])});
  }
  const std::string reason = Canonicalize(digits, query_.options, access);
  AccessSet::Entry restricted = entry;
  if (!reason.empty()) restricted.reason = query_.Intern(reason);
  restricted.access = access.map.empty
                          ? nullptr
                          : query_.accesses.Bind(query_.memory.accesses.Intern(std::move(access)));
  return restricted;
}

void Widening::RemoveSubsumed(AccessSet& accesses, const Shape& shape) {
  if (accesses.entries().size() < 2 || shape.HasUnboundedDimension()) return;
  OutputSets& sets = query_.outputs;
  const BoundAccess* executing = WholeArray(shape, Device::kExecuting);
  const bool any_device = accesses.OutputsWithDevice(sets) != kNoOutputs;
  const BoundAccess* any = any_device ? WholeArray(shape, Device::kAny) : nullptr;
  const auto reads = [](const AccessSet::Entry& entry, const BoundAccess* access) {
    return access != nullptr && entry.access->HasContentOf(*access);
  };
  OutputSet whole = kNoOutputs;
  OutputSet whole_anywhere = kNoOutputs;
  for (const AccessSet::Entry& entry : accesses.entries()) {
    if (reads(entry, executing)) whole = sets.Union(whole, entry.outputs);
    if (reads(entry, any)) whole_anywhere = sets.Union(whole_anywhere, entry.outputs);
  }
  if (whole == kNoOutputs && whole_anywhere == kNoOutputs) return;
  accesses.Remove(sets, [&](const AccessSet::Entry& entry) {
    const bool is_on_executing = !reads(entry, executing) && !entry.access->HasDevice();
    const OutputSet subsumed = is_on_executing ? whole : kNoOutputs;
    return reads(entry, any) ? subsumed : sets.Union(subsumed, whole_anywhere);
  });
}

bool Widening::WidenBeyondLimits(AccessSet& accesses, const Shape& shape, const CallFrame& frame) {
  OutputSets& sets = query_.outputs;
  const AnalysisOptions& options = query_.options;
  if (IsBeyondSteps()) {
    ReplaceByWholeArray(accesses, shape, ReasonOfSteps(), accesses.Outputs(sets));
    return true;
  }
  OutputSet beyond = kNoOutputs;
  for (const AccessSet::Entry& entry : accesses.entries()) {
    if (entry.access->interned->is_beyond_limits) beyond = sets.Union(beyond, entry.outputs);
  }
  ReplaceByWholeArray(accesses, shape,
                      "an index inside nests more than " + std::to_string(simplifier::kMaxDepth) +
                          " divisions or has more than " + std::to_string(kMaxRangeVariables) +
                          " range variables or " + std::to_string(kMaxRuntimeValues) +
                          " runtime values",
                      beyond);
  const auto limit = [&](size_t max_accesses, OutputSet among) {
    if (accesses.entries().size() <= max_accesses || among == kNoOutputs) return;
    const auto above = [&] {
      return sets.Intersection(among, accesses.OutputsWithMoreThan(sets, max_accesses));
    };
    DropConstraints(accesses, shape, TooManyWays(max_accesses), above());
    ReplaceByWholeArray(accesses, shape, TooManyWays(max_accesses), above());
  };
  // What happens in a loop is not exact anyway.
  if (frame.is_in_whole_loop) {
    limit(std::min(kMaxAccessesInLoop, options.max_accesses), sets.All());
    return false;
  }
  limit(options.max_accesses, sets.All());
  if (accesses.entries().size() <= options.max_accesses_with_values) return false;
  limit(options.max_accesses_with_values,
        accesses.OutputsWithMoreValuesThan(sets, kMaxValuesOfAccesses));
  return false;
}

bool Widening::IsBeyondSteps() const {
  return query_.steps / static_cast<int64_t>(query_.outputs.num_outputs()) >
         query_.options.max_steps;
}

std::string Widening::ReasonOfSteps() const {
  return TooMany("more than ", query_.options.max_steps, " reads to follow");
}

void Widening::WidenOperandOfNestedCall(AccessSet& accesses, const Shape& shape) {
  if (accesses.entries().size() <= kMaxAccessesOfNestedOperand) return;
  ReplaceByWholeArray(accesses, shape, TooManyWays(kMaxAccessesOfNestedOperand),
                      accesses.OutputsWithMoreThan(query_.outputs, kMaxAccessesOfNestedOperand));
}

void Widening::ReplaceByWholeArray(AccessSet& accesses, const Shape& shape, llvm::StringRef reason,
                                   OutputSet outputs) {
  if (outputs == kNoOutputs) return;
  const OutputSet with_device = accesses.OutputsWithDevice(query_.outputs);
  accesses.Remove(query_.outputs, outputs);
  AddWholeArray(accesses, shape, query_.Intern(reason), outputs, with_device);
}

void Widening::WidenInLoop(AccessSet::Entry& entry, const Shape& shape) {
  DropConstraints(entry, shape, "what a loop reads is not followed iteration by iteration");
}

bool Widening::RuntimeValuesExist(const BoundAccess& access) const {
  bool exist = true;
  llvm::SmallPtrSet<const simplifier::Atom*, 8> seen;
  for (const Sum& sum : access.interned->access.Index()) {
    ForEachAtom(sum, seen, [&](const simplifier::Atom& atom) {
      if (!atom.IsFunction() || atom.arguments.empty()) return;
      const RuntimeSource& source = query_.values.table()[access.runtime[atom.variable]];
      exist = exist && LiesIn(atom.arguments, source.instruction->shape().ArrayLeaf(source.leaf));
    });
  }
  return exist;
}

void Widening::DropConstraints(AccessSet::Entry& entry, const Shape& shape,
                               llvm::StringRef reason) {
  const Access& access = entry.access->interned->access;
  if (access.map.constraints.empty()) return;
  if (!LiesIn(access.Index(), shape)) return;
  const Interval devices = {0, query_.devices.Count() - 1};
  if (access.has_device && !devices.Contains(simplifier::NaturalRange(access.map.results.back()))) {
    return;
  }
  DigitContext digits;
  Access wide = CopyTo(digits, *entry.access);
  if (RuntimeValuesExist(*entry.access)) {
    wide.map.constraints.clear();
  } else {
    const size_t num_constraints = wide.map.constraints.size();
    DropConstraintsOnOtherValues(wide);
    if (wide.map.constraints.size() == num_constraints) return;
  }
  RenumberRanges(digits, wide);
  entry.access = query_.accesses.Bind(query_.memory.accesses.Intern(std::move(wide)));
  entry.reason = query_.Intern(reason);
}

void Widening::DropConstraints(AccessSet& accesses, const Shape& shape, llvm::StringRef reason,
                               OutputSet outputs) {
  if (outputs == kNoOutputs) return;
  OutputSets& sets = query_.outputs;
  std::vector<AccessSet::Entry> wide;
  for (AccessSet::Entry entry : accesses.entries()) {
    entry.outputs = sets.Intersection(entry.outputs, outputs);
    if (entry.outputs == kNoOutputs) continue;
    DropConstraints(entry, shape, reason);
    wide.push_back(entry);
  }
  accesses.Remove(sets, outputs);
  for (const AccessSet::Entry& entry : wide) accesses.Add(sets, entry);
}

void Widening::AddWholeArray(AccessSet& accesses, const Shape& shape, llvm::StringRef reason,
                             OutputSet outputs, OutputSet with_device) {
  if (outputs == kNoOutputs) return;
  OutputSets& sets = query_.outputs;
  if (shape.HasUnboundedDimension()) {
    accesses.AddUnknown(sets, query_.Intern((reason + ", and " + UnboundedReason(shape)).str()),
                        outputs);
    return;
  }
  const OutputSet elsewhere = sets.Intersection(outputs, with_device);
  const std::pair<Device, OutputSet> parts[] = {
      {Device::kExecuting, sets.Difference(outputs, elsewhere)}, {Device::kAny, elsewhere}};
  for (const auto& [device, part] : parts) {
    const BoundAccess* whole = part == kNoOutputs ? nullptr : WholeArray(shape, device);
    if (whole != nullptr) accesses.Add(sets, {whole, reason, part});
  }
}

// Every element of an array, for every element of the output.
const BoundAccess* Widening::WholeArray(const Shape& shape, Device device) {
  const auto [position, is_new] =
      whole_arrays_[static_cast<size_t>(device)].try_emplace(&shape, nullptr);
  if (!is_new && !query_.IsDisabled(MemoTable::kWholeArrays)) return position->second;
  const int64_t devices = device == Device::kAny ? query_.devices.Count() : 0;
  const InternedAccess* whole =
      query_.memory.accesses.WholeArray(*query_.identity, shape.sizes(), devices);
  if (whole != nullptr) position->second = query_.accesses.Bind(*whole, {});
  return position->second;
}

}  // namespace hlo_indexing::indexing_analysis
