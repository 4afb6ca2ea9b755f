#include "simplifier/digit_context.h"

#include <algorithm>
#include <memory>

namespace hlo_indexing::simplifier {
namespace {

// The finalizer of splitmix64: spreads every input bit over the result.
uint64_t Mix(uint64_t hash, uint64_t value) {
  uint64_t x = hash ^ (value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Terms are sorted by id, which depends on history; adding up their hashes does not.
uint64_t HashOf(const Sum& sum) {
  uint64_t total = 0;
  for (const Term& term : sum.terms) {
    uint64_t hash = Mix(term.atom->structural_hash, static_cast<uint64_t>(term.coefficient));
    hash = Mix(hash, static_cast<uint64_t>(term.lo));
    total += Mix(hash, static_cast<uint64_t>(term.extent));
  }
  return Mix(total, static_cast<uint64_t>(sum.constant));
}

uint64_t HashOf(const Atom& atom) {
  uint64_t hash = Mix(static_cast<uint64_t>(atom.kind), static_cast<uint64_t>(atom.operation));
  hash = Mix(hash, atom.variable);
  hash = Mix(hash, static_cast<uint64_t>(atom.lower));
  hash = Mix(hash, static_cast<uint64_t>(atom.extent));
  for (const Sum& sum : atom.arguments) hash = Mix(hash, HashOf(sum));
  return hash;
}

// Fills lower, extent and sign of an atom whose values lie in `range`.
void SetRange(Interval range, Atom& atom) {
  const std::optional<int64_t> span = support::CheckedSub(range.upper, range.lower);
  if (range.IsFinite() && span && *span < kUnbounded - 1) {
    atom.lower = range.lower;
    atom.extent = std::max<int64_t>(*span, 0) + 1;
    return;
  }
  atom.extent = kUnbounded;
  atom.may_be_negative = range.lower == Interval::kMinusInfinity;
  atom.lower = atom.may_be_negative ? 0 : range.lower;
}

}  // namespace

bool DigitContext::HaveSameContent(const Atom& a, const Atom& b) {
  return a.kind == b.kind && a.operation == b.operation && a.may_be_negative == b.may_be_negative &&
         a.variable == b.variable && a.lower == b.lower && a.extent == b.extent &&
         a.arguments == b.arguments;
}

bool DigitContext::HaveSameContent(const DivisionNode& a, const DivisionNode& b) {
  return a.divisor == b.divisor && a.epoch == b.epoch && a.sum == b.sum;
}

const Atom* DigitContext::InternKey(Atom& key) {
  key.structural_hash = HashOf(key);
  key.id = atoms_.size();
  const auto [slot, is_new] = atoms_.insert(&key);
  if (!is_new) return *slot;
  key.depth = 0;
  for (const Sum& argument : key.arguments) {
    key.depth = std::max(key.depth, DepthOf(argument) + 1);
  }
  Atom* made = new (allocator_.Allocate<Atom>()) Atom(key);
  if (!key.arguments.empty()) {
    Sum* copies = allocator_.Allocate<Sum>(key.arguments.size());
    std::uninitialized_copy(key.arguments.begin(), key.arguments.end(), copies);
    made->arguments = {copies, key.arguments.size()};
  }
  *slot = made;
  return made;
}

Sum DigitContext::WholeAtom(Atom& atom) {
  if (atom.extent == 1) return {{}, atom.lower};
  const Term term = {1, InternKey(atom), 1, atom.extent};
  return Store(term, atom.lower);
}

Sum DigitContext::Variable(VariableId variable, Interval bounds) {
  Atom atom;
  atom.kind = AtomKind::kVariable;
  atom.variable = variable;
  SetRange(bounds, atom);
  return WholeAtom(atom);
}

Sum DigitContext::Function(uint32_t function, llvm::ArrayRef<Sum> arguments, Interval range) {
  Atom atom;
  atom.kind = AtomKind::kOpaque;
  atom.operation = OpaqueOperation::kFunction;
  atom.variable = function;
  atom.arguments = arguments;
  SetRange(range, atom);
  return WholeAtom(atom);
}

Sum DigitContext::Opaque(OpaqueOperation operation, llvm::ArrayRef<Sum> arguments, Interval range) {
  Atom atom;
  atom.kind = AtomKind::kOpaque;
  atom.operation = operation;
  atom.arguments = arguments;
  SetRange(range, atom);
  return WholeAtom(atom);
}

const Atom* DigitContext::QuotientVariable(const Sum& sum, int64_t extent, bool may_be_negative) {
  Atom atom;
  atom.kind = AtomKind::kQuotientVariable;
  atom.extent = extent;
  atom.may_be_negative = may_be_negative;
  atom.arguments = sum;
  return InternKey(atom);
}

Sum DigitContext::Store(llvm::ArrayRef<Term> terms, int64_t constant) {
  if (terms.empty()) return {{}, constant};
  Term* copies = allocator_.Allocate<Term>(terms.size());
  std::uninitialized_copy(terms.begin(), terms.end(), copies);
  return {{copies, terms.size()}, constant};
}

DigitContext::DivisionNode DigitContext::DivisionKey(const Sum& sum, int64_t divisor) const {
  DivisionNode key;
  key.sum = sum;
  key.divisor = divisor;
  key.epoch = epoch_;
  key.structural_hash = Mix(Mix(HashOf(sum), static_cast<uint64_t>(divisor)), epoch_);
  return key;
}

const Division* DigitContext::FindDivision(const Sum& sum, int64_t divisor) {
  const DivisionNode key = DivisionKey(sum, divisor);
  const auto known = divisions_.find(&key);
  return known == divisions_.end() ? nullptr : &(*known)->division;
}

void DigitContext::MemoizeDivision(const Sum& sum, int64_t divisor, const Division& division) {
  DivisionNode* node =
      new (allocator_.Allocate<DivisionNode>()) DivisionNode(DivisionKey(sum, divisor));
  node->division = division;
  divisions_.insert(node);
}

}  // namespace hlo_indexing::simplifier
