// `hlo-indexing image`: what maps reach, and how often.
#include <memory>
#include <optional>
#include <string>

#include "indexing_analysis/maps/image.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "support/answer.h"
#include "tools/map_algebra_command.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::Image;
using indexing_analysis::IndexingMap;
using support::AnswerName;

constexpr Example kExamples[] = {
    {"How many elements a window of stride 2 and size 3 reaches",
     "hlo-indexing image '(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 2]'"}};

constexpr SubcommandHelp kHelp = {
    .name = "image",
    .summary = "What maps reach, and how often",
    .arguments = kSingleMaps,
    .details =
        "How many different results a map has and of how many points, their bounds, the strided "
        "box if they are one, and whether the map is injective.",
    .examples = kExamples};

class ImageCommand : public MapAlgebraCommand {
 public:
  ImageCommand() : MapAlgebraCommand(kHelp, /*maps_per_query=*/1) {}

 protected:
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    const std::optional<Image> image = ImageOf(maps[0]);
    if (is_json()) return WriteJson(maps[0], image, Joined(texts));
    if (!image) {
      out() << "unknown: " << WhyNoImage(maps[0]) << '\n';
      return;
    }
    out() << image->ToString() << '\n';
  }

 private:
  static std::string Text(const llvm::DynamicAPInt& number) {
    std::string text;
    llvm::raw_string_ostream(text) << number;
    return text;
  }

  void WriteJson(const IndexingMap& map, const std::optional<Image>& image,
                 const std::string& input) {
    WriteObject([&](llvm::json::OStream& json) {
      json.attribute("kind", "image");
      json.attribute("input", input);
      json.attribute("exact", image.has_value() && image->size.IsExact());
      if (!image) {
        json.attribute("reason", WhyNoImage(map));
        return;
      }
      WriteCount("size", image->size, json);
      WriteCount("points", image->points, json);
      json.attributeArray("bounds", [&] {
        for (const simplifier::Interval& bounds : image->bounds) {
          json.object([&] {
            WriteEnd("lower", bounds.lower, simplifier::Interval::kMinusInfinity, json);
            WriteEnd("upper", bounds.upper, simplifier::Interval::kPlusInfinity, json);
          });
        }
      });
      json.attributeBegin("box");
      WriteBox(image->box, json);
      json.attributeEnd();
      json.attribute("injective", AnswerName(image->injective));
      if (!image->reason.empty()) json.attribute("reason", image->reason);
    });
  }

  // An exact number is an attribute of that name; otherwise there are "size_lower" and
  // "size_upper".
  static void WriteCount(const std::string& name, const Image::Count& count,
                         llvm::json::OStream& json) {
    if (count.IsExact()) {
      json.attribute(name, Text(count.lower));
      return;
    }
    json.attribute(name + "_lower", Text(count.lower));
    json.attribute(name + "_upper", Text(count.upper));
  }

  // An end that is infinite is null: 64 bits do not hold it, or nothing beyond it.
  static void WriteEnd(llvm::StringRef name, int64_t end, int64_t infinite,
                       llvm::json::OStream& json) {
    json.attribute(name, end == infinite ? llvm::json::Value(nullptr) : llvm::json::Value(end));
  }

  static void WriteBox(const std::optional<llvm::SmallVector<simplifier::Progression, 4>>& box,
                       llvm::json::OStream& json) {
    if (!box) return json.value(nullptr);
    json.array([&] {
      for (const simplifier::Progression& side : *box) {
        json.object([&] {
          json.attribute("offset", side.offset);
          json.attribute("size", side.size);
          json.attribute("stride", side.stride);
        });
      }
    });
  }
};

}  // namespace

std::unique_ptr<Subcommand> MakeImageCommand() { return std::make_unique<ImageCommand>(); }

}  // namespace hlo_indexing::tools
