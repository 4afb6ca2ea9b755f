#include "layout/picture/drawing.h"
#include "llvm/ADT/StringExtras.h"

namespace hlo_indexing::layout {
namespace {

constexpr llvm::StringRef kStyle =
    "text{font:12px 'DejaVu Sans Mono',Menlo,Consolas,monospace;text-anchor:middle;fill:#1B1F24}"
    ".title{font-size:15px;font-weight:bold;text-anchor:start}"
    ".grid{font-weight:bold;text-anchor:start}"
    ".row{text-anchor:end;fill:#6E7781}.column{fill:#6E7781}"
    ".caption{text-anchor:start;fill:#57606A}"
    "rect{stroke:#AFB8C1;stroke-width:1}"
    "line{stroke-linecap:square}"
    ".outer{stroke:#24292F;stroke-width:2.5}"
    ".inner{stroke:#CF222E;stroke-width:2}"
    ".none{fill:#FFFFFF}.padding{fill:url(#hatch)}";

// From the middle of a line of text down to its baseline.
constexpr int64_t kBaseline = 4;

std::string Escaped(llvm::StringRef text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        // Control characters have no place in XML.
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return result;
}

std::string FillClass(const PictureCell& cell) {
  if (cell.kind == CellKind::kPadding) return "padding";
  if (cell.colour_class < 0) return "none";
  return "c" + std::to_string(static_cast<size_t>(cell.colour_class) % kCellColours.size());
}

llvm::StringRef TextClass(TextRole role) {
  switch (role) {
    case TextRole::kTitle:
      return "title";
    case TextRole::kGridTitle:
      return "grid";
    case TextRole::kColumnHeader:
      return "column";
    case TextRole::kRowHeader:
      return "row";
    case TextRole::kCaption:
      return "caption";
    case TextRole::kLabel:
      return "";
  }
  return "";
}

std::string Attribute(llvm::StringRef name, llvm::StringRef value) {
  return " " + name.str() + "=\"" + value.str() + "\"";
}
std::string Attribute(llvm::StringRef name, int64_t value) {
  return Attribute(name, std::to_string(value));
}

}  // namespace

std::string ToSvg(const Picture& picture) {
  const Drawing drawing = Draw(picture);
  const std::string width = std::to_string(drawing.width);
  const std::string height = std::to_string(drawing.height);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + Attribute("width", width) +
                    Attribute("height", height) +
                    Attribute("viewBox", "0 0 " + width + " " + height) + Attribute("role", "img") +
                    ">\n";
  if (!picture.title.empty()) svg += "<title>" + Escaped(picture.title) + "</title>\n";
  svg += "<style>" + kStyle.str();
  for (size_t i = 0; i < kCellColours.size(); ++i) {
    svg += ".c" + std::to_string(i) + "{fill:#" + kCellColours[i].str() + "}";
  }
  svg +=
      "</style>\n"
      "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<path d=\"M0 0h6v6h-6z\" fill=\"#FFFFFF\"/>"
      "<path d=\"M-1 1l2 -2M0 6l6 -6M5 7l2 -2\" stroke=\"#D0D7DE\"/></pattern></defs>\n";
  svg += "<path d=\"M0 0h" + width + "v" + height + "h-" + width + "z\" fill=\"#FFFFFF\"/>\n";
  for (const DrawnCell& cell : drawing.cells) {
    svg += "<rect" + Attribute("class", FillClass(*cell.cell)) + Attribute("x", cell.x) +
           Attribute("y", cell.y) + Attribute("width", cell.width) +
           Attribute("height", cell.height) + "/>\n";
  }
  for (const DrawnBorder& border : drawing.borders) {
    svg += "<line" + Attribute("class", border.level == 0 ? "outer" : "inner") +
           Attribute("x1", border.x) + Attribute("y1", border.y) + Attribute("x2", border.to_x) +
           Attribute("y2", border.to_y) + "/>\n";
  }
  for (const DrawnText& text : drawing.texts) {
    const llvm::StringRef role = TextClass(text.role);
    svg += "<text" + (role.empty() ? std::string() : Attribute("class", role)) +
           Attribute("x", text.x) + Attribute("y", text.y + kBaseline) + ">" + Escaped(text.text) +
           "</text>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace hlo_indexing::layout
