#include "indexing_analysis/access_table.h"

#include "llvm/ADT/STLExtras.h"

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

// Whether a sum holds nothing but digits of variables and of these runtime values.
bool IsShareable(const Sum& sum, llvm::ArrayRef<uint32_t> runtime) {
  return llvm::all_of(sum.terms, [&](const Term& term) {
    const Atom& atom = *term.atom;
    if (atom.kind == AtomKind::kVariable) return true;
    const auto is_shareable = [&](const Sum& argument) { return IsShareable(argument, runtime); };
    return atom.IsFunction() && llvm::is_contained(runtime, atom.variable) &&
           llvm::all_of(atom.arguments, is_shareable);
  });
}

bool IsShareable(const Access& access) {
  const auto is_shareable = [&](const Sum& sum) { return IsShareable(sum, access.runtime); };
  return access.names.empty() && llvm::all_of(access.map.results, is_shareable) &&
         llvm::all_of(access.map.constraints, [&](const Constraint& constraint) {
           return is_shareable(constraint.expression);
         });
}

// Copies the sums of shareable accesses into a context, where runtime values have other numbers.
class Copier {
 public:
  using Renumber = llvm::function_ref<uint32_t(uint32_t)>;

  Copier(DigitContext& digits, Renumber renumber) : digits_(digits), renumber_(renumber) {}

  void Copy(Access& access) {
    for (Sum& result : access.map.results) result = Copy(result);
    for (Constraint& constraint : access.map.constraints) {
      constraint.expression = Copy(constraint.expression);
    }
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
    if (atom.kind == AtomKind::kVariable) return digits_.Intern(atom);
    Atom function = atom;
    function.variable = renumber_(atom.variable);
    llvm::SmallVector<Sum, 4> arguments;
    for (const Sum& argument : atom.arguments) arguments.push_back(Copy(argument));
    function.arguments = arguments;
    return digits_.Intern(function);
  }

  DigitContext& digits_;
  Renumber renumber_;
};

}  // namespace

const UniqueAccess* SharedAccesses::Share(const Access& access) {
  if (!IsShareable(access)) return nullptr;
  Access copy = access;
  const auto place = [&](uint32_t number) {
    return static_cast<uint32_t>(llvm::find(access.runtime, number) - access.runtime.begin());
  };
  Copier(digits_, place).Copy(copy);
  for (uint32_t& number : copy.runtime) number = place(number);
  llvm::FoldingSetNodeID node_id;
  ProfileAccess(copy, node_id);
  node_id.AddInteger(static_cast<unsigned>(copy.num_dimensions));
  node_id.AddInteger(static_cast<unsigned>(copy.runtime.size()));
  for (const VariableId range : copy.ranges) node_id.AddInteger(range);
  const auto [unique, is_new] = accesses_.Insert(node_id);
  if (is_new) {
    unique->access = std::move(copy);
    unique->shared = unique;
  }
  return unique;
}

Access CopyShared(DigitContext& digits, const UniqueAccess& shared,
                  llvm::ArrayRef<uint32_t> runtime) {
  Access copy = shared.access;
  // In this order in every new context.
  for (size_t i = 0; i < copy.map.boxes.size(); ++i) {
    copy.map.Variable(digits, static_cast<VariableId>(i));
  }
  Copier(digits, [&](uint32_t place) { return runtime[place]; }).Copy(copy);
  copy.runtime.assign(runtime.begin(), runtime.end());
  return copy;
}

std::pair<UniqueAccess*, bool> AccessTable::Insert(Access access) {
  llvm::FoldingSetNodeID node_id;
  ProfileAccess(access, node_id);
  const auto [unique, is_new] = accesses_.Insert(node_id);
  if (is_new) unique->access = std::move(access);
  return {unique, is_new};
}

const UniqueAccess* AccessTable::Intern(Access access) {
  const auto [unique, is_new] = Insert(std::move(access));
  if (is_new) unique->shared = shared_accesses_.Share(unique->access);
  return unique;
}

const UniqueAccess* AccessTable::AddShared(const UniqueAccess& shared,
                                           llvm::ArrayRef<uint32_t> runtime) {
  const auto [unique, is_new] = Insert(CopyShared(digits_, shared, runtime));
  if (is_new) unique->shared = &shared;
  return unique;
}

const UniqueAccess* AccessTable::FromShared(const UniqueAccess& shared,
                                            llvm::ArrayRef<uint32_t> runtime) {
  const UniqueAccess*& known =
      runtime.empty() ? of_shared_[&shared]
                      : with_runtime_[{&shared, llvm::SmallVector<uint32_t, 2>(runtime)}];
  if (known == nullptr) known = AddShared(shared, runtime);
  return known;
}

}  // namespace hlo_indexing::indexing_analysis
