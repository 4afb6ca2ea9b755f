#include "tools/map_json.h"

#include "hlo/module.h"
#include "tools/version.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using indexing_analysis::MapConstraint;
using indexing_analysis::RuntimeVariable;

constexpr int kSchemaVersion = 1;

// Null where there is no bound.
void WriteBounds(Interval bounds, llvm::json::OStream& json) {
  const auto write = [&](llvm::StringRef name, int64_t end, int64_t infinity) {
    if (end == infinity) {
      json.attribute(name, nullptr);
    } else {
      json.attribute(name, end);
    }
  };
  write("lower", bounds.lower, Interval::kMinusInfinity);
  write("upper", bounds.upper, Interval::kPlusInfinity);
}

void WriteRuntimeVariable(const IndexingMap& map, size_t i, llvm::json::OStream& json) {
  const RuntimeVariable& variable = map.runtime()[i];
  json.attribute("name", map.SymbolName(map.num_ranges() + i));
  WriteBounds(variable.bounds, json);
  if (variable.instruction != nullptr) {
    json.attribute("clamp", true);
    json.attribute("instruction", variable.instruction->name());
    json.attribute("computation", variable.instruction->parent().name());
    json.attributeArray("calls", [&] {
      for (const hlo::Instruction* call : variable.calls) json.value(call->name());
    });
  }
  if (!variable.index.IsUnknown()) {
    json.attributeBegin("map");
    WriteMap(variable.index, json);
    json.attributeEnd();
  }
}

}  // namespace

void WriteMap(const IndexingMap& map, llvm::json::OStream& json, const IndexingMap* replica_map) {
  if (map.IsUnknown()) {
    json.value(nullptr);
    return;
  }
  json.object([&] {
    json.attribute("text", map.ToString());
    json.attributeArray("dims", [&] {
      for (size_t i = 0; i < map.num_dimensions(); ++i) {
        json.object([&] {
          json.attribute("name", map.DimensionName(i));
          WriteBounds(map.dimensions()[i].bounds, json);
        });
      }
    });
    json.attributeArray("ranges", [&] {
      for (size_t i = 0; i < map.num_ranges(); ++i) {
        json.object([&] {
          json.attribute("name", map.SymbolName(i));
          WriteBounds(map.ranges()[i].bounds, json);
        });
      }
    });
    json.attributeArray("runtime", [&] {
      for (size_t i = 0; i < map.num_runtime(); ++i) {
        json.object([&] { WriteRuntimeVariable(map, i, json); });
      }
    });
    json.attributeArray("results", [&] {
      for (const mlir::AffineExpr result : map.affine_map().getResults()) {
        json.value(map.ToString(result));
      }
    });
    json.attributeArray("constraints", [&] {
      for (const MapConstraint& constraint : map.constraints()) {
        json.object([&] {
          json.attribute("expr", map.ToString(constraint.expression));
          WriteBounds(constraint.bounds, json);
        });
      }
    });
    if (replica_map != nullptr) {
      json.attributeBegin("replica_map");
      WriteMap(*replica_map, json);
      json.attributeEnd();
    }
  });
}

std::string JsonString(llvm::StringRef text) {
  std::string result;
  llvm::raw_string_ostream out(result);
  llvm::json::OStream json(out);
  json.value(llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text));
  return result;
}

void WriteHeader(llvm::StringRef file, llvm::raw_ostream& out) {
  out << "{\"kind\":\"header\",\"schema_version\":" << kSchemaVersion
      << ",\"tool_version\":" << JsonString(ToolVersion()) << ",\"file\":" << JsonString(file)
      << "}\n";
}

}  // namespace hlo_indexing::tools
