// Matrix products of cuBLAS.
#include <algorithm>
#include <utility>

#include "indexing_analysis/rules/json_scan.h"
#include "indexing_analysis/rules/library_calls.h"
#include "layout/xla_layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using Dimensions = llvm::SmallVector<int64_t, 4>;

// One side of the product: its dimensions by their part in it.
struct Side {
  const hlo::Shape* shape = nullptr;
  Dimensions batch;
  Dimensions contracting;
  // The others, in order.
  Dimensions free;
};

struct Gemm {
  Side lhs;
  Side rhs;
  double beta = 0;
  std::string epilogue;

  Dimensions ResultSizes() const {
    Dimensions sizes;
    for (const int64_t i : lhs.batch) sizes.push_back(lhs.shape->sizes()[static_cast<size_t>(i)]);
    for (const Side* side : {&lhs, &rhs}) {
      for (const int64_t i : side->free) {
        sizes.push_back(side->shape->sizes()[static_cast<size_t>(i)]);
      }
    }
    return sizes;
  }
};

// Protos as JSON have integers of 64 bits as strings.
std::optional<Dimensions> ReadDimensions(const llvm::json::Object& numbers, llvm::StringRef key,
                                         int64_t rank) {
  Dimensions dimensions;
  const llvm::json::Array* list = numbers.getArray(key);
  if (list == nullptr) return dimensions;
  for (const llvm::json::Value& item : *list) {
    int64_t dimension = -1;
    if (const auto number = item.getAsInteger()) {
      dimension = *number;
    } else if (const auto text = item.getAsString(); !text || text->getAsInteger(10, dimension)) {
      return std::nullopt;
    }
    if (dimension < 0 || dimension >= rank || llvm::is_contained(dimensions, dimension)) {
      return std::nullopt;
    }
    dimensions.push_back(dimension);
  }
  return dimensions;
}

std::optional<Side> ReadSide(const hlo::Shape& shape, const llvm::json::Object& numbers,
                             const std::string& name) {
  if (!shape.IsArray() || shape.HasUnboundedDimension()) return std::nullopt;
  Side side = {&shape, {}, {}, {}};
  auto batch = ReadDimensions(numbers, name + "_batch_dimensions", shape.rank());
  auto contracting = ReadDimensions(numbers, name + "_contracting_dimensions", shape.rank());
  if (!batch || !contracting) return std::nullopt;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (llvm::is_contained(*batch, i)) {
      if (llvm::is_contained(*contracting, i)) return std::nullopt;
    } else if (!llvm::is_contained(*contracting, i)) {
      side.free.push_back(i);
    }
  }
  side.batch = *std::move(batch);
  side.contracting = *std::move(contracting);
  return side;
}

bool HaveEqualSizes(const Side& a, const Dimensions& of_a, const Side& b, const Dimensions& of_b) {
  return of_a.size() == of_b.size() && llvm::all_of(llvm::zip(of_a, of_b), [&](const auto& pair) {
           const auto [i, j] = pair;
           return a.shape->sizes()[static_cast<size_t>(i)] ==
                  b.shape->sizes()[static_cast<size_t>(j)];
         });
}

// nullopt if the configuration is of another form, or the shapes do not fit it.
std::optional<Gemm> ReadGemmConfig(const hlo::Instruction& call) {
  if (call.operands().size() < 2) return std::nullopt;
  const std::string text = BackendConfigOf(call);
  if (JsonTooDeepAt(text)) return std::nullopt;
  llvm::Expected<llvm::json::Value> config = llvm::json::parse(text);
  if (!config) {
    llvm::consumeError(config.takeError());
    return std::nullopt;
  }
  const llvm::json::Object* object = config->getAsObject();
  if (object == nullptr) return std::nullopt;
  // What runs on which queue stands around it in newer dumps.
  if (const auto* inner = object->getObject("gemm_backend_config")) object = inner;
  const llvm::json::Object* numbers = object->getObject("dot_dimension_numbers");
  if (numbers == nullptr) return std::nullopt;
  std::optional<Side> lhs = ReadSide(call.operand(0).shape(), *numbers, "lhs");
  std::optional<Side> rhs = ReadSide(call.operand(1).shape(), *numbers, "rhs");
  if (!lhs || !rhs || !HaveEqualSizes(*lhs, lhs->batch, *rhs, rhs->batch) ||
      !HaveEqualSizes(*lhs, lhs->contracting, *rhs, rhs->contracting)) {
    return std::nullopt;
  }
  return Gemm{*std::move(lhs), *std::move(rhs), object->getNumber("beta").value_or(0),
              object->getString("epilogue").value_or("DEFAULT").str()};
}

