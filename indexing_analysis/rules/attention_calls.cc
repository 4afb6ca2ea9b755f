// Attention of Transformer Engine.
#include <utility>

#include "indexing_analysis/rules/library_calls.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using mlir::AffineExpr;

// Queries, keys and values as arrays of their own, [batch, place, head, feature].
constexpr int64_t kSeparateArrays = 9;

constexpr llvm::StringLiteral kMaskReason = "a mask or a length may leave out places";

// The number of `key = number : type` in a dictionary of MLIR.
std::optional<int64_t> FindNumber(llvm::StringRef config, llvm::StringRef key) {
  for (llvm::StringRef rest = config; !rest.empty();) {
    const size_t at = rest.find(key);
    if (at == llvm::StringRef::npos) return std::nullopt;
    const bool starts_name =
        at == 0 || rest[at - 1] == ' ' || rest[at - 1] == '{' || rest[at - 1] == ',';
    rest = rest.substr(at + key.size());
    llvm::StringRef value = rest.ltrim();
    int64_t number = 0;
    if (starts_name && value.consume_front("=") && !value.ltrim().consumeInteger(10, number)) {
      value = value.ltrim();
      value.consumeInteger(10, number);
      return number;
    }
  }
  return std::nullopt;
}

struct Attention {
  int64_t batch = 0;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t heads = 0;
  int64_t groups = 0;
  int64_t features = 0;
  int64_t value_features = 0;

  int64_t HeadsOfGroup() const { return heads / groups; }

  // nullopt if the arrays are packed otherwise, or do not fit each other.
  static std::optional<Attention> Read(const hlo::Instruction& call) {
    if (call.operands().size() < 3) return std::nullopt;
    if (FindNumber(BackendConfigOf(call), "qkv_layout") != kSeparateArrays) return std::nullopt;
    for (size_t i = 0; i < 3; ++i) {
      const hlo::Shape& shape = call.operand(i).shape();
      if (!shape.IsArray() || shape.rank() != 4 || shape.HasUnboundedDimension()) {
        return std::nullopt;
      }
    }
    const auto size = [&](size_t operand, size_t i) {
      return call.operand(operand).shape().sizes()[i];
    };
    const Attention a = {size(0, 0), size(0, 1), size(1, 1), size(0, 2),
                         size(1, 2), size(0, 3), size(2, 3)};
    const bool fits = size(1, 0) == a.batch && size(2, 0) == a.batch && size(2, 1) == a.keys &&
                      size(2, 2) == a.groups && size(1, 3) == a.features && a.groups > 0 &&
                      a.heads > 0 && a.heads % a.groups == 0;
    return fits ? std::optional(a) : std::nullopt;
  }
};

// The arrays that an element of some array depends on, in the variables of a map.
class AttentionMaps {
 public:
  AttentionMaps(const hlo::Shape& output, mlir::MLIRContext* context)
      : output_(output), context_(context) {}

  CustomCallReads Take() { return std::move(reads_); }

  // `index` makes the index into the operand.
  template <typename MakeIndex>
  void Read(size_t operand, MakeIndex index) {
    ReadMapBuilder map(output_, context_);
    const llvm::SmallVector<AffineExpr, 4> made = index(map);
    reads_.push_back({operand, 0, map.Build(made), kMaskReason.str()});
  }

  // What masks, scales and seeds: operands from `first` on but for these.
  void ReadOthers(const hlo::Instruction& call, size_t first, llvm::ArrayRef<size_t> known) {
    for (size_t i = first; i < call.operands().size(); ++i) {
      if (llvm::is_contained(known, i)) continue;
      for (int64_t leaf = 0; leaf < call.operand(i).shape().num_array_leaves(); ++leaf) {
        reads_.push_back({i, leaf, std::nullopt, kMaskReason.str()});
      }
    }
  }

 private:
  const hlo::Shape& output_;
  mlir::MLIRContext* context_;
  CustomCallReads reads_;
};

using Index = llvm::SmallVector<AffineExpr, 4>;

}  // namespace

