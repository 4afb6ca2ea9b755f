#ifndef HLO_INDEXING_LAYOUT_CUTE_PRINT_ATOMS_H_
#define HLO_INDEXING_LAYOUT_CUTE_PRINT_ATOMS_H_

#include "layout/cute/print_latex.h"
#include "layout/cute/tiled_mma.h"

// Drawings of tiled copies and products, and of layouts, as LaTeX documents and as SVG:
//
//   print_latex(tiled_mma)    // C below the columns of B and beside the rows of A; each element
//   print_svg(tiled_mma)      // has its thread and the number of its value there
//   print_svg(tiled_copy)     // what the threads read, and beside it what they write
//   print_svg(layout)         // a table of offsets
//
// Where several threads have an element the first of them is shown.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// Pictures are grids of elements; a canvas draws a grid whose first element has a place.
struct LatexCanvas {
  HLO_CUTE_HD void Begin(int, int, int, int) const { PrintLatexBegin(); }
  HLO_CUTE_HD void Owner(int row, int column, int thread, int value) const {
    PrintLatexOwner(row, column, thread, value);
  }
  HLO_CUTE_HD void Grid(int row, int column, int rows, int columns) const {
    printf("\\draw[color=black,thick,shift={(-0.5,-0.5)}] (%d,%d) grid (%d,%d);\n\n", row, column,
           row + rows, column + columns);
  }
  HLO_CUTE_HD void Number(int row, int column, int number) const {
    printf("\\node at (%d,%d) {\\Large{\\texttt{%d}}};\n", row, column, number);
  }
  HLO_CUTE_HD void End() const { printf("\\end{tikzpicture}\n\\end{document}\n"); }
};

struct SvgCanvas {
  static constexpr int cell = 20;
  int top = 0;  // the place of the upper left corner
  int left = 0;
  HLO_CUTE_HD void Begin(int first_row, int first_column, int rows, int columns) {
    top = first_row;
    left = first_column;
    printf(
        "<svg width=\"100%%\" height=\"100%%\" viewBox=\"0 0 %d %d\" "
        "preserveAspectRatio=\"xMidYMid meet\" xmlns=\"http://www.w3.org/2000/svg\">\n",
        columns * cell, rows * cell);
  }
  HLO_CUTE_HD void Box(int row, int column, Rgb color) const {
    printf(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"rgb(%d,%d,%d)\" "
        "stroke=\"black\"/>\n",
        (column - left) * cell, (row - top) * cell, cell, cell, color.red, color.green, color.blue);
  }
  // A letter and a number in the middle of an element, moved down by some units.
  HLO_CUTE_HD void Text(int row, int column, int down, int size, const char* letter,
                        int64_t number) const {
    printf(
        "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" alignment-baseline=\"central\" "
        "font-size=\"%d\">%s%lld</text>\n",
        (column - left) * cell + cell / 2, (row - top) * cell + cell / 2 + down, size, letter,
        static_cast<long long>(number));
  }
  HLO_CUTE_HD void Owner(int row, int column, int thread, int value) const {
    Box(row, column, ThreadColor(thread));
    Text(row, column, -cell / 4, 8, "T", thread);
    Text(row, column, cell / 4, 8, "V", value);
  }
  HLO_CUTE_HD void Grid(int, int, int, int) const {}
  HLO_CUTE_HD void Number(int row, int column, int number) const {
    Text(row, column, 0, 12, "", number);
  }
  HLO_CUTE_HD void End() const { printf("</svg>\n"); }
};

// The owners of the elements of a tile with its first element at a place. TV maps (thread, value)
// to an index of the tile; `transposed` draws its columns as rows.
template <bool transposed, class Canvas, class TV, class Rows, class Columns>
HLO_CUTE_HD void DrawOwners(Canvas const& canvas, TV const& tv, Rows, Columns, int row,
                            int column) {
  constexpr int rows = Rows::value;
  bool drawn[rows * Columns::value] = {};
  for (int thread = 0; thread < static_cast<int>(size<0>(tv)); ++thread) {
    for (int value = 0; value < static_cast<int>(size<1>(tv)); ++value) {
      const int index = static_cast<int>(tv(thread, value));
      if (drawn[index]) continue;
      drawn[index] = true;
      const int r = index % rows;
      const int c = index / rows;
      canvas.Owner(row + (transposed ? c : r), column + (transposed ? r : c), thread, value);
    }
  }
  const int height = transposed ? Columns::value : rows;
  const int width = transposed ? rows : Columns::value;
  canvas.Grid(row, column, height, width);
}
// The numbers beside a grid and above it.
template <class Canvas>
HLO_CUTE_HD void DrawRowNumbers(Canvas const& canvas, int row, int column, int count) {
  for (int i = 0; i < count; ++i) canvas.Number(row + i, column, i);
}
template <class Canvas>
HLO_CUTE_HD void DrawColumnNumbers(Canvas const& canvas, int row, int column, int count) {
  for (int i = 0; i < count; ++i) canvas.Number(row, column + i, i);
}

