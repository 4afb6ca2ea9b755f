#include "indexing_analysis/access_table.h"

#include <numeric>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using simplifier::Atom;
using simplifier::AtomKind;
using simplifier::Constraint;
using simplifier::Interval;
using simplifier::Term;

void ProfileSum(const Sum& sum, llvm::FoldingSetNodeID& node_id) {
  node_id.AddInteger(sum.constant);
  node_id.AddInteger(static_cast<unsigned>(sum.terms.size()));
  for (const Term& term : sum.terms) {
    node_id.AddInteger(term.coefficient);
    node_id.AddInteger(term.atom->id);
    node_id.AddInteger(term.lo);
    node_id.AddInteger(term.extent);
  }
}

void ProfileAccess(const Access& access, llvm::FoldingSetNodeID& node_id) {
  node_id.AddBoolean(access.has_device);
  node_id.AddInteger(static_cast<unsigned>(access.num_dimensions));
  node_id.AddInteger(static_cast<unsigned>(access.map.results.size()));
  for (const Sum& result : access.map.results) ProfileSum(result, node_id);
  for (const Interval& box : access.map.boxes) {
    node_id.AddInteger(box.lower);
    node_id.AddInteger(box.upper);
  }
  for (const Constraint& constraint : access.map.constraints) {
    ProfileSum(constraint.expression, node_id);
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

// The numbers of the runtime values that an access mentions, in ascending order.
llvm::SmallVector<uint32_t, 2> MentionedRuntime(const Access& access) {
  llvm::SmallVector<uint32_t, 2> numbers;
  // What no access lists, an index mentions.
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

PlacedAccess SharedAccesses::Share(Access access, AtomCopies& copies) {
  PlacedAccess placed;
  placed.runtime = MentionedRuntime(access);
  llvm::erase_if(access.runtime,
                 [&](uint32_t number) { return !llvm::is_contained(placed.runtime, number); });
  const auto place = [&](uint32_t number) {
    return static_cast<uint32_t>(llvm::lower_bound(placed.runtime, number) -
                                 placed.runtime.begin());
  };
  Copier(digits_, copies, place).Copy(access);
  llvm::FoldingSetNodeID node_id;
  ProfileAccess(access, node_id);
  Variants& variants = *contents_.Insert(node_id).first;
  const auto known = llvm::find_if(variants.accesses, [&](const SharedAccess* variant) {
    const Access& other = variant->access;
    return other.ranges == access.ranges && other.runtime == access.runtime &&
           other.names == access.names;
  });
  if (known != variants.accesses.end()) {
    placed.shared = *known;
    return placed;
  }
  SharedAccess& shared = accesses_.emplace_back();
  shared.access = std::move(access);
  shared.num_runtime = placed.runtime.size();
  shared.is_large = IsLarge(shared.access);
  shared.content = &variants;
  shared.alone.shared = &shared;
  variants.accesses.push_back(&shared);
  placed.shared = &shared;
  return placed;
}

namespace {

Access CopyShared(DigitContext& digits, AtomCopies& copies, const SharedAccess& shared,
                  llvm::ArrayRef<uint32_t> runtime) {
  Access copy = shared.access;
  const auto number = [&](uint32_t place) { return runtime[place]; };
  Copier copier(digits, copies, number);
  copier.MakeVariables(copy.map);
  copier.Copy(copy);
  return copy;
}

}  // namespace

Access CopyShared(DigitContext& digits, AtomCopies& copies, const PlacedAccess& access) {
  return CopyShared(digits, copies, *access.shared, access.runtime);
}

Access CopyShared(DigitContext& digits, const PlacedAccess& access) {
  AtomCopies copies;
  return CopyShared(digits, copies, *access.shared, access.runtime);
}

Access CopyShared(DigitContext& digits, const SharedAccess& shared) {
  AtomCopies copies;
  llvm::SmallVector<uint32_t, 2> numbers(shared.num_runtime);
  std::iota(numbers.begin(), numbers.end(), 0);
  return CopyShared(digits, copies, shared, numbers);
}

const PlacedAccess* AccessTable::Intern(const SharedAccess& shared,
                                        llvm::ArrayRef<uint32_t> runtime) {
  if (runtime.empty()) return &shared.alone;
  const auto [position, is_new] =
      with_runtime_.try_emplace({&shared, llvm::SmallVector<uint32_t, 2>(runtime)});
  if (is_new) {
    position->second.shared = &shared;
    position->second.runtime = position->first.second;
  }
  return &position->second;
}

}  // namespace hlo_indexing::indexing_analysis
