#include "simplifier/inverse.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/arithmetic.h"
#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedAdd;
using support::CheckedMul;

// A digit of an atom that is solved for as one: no sum at hand cuts it.
struct Piece {
  Term digit;
  std::optional<Sum> value;

  int64_t lo() const { return digit.lo; }
  int64_t extent() const { return digit.extent; }
};

// A variable or a quotient variable: the pieces that its digits are made of, from the lowest.
struct Unknown {
  const Atom* atom = nullptr;
  // The positions where its digits begin and end; unsorted before there are pieces.
  llvm::SmallVector<int64_t, 4> cuts = {1};
  // Among the pieces of all unknowns.
  size_t first_piece = 0;
  size_t num_pieces = 0;
  // Whether every digit at hand is a row of pieces. Otherwise there is one piece, the whole.
  bool is_chain = true;
  // A quotient variable whose sum has been equated to its value.
  bool is_equated = false;
};

// A piece by number.
struct ScaledPiece {
  int64_t coefficient = 0;
  size_t piece = 0;
};

// sum of coefficient * piece + blocked terms = value.
struct Equation {
  llvm::SmallVector<ScaledPiece, 2> unknown;
  // Terms that are known as soon as the variables in them are.
  llvm::SmallVector<Term, 1> blocked;
  Sum value;
  // Whether everything in it is known, and is required to agree.
  bool is_settled = false;
};

class Inverter {
 public:
  Inverter(DigitContext& context, const QuasiAffineMap& f, size_t num_wanted)
      : context_(context), f_(f), num_wanted_(num_wanted) {}

  InverseMap Run() {
    if (f_.empty) return Empty();
    variables_.assign(f_.boxes.size(), nullptr);
    for (const Sum& result : f_.results) CollectCuts(result);
    for (VariableId i = 0; i < variables_.size(); ++i) {
      if (variables_[i] != nullptr || f_.boxes[i].IsPoint()) continue;
      variables_[i] = f_.Variable(context_, i).terms.front().atom;
    }
    for (Unknown& unknown : unknowns_) MakePieces(unknown);
    for (const Sum& result : f_.results) {
      const Sum value = NewVariable(NaturalRange(result));
      AddEquation(result, value);
    }
    num_results_ = boxes_.size();
    while (Step()) {
    }
    return Finish();
  }

 private:
  InverseMap Empty() const {
    InverseMap inverse;
    inverse.map.empty = true;
    inverse.map.boxes.assign(f_.results.size(), Interval::Empty());
    inverse.map.results.assign(num_wanted_, Constant(0));
    return inverse;
  }

  // Numbers above those of f's variables until all is solved: which terms come first in a sum must
  // not depend on whether a new variable happens to be one of f.
  Sum NewVariable(Interval box) {
    boxes_.push_back(box);
    return context_.Variable(static_cast<VariableId>(f_.boxes.size() + boxes_.size() - 1), box);
  }

  // The number of the atom's unknown, a new one if there is none yet.
  std::pair<size_t, bool> NumberOf(const Atom& atom) {
    const auto [known, is_new] = by_atom_.try_emplace(&atom, unknowns_.size());
    if (is_new) unknowns_.emplace_back().atom = &atom;
    return {known->second, is_new};
  }

  const Unknown* Find(const Atom& atom) const {
    const auto known = by_atom_.find(&atom);
    return known == by_atom_.end() ? nullptr : &unknowns_[known->second];
  }

  llvm::MutableArrayRef<Piece> PiecesOf(const Unknown& unknown) {
    return llvm::MutableArrayRef<Piece>(pieces_).slice(unknown.first_piece, unknown.num_pieces);
  }
  llvm::ArrayRef<Piece> PiecesOf(const Unknown& unknown) const {
    return llvm::ArrayRef<Piece>(pieces_).slice(unknown.first_piece, unknown.num_pieces);
  }