IndexingMap MapOfSide(const hlo::Shape& output, const Side& side, size_t first_free,
                      mlir::MLIRContext* context) {
  ReadMapBuilder map(output, context);
  llvm::SmallVector<mlir::AffineExpr, 4> index(static_cast<size_t>(side.shape->rank()));
  for (size_t i = 0; i < side.batch.size(); ++i) {
    index[static_cast<size_t>(side.batch[i])] = map.Dimension(static_cast<int64_t>(i));
  }
  for (const int64_t i : side.contracting) {
    index[static_cast<size_t>(i)] = map.Range(side.shape->sizes()[static_cast<size_t>(i)]);
  }
  for (size_t i = 0; i < side.free.size(); ++i) {
    index[static_cast<size_t>(side.free[i])] = map.Dimension(static_cast<int64_t>(first_free + i));
  }
  return map.Build(index);
}

// The dimensions, the one with neighbours in memory first.
Dimensions MinorToMajor(const hlo::Shape& shape) {
  if (shape.layout() != nullptr && !shape.layout()->minor_to_major.empty()) {
    return Dimensions(llvm::ArrayRef<int64_t>(shape.layout()->minor_to_major));
  }
  Dimensions order;
  for (int64_t i = shape.rank() - 1; i >= 0; --i) order.push_back(i);
  return order;
}

// A bias lies along the dimensions of the result that are neighbours in memory.
std::optional<IndexingMap> MapOfBias(const hlo::Shape& output, const hlo::Shape& bias,
                                     mlir::MLIRContext* context) {
  if (bias.rank() > output.rank()) return std::nullopt;
  const ReadMapBuilder map(output, context);
  const Dimensions of_output = MinorToMajor(output);
  const Dimensions of_bias = MinorToMajor(bias);
  llvm::SmallVector<mlir::AffineExpr, 2> index(of_bias.size());
  for (size_t i = 0; i < of_bias.size(); ++i) {
    const auto place = static_cast<size_t>(of_bias[i]);
    if (bias.sizes()[place] != output.sizes()[static_cast<size_t>(of_output[i])]) {
      return std::nullopt;
    }
    index[place] = map.Dimension(of_output[i]);
  }
  return map.Build(index);
}

}  // namespace

std::optional<CustomCallReads> ReadGemm(const hlo::Instruction& call, int64_t output_leaf,
                                        mlir::MLIRContext* context) {
  const std::optional<Gemm> gemm = ReadGemmConfig(call);
  if (!gemm) return std::nullopt;
  const hlo::Shape& result = call.shape().ArrayLeaf(0);
  if (result.sizes() != llvm::ArrayRef<int64_t>(gemm->ResultSizes())) return std::nullopt;
  const hlo::Shape& output = call.shape().ArrayLeaf(output_leaf);
  if (output_leaf != 0 && output.sizes() != result.sizes()) {
    return ReadAllOperands(call, output.IsScalar() ? "" : llvm::StringRef(kWorkspaceReason));
  }
  CustomCallReads reads;
  const size_t num_batch = gemm->lhs.batch.size();
  reads.push_back({0, 0, MapOfSide(output, gemm->lhs, num_batch, context), ""});
  reads.push_back(
      {1, 0, MapOfSide(output, gemm->rhs, num_batch + gemm->lhs.free.size(), context), ""});
  const bool has_bias = llvm::StringRef(gemm->epilogue).contains("BIAS");
  for (size_t i = 2; i < call.operands().size(); ++i) {
    const hlo::Shape& operand = call.operand(i).shape();
    if (!operand.IsArray()) return std::nullopt;
    const bool is_matrix = i == 2 && gemm->beta != 0 && operand.sizes() == output.sizes();
    if (operand.IsScalar()) {
      reads.push_back({i, 0, std::nullopt, ""});
    } else if (is_matrix) {
      reads.push_back({i, 0, SameIndex(output, context), ""});
    } else {
      std::optional<IndexingMap> bias;
      if (has_bias) bias = MapOfBias(output, operand, context);
      const std::string reason = bias ? "" : "what this operand of a library call is, is not known";
      reads.push_back({i, 0, std::move(bias), reason});
    }
  }
  return reads;
}

}  // namespace hlo_indexing::indexing_analysis
