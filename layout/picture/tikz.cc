#include "layout/picture/drawing.h"

namespace hlo_indexing::layout {
namespace {

std::string Escaped(llvm::StringRef text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '^':
        result += "\\textasciicircum{}";
        break;
      case '{':
      case '}':
      case '#':
      case '$':
      case '%':
      case '&':
      case '_':
        result += '\\';
        result += c;
        break;
      default:
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return result;
}

std::string Point(int64_t x, int64_t y) {
  return "(" + std::to_string(x) + "," + std::to_string(y) + ")";
}

std::string FillOptions(const PictureCell& cell) {
  if (cell.kind == CellKind::kPadding) {
    return "padding";
  }
  if (cell.colour_class < 0) return "cell";
  return "cell,fill=cell" +
         std::to_string(static_cast<size_t>(cell.colour_class) % kCellColours.size());
}

llvm::StringRef NodeStyle(TextRole role) {
  switch (role) {
    case TextRole::kTitle:
      return "title";
    case TextRole::kGridTitle:
      return "grid title";
    case TextRole::kColumnHeader:
      return "column header";
    case TextRole::kRowHeader:
      return "row header";
    case TextRole::kCaption:
      return "caption";
    case TextRole::kLabel:
      return "label";
  }
  return "label";
}

constexpr llvm::StringRef kHeader =
    "% pdflatex FILE makes a PDF file of the size of the picture.\n"
    "\\documentclass[border=4pt]{standalone}\n"
    "\\usepackage{tikz}\n"
    "\\usetikzlibrary{patterns}\n"
    "\\begin{document}\n";

// A pixel is 0.75 points, downwards as in SVG.
constexpr llvm::StringRef kStyles =
    "\\begin{tikzpicture}[x=0.75pt,y=-0.75pt,\n"
    "  cell/.style={draw=black!30,line width=0.4pt},\n"
    "  padding/.style={cell,pattern=north east lines,pattern color=black!20},\n"
    "  outer/.style={line width=1.6pt,line cap=rect},\n"
    "  inner/.style={draw=red!75!black,line width=1.2pt,line cap=rect},\n"
    "  every node/.style={inner sep=0pt,font=\\ttfamily\\footnotesize},\n"
    "  label/.style={}, column header/.style={text=black!60},\n"
    "  row header/.style={anchor=east,text=black!60},\n"
    "  title/.style={anchor=west,font=\\ttfamily\\bfseries\\small},\n"
    "  grid title/.style={anchor=west,font=\\ttfamily\\bfseries\\footnotesize},\n"
    "  caption/.style={anchor=west,text=black!70}]\n";

}  // namespace

std::string ToTikz(const Picture& picture) {
  const Drawing drawing = Draw(picture);
  std::string tikz = kHeader.str();
  for (size_t i = 0; i < kCellColours.size(); ++i) {
    tikz += "\\definecolor{cell" + std::to_string(i) + "}{HTML}{" + kCellColours[i].str() + "}\n";
  }
  tikz += kStyles;
  for (const DrawnCell& cell : drawing.cells) {
    tikz += "\\path[" + FillOptions(*cell.cell) + "] " + Point(cell.x, cell.y) + " rectangle " +
            Point(cell.x + cell.width, cell.y + cell.height) + ";\n";
  }
  for (const DrawnBorder& border : drawing.borders) {
    tikz += std::string("\\draw[") + (border.level == 0 ? "outer" : "inner") + "] " +
            Point(border.x, border.y) + " -- " + Point(border.to_x, border.to_y) + ";\n";
  }
  for (const DrawnText& text : drawing.texts) {
    tikz += "\\node[" + NodeStyle(text.role).str() + "] at " + Point(text.x, text.y) + " {" +
            Escaped(text.text) + "};\n";
  }
  return tikz + "\\end{tikzpicture}\n\\end{document}\n";
}

}  // namespace hlo_indexing::layout