std::optional<CustomCallReads> ReadAttentionForward(const hlo::Instruction& call,
                                                    int64_t output_leaf,
                                                    mlir::MLIRContext* context) {
  const std::optional<Attention> attention = Attention::Read(call);
  const hlo::Shape& output = call.shape().ArrayLeaf(output_leaf);
  if (!attention) return ReadByLibrary(call, output_leaf, context);
  const Attention& a = *attention;
  const bool is_result =
      output_leaf == 0 &&
      output.sizes() == llvm::ArrayRef<int64_t>({a.batch, a.queries, a.heads, a.value_features});
  const bool is_statistics =
      output_leaf == 1 &&
      output.sizes() == llvm::ArrayRef<int64_t>({a.batch, a.heads, a.queries, 1});
  if (!is_result && !is_statistics) return ReadAllOperands(call, kWorkspaceReason);
  const int64_t place = is_result ? 1 : 2;
  const int64_t head = is_result ? 2 : 1;
  AttentionMaps maps(output, context);
  maps.Read(0, [&](ReadMapBuilder& map) {
    return Index{map.Dimension(0), map.Dimension(place), map.Dimension(head),
                 map.Range(a.features)};
  });
  const auto group = [&](const ReadMapBuilder& map) {
    return map.Dimension(head).floorDiv(a.HeadsOfGroup());
  };
  maps.Read(1, [&](ReadMapBuilder& map) {
    const AffineExpr key = map.Range(a.keys);
    return Index{map.Dimension(0), key, group(map), map.Range(a.features)};
  });
  if (is_result) {
    maps.Read(2, [&](ReadMapBuilder& map) {
      return Index{map.Dimension(0), map.Range(a.keys), group(map), map.Dimension(3)};
    });
  }
  maps.ReadOthers(call, 3, {});
  return maps.Take();
}

// P = softmax(q k'), o = P v; the gradients are  dv = P' do,  dP = do v',
// dS = P * (dP - sum of do * o),  dq = dS k,  dk = dS' q.
std::optional<CustomCallReads> ReadAttentionBackward(const hlo::Instruction& call,
                                                     int64_t output_leaf,
                                                     mlir::MLIRContext* context) {
  constexpr size_t kStatistics = 4;
  constexpr size_t kResult = 6;
  constexpr size_t kGradient = 7;
  const std::optional<Attention> attention = Attention::Read(call);
  const hlo::Shape& output = call.shape().ArrayLeaf(output_leaf);
  if (!attention || call.operands().size() <= kGradient) {
    return ReadByLibrary(call, output_leaf, context);
  }
  const Attention& a = *attention;
  const bool fits =
      call.operand(kStatistics).shape().sizes() ==
          llvm::ArrayRef<int64_t>({a.batch, a.heads, a.queries, 1}) &&
      llvm::all_of(llvm::ArrayRef<size_t>({kResult, kGradient}), [&](size_t i) {
        return call.operand(i).shape().IsArray() &&
               call.operand(i).shape().sizes() ==
                   llvm::ArrayRef<int64_t>({a.batch, a.queries, a.heads, a.value_features});
      });
  if (!fits || output_leaf > 2 ||
      output.sizes() != call.operand(static_cast<size_t>(output_leaf)).shape().sizes()) {
    return ReadAllOperands(
        call, output_leaf > 2 ? llvm::StringRef(kWorkspaceReason) : llvm::StringRef(kMaskReason));
  }
  const bool of_queries = output_leaf == 0;
  const bool of_values = output_leaf == 2;
  AttentionMaps maps(output, context);
  // Rows of queries: that of the element itself, or all of the heads of its group.
  const auto row_and_head = [&](ReadMapBuilder& map) {
    if (of_queries) return std::pair(map.Dimension(1), map.Dimension(2));
    const AffineExpr row = map.Range(a.queries);
    return std::pair(row, map.Dimension(2) * a.HeadsOfGroup() + map.Range(a.HeadsOfGroup()));
  };
  const auto read_row = [&](size_t operand, int64_t features) {
    maps.Read(operand, [&](ReadMapBuilder& map) {
      const auto [row, head] = row_and_head(map);
      return Index{map.Dimension(0), row, head, map.Range(features)};
    });
  };
  const auto read_keys = [&](size_t operand, int64_t features) {
    maps.Read(operand, [&](ReadMapBuilder& map) {
      if (!of_queries) {
        return Index{map.Dimension(0), map.Dimension(1), map.Dimension(2), map.Range(features)};
      }
      const AffineExpr key = map.Range(a.keys);
      return Index{map.Dimension(0), key, map.Dimension(2).floorDiv(a.HeadsOfGroup()),
                   map.Range(features)};
    });
  };
  read_row(0, a.features);
  read_keys(1, a.features);
  if (!of_values) read_keys(2, a.value_features);
  maps.Read(kStatistics, [&](ReadMapBuilder& map) {
    const auto [row, head] = row_and_head(map);
    return Index{map.Dimension(0), head, row, map.Constant(0)};
  });
  if (of_values) {
    maps.Read(kGradient, [&](ReadMapBuilder& map) {
      const auto [row, head] = row_and_head(map);
      return Index{map.Dimension(0), row, head, map.Dimension(3)};
    });
  } else {
    read_row(kResult, a.value_features);
    read_row(kGradient, a.value_features);
  }
  maps.ReadOthers(call, 3, {kStatistics, kResult, kGradient});
  return maps.Take();
}

}  // namespace hlo_indexing::indexing_analysis
