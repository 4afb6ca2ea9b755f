#include "indexing_analysis/propagation/access_interner.h"

#include <numeric>
#include <vector>

#include "indexing_analysis/maps/index_range.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::Constraint;
using simplifier::Interval;
using simplifier::Term;

void FingerprintSum(const Sum& sum, llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(sum.constant);
  node_id.AddInteger(static_cast<unsigned>(sum.terms.size()));
  for (const Term& term : sum.terms) {
    node_id.AddInteger(term.coefficient);
    node_id.AddInteger(term.atom->id);
    node_id.AddInteger(term.lo);
    node_id.AddInteger(term.extent);
  }
}

void FingerprintAccess(const Access& access, llvm::FoldingSetNodeID& node_id) {
  node_id.AddBoolean(access.has_device);
  node_id.AddInteger(static_cast<unsigned>(access.num_dimensions));
  node_id.AddInteger(static_cast<unsigned>(access.map.results.size()));
  for (const Sum& result : access.map.results) FingerprintSum(result, node_id);
  for (const Interval& box : access.map.boxes) {
    node_id.AddInteger(box.lower);
    node_id.AddInteger(box.upper);
  }
  for (const Constraint& constraint : access.map.constraints) {
    FingerprintSum(constraint.expression, node_id);
    node_id.AddInteger(constraint.bounds.lower);
    node_id.AddInteger(constraint.bounds.upper);
  }
}

// Copies an access into a context, where runtime values have other numbers.
class Copier {
 public:
  using Renumber = llvm::function_ref<uint32_t(uint32_t)>;

  Copier(DigitContext& digits, AtomCopies& copies, Renumber renumber)
      : digits_(digits), copies_(copies), renumber_(renumber) {}

  // Makes the variables of the box in their order, which is the same in every new context.
  void MakeVariables(const simplifier::QuasiAffineMap& map) {
    variables_.reserve(map.boxes.size());
    for (size_t i = 0; i < map.boxes.size(); ++i) {
      const Sum variable = map.Variable(digits_, static_cast<VariableId>(i));
      variables_.push_back(variable.IsConstant() ? nullptr : variable.terms.front().atom);
    }
  }

  void Copy(Access& access) {
    for (Sum& result : access.map.results) result = Copy(result);
    for (Constraint& constraint : access.map.constraints) {
      constraint.expression = Copy(constraint.expression);
    }
    for (uint32_t& number : access.runtime) number = renumber_(number);
  }

 private:
  Sum Copy(const Sum& sum) {
    llvm::SmallVector<Term, 4> terms(sum.terms.begin(), sum.terms.end());
    // Atoms are made in an order, and sorted by that, which does not depend on the context that the
    // sum comes from.
    if (terms.size() > 1) {
      llvm::stable_sort(
          terms, [](const Term& a, const Term& b) { return StructurallyLess(*a.atom, *b.atom); });
    }
    for (Term& term : terms) term.atom = Copy(*term.atom);
    if (terms.size() > 1) llvm::sort(terms, simplifier::TermComesBefore);
    return digits_.Store(terms, sum.constant);
  }

  const Atom* Copy(const Atom& atom) {
    if (atom.kind == AtomKind::kVariable) {
      const Atom* made = atom.variable < variables_.size() ? variables_[atom.variable] : nullptr;
      const bool is_made = made != nullptr && made->lower == atom.lower &&
                           made->extent == atom.extent &&
                           made->may_be_negative == atom.may_be_negative;
      return is_made ? made : digits_.Intern(atom);
    }
    if (const auto known = copies_.find(&atom); known != copies_.end()) return known->second;
    if (const auto known = with_runtime_.find(&atom); known != with_runtime_.end()) {
      ++runtime_seen_;
      return known->second;
    }
    const size_t runtime_seen = runtime_seen_;
    Atom copy = atom;
    if (atom.IsFunction()) {
      copy.variable = renumber_(atom.variable);
      ++runtime_seen_;
    }
    llvm::SmallVector<Sum, 4> arguments;
    for (const Sum& argument : atom.arguments) arguments.push_back(Copy(argument));
    copy.arguments = arguments;
    const Atom* unique = digits_.Intern(copy);
    if (runtime_seen == runtime_seen_) {
      copies_[&atom] = unique;
    } else {
      with_runtime_[&atom] = unique;
    }
    return unique;
  }

