// `hlo-indexing simplify`, `equal`, `compose`, `inverse` and `image`: the algebra on bare maps.
#include "indexing_analysis/equality.h"
#include "indexing_analysis/image.h"
#include "indexing_analysis/indexing_map.h"
#include "indexing_analysis/inverse.h"
#include "tools/command.h"
#include "tools/map_command.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::Equality;
using indexing_analysis::Image;
using indexing_analysis::IndexingMap;
using indexing_analysis::InverseResult;
using support::AnswerName;

// A subcommand whose answer is a map.
class MapResultCommand : public MapCommand {
 public:
  using MapCommand::MapCommand;

 protected:
  void WriteResult(const IndexingMap& result, llvm::ArrayRef<llvm::StringRef> texts) {
    if (!is_json()) {
      out() << result.ToString() << '\n';
      return;
    }
    WriteObject([&](llvm::json::OStream& json) {
      json.attribute("kind", "simplified");
      json.attribute("input", Joined(texts));
      json.attributeBegin("map");
      WriteMap(result, json);
      json.attributeEnd();
      json.attribute("empty", result.IsKnownEmpty());
    });
  }
};

class SimplifyCommand : public MapResultCommand {
 public:
  using MapResultCommand::MapResultCommand;

 protected:
  size_t maps_per_question() const override { return 1; }
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    WriteResult(options().rescale_ranges ? RescaleRanges(maps[0]) : Simplify(maps[0]), texts);
  }
};

class ComposeCommand : public MapResultCommand {
 public:
  using MapResultCommand::MapResultCommand;

 protected:
  size_t maps_per_question() const override { return 2; }
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    const bool fits = maps[0].IsUnknown() || maps[1].IsUnknown() ||
                      maps[0].affine_map().getNumResults() == maps[1].num_dimensions();
    if (!fits) {
      return Fail(1, "the first map has " + std::to_string(maps[0].affine_map().getNumResults()) +
                         " results, the second " + std::to_string(maps[1].num_dimensions()) +
                         " dimension variables");
    }
    WriteResult(Compose(maps[0], maps[1]), texts);
  }
};

class InverseCommand : public MapCommand {
 public:
  using MapCommand::MapCommand;

 protected:
  size_t maps_per_question() const override { return 1; }
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    const InverseResult inverse = Inverse(maps[0]);
    if (!is_json()) {
      out() << inverse.map.ToString();
      if (!inverse.exists) out() << ": " << inverse.reason;
      out() << '\n';
      return;
    }
    WriteObject([&](llvm::json::OStream& json) {
      json.attribute("kind", "simplified");
      json.attribute("input", Joined(texts));
      json.attribute("exists", inverse.exists);
      json.attributeBegin("map");
      if (inverse.exists) {
        WriteMap(inverse.map, json);
      } else {
        json.value(nullptr);
      }
      json.attributeEnd();
      json.attribute("empty", inverse.map.IsKnownEmpty());
      if (!inverse.exists) json.attribute("reason", inverse.reason);
    });
  }
};

class ImageCommand : public MapCommand {
 public:
  using MapCommand::MapCommand;