  void CollectCuts(const Sum& sum) {
    for (const Term& term : sum.terms) {
      const Atom& atom = *term.atom;
      if (atom.kind == AtomKind::kOpaque) {
        for (const Sum& argument : atom.arguments) CollectCuts(argument);
        continue;
      }
      if (atom.kind == AtomKind::kVariable) variables_[atom.variable] = &atom;
      const auto [number, is_new] = NumberOf(atom);
      llvm::SmallVectorImpl<int64_t>& cuts = unknowns_[number].cuts;
      if (term.lo > 1) cuts.push_back(term.lo);
      const std::optional<int64_t> end =
          term.IsTop() ? std::nullopt : CheckedMul(term.lo, term.extent);
      if (end) cuts.push_back(*end);
      if (is_new && atom.kind == AtomKind::kQuotientVariable) CollectCuts(atom.arguments.front());
    }
  }

  void MakePieces(Unknown& unknown) {
    const Atom& atom = *unknown.atom;
    llvm::SmallVectorImpl<int64_t>& cuts = unknown.cuts;
    if (cuts.size() > 1) {
      llvm::sort(cuts);
      cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    }
    for (size_t i = 1; i < cuts.size(); ++i) unknown.is_chain &= cuts[i] % cuts[i - 1] == 0;
    if (!unknown.is_chain) cuts.assign(1, 1);
    unknown.first_piece = pieces_.size();
    unknown.num_pieces = cuts.size();
    for (size_t i = 0; i < cuts.size(); ++i) {
      const bool is_top = i + 1 == cuts.size();
      int64_t extent = is_top ? kUnbounded : cuts[i + 1] / cuts[i];
      if (is_top && atom.extent != kUnbounded) extent = support::CeilDiv(atom.extent, cuts[i]);
      pieces_.push_back({{1, &atom, cuts[i], extent}, std::nullopt});
    }
  }

  void AddEquation(const Sum& sum, const Sum& value) {
    Equation& equation = equations_.emplace_back();
    equation.value = Subtract(context_, value, Constant(sum.constant));
    for (const Term& term : sum.terms) AddTerm(term, equation);
  }

  void AddTerm(const Term& term, Equation& equation) {
    const Unknown* unknown = Find(*term.atom);
    if (unknown == nullptr || (!unknown->is_chain && !term.IsWhole())) {
      equation.blocked.push_back(term);
      return;
    }
    llvm::SmallVector<ScaledPiece, 4> row;
    const std::optional<int64_t> end =
        term.IsTop() ? std::nullopt : CheckedMul(term.lo, term.extent);
    for (size_t i = 0; i < unknown->num_pieces; ++i) {
      const Piece& piece = pieces_[unknown->first_piece + i];
      if (piece.lo() < term.lo || (end && piece.lo() >= *end)) continue;
      const std::optional<int64_t> coefficient = CheckedMul(term.coefficient, piece.lo() / term.lo);
      if (!coefficient || *coefficient == support::kInt64Min) {
        equation.blocked.push_back(term);
        return;
      }
      row.push_back({*coefficient, unknown->first_piece + i});
    }
    for (const ScaledPiece& part : row) AddPiece(part, equation);
  }

  static void AddPiece(const ScaledPiece& part, Equation& equation) {
    auto* const same = llvm::find_if(
        equation.unknown, [&](const ScaledPiece& other) { return other.piece == part.piece; });
    const auto sum = same == equation.unknown.end()
                         ? std::nullopt
                         : CheckedAdd(same->coefficient, part.coefficient);
    if (!sum || *sum == support::kInt64Min) {
      equation.unknown.push_back(part);
    } else if (*sum == 0) {
      equation.unknown.erase(same);
    } else {
      same->coefficient = *sum;
    }
  }

  // Solves, or frees, something. False if everything is known.
  bool Step() {
    EquateQuotientVariables();
    for (Equation& equation : equations_) {
      if (!equation.is_settled) MoveKnown(equation);
    }
    Equation* stopped = nullptr;
    for (Equation& equation : equations_) {
      if (equation.is_settled) continue;
      if (equation.blocked.empty() && IsSeparable(equation)) {
        Solve(equation);
        return true;
      }
      if (stopped == nullptr) stopped = &equation;
    }
    if (stopped != nullptr) return FreeSomething(*stopped);
    return FreeQuotientVariables() || FreeVariables();
  }

