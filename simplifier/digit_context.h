// The owner of atoms and sums: unique atoms, term storage, the memo of divisions, known facts.
#ifndef HLO_INDEXING_SIMPLIFIER_DIGIT_CONTEXT_H_
#define HLO_INDEXING_SIMPLIFIER_DIGIT_CONTEXT_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "simplifier/digit_sum.h"
#include "simplifier/interval.h"

namespace hlo_indexing::simplifier {

/// `bounds.lower <= expression <= bounds.upper`.
struct Constraint {
  Sum expression;
  Interval bounds;

  /// Writes `d0 + d1 * 4 in [0, 13]`.
  void Print(llvm::raw_ostream& out, LeafPrinter leaves = nullptr) const;
  std::string ToString() const { return support::ToString(*this); }

  friend bool operator==(const Constraint&, const Constraint&) = default;
};

/// Quotient and remainder of a division: e = divisor * quotient + remainder, 0 <= remainder <
/// divisor.
struct Division {
  Sum quotient;
  Sum remainder;

  /// Writes `quotient d0, remainder d1`.
  void Print(llvm::raw_ostream& out, LeafPrinter leaves = nullptr) const;
  std::string ToString() const { return support::ToString(*this); }
};

using TermVector = llvm::SmallVector<Term, 8>;

/// Owns every Atom and Sum made through it; they are valid as long as it lives. Not thread-safe;
/// make one per job, it is small.
class DigitContext {
 public:
  DigitContext() = default;
  DigitContext(const DigitContext&) = delete;
  DigitContext& operator=(const DigitContext&) = delete;

  /// The value of a variable that lies in `bounds`, which must not be empty. A point is a constant.
  /// Example: Variable(0, [5, 8]) -> 5 + the whole digit of an atom with extent 4
  Sum Variable(VariableId variable, Interval bounds);

  /// A value in `range` that is a function, numbered by the caller, of the arguments.
  Sum Function(uint32_t function, llvm::ArrayRef<Sum> arguments, Interval range);

  /// The result of an operation that the algebra does not look into, whose values lie in `range`.
  Sum Opaque(OpaqueOperation operation, llvm::ArrayRef<Sum> arguments, Interval range);

  /// The quotient variable of `sum`, an atom with the value of the sum, whose values must lie in
  /// [0, extent). An extent of kUnbounded says that they have no upper bound, `may_be_negative`
  /// that they have no lower bound either.
  const Atom* QuotientVariable(const Sum& sum, int64_t extent, bool may_be_negative);

  /// The one atom with this content; `id` and `structural_hash` of the argument do not count.
  const Atom* Intern(const Atom& atom) {
    Atom key = atom;
    return InternKey(key);
  }

  /// Copies terms, which must be in normal form, into the context.
  Sum Store(llvm::ArrayRef<Term> terms, int64_t constant);

  /// The constraints that hold wherever the sums in work are evaluated. Set through FactScope.
  llvm::ArrayRef<Constraint> facts() const { return facts_; }

  /// The memoized result of dividing `sum` by `divisor` under the present facts, or null.
  const Division* FindDivision(const Sum& sum, int64_t divisor);
  /// Memoizes `division` as that result, which must not be known yet.
  void MemoizeDivision(const Sum& sum, int64_t divisor, const Division& division);

 private:
  friend class FactScope;

  // A memoized division.
  struct DivisionNode {
    Sum sum;
    int64_t divisor = 1;
    uint32_t epoch = 0;
    uint64_t structural_hash = 0;
    Division division;
  };

  // Sets of pointers by content. Most contexts hold a handful of atoms: no allocation for these.
  template <typename Node>
  struct ByContent;

  static bool HaveSameContent(const Atom& a, const Atom& b);
  static bool HaveSameContent(const DivisionNode& a, const DivisionNode& b);

  DivisionNode DivisionKey(const Sum& sum, int64_t divisor) const;
  // Changes `id` and `structural_hash` of the key.
  const Atom* InternKey(Atom& key);
  Sum WholeAtom(Atom& atom);

  // Slabs that malloc has at hand: most contexts are small and live for one question.
  llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator, 1000, 1000, 4> allocator_;
  llvm::SmallDenseSet<const Atom*, 16, ByContent<Atom>> atoms_;
  llvm::SmallDenseSet<const DivisionNode*, 8, ByContent<DivisionNode>> divisions_;
  llvm::ArrayRef<Constraint> facts_;
  // Identifies `facts_` in the memo; 0 stands for no facts.
  uint32_t epoch_ = 0;
  uint32_t last_epoch_ = 0;
};

template <typename Node>
struct DigitContext::ByContent : llvm::DenseMapInfo<const Node*> {
  using Base = llvm::DenseMapInfo<const Node*>;
  static unsigned getHashValue(const Node* node) {
    return static_cast<unsigned>(node->structural_hash);
  }
  static bool isEqual(const Node* a, const Node* b) {
    if (a == b) return true;
    const auto is_key = [](const Node* node) {
      return node == Base::getEmptyKey() || node == Base::getTombstoneKey();
    };
    return !is_key(a) && !is_key(b) && a->structural_hash == b->structural_hash &&
           HaveSameContent(*a, *b);
  }
};

/// Makes `facts` known to every division and range while it lives.
class FactScope {
 public:
  FactScope(DigitContext& context, llvm::ArrayRef<Constraint> facts)
      : context_(context), saved_facts_(context.facts_), saved_epoch_(context.epoch_) {
    context.facts_ = facts;
    context.epoch_ = facts.empty() ? 0 : ++context.last_epoch_;
  }
  ~FactScope() {
    context_.facts_ = saved_facts_;
    context_.epoch_ = saved_epoch_;
  }
  FactScope(const FactScope&) = delete;
  FactScope& operator=(const FactScope&) = delete;

 private:
  DigitContext& context_;
  llvm::ArrayRef<Constraint> saved_facts_;
  uint32_t saved_epoch_;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_DIGIT_CONTEXT_H_
