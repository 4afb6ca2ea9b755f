// The text of indexing maps.
#include "indexing_analysis/maps/indexing_map.h"

#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using llvm::raw_ostream;
using mlir::AffineBinaryOpExpr;
using mlir::AffineExpr;
using mlir::AffineExprKind;

// Prints expressions with `*`, floordiv, ceildiv and mod binding tighter than + and -. Operands of
// the former stand in parentheses unless they are a variable or a number.
class ExpressionPrinter {
 public:
  ExpressionPrinter(const IndexingMap& map, raw_ostream& out) : map_(map), out_(out) {}

  // Sums that are added on the left need no parentheses; those on the right keep theirs, so that
  // the text parses back to the same expression.
  void Print(AffineExpr expression) {
    llvm::SmallVector<AffineExpr, 8> terms;
    for (; expression.getKind() == AffineExprKind::Add;
         expression = llvm::cast<AffineBinaryOpExpr>(expression).getLHS()) {
      terms.push_back(llvm::cast<AffineBinaryOpExpr>(expression).getRHS());
    }
    terms.push_back(expression);
    bool first = true;
    for (const AffineExpr term : llvm::reverse(terms)) {
      PrintTerm(term, first);
      first = false;
    }
  }

 private:
  // A term with its sign: `x * -3` is `- x * 3`, `-3` is `- 3`.
  void PrintTerm(AffineExpr term, bool first) {
    const auto product = llvm::dyn_cast<AffineBinaryOpExpr>(term);
    const bool is_product = product && product.getKind() == AffineExprKind::Mul;
    const auto constant =
        llvm::dyn_cast<mlir::AffineConstantExpr>(is_product ? product.getRHS() : term);
    const bool negative = constant && constant.getValue() < 0 && constant.getValue() != INT64_MIN;
    if (!first) out_ << (negative ? " - " : " + ");
    if (first && negative) out_ << '-';
    if (!negative) {
      PrintFactorOrProduct(term);
    } else if (!is_product) {
      out_ << -constant.getValue();
    } else {
      PrintOperand(product.getLHS());
      if (constant.getValue() != -1) out_ << " * " << -constant.getValue();
    }
  }

  void PrintFactorOrProduct(AffineExpr expression) {
    const auto binary = llvm::dyn_cast<AffineBinaryOpExpr>(expression);
    if (!binary) {
      PrintLeaf(expression);
      return;
    }
    if (binary.getKind() == AffineExprKind::Add) {
      PrintOperand(binary);
      return;
    }
    PrintOperand(binary.getLHS());
    switch (binary.getKind()) {
      case AffineExprKind::Mul:
        out_ << " * ";
        break;
      case AffineExprKind::FloorDiv:
        out_ << " floordiv ";
        break;
      case AffineExprKind::CeilDiv:
        out_ << " ceildiv ";
        break;
      default:
        out_ << " mod ";
        break;
    }
    PrintOperand(binary.getRHS());
  }

  void PrintOperand(AffineExpr operand) {
    if (llvm::isa<AffineBinaryOpExpr>(operand)) {
      out_ << '(';
      Print(operand);
      out_ << ')';
    } else {
      PrintLeaf(operand);
    }
  }

  void PrintLeaf(AffineExpr leaf) {
    if (const auto dimension = llvm::dyn_cast<mlir::AffineDimExpr>(leaf)) {
      out_ << map_.DimensionName(dimension.getPosition());
    } else if (const auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(leaf)) {
      out_ << map_.SymbolName(symbol.getPosition());
    } else {
      out_ << llvm::cast<mlir::AffineConstantExpr>(leaf).getValue();
    }
  }

  const IndexingMap& map_;
  raw_ostream& out_;
};

// Separates the items of a list.
class ListSeparator {
 public:
  explicit ListSeparator(raw_ostream& out) : out_(out) {}
  raw_ostream& Next() {
    if (!first_) out_ << ", ";
    first_ = false;
    return out_;
  }

 private:
  raw_ostream& out_;
  bool first_ = true;
};

void PrintDomain(const IndexingMap& map, raw_ostream& out) {
  ListSeparator separator(out);
  const auto print = [&](const std::string& subject, Interval bounds) {
    separator.Next() << subject << " in " << bounds;
  };
  for (size_t i = 0; i < map.num_dimensions(); ++i) {
    print(map.DimensionName(i), map.dimensions()[i].bounds);
  }
  for (size_t i = 0; i < map.num_ranges(); ++i) print(map.SymbolName(i), map.ranges()[i].bounds);
  for (size_t i = 0; i < map.num_runtime(); ++i) {
    print(map.SymbolName(map.num_ranges() + i), map.runtime()[i].bounds);
  }
  for (const MapConstraint& constraint : map.constraints()) {
    print(map.ToString(constraint.expression), constraint.bounds);
  }
}

}  // namespace

std::string IndexingMap::ToString(mlir::AffineExpr expression) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  ExpressionPrinter(*this, out).Print(expression);
  return text;
}

void IndexingMap::Print(raw_ostream& out) const {
  if (IsUnknown()) {
    out << "UNKNOWN";
    return;
  }
  out << '(';
  ListSeparator dimensions(out);
  for (size_t i = 0; i < num_dimensions(); ++i) dimensions.Next() << DimensionName(i);
  out << ')';
  if (num_ranges() != 0) {
    out << '[';
    ListSeparator ranges(out);
    for (size_t i = 0; i < num_ranges(); ++i) ranges.Next() << SymbolName(i);
    out << ']';
  }
  if (num_runtime() != 0) {
    out << '{';
    ListSeparator runtime(out);
    for (size_t i = 0; i < num_runtime(); ++i) runtime.Next() << SymbolName(num_ranges() + i);
    out << '}';
  }
  out << " -> (";
  ListSeparator results(out);
  for (const mlir::AffineExpr result : affine_map_.getResults()) {
    results.Next();
    ExpressionPrinter(*this, out).Print(result);
  }
  out << ')';
  if (IsKnownEmpty()) {
    out << ", domain: KNOWN EMPTY";
  } else if (num_dimensions() + num_ranges() + num_runtime() + constraints().size() != 0) {
    out << ", domain: ";
    PrintDomain(*this, out);
  }
}

}  // namespace hlo_indexing::indexing_analysis