  // If the variables in a quotient variable are known, so are its pieces. If these are known, its
  // sum has their value.
  void EquateQuotientVariables() {
    for (Unknown& unknown : unknowns_) {
      if (unknown.atom->kind != AtomKind::kQuotientVariable || unknown.is_equated) continue;
      if (FirstUnknownLeaf(*unknown.atom) == nullptr) {
        unknown.is_equated = true;
        for (Piece& piece : PiecesOf(unknown)) ComputePiece(piece);
        continue;
      }
      const std::optional<Sum> value = ValueOf(unknown);
      if (!value) continue;
      unknown.is_equated = true;
      AddEquation(unknown.atom->arguments.front(), *value);
    }
  }

  void ComputePiece(Piece& piece) {
    const Sum computed = Substitute(context_.Store(piece.digit, 0));
    if (piece.value) Require(Subtract(context_, *piece.value, computed), Interval::Point(0));
    piece.value = computed;
  }

  // Without `lower`.
  std::optional<Sum> ValueOf(const Unknown& unknown) {
    const llvm::ArrayRef<Piece> pieces = PiecesOf(unknown);
    if (pieces.size() == 1) return pieces.front().value;
    llvm::SmallVector<ScaledSum, 4> parts;
    for (const Piece& piece : pieces) {
      if (!piece.value) return std::nullopt;
      parts.push_back({*piece.value, piece.lo()});
    }
    return Linear(context_, parts);
  }

  // Takes what is known to the other side; if nothing is left, both must agree.
  void MoveKnown(Equation& equation) {
    llvm::SmallVector<ScaledSum, 4> parts = {{equation.value, 1}};
    llvm::erase_if(equation.unknown, [&](const ScaledPiece& part) {
      const std::optional<Sum>& value = pieces_[part.piece].value;
      if (value) parts.push_back({*value, -part.coefficient});
      return value.has_value();
    });
    llvm::erase_if(equation.blocked, [&](const Term& term) {
      const bool is_known = FirstUnknownLeaf(*term.atom) == nullptr;
      if (is_known) parts.push_back({Substitute(context_.Store(term, 0)), -1});
      return is_known;
    });
    if (parts.size() > 1) equation.value = Linear(context_, parts);
    if (!equation.unknown.empty() || !equation.blocked.empty()) return;
    Require(equation.value, Interval::Point(0));
    equation.is_settled = true;
  }

  // A variable of f that the atom depends on and that is not known.
  const Atom* FirstUnknownLeaf(const Atom& root) const {
    if (IsUnknownVariable(root)) return &root;
    const Atom* first = nullptr;
    llvm::SmallPtrSet<const Atom*, 8> seen;
    for (const Sum& argument : root.arguments) {
      ForEachAtom(argument, seen, [&](const Atom& atom) {
        if (first == nullptr && IsUnknownVariable(atom)) first = &atom;
      });
    }
    return first;
  }

  bool IsUnknownVariable(const Atom& atom) const {
    if (atom.kind != AtomKind::kVariable) return false;
    const Unknown* unknown = Find(atom);
    if (unknown == nullptr) return true;
    return llvm::any_of(PiecesOf(*unknown), [](const Piece& piece) { return !piece.value; });
  }

  // Whether each piece is taller than all below it together, so that divisions read them off.
  bool IsSeparable(Equation& equation) const { return FindOverlap(equation) == nullptr; }

  // The first piece, by coefficient, that those below it reach; null if there is none.
  const ScaledPiece* FindOverlap(Equation& equation) const {
    if (equation.unknown.size() > 1) {
      llvm::stable_sort(equation.unknown, [](const ScaledPiece& a, const ScaledPiece& b) {
        return std::abs(a.coefficient) < std::abs(b.coefficient);
      });
    }
    int64_t reach = 0;
    for (const ScaledPiece& part : equation.unknown) {
      const int64_t magnitude = std::abs(part.coefficient);
      if (reach >= magnitude) return &part;
      // Nothing is taller than what has no end, or ends beyond 64 bits.
      const int64_t extent = pieces_[part.piece].extent();
      const auto height = extent == kUnbounded ? std::nullopt : CheckedMul(magnitude, extent - 1);
      reach = height ? CheckedAdd(reach, *height).value_or(support::kInt64Max) : support::kInt64Max;
    }
    return nullptr;
  }