 protected:
  size_t maps_per_question() const override { return 1; }
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    const std::optional<Image> image = ImageOf(maps[0]);
    if (is_json()) return WriteJson(image, Joined(texts));
    if (!image) {
      out() << "unknown: the map is unknown\n";
      return;
    }
    out() << "values: " << Text(image->size) << ", points: " << Text(image->points);
    out() << ", injective: " << AnswerName(image->injective);
    if (image->box) {
      out() << ", box: (";
      for (size_t i = 0; i < image->box->size(); ++i) {
        out() << (i ? ", " : "") << Text((*image->box)[i]);
      }
      out() << ')';
    } else if (image->size.upper > 0) {
      out() << ", inside: (";
      for (size_t i = 0; i < image->bounds.size(); ++i) {
        out() << (i ? ", " : "") << '[' << image->bounds[i].lower << ", " << image->bounds[i].upper
              << ']';
      }
      out() << ')';
    }
    if (!image->reason.empty()) out() << "; not exact: " << image->reason;
    out() << '\n';
  }

 private:
  static std::string Text(const llvm::DynamicAPInt& number) {
    std::string text;
    llvm::raw_string_ostream(text) << number;
    return text;
  }

  static std::string Text(const Image::Count& count) {
    if (count.IsExact()) return Text(count.lower);
    return Text(count.lower) + " to " + Text(count.upper);
  }

  // The values themselves: "1, 3, ..., 19".
  static std::string Text(const simplifier::Progression& side) {
    const auto at = [&](int64_t i) { return std::to_string(side.offset + side.stride * i); };
    std::string text = at(0);
    if (side.size > 1) text += side.size > 2 ? ", " + at(1) : "";
    if (side.size > 3) text += ", ...";
    return side.size > 1 ? text + ", " + at(side.size - 1) : text;
  }

  void WriteJson(const std::optional<Image>& image, const std::string& input) {
    WriteObject([&](llvm::json::OStream& json) {
      json.attribute("kind", "image");
      json.attribute("input", input);
      json.attribute("exact", image.has_value() && image->size.IsExact());
      if (!image) {
        json.attribute("reason", "the map is unknown");
        return;
      }
      WriteCount("size", image->size, json);
      WriteCount("points", image->points, json);
      json.attributeArray("bounds", [&] {
        for (const simplifier::Interval& bounds : image->bounds) {
          json.object([&] {
            json.attribute("lower", bounds.lower);
            json.attribute("upper", bounds.upper);
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

class EqualCommand : public MapCommand {
 public:
  using MapCommand::MapCommand;

 protected:
  size_t maps_per_question() const override { return 2; }
  void Answer(llvm::ArrayRef<IndexingMap> maps, llvm::ArrayRef<llvm::StringRef> texts) override {
    const Equality equality = Equal(maps[0], maps[1]);
    if (equality.answer == support::Answer::kNo) Raise(ExitCode::kFinding);
    if (!is_json()) {
      out() << AnswerName(equality.answer) << ": " << equality.reason
            << PointText(maps[0], equality) << '\n';
      return;
    }
    WriteObject([&](llvm::json::OStream& json) {
      json.attribute("kind", "equal");
      json.attribute("input", Joined(texts));
      json.attribute("answer", AnswerName(equality.answer));
      if (HasPoint(equality)) {
        json.attributeObject("point", [&] {
          ForEachVariable(maps[0], equality, [&](const std::string& name, int64_t value) {
            json.attribute(name, value);
          });
        });
      }
      json.attribute("reason", equality.reason);
    });
  }

 private:
  static bool HasPoint(const Equality& equality) {
    return !equality.dimensions.empty() || !equality.symbols.empty();
  }

  static void ForEachVariable(const IndexingMap& map, const Equality& equality,
                              llvm::function_ref<void(const std::string&, int64_t)> visit) {
    for (size_t i = 0; i < equality.dimensions.size(); ++i) {
      visit(map.DimensionName(i), equality.dimensions[i]);
    }
    for (size_t i = 0; i < equality.symbols.size(); ++i) {
      visit(map.SymbolName(i), equality.symbols[i]);
    }
  }

  // " d0 = 3, s0 = 1"
  static std::string PointText(const IndexingMap& map, const Equality& equality) {
    std::string text;
    ForEachVariable(map, equality, [&](const std::string& name, int64_t value) {
      text += (text.empty() ? " " : ", ") + name + " = " + std::to_string(value);
    });
    return text;
  }
};

}  // namespace

ExitCode RunSimplify(const BareMapsOptions& options, llvm::raw_ostream& out) {
  return SimplifyCommand(options, out).Run();
}

ExitCode RunCompose(const BareMapsOptions& options, llvm::raw_ostream& out) {
  return ComposeCommand(options, out).Run();
}

ExitCode RunInverse(const BareMapsOptions& options, llvm::raw_ostream& out) {
  return InverseCommand(options, out).Run();
}

ExitCode RunImage(const BareMapsOptions& options, llvm::raw_ostream& out) {
  return ImageCommand(options, out).Run();
}

ExitCode RunEqual(const BareMapsOptions& options, llvm::raw_ostream& out) {
  return EqualCommand(options, out).Run();
}

}  // namespace hlo_indexing::tools