  DigitContext& digits_;
  AtomCopies& copies_;
  Renumber renumber_;
  llvm::SmallDenseMap<const Atom*, const Atom*, 4> with_runtime_;
  // How often a runtime value or an atom that holds one has been met.
  size_t runtime_seen_ = 0;
  // By number, null where one is a constant.
  llvm::SmallVector<const Atom*, 8> variables_;
};

// Whether an access holds many atoms that are no variables; looks at few more than that.
bool IsLarge(const Access& access) {
  constexpr size_t kMaxAtoms = 32;
  llvm::SmallPtrSet<const Atom*, kMaxAtoms> seen;
  std::vector<Sum> to_visit(access.map.results.begin(), access.map.results.end());
  for (const Constraint& constraint : access.map.constraints) {
    to_visit.push_back(constraint.expression);
  }
  while (!to_visit.empty() && seen.size() <= kMaxAtoms) {
    const Sum sum = to_visit.back();
    to_visit.pop_back();
    for (const Term& term : sum.terms) {
      if (term.atom->kind == AtomKind::kVariable || !seen.insert(term.atom).second) continue;
      to_visit.insert(to_visit.end(), term.atom->arguments.begin(), term.atom->arguments.end());
    }
  }
  return seen.size() > kMaxAtoms;
}

// Only what runs along a dimension without bound is a variable without end.
bool HasUnboundedIndex(const Access& access) {
  const auto is_unbounded = [](const Interval& box) {
    return box.upper == Interval::kPlusInfinity;
  };
  if (llvm::none_of(access.map.boxes, is_unbounded)) return false;
  return llvm::any_of(access.Index(), [](const Sum& index) {
    return simplifier::NaturalRange(index).upper == Interval::kPlusInfinity;
  });
}

bool IsBeyondLimits(const Access& access, size_t num_runtime) {
  if (access.ranges.size() > kMaxRangeVariables || num_runtime > kMaxRuntimeValues) return true;
  const auto is_deep = [](const Sum& sum) { return DepthOf(sum) > simplifier::kMaxDepth; };
  return llvm::any_of(access.map.results, is_deep) ||
         llvm::any_of(access.map.constraints,
                      [&](const Constraint& constraint) { return is_deep(constraint.expression); });
}

// The numbers of the runtime values that an access mentions, in ascending order.
llvm::SmallVector<uint32_t, 2> MentionedRuntime(const Access& access) {
  llvm::SmallVector<uint32_t, 2> numbers;
  // An index mentions only what the access lists.
  if (access.runtime.empty()) return numbers;
  llvm::SmallPtrSet<const Atom*, 16> seen;
  const auto visit = [&](const Sum& sum) {
    simplifier::ForEachAtom(sum, seen, [&](const Atom& atom) {
      if (atom.IsFunction()) numbers.push_back(atom.variable);
    });
  };
  for (const Sum& result : access.map.results) visit(result);
  for (const Constraint& constraint : access.map.constraints) visit(constraint.expression);
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
  return numbers;
}

}  // namespace

BoundAccess AccessInterner::Intern(Access access, AtomCopies& copies) {
  BoundAccess bound;
  bound.runtime = MentionedRuntime(access);
  llvm::erase_if(access.runtime,
                 [&](uint32_t number) { return !llvm::is_contained(bound.runtime, number); });
  const auto position_of = [&](uint32_t number) {
    return static_cast<uint32_t>(llvm::lower_bound(bound.runtime, number) - bound.runtime.begin());
  };
  Copier(digits_, copies, position_of).Copy(access);
  bound.interned = &InternOwn(std::move(access), bound.runtime.size());
  return bound;
}