  // From the highest piece down: quotient and remainder. A negative coefficient counts the piece
  // from its end; the highest one is made positive.
  void Solve(Equation& equation) {
    Sum rest = equation.value;
    if (equation.unknown.back().coefficient < 0) {
      rest = Scale(context_, rest, -1);
      for (ScaledPiece& part : equation.unknown) part.coefficient = -part.coefficient;
    }
    for (const ScaledPiece& part : equation.unknown) {
      if (part.coefficient > 0) continue;
      const int64_t extent = pieces_[part.piece].extent();
      const Sum end = Scale(context_, Constant(extent - 1), -part.coefficient);
      rest = Add(context_, rest, end);
    }
    for (const ScaledPiece& part : llvm::reverse(equation.unknown)) {
      const Division division = DivMod(context_, rest, std::abs(part.coefficient));
      rest = division.remainder;
      Piece& piece = pieces_[part.piece];
      piece.value = division.quotient;
      Require(*piece.value, piece.digit.DigitRange());
      if (part.coefficient < 0) {
        piece.value = Subtract(context_, Constant(piece.extent() - 1), *piece.value);
      }
    }
    equation.unknown.clear();
    equation.value = rest;
  }

  // What stops this equation, as few values as possible.
  bool FreeSomething(Equation& equation) {
    if (!equation.blocked.empty()) {
      FreeVariable(*FirstUnknownLeaf(*equation.blocked.front().atom));
      return true;
    }
    const ScaledPiece* overlap = FindOverlap(equation);
    Piece* smallest = &pieces_[overlap->piece];
    for (const ScaledPiece* part = equation.unknown.data(); part != overlap; ++part) {
      Piece& piece = pieces_[part->piece];
      if (piece.extent() < smallest->extent()) smallest = &piece;
    }
    Free(*smallest);
    return true;
  }

  // A variable that is free as a whole keeps its bounds.
  void Free(Piece& piece) {
    const Atom& atom = *piece.digit.atom;
    const bool is_variable = atom.kind == AtomKind::kVariable && piece.digit.IsWhole();
    const int64_t lower = is_variable ? atom.lower : 0;
    const Sum variable = NewVariable(is_variable ? atom.ValueRange() : piece.digit.DigitRange());
    piece.value = Subtract(context_, variable, Constant(lower));
  }

  // The pieces that are missing of a quotient variable of which some are known.
  bool FreeQuotientVariables() {
    bool freed = false;
    for (Unknown& unknown : unknowns_) {
      if (unknown.atom->kind != AtomKind::kQuotientVariable || unknown.is_equated) continue;
      const llvm::MutableArrayRef<Piece> pieces = PiecesOf(unknown);
      if (llvm::none_of(pieces, [](const Piece& piece) { return piece.value.has_value(); })) {
        continue;
      }
      for (Piece& piece : pieces) {
        if (!piece.value) Free(piece);
      }
      freed = true;
    }
    return freed;
  }

  // Variables that are wanted, or that a constraint mentions.
  bool FreeVariables() {
    for (VariableId i = 0; i < variables_.size(); ++i) {
      const Atom* variable = variables_[i];
      if (variable == nullptr || !IsUnknownVariable(*variable)) continue;
      if (i >= num_wanted_ && !IsMentioned(*variable)) continue;
      FreeVariable(*variable);
      return true;
    }
    return false;
  }

  // Some piece of the variable is known, or a constraint depends on it.
  bool IsMentioned(const Atom& variable) const {
    const Unknown* unknown = Find(variable);
    const auto has_value = [](const Piece& piece) { return piece.value.has_value(); };
    if (unknown != nullptr && llvm::any_of(PiecesOf(*unknown), has_value)) return true;
    bool mentioned = false;
    llvm::SmallPtrSet<const Atom*, 8> seen;
    for (const Constraint& constraint : f_.constraints) {
      ForEachAtom(constraint.expression, seen,
                  [&](const Atom& atom) { mentioned |= &atom == &variable; });
    }
    return mentioned;
  }

