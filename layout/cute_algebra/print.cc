#include "layout/cute_algebra/print.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/tuple.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

constexpr int64_t kMostElements = 65536;

std::string Padded(int64_t number, size_t width) {
  const std::string text = std::to_string(number);
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

// A tensor as a table of offsets, its modes counted each by one number.
class OffsetTable {
 public:
  static absl::StatusOr<OffsetTable> Create(const CuteTensor& tensor) {
    if (tensor.size() > kMostElements) {
      return absl::ResourceExhaustedError("a table of " + std::to_string(tensor.size()) +
                                          " elements is too large");
    }
    if (tensor.modes().has_axes()) {
      return absl::InvalidArgumentError("the layout maps to coordinates, not to offsets");
    }
    OffsetTable table;
    HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple extents, ProductEach(tensor.modes().shape()));
    const llvm::SmallVector<TupleInteger, 4> leaves = extents.Leaves();
    for (const TupleInteger& leaf : leaves) table.extents_.push_back(leaf.value);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple element, tensor.At(i));
      table.offsets_.push_back(element.integer().value);
    }
    return table;
  }

  size_t rank() const { return extents_.size(); }
  int64_t extent(size_t mode) const { return mode < rank() ? extents_[mode] : 1; }
  // The offset at a row and a column, of the matrix with that number.
  int64_t At(int64_t row, int64_t column, int64_t matrix = 0) const {
    return offsets_[static_cast<size_t>((matrix * extent(1) + column) * extent(0) + row)];
  }

 private:
  std::vector<int64_t> extents_;
  std::vector<int64_t> offsets_;
};

absl::Status WrongRank(const std::string& function, const CuteTensor& tensor,
                       const std::string& ranks) {
  return absl::InvalidArgumentError(function + ": the rank of " + tensor.LayoutText() + " is " +
                                    std::to_string(tensor.modes().rank()) + ", not " + ranks);
}

// The matrices of a tensor one below the other, with rules between them.
std::string Matrices(const OffsetTable& table, size_t width) {
  std::string text;
  const int64_t count = table.extent(2) * table.extent(3);
  for (int64_t matrix = 0; matrix < count; ++matrix) {
    for (int64_t row = 0; row < table.extent(0); ++row) {
      for (int64_t column = 0; column < table.extent(1); ++column) {
        text += Padded(table.At(row, column, matrix), width);
      }
      text += '\n';
    }
    if (matrix + 1 == count) break;
    const char rule = (matrix + 1) % table.extent(2) == 0 ? '=' : '-';
    text += std::string(width * static_cast<size_t>(table.extent(1)), rule) + "\n";
  }
  return text;
}

absl::StatusOr<OffsetTable> TableOfTensor(const std::string& function, const CuteTensor& tensor) {
  const int64_t rank = tensor.modes().rank();
  if (rank < 1 || rank > 4) return WrongRank(function, tensor, "1 to 4");
  return OffsetTable::Create(tensor);
}

std::string LatexDocument(const std::string& nodes, int64_t rows, int64_t columns) {
  std::string text =
      "\\documentclass[convert]{standalone}\n\\usepackage{tikz}\n\n\\begin{document}\n"
      "\\begin{tikzpicture}[x={(0cm,-1cm)},y={(1cm,0cm)},every node/.style={minimum size=1cm, "
      "outer sep=0pt}]\n\n" +
      nodes + "\\draw[color=black,thick,shift={(-0.5,-0.5)}] (0,0) grid (" + std::to_string(rows) +
      "," + std::to_string(columns) + ");\n\n";
  const auto label = [](int64_t row, int64_t column, int64_t number) {
    return "\\node at (" + std::to_string(row) + "," + std::to_string(column) +
           ") {\\Large{\\texttt{" + std::to_string(number) + "}}};\n";
  };
  for (int64_t row = 0; row < rows; ++row) text += label(row, -1, row);
  for (int64_t column = 0; column < columns; ++column) text += label(-1, column, column);
  return text + "\\end{tikzpicture}\n\\end{document}\n";
}

std::string LatexNode(const std::string& fill, int64_t row, int64_t column,
                      const std::string& label) {
  return "\\node[fill=" + fill + "] at (" + std::to_string(row) + "," + std::to_string(column) +
         ") {" + label + "};\n";
}

}  // namespace