// C (M,N) at (0,0), A (M,K) to its left, B (N,K) above, K downwards, with one element between them
// for numbers.
template <class Canvas, class Mma>
HLO_CUTE_HD void DrawMma(Canvas canvas, Mma const& mma) {
  using M = decltype(tile_size<0>(mma));
  using N = decltype(tile_size<1>(mma));
  using K = decltype(tile_size<2>(mma));
  const int beside = -(K::value + 1);
  canvas.Begin(beside - 1, beside - 1, M::value + K::value + 2, N::value + K::value + 2);
  DrawOwners<false>(canvas, mma.get_layoutC_TV(), M{}, N{}, 0, 0);
  DrawOwners<false>(canvas, mma.get_layoutA_TV(), M{}, K{}, 0, beside);
  DrawOwners<true>(canvas, mma.get_layoutB_TV(), N{}, K{}, beside, 0);
  DrawRowNumbers(canvas, 0, beside - 1, M::value);
  DrawColumnNumbers(canvas, -1, beside, K::value);
  DrawColumnNumbers(canvas, beside - 1, 0, N::value);
  DrawRowNumbers(canvas, beside, -1, K::value);
  canvas.End();
}
template <class Canvas, class Copy_>
HLO_CUTE_HD void DrawCopy(Canvas canvas, Copy_ const& copy) {
  using M = decltype(tile_size<0>(copy));
  using N = decltype(tile_size<1>(copy));
  const int second = N::value + 3;
  canvas.Begin(-1, -1, M::value + 1, second + N::value + 2);
  DrawOwners<false>(canvas, copy.get_layoutS_TV(), M{}, N{}, 0, 0);
  DrawColumnNumbers(canvas, -1, 0, N::value);
  DrawRowNumbers(canvas, 0, -1, M::value);
  DrawOwners<false>(canvas, copy.get_layoutD_TV(), M{}, N{}, 0, second);
  DrawColumnNumbers(canvas, -1, second, N::value);
  DrawRowNumbers(canvas, 0, second + N::value, M::value);
  canvas.End();
}

template <class Mma>
HLO_CUTE_HD void PrintMmaLayouts(const char* begin, const char* end, Mma const& mma) {
  printf("%sC (thread,value): ", begin);
  print(mma.get_layoutC_TV());
  printf("%s\n%sA (thread,value): ", end, begin);
  print(mma.get_layoutA_TV());
  printf("%s\n%sB (thread,value): ", end, begin);
  print(mma.get_layoutB_TV());
  printf("%s\n", end);
}
template <class Copy_>
HLO_CUTE_HD void PrintCopyLayouts(const char* begin, const char* end, Copy_ const& copy) {
  printf("%ssource (thread,value): ", begin);
  print(copy.get_layoutS_TV());
  printf("%s\n%sdestination (thread,value): ", end, begin);
  print(copy.get_layoutD_TV());
  printf("%s\n", end);
}

}  // namespace detail

template <class Atom, class L, class P>
HLO_CUTE_HD void print_latex(TiledMMA<Atom, L, P> const& mma) {
  detail::PrintMmaLayouts("% ", "", mma);
  detail::DrawMma(detail::LatexCanvas{}, mma);
}
template <class Op>
HLO_CUTE_HD void print_latex(MMA_Atom<Op> const& atom) {
  print_latex(make_tiled_mma(atom));
}
template <class Atom, class TV, class Tiler>
HLO_CUTE_HD void print_latex(TiledCopy<Atom, TV, Tiler> const& copy) {
  detail::PrintCopyLayouts("% ", "", copy);
  detail::DrawCopy(detail::LatexCanvas{}, copy);
}

template <class Atom, class L, class P>
HLO_CUTE_HD void print_svg(TiledMMA<Atom, L, P> const& mma) {
  detail::PrintMmaLayouts("<!-- ", " -->", mma);
  detail::DrawMma(detail::SvgCanvas{}, mma);
}
template <class Op>
HLO_CUTE_HD void print_svg(MMA_Atom<Op> const& atom) {
  print_svg(make_tiled_mma(atom));
}
template <class Atom, class TV, class Tiler>
HLO_CUTE_HD void print_svg(TiledCopy<Atom, TV, Tiler> const& copy) {
  detail::PrintCopyLayouts("<!-- ", " -->", copy);
  detail::DrawCopy(detail::SvgCanvas{}, copy);
}
/// A table of the offsets of a layout of rank 1 or 2, shaded like that of print_latex.
template <class L>
HLO_CUTE_HD void print_svg(L const& l) {
  static_assert(L::rank <= 2, "print_svg(l): the rank of l must be 1 or 2.");
  if constexpr (L::rank == 1) {
    print_svg(append<2>(l));
  } else {
    printf("<!-- ");
    print(l);
    printf(" -->\n");
    const int rows = static_cast<int>(size<0>(l));
    const int columns = static_cast<int>(size<1>(l));
    detail::SvgCanvas canvas;
    canvas.Begin(-1, -1, rows + 1, columns + 1);
    for (int m = 0; m < rows; ++m) {
      for (int n = 0; n < columns; ++n) {
        const int64_t index = static_cast<int64_t>(l(m, n));
        const int shade = 255 - 16 * static_cast<int>((index < 0 ? -index : index) % 8);
        canvas.Box(m, n, {shade, shade, shade});
        canvas.Text(m, n, 0, 8, "", index);
      }
    }
    detail::DrawRowNumbers(canvas, 0, -1, rows);
    detail::DrawColumnNumbers(canvas, -1, 0, columns);
    canvas.End();
  }
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_PRINT_ATOMS_H_