  void FreeVariable(const Atom& variable) {
    const auto [number, is_new] = NumberOf(variable);
    Unknown& unknown = unknowns_[number];
    if (is_new) MakePieces(unknown);
    for (Piece& piece : PiecesOf(unknown)) {
      if (!piece.value) Free(piece);
    }
  }

  void Require(const Sum& sum, Interval bounds) {
    if (bounds.Contains(NaturalRange(sum))) return;
    constraints_.push_back({sum, bounds});
  }

  // With the variables of f replaced by their values.
  Sum Substitute(const Sum& sum) {
    const auto value = [this](const Atom& atom) -> std::optional<Sum> {
      if (atom.kind != AtomKind::kVariable) return std::nullopt;
      const Unknown* unknown = Find(atom);
      const std::optional<Sum> known = unknown == nullptr ? std::nullopt : ValueOf(*unknown);
      if (!known) return std::nullopt;
      return Add(context_, *known, Constant(atom.lower));
    };
    return Substitution(context_, value).Apply(sum);
  }

  InverseMap Finish() {
    for (const Unknown& unknown : unknowns_) {
      const Atom& atom = *unknown.atom;
      if (atom.kind != AtomKind::kVariable) continue;
      // A variable that is one piece has been held to its values when it was solved for, unless
      // their number does not fit 64 bits.
      if (unknown.num_pieces == 1 && atom.extent != kUnbounded) continue;
      const std::optional<Sum> value = ValueOf(unknown);
      if (!value) continue;
      if (atom.extent != kUnbounded) {
        Require(*value, {0, atom.extent - 1});
      } else {
        Require(Add(context_, *value, Constant(atom.lower)), f_.boxes[atom.variable]);
      }
    }
    InverseMap inverse;
    inverse.num_free = boxes_.size() - num_results_;
    inverse.map.boxes = boxes_;
    const auto rename = [this](VariableId old) {
      return old < f_.boxes.size() ? old : old - static_cast<VariableId>(f_.boxes.size());
    };
    Renaming renaming(context_, rename);
    for (VariableId i = 0; i < num_wanted_; ++i) {
      const Atom* variable = variables_[i];
      inverse.map.results.push_back(variable == nullptr ? Constant(f_.boxes[i].lower)
                                                        : Add(context_, *ValueOf(*Find(*variable)),
                                                              Constant(variable->lower)));
    }
    for (const Constraint& constraint : f_.constraints) {
      constraints_.push_back({Substitute(constraint.expression), constraint.bounds});
    }
    for (Sum& result : inverse.map.results) result = renaming.Apply(result);
    for (const Constraint& constraint : constraints_) {
      inverse.map.constraints.push_back({renaming.Apply(constraint.expression), constraint.bounds});
    }
    Simplify(context_, inverse.map);
    return inverse;
  }

  DigitContext& context_;
  const QuasiAffineMap& f_;
  const size_t num_wanted_;
  // Of f; null if there is only one value.
  llvm::SmallVector<const Atom*, 6> variables_;
  llvm::SmallVector<Unknown, 6> unknowns_;
  llvm::SmallDenseMap<const Atom*, size_t, 8> by_atom_;
  llvm::SmallVector<Piece, 8> pieces_;
  llvm::SmallVector<Equation, 4> equations_;
  llvm::SmallVector<Constraint, 2> constraints_;
  // Of the new variables: the results of f, then the free ones.
  llvm::SmallVector<Interval, 6> boxes_;
  size_t num_results_ = 0;
};

}  // namespace

bool HasManyDivisions(const QuasiAffineMap& f) {
  llvm::SmallPtrSet<const Atom*, 16> seen;
  size_t count = 0;
  for (const Sum& result : f.results) {
    ForEachAtom(result, seen, [&](const Atom& atom) { count += atom.IsLeaf() ? 0 : 1; });
  }
  return count > kMostInvertedDivisions;
}

InverseMap Invert(DigitContext& context, const QuasiAffineMap& f, size_t num_wanted) {
  return Inverter(context, f, num_wanted).Run();
}

}  // namespace hlo_indexing::simplifier