absl::StatusOr<std::string> PrintLayout(const CuteTensor& tensor) {
  if (tensor.modes().rank() != 2) return WrongRank("print_layout", tensor, "2");
  HLO_INDEXING_ASSIGN_OR_RETURN(const OffsetTable table, OffsetTable::Create(tensor));
  int64_t cosize = 0;
  if (tensor.plain() != nullptr) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger with_kind, CosizeWithKind(*tensor.plain()));
    cosize = with_kind.value;
  } else {
    HLO_INDEXING_ASSIGN_OR_RETURN(cosize, tensor.composed()->Cosize());
  }
  const size_t width = std::to_string(cosize).size();
  std::string rule = "    ";
  std::string text = tensor.LayoutText() + "\n    ";
  for (int64_t column = 0; column < table.extent(1); ++column) {
    rule += "+" + std::string(width + 2, '-');
    text += "  " + Padded(column, width) + " ";
  }
  rule += "+\n";
  text += '\n';
  for (int64_t row = 0; row < table.extent(0); ++row) {
    text += rule + Padded(row, 2) + "  ";
    for (int64_t column = 0; column < table.extent(1); ++column) {
      text += "| " + Padded(table.At(row, column), width) + " ";
    }
    text += "|\n";
  }
  return text + rule;
}

absl::StatusOr<std::string> PrintTensor(const CuteTensor& tensor) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const OffsetTable table, TableOfTensor("print_tensor", tensor));
  return "counting_iter(" + std::to_string(tensor.offset.integer().value) + ") o " +
         tensor.LayoutText() + ":\n" + Matrices(table, 5);
}

absl::StatusOr<std::string> StreamTensor(const CuteTensor& tensor) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const OffsetTable table, TableOfTensor("ostream_tensor", tensor));
  return tensor.LayoutText() + "\n" + Matrices(table, 9);
}

absl::StatusOr<std::string> PrintLatex(const CuteTensor& tensor) {
  if (tensor.modes().rank() > 2 || tensor.modes().rank() < 1) {
    return WrongRank("print_latex", tensor, "1 or 2");
  }
  constexpr const char* kShades[] = {"00", "40", "20", "60", "10", "50", "30", "70"};
  HLO_INDEXING_ASSIGN_OR_RETURN(const OffsetTable table, OffsetTable::Create(tensor));
  std::string nodes;
  for (int64_t row = 0; row < table.extent(0); ++row) {
    for (int64_t column = 0; column < table.extent(1); ++column) {
      const int64_t offset = table.At(row, column);
      const std::string shade = kShades[std::abs(offset % 8)];
      nodes += LatexNode("black!" + shade, row, column, std::to_string(offset));
    }
  }
  return "% Layout: " + tensor.LayoutText() + "\n" +
         LatexDocument(nodes, table.extent(0), table.extent(1));
}

absl::StatusOr<std::string> PrintLatexThreadValues(const ThreadValueTile& tile) {
  constexpr const char* kColours[] = {
      "{rgb,255:red,175;green,175;blue,255}", "{rgb,255:red,175;green,255;blue,175}",
      "{rgb,255:red,255;green,255;blue,175}", "{rgb,255:red,255;green,175;blue,175}",
      "{rgb,255:red,210;green,210;blue,255}", "{rgb,255:red,210;green,255;blue,210}",
      "{rgb,255:red,255;green,255;blue,210}", "{rgb,255:red,255;green,210;blue,210}"};
  const CuteLayout& layout = tile.thread_values;
  if (layout.rank() != 2 || layout.size() > kMostElements) {
    return absl::InvalidArgumentError("print_latex_tv: " + layout.ToString() +
                                      " does not have the modes (thread,value), or is too large");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout identity,
                                IdentityLayout(IntTuple::Tuple({IntTuple::Static(tile.rows),
                                                                IntTuple::Static(tile.columns)})));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout coordinates, Compose(identity, layout));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger threads, SizeOf(layout.shape().members()[0]));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger values, SizeOf(layout.shape().members()[1]));
  std::string nodes;
  for (int64_t thread = 0; thread < threads.value; ++thread) {
    for (int64_t value = 0; value < values.value; ++value) {
      HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t index,
                                    layout.Offset(value * threads.value + thread));
      nodes += LatexNode(
          kColours[thread % 8], index % tile.rows, index / tile.rows,
          "\\shortstack{T" + std::to_string(thread) + " \\\\ V" + std::to_string(value) + "}");
    }
  }
  return "% Layout TV: ArithTuple(_0,_0) o " + coordinates.ToString() + "\n" +
         LatexDocument(nodes, tile.rows, tile.columns);
}

}  // namespace hlo_indexing::layout
