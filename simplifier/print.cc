// The text of everything that is made of sums; the notation is in digit_sum.h.
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "simplifier/quasi_affine_map.h"

namespace hlo_indexing::simplifier {
namespace {

using llvm::raw_ostream;

// |value|, which need not fit a signed number.
uint64_t Magnitude(int64_t value) {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// Writes sums. Quotient variables form a DAG with far more paths than atoms, and a tree is written,
// so the number of terms is limited.
class SumPrinter {
 public:
  SumPrinter(raw_ostream& out, LeafPrinter leaves) : out_(out), leaves_(leaves) {}

  void Print(const Sum& sum) {
    int64_t constant = sum.constant;
    bool first = true;
    for (const Term& term : sum.terms) {
      const bool is_value = TakeLower(term, constant);
      PrintSign(term.coefficient < 0, first);
      first = false;
      if (terms_left_-- <= 0) {
        out_ << "...";
        return;
      }
      PrintProduct(term, is_value);
    }
    if (constant == 0 && !first) return;
    PrintSign(constant < 0, first);
    out_ << Magnitude(constant);
  }

  void PrintValue(const Atom& atom) {
    switch (atom.kind) {
      case AtomKind::kVariable:
        PrintLeaf(atom);
        break;
      case AtomKind::kQuotientVariable:
        out_ << '{';
        Print(atom.arguments.front());
        out_ << '}';
        break;
      case AtomKind::kOpaque:
        if (atom.IsFunction()) {
          PrintLeaf(atom);
        } else {
          PrintOperation(atom);
        }
        break;
    }
  }

 private:
  // Whether the term is a whole atom that is written as the value of its variable or operation,
  // with the difference taken from the constant.
  static bool TakeLower(const Term& term, int64_t& constant) {
    if (!term.IsWhole()) return false;
    const auto lower = support::CheckedMul(term.coefficient, term.atom->lower);
    const auto rest = lower ? support::CheckedSub(constant, *lower) : std::nullopt;
    constant = rest.value_or(constant);
    return rest.has_value();
  }

  void PrintSign(bool negative, bool first) {
    if (first) {
      out_ << (negative ? "-" : "");
    } else {
      out_ << (negative ? " - " : " + ");
    }
  }

  // Without the sign.
  void PrintProduct(const Term& term, bool is_value) {
    const uint64_t factor = Magnitude(term.coefficient);
    const bool in_parentheses = factor != 1 && !term.IsWhole();
    if (in_parentheses) out_ << '(';
    PrintDigit(term, is_value);
    if (in_parentheses) out_ << ')';
    if (factor != 1) out_ << " * " << factor;
  }

  void PrintDigit(const Term& term, bool is_value) {
    const bool has_both = term.lo != 1 && !term.IsTop();
    if (has_both) out_ << '(';
    if (is_value) {
      PrintValue(*term.atom);
    } else {
      PrintFromZero(*term.atom);
    }
    if (term.lo != 1) out_ << " floordiv " << term.lo;
    if (has_both) out_ << ')';
    if (!term.IsTop()) out_ << " mod " << term.extent;
  }

  // The atom itself, which is its value without `lower`.
  void PrintFromZero(const Atom& atom) {
    if (atom.lower != 0) out_ << '(';
    PrintValue(atom);
    if (atom.lower != 0) out_ << (atom.lower < 0 ? " + " : " - ") << Magnitude(atom.lower) << ')';
  }

  void PrintLeaf(const Atom& leaf) {
    if (leaves_) {
      leaves_(leaf, out_);
    } else if (leaf.kind == AtomKind::kVariable) {
      out_ << 'd' << leaf.variable;
    } else {
      out_ << 'f' << leaf.variable << '(';
      llvm::interleaveComma(leaf.arguments, out_, [this](const Sum& sum) { Print(sum); });
      out_ << ')';
    }
  }

  void PrintOperation(const Atom& atom) {
    out_ << '(';
    PrintOperand(atom.arguments[0]);
    out_ << ' ' << OperatorOf(atom.operation) << ' ';
    PrintOperand(atom.arguments[1]);
    out_ << ')';
  }

  static llvm::StringRef OperatorOf(OpaqueOperation operation) {
    switch (operation) {
      case OpaqueOperation::kAdd:
        return "+";
      case OpaqueOperation::kMultiply:
        return "*";
      case OpaqueOperation::kFloorDiv:
        return "floordiv";
      case OpaqueOperation::kMod:
        return "mod";
      case OpaqueOperation::kFunction:
        break;
    }
    return "of";
  }

  // In parentheses unless it is a number or the value of an atom.
  void PrintOperand(const Sum& sum) {
    int64_t constant = sum.constant;
    const bool is_simple =
        sum.IsConstant() || (sum.terms.size() == 1 && TakeLower(sum.terms.front(), constant) &&
                             constant == 0 && sum.terms.front().coefficient == 1);
    if (!is_simple) out_ << '(';
    Print(sum);
    if (!is_simple) out_ << ')';
  }

  raw_ostream& out_;
  LeafPrinter leaves_;
  int terms_left_ = 1000;
};

}  // namespace

void Interval::Print(raw_ostream& out) const {
  // The largest number as a lower end is a number.
  out << '[';
  if (lower == kMinusInfinity) {
    out << "-inf, ";
  } else {
    out << lower << ", ";
  }
  if (upper == kPlusInfinity) {
    out << "inf]";
  } else {
    out << upper << ']';
  }
}

void Atom::Print(raw_ostream& out, LeafPrinter leaves) const {
  SumPrinter(out, leaves).PrintValue(*this);
}

void Term::Print(raw_ostream& out, LeafPrinter leaves) const {
  SumPrinter(out, leaves).Print({*this, 0});
}

void Sum::Print(raw_ostream& out, LeafPrinter leaves) const {
  SumPrinter(out, leaves).Print(*this);
}

void Constraint::Print(raw_ostream& out, LeafPrinter leaves) const {
  expression.Print(out, leaves);
  out << " in " << bounds;
}

void Division::Print(raw_ostream& out, LeafPrinter leaves) const {
  out << "quotient ";
  quotient.Print(out, leaves);
  out << ", remainder ";
  remainder.Print(out, leaves);
}

void QuasiAffineMap::Print(raw_ostream& out, LeafPrinter leaves) const {
  // The name of a variable does not depend on its box.
  const auto print_variable = [&](size_t i) {
    Atom variable;
    variable.variable = static_cast<VariableId>(i);
    variable.Print(out, leaves);
  };
  out << '(';
  llvm::interleaveComma(llvm::seq(boxes.size()), out, print_variable);
  out << ") -> (";
  llvm::interleaveComma(results, out, [&](const Sum& sum) { sum.Print(out, leaves); });
  out << ')';
  if (empty) {
    out << ", domain: KNOWN EMPTY";
    return;
  }
  if (boxes.empty() && constraints.empty()) return;
  out << ", domain: ";
  llvm::interleaveComma(llvm::seq(boxes.size()), out, [&](size_t i) {
    print_variable(i);
    out << " in " << boxes[i];
  });
  if (!boxes.empty() && !constraints.empty()) out << ", ";
  llvm::interleaveComma(constraints, out,
                        [&](const Constraint& constraint) { constraint.Print(out, leaves); });
}

}  // namespace hlo_indexing::simplifier