const InternedAccess& AccessInterner::InternOwn(Access access, size_t num_runtime) {
  llvm::FoldingSetNodeID node_id;
  FingerprintAccess(access, node_id);
  Variants& variants = *contents_.Insert(node_id).first;
  const auto known = llvm::find_if(variants.accesses, [&](const InternedAccess* variant) {
    const Access& other = variant->access;
    return other.ranges == access.ranges && other.runtime == access.runtime &&
           other.names == access.names;
  });
  if (known != variants.accesses.end()) return **known;
  InternedAccess& interned = accesses_.emplace_back();
  interned.access = std::move(access);
  interned.num_runtime = num_runtime;
  interned.is_large = large_accesses_ && IsLarge(interned.access);
  interned.has_unbounded_index = HasUnboundedIndex(interned.access);
  interned.is_beyond_limits = IsBeyondLimits(interned.access, num_runtime);
  interned.content = &variants;
  interned.unbound.interned = &interned;
  variants.accesses.push_back(&interned);
  return interned;
}

const InternedAccess* AccessInterner::Identity(llvm::ArrayRef<int64_t> sizes) {
  Access identity;
  identity.num_dimensions = sizes.size();
  for (const int64_t size : sizes) {
    const VariableId variable = identity.AddRange(IndexRange(size));
    if (size != 0) identity.map.results.push_back(identity.map.Variable(digits_, variable));
  }
  return identity.map.empty ? nullptr : &InternOwn(std::move(identity), /*num_runtime=*/0);
}

const InternedAccess* AccessInterner::WholeArray(const InternedAccess& identity,
                                                 llvm::ArrayRef<int64_t> sizes, int64_t devices) {
  Access whole;
  whole.num_dimensions = identity.access.num_dimensions;
  whole.map.boxes = identity.access.map.boxes;
  ReadAll(digits_, sizes, whole);
  whole.has_device = devices != 0;
  if (whole.has_device) ReadAll(digits_, devices, whole);
  RenumberRanges(digits_, whole);
  return whole.map.empty ? nullptr : &InternOwn(std::move(whole), /*num_runtime=*/0);
}

namespace {

Access CopyTo(DigitContext& digits, AtomCopies& copies, const InternedAccess& interned,
              llvm::ArrayRef<uint32_t> runtime) {
  Access copy = interned.access;
  const auto number = [&](uint32_t position) { return runtime[position]; };
  Copier copier(digits, copies, number);
  copier.MakeVariables(copy.map);
  copier.Copy(copy);
  return copy;
}

}  // namespace

Access CopyTo(DigitContext& digits, AtomCopies& copies, const BoundAccess& access) {
  return CopyTo(digits, copies, *access.interned, access.runtime);
}

Access CopyTo(DigitContext& digits, const BoundAccess& access) {
  AtomCopies copies;
  return CopyTo(digits, copies, *access.interned, access.runtime);
}

void BoundAccess::Print(llvm::raw_ostream& out) const {
  DigitContext digits;
  CopyTo(digits, *this).Print(out);
}

Access CopyTo(DigitContext& digits, const InternedAccess& interned) {
  AtomCopies copies;
  llvm::SmallVector<uint32_t, 2> numbers(interned.num_runtime);
  std::iota(numbers.begin(), numbers.end(), 0);
  return CopyTo(digits, copies, interned, numbers);
}

const BoundAccess* BoundAccesses::Bind(const InternedAccess& interned,
                                       llvm::ArrayRef<uint32_t> runtime) {
  if (runtime.empty()) return &interned.unbound;
  const auto [position, is_new] =
      with_runtime_.try_emplace({&interned, llvm::SmallVector<uint32_t, 2>(runtime)});
  if (is_new) {
    position->second.interned = &interned;
    position->second.runtime = position->first.second;
  }
  return &position->second;
}

}  // namespace hlo_indexing::indexing_analysis
