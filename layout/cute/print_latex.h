#ifndef HLO_INDEXING_LAYOUT_CUTE_PRINT_LATEX_H_
#define HLO_INDEXING_LAYOUT_CUTE_PRINT_LATEX_H_

#include "layout/cute/print_tensor.h"
#include "layout/cute/tensor_partition.h"

// Drawings of layouts as LaTeX documents (standalone, tikz).
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

HLO_CUTE_HD inline void PrintLatexBegin() {
  printf(
      "\\documentclass[convert]{standalone}\n\\usepackage{tikz}\n\n\\begin{document}\n"
      "\\begin{tikzpicture}[x={(0cm,-1cm)},y={(1cm,0cm)},every node/.style={minimum size=1cm, "
      "outer "
      "sep=0pt}]\n\n");
}
// The grid, the numbers of rows and columns, and the end.
HLO_CUTE_HD inline void PrintLatexEnd(int rows, int columns) {
  printf("\\draw[color=black,thick,shift={(-0.5,-0.5)}] (0,0) grid (%d,%d);\n\n", rows, columns);
  for (int m = 0; m < rows; ++m) printf("\\node at (%d,-1) {\\Large{\\texttt{%d}}};\n", m, m);
  for (int n = 0; n < columns; ++n) printf("\\node at (-1,%d) {\\Large{\\texttt{%d}}};\n", n, n);
  printf("\\end{tikzpicture}\n\\end{document}\n");
}

HLO_CUTE_HD inline const char* GrayShade(int64_t index) {
  switch (index % 8) {
    case 0:
      return "00";
    case 1:
      return "40";
    case 2:
      return "20";
    case 3:
      return "60";
    case 4:
      return "10";
    case 5:
      return "50";
    case 6:
      return "30";
    default:
      return "70";
  }
}
// One of eight colors, for a thread.
struct Rgb {
  int red, green, blue;
};
HLO_CUTE_HD inline Rgb ThreadColor(int64_t thread) {
  const int code = static_cast<int>(thread % 8);
  const int dark = code < 4 ? 175 : 210;
  switch (code % 4) {
    case 0:
      return {dark, dark, 255};
    case 1:
      return {dark, 255, dark};
    case 2:
      return {255, 255, dark};
    default:
      return {255, dark, dark};
  }
}
// The element at a place of the picture, and whose it is.
HLO_CUTE_HD inline void PrintLatexOwner(int row, int column, int thread, int value) {
  const Rgb color = ThreadColor(thread);
  printf(
      "\\node[fill={rgb,255:red,%d;green,%d;blue,%d}] at (%d,%d) {\\shortstack{T%d \\\\ "
      "V%d}};\n",
      color.red, color.green, color.blue, row, column, thread, value);
}

}  // namespace detail

/// A table of the offsets of a layout of rank 1 or 2; shades tell offsets apart modulo 8.
template <class L>
HLO_CUTE_HD void print_latex(L const& l) {
  static_assert(L::rank <= 2, "print_latex(l): the rank of l must be 1 or 2.");
  if constexpr (L::rank == 1) {
    print_latex(append<2>(l));
  } else {
    printf("%% Layout: ");
    print(l);
    printf("\n");
    detail::PrintLatexBegin();
    const int rows = static_cast<int>(size<0>(l));
    const int columns = static_cast<int>(size<1>(l));
    for (int m = 0; m < rows; ++m) {
      for (int n = 0; n < columns; ++n) {
        const int64_t index = static_cast<int64_t>(l(m, n));
        printf("\\node[fill=black!%s] at (%d,%d) {%lld};\n",
               detail::GrayShade(index < 0 ? -index : index), m, n, static_cast<long long>(index));
      }
    }
    detail::PrintLatexEnd(rows, columns);
  }
}

/// The tile with, in each element, the thread and the value that a thread-value layout gives it.
/// print_atoms.h has those of copies and products.
template <class S, class D, class Tiler>
HLO_CUTE_HD void print_latex_tv(Layout<S, D> const& tv, Tiler const& tile) {
  static_assert(Layout<S, D>::rank == 2,
                "print_latex_tv(tv, tile): tv must have the modes (thread, value).");
  static_assert(tuple_size_v<Tiler> == 2, "print_latex_tv(tv, tile): the tile must have rank 2.");
  const auto coords = composition(make_identity_tensor(product_each(tile)), tv);
  printf("%% Layout TV: ");
  print(coords);
  printf("\n");
  detail::PrintLatexBegin();
  for (int thread = 0; thread < static_cast<int>(size<0>(tv)); ++thread) {
    for (int value = 0; value < static_cast<int>(size<1>(tv)); ++value) {
      const auto coord = coords(thread, value);
      detail::PrintLatexOwner(static_cast<int>(get<0>(coord)), static_cast<int>(get<1>(coord)),
                              thread, value);
    }
  }
  detail::PrintLatexEnd(static_cast<int>(size<0>(tile)), static_cast<int>(size<1>(tile)));
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_PRINT_LATEX_H_
