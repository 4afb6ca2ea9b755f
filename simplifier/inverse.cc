#include "simplifier/inverse.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <optional>
#include <vector>

#include "llvm/ADT/MapVector.h"
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

// A variable or a mark: the pieces that its digits are made of, from the lowest.
struct Unknown {
  const Atom* atom = nullptr;
  std::vector<Piece> pieces;
  // Whether every digit at hand is a row of pieces. Otherwise there is one piece, the whole.
  bool is_chain = true;
  // A mark whose sum has been equated to its value.
  bool is_equated = false;
};

struct ScaledPiece {
  int64_t coefficient = 0;
  Piece* piece = nullptr;
};

// sum of coefficient * piece + blocked terms = value.
struct Equation {
  std::vector<ScaledPiece> unknown;
  // Terms that are known as soon as the variables in them are.
  TermVector blocked;
  Sum value;
};

class Inverter {
 public:
  Inverter(DigitContext& context, const QuasiAffineMap& f, size_t num_wanted)
      : context_(context), f_(f), num_wanted_(num_wanted) {}

  InverseMap Run() {
    if (f_.empty) return Empty();
    for (const Sum& result : f_.results) CollectCuts(result);
    for (auto& entry : cuts_) MakePieces(*entry.first, entry.second);
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

  // Numbers above those of f's variables, so that no two atoms are taken for one.
  Sum NewVariable(Interval box) {
    boxes_.push_back(box);
    return context_.Variable(static_cast<VariableId>(f_.boxes.size() + boxes_.size() - 1), box);
  }

  void CollectCuts(const Sum& sum) {
    for (const Term& term : sum.terms) {
      const Atom& atom = *term.atom;
      if (atom.kind == AtomKind::kOpaque) {
        for (const Sum& argument : atom.arguments) CollectCuts(argument);
        continue;
      }
      const bool is_new = cuts_.find(&atom) == cuts_.end();
      std::vector<int64_t>& cuts = cuts_[&atom];
      cuts.push_back(term.lo);
      const std::optional<int64_t> end =
          term.IsTop() ? std::nullopt : CheckedMul(term.lo, term.extent);
      if (end) cuts.push_back(*end);
      if (is_new && atom.kind == AtomKind::kMark) CollectCuts(atom.arguments.front());
    }
  }

  void MakePieces(const Atom& atom, std::vector<int64_t>& cuts) {
    Unknown& unknown = unknowns_.emplace_back();
    by_atom_[&atom] = &unknown;
    unknown.atom = &atom;
    cuts.push_back(1);
    llvm::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (size_t i = 1; i < cuts.size(); ++i) unknown.is_chain &= cuts[i] % cuts[i - 1] == 0;
    if (!unknown.is_chain) cuts.assign(1, 1);
    for (size_t i = 0; i < cuts.size(); ++i) {
      const bool is_top = i + 1 == cuts.size();
      int64_t extent = is_top ? kUnbounded : cuts[i + 1] / cuts[i];
      if (is_top && atom.extent != kUnbounded) extent = support::CeilDiv(atom.extent, cuts[i]);
      unknown.pieces.push_back({{1, &atom, cuts[i], extent}, std::nullopt});
    }
  }

  void AddEquation(const Sum& sum, const Sum& value) {
    Equation equation;
    equation.value = Subtract(context_, value, Constant(sum.constant));
    for (const Term& term : sum.terms) AddTerm(term, equation);
    equations_.push_back(std::move(equation));
  }

  void AddTerm(const Term& term, Equation& equation) {
    const auto found = by_atom_.find(term.atom);
    Unknown* unknown = found == by_atom_.end() ? nullptr : found->second;
    if (unknown == nullptr || (!unknown->is_chain && !term.IsWhole())) {
      equation.blocked.push_back(term);
      return;
    }
    std::vector<ScaledPiece> row;
    const std::optional<int64_t> end =
        term.IsTop() ? std::nullopt : CheckedMul(term.lo, term.extent);
    for (Piece& piece : unknown->pieces) {
      if (piece.lo() < term.lo || (end && piece.lo() >= *end)) continue;
      const std::optional<int64_t> coefficient = CheckedMul(term.coefficient, piece.lo() / term.lo);
      if (!coefficient || *coefficient == support::kInt64Min) {
        equation.blocked.push_back(term);
        return;
      }
      row.push_back({*coefficient, &piece});
    }
    for (const ScaledPiece& part : row) equation.unknown.push_back(part);
  }

  // Solves, or frees, something. False where everything is known.
  bool Step() {
    EquateMarks();
    for (Equation& equation : equations_) MoveKnown(equation);
    const auto settled = [this](Equation& equation) {
      if (!equation.unknown.empty() || !equation.blocked.empty()) return false;
      Require(equation.value, Interval::Point(0));
      return true;
    };
    equations_.erase(std::remove_if(equations_.begin(), equations_.end(), settled),
                     equations_.end());
    for (Equation& equation : equations_) {
      if (equation.blocked.empty() && IsSeparable(equation)) {
        Solve(equation);
        return true;
      }
    }
    if (!equations_.empty()) return FreeSomething(equations_.front());
    return FreeMarks() || FreeVariables();
  }

  // Where the variables in a mark are known, so are its pieces. Where these are known, the mark's
  // sum has their value.
  void EquateMarks() {
    for (Unknown& unknown : unknowns_) {
      if (unknown.atom->kind != AtomKind::kMark || unknown.is_equated) continue;
      if (FirstUnknownLeaf(*unknown.atom) == nullptr) {
        unknown.is_equated = true;
        for (Piece& piece : unknown.pieces) ComputePiece(piece);
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

  std::optional<Sum> ValueOf(const Unknown& unknown) {
    llvm::SmallVector<ScaledSum, 4> parts;
    for (const Piece& piece : unknown.pieces) {
      if (!piece.value) return std::nullopt;
      parts.push_back({*piece.value, piece.lo()});
    }
    return Linear(context_, parts);
  }

  void MoveKnown(Equation& equation) {
    std::vector<ScaledPiece> left;
    for (const ScaledPiece& part : equation.unknown) {
      if (part.piece->value) {
        Move(*part.piece->value, part.coefficient, equation);
        continue;
      }
      const auto same =
          llvm::find_if(left, [&](const ScaledPiece& other) { return other.piece == part.piece; });
      const auto sum =
          same == left.end() ? std::nullopt : CheckedAdd(same->coefficient, part.coefficient);
      if (sum && *sum != support::kInt64Min) {
        same->coefficient = *sum;
      } else {
        left.push_back(part);
      }
    }
    llvm::erase_if(left, [](const ScaledPiece& part) { return part.coefficient == 0; });
    equation.unknown = std::move(left);
    TermVector blocked;
    for (const Term& term : equation.blocked) {
      if (FirstUnknownLeaf(*term.atom) == nullptr) {
        Move(Substitute(context_.Store(term, 0)), 1, equation);
      } else {
        blocked.push_back(term);
      }
    }
    equation.blocked = std::move(blocked);
  }

  void Move(const Sum& known, int64_t factor, Equation& equation) {
    const ScaledSum parts[] = {{equation.value, 1}, {Scale(context_, known, factor), -1}};
    equation.value = Linear(context_, parts);
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
    if (atom.kind != AtomKind::kVariable || atom.variable >= f_.boxes.size()) return false;
    const auto found = by_atom_.find(&atom);
    if (found == by_atom_.end()) return true;
    return llvm::any_of(found->second->pieces, [](const Piece& piece) { return !piece.value; });
  }

  // Whether each piece is taller than all below it together, so that divisions read them off.
  static bool IsSeparable(Equation& equation) { return FindOverlap(equation) == nullptr; }

  // The first piece, by coefficient, that those below it reach; null if there is none.
  static const ScaledPiece* FindOverlap(Equation& equation) {
    llvm::stable_sort(equation.unknown, [](const ScaledPiece& a, const ScaledPiece& b) {
      return std::abs(a.coefficient) < std::abs(b.coefficient);
    });
    int64_t reach = 0;
    for (const ScaledPiece& part : equation.unknown) {
      const int64_t magnitude = std::abs(part.coefficient);
      if (reach >= magnitude) return &part;
      // Nothing is taller than what has no end, or ends beyond 64 bits.
      const auto height = part.piece->extent() == kUnbounded
                              ? std::nullopt
                              : CheckedMul(magnitude, part.piece->extent() - 1);
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
      const Sum end = Scale(context_, Constant(part.piece->extent() - 1), -part.coefficient);
      rest = Add(context_, rest, end);
    }
    for (const ScaledPiece& part : llvm::reverse(equation.unknown)) {
      const Division division = DivMod(context_, rest, std::abs(part.coefficient));
      rest = division.remainder;
      Piece& piece = *part.piece;
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
    Piece* smallest = overlap->piece;
    for (const ScaledPiece* part = equation.unknown.data(); part != overlap; ++part) {
      if (part->piece->extent() < smallest->extent()) smallest = part->piece;
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

  // The pieces that are missing of a mark of which some are known.
  bool FreeMarks() {
    bool freed = false;
    for (Unknown& unknown : unknowns_) {
      if (unknown.atom->kind != AtomKind::kMark || unknown.is_equated) continue;
      if (llvm::none_of(unknown.pieces, [](const Piece& p) { return p.value.has_value(); })) {
        continue;
      }
      for (Piece& piece : unknown.pieces) {
        if (!piece.value) Free(piece);
      }
      freed = true;
    }
    return freed;
  }

  // Variables that are wanted, or that a constraint mentions.
  bool FreeVariables() {
    for (VariableId i = 0; i < f_.boxes.size(); ++i) {
      const Sum variable = f_.Variable(context_, i);
      if (variable.IsConstant() || !IsUnknownVariable(*variable.terms.front().atom)) continue;
      if (i >= num_wanted_ && !IsMentioned(*variable.terms.front().atom)) continue;
      FreeVariable(*variable.terms.front().atom);
      return true;
    }
    return false;
  }

  // Some piece of the variable is known, or a constraint depends on it.
  bool IsMentioned(const Atom& variable) const {
    const auto found = by_atom_.find(&variable);
    if (found != by_atom_.end()) {
      for (const Piece& piece : found->second->pieces) {
        if (piece.value) return true;
      }
    }
    bool mentioned = false;
    llvm::SmallPtrSet<const Atom*, 8> seen;
    for (const Constraint& constraint : f_.constraints) {
      ForEachAtom(constraint.expression, seen,
                  [&](const Atom& atom) { mentioned |= &atom == &variable; });
    }
    return mentioned;
  }

  void FreeVariable(const Atom& variable) {
    auto found = by_atom_.find(&variable);
    if (found == by_atom_.end()) {
      std::vector<int64_t> cuts;
      MakePieces(variable, cuts);
      found = by_atom_.find(&variable);
    }
    for (Piece& piece : found->second->pieces) {
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
      if (atom.kind != AtomKind::kVariable || atom.variable >= f_.boxes.size()) return std::nullopt;
      const auto found = by_atom_.find(&atom);
      if (found == by_atom_.end()) return std::nullopt;
      const std::optional<Sum> known = ValueOf(*found->second);
      if (!known) return std::nullopt;
      return Add(context_, *known, Constant(atom.lower));
    };
    return Substitution(context_, value).Apply(sum);
  }

  InverseMap Finish() {
    for (const Unknown& unknown : unknowns_) {
      if (unknown.atom->kind != AtomKind::kVariable || unknown.atom->extent == kUnbounded) continue;
      if (const std::optional<Sum> value = ValueOf(unknown)) {
        Require(*value, {0, unknown.atom->extent - 1});
      }
    }
    InverseMap inverse;
    inverse.num_free = boxes_.size() - num_results_;
    inverse.map.boxes.append(boxes_.begin(), boxes_.end());
    const auto rename = [this](VariableId old) {
      return old < f_.boxes.size() ? old : old - static_cast<VariableId>(f_.boxes.size());
    };
    Renaming renaming(context_, rename);
    for (VariableId i = 0; i < num_wanted_; ++i) {
      inverse.map.results.push_back(renaming.Apply(Substitute(f_.Variable(context_, i))));
    }
    for (const Constraint& constraint : f_.constraints) {
      constraints_.push_back({Substitute(constraint.expression), constraint.bounds});
    }
    for (const Constraint& constraint : constraints_) {
      inverse.map.constraints.push_back({renaming.Apply(constraint.expression), constraint.bounds});
    }
    Simplify(context_, inverse.map);
    return inverse;
  }

  DigitContext& context_;
  const QuasiAffineMap& f_;
  const size_t num_wanted_;
  // Where the digits of each atom begin and end.
  llvm::MapVector<const Atom*, std::vector<int64_t>> cuts_;
  // A deque, for pieces are pointed at.
  std::deque<Unknown> unknowns_;
  llvm::SmallDenseMap<const Atom*, Unknown*, 8> by_atom_;
  std::vector<Equation> equations_;
  std::vector<Constraint> constraints_;
  // Of the new variables: the results of f, then the free ones.
  llvm::SmallVector<Interval, 6> boxes_;
  size_t num_results_ = 0;
};

}  // namespace

InverseMap Invert(DigitContext& context, const QuasiAffineMap& f, size_t num_wanted) {
  return Inverter(context, f, num_wanted).Run();
}

}  // namespace hlo_indexing::simplifier
