#include "tests/codegen/emit/layout_fusions.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/codegen/emit/fusion_writer.h"

namespace hlo_indexing::testing {
namespace {

using hlo::ElementClass;
using Types = std::vector<std::string>;
using Values = std::vector<FusedValue>;

const Types& AllTypes() {
  static const Types types = {
      "pred",     "s2",     "s4",     "s8",         "s16",        "s32",           "s64",
      "u2",       "u4",     "u8",     "u16",        "u32",        "u64",           "bf16",
      "f4e2m1fn", "f8e3m4", "f8e4m3", "f8e4m3fn",   "f16",        "f32",           "f64",
      "f8e5m2",   "c64",    "c128",   "f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3b11fnuz", "f8e8m0fnu"};
  return types;
}
// Those that most programs are made of, and such of less than a byte.
const Types& UsualTypes() {
  static const Types types = {"f32", "bf16", "f16",  "s8", "u8", "s32",
                              "s4",  "u4",   "pred", "u2", "f64"};
  return types;
}
// Sums in any order are the same.
const Types& SummedTypes() {
  static const Types types = {"f32", "f64", "s32", "s8", "s4", "u2", "u16", "c64", "s64"};
  return types;
}
// Their infinities change no largest element.
const Types& WideFloats() {
  static const Types types = {"f32", "f64", "f16", "bf16"};
  return types;
}

std::string SomeType(Random& random) {
  return random.OneIn(2) ? random.Pick(AllTypes()) : random.Pick(UsualTypes());
}

bool IsFloat(const std::string& type) { return ClassOf(type) == ElementClass::kFloat; }
bool IsSmallFloat(const std::string& type) { return IsFloat(type) && BitsOf(type) <= 8; }

FusedValue Convert(FusionWriter& w, const FusedValue& value, const std::string& type) {
  return w.Add(type, value.sizes, "convert(" + value.name + ")");
}

FusedValue Broadcast(FusionWriter& w, const FusedValue& value, const Sizes& sizes,
                     const Sizes& dimensions) {
  return w.Add(value.type, sizes,
               "broadcast(" + value.name + "), dimensions=" + Braces(dimensions));
}

// An operation of one or two operands that keeps multiples of a quarter what they are.
FusedValue Linear(FusionWriter& w, const FusedValue& value) {
  Types opcodes = {"add", "subtract", "maximum", "minimum"};
  if (ClassOf(value.type) == ElementClass::kPredicate) opcodes = {"and", "or", "xor"};
  if (ClassOf(value.type) == ElementClass::kComplex) opcodes = {"add", "subtract"};
  if (w.random.OneIn(3)) {
    const bool is_predicate = ClassOf(value.type) == ElementClass::kPredicate;
    return w.Add(value.type, value.sizes, (is_predicate ? "not(" : "negate(") + value.name + ")");
  }
  const FusedValue other = w.random.OneIn(3) && !value.sizes.empty()
                               ? Broadcast(w, w.Parameter(value.type, {}), value.sizes, {})
                               : w.Parameter(value.type, value.sizes);
  return w.Add(value.type, value.sizes,
               w.random.Pick(opcodes) + "(" + value.name + ", " + other.name + ")");
}

FusedValue MaybeLinear(FusionWriter& w, const FusedValue& value) {
  return w.random.OneIn(2) ? Linear(w, value) : value;
}

// What becomes of a result: perhaps another type, of other width.
FusedValue Epilogue(FusionWriter& w, FusedValue value) {
  if (w.random.OneIn(2)) value = Linear(w, value);
  if (w.random.OneIn(3)) value = Convert(w, value, SomeType(w.random));
  return value;
}

Sizes SomeSizes(Random& random, size_t rank, int64_t most) {
  Sizes sizes;
  for (size_t i = 0; i < rank; ++i) sizes.push_back(random.Between(1, most));
  return sizes;
}

// A rank, and sizes so that there are neither too few nor too many elements.
Sizes RaggedSizes(Random& random, int64_t least_rank, int64_t most_rank) {
  const std::vector<int64_t> most = {1, 700, 40, 14, 8, 6};
  const int64_t rank = random.Between(least_rank, most_rank);
  return SomeSizes(random, static_cast<size_t>(rank), most[static_cast<size_t>(rank)]);
}

// ---- Movement ----

FusedValue Slice(FusionWriter& w, const FusedValue& value) {
  Sizes sizes;
  std::string bounds;
  for (const int64_t size : value.sizes) {
    const int64_t start = w.random.Between(0, size - 1);
    const int64_t limit = w.random.Between(start + 1, size);
    const int64_t stride = w.random.Between(1, 2);
    bounds += (bounds.empty() ? "[" : ", [") + std::to_string(start) + ":" + std::to_string(limit) +
              ":" + std::to_string(stride) + "]";
    sizes.push_back((limit - start + stride - 1) / stride);
  }
  return w.Add(value.type, sizes, "slice(" + value.name + "), slice={" + bounds + "}");
}

FusedValue Pad(FusionWriter& w, const FusedValue& value) {
  Sizes sizes;
  std::string padding;
  for (const int64_t size : value.sizes) {
    const int64_t low = w.random.Between(0, 3);
    const int64_t high = w.random.Between(0, 3);
    const int64_t interior = w.random.OneIn(3) ? 1 : 0;
    padding += (padding.empty() ? "" : "x") + std::to_string(low) + "_" + std::to_string(high) +
               "_" + std::to_string(interior);
    sizes.push_back(size + low + high + (size - 1) * interior);
  }
  return w.Add(
      value.type, sizes,
      "pad(" + value.name + ", " + w.Parameter(value.type, {}).name + "), padding=" + padding);
}

FusedValue Transpose(FusionWriter& w, const FusedValue& value) {
  const std::vector<int64_t> permutation = w.random.Permutation(value.sizes.size());
  Sizes sizes;
  for (const int64_t dimension : permutation) sizes.push_back(value.sizes[At(dimension)]);
  return w.Add(value.type, sizes,
               "transpose(" + value.name + "), dimensions=" + Braces(permutation));
}

FusedValue DynamicSlice(FusionWriter& w, const FusedValue& value) {
  Values operands = {value};
  Sizes sizes;
  for (const int64_t size : value.sizes) {
    sizes.push_back(w.random.Between(1, size));
    operands.push_back(w.Parameter("s32", {}));
  }
  return w.Add(value.type, sizes,
               "dynamic-slice(" + List(operands) + "), dynamic_slice_sizes=" + Braces(sizes));
}

FusedValue Moved(FusionWriter& w, const FusedValue& value) {
  if (value.sizes.empty()) return value;
  switch (w.random.Between(0, 6)) {
    case 0:
      return Slice(w, value);
    case 1:
      return Pad(w, value);
    case 2:
      return Transpose(w, value);
    case 3:
      return DynamicSlice(w, value);
    case 4:
      return w.Add(value.type, value.sizes,
                   "reverse(" + value.name + "), dimensions={" +
                       std::to_string(w.random.Between(0, std::ssize(value.sizes) - 1)) + "}");
    case 5: {
      const Sizes sizes = RandomFactors(w.random, Count(value.sizes), 4);
      return w.Add(value.type, sizes, "reshape(" + value.name + ")");
    }
    default:
      return w.Add(value.type, value.sizes,
                   "select(" + w.Parameter("pred", value.sizes).name + ", " + value.name + ", " +
                       w.Parameter(value.type, value.sizes).name + ")");
  }
}

// ---- Families: what a fusion is built around ----

Values Loop(FusionWriter& w) {
  Values values = {w.Parameter(SomeType(w.random), RaggedSizes(w.random, 0, 5))};
  const int64_t steps = w.random.Between(1, 4);
  for (int64_t i = 0; i < steps && Count(values.back().sizes) < 3000; ++i) {
    values.push_back(w.random.OneIn(2) ? Moved(w, values.back()) : Linear(w, values.back()));
  }
  if (w.random.OneIn(3)) values.push_back(Convert(w, values.back(), SomeType(w.random)));
  Values outputs = {values.back()};
  for (size_t i = 1; i + 1 < values.size(); ++i) {
    if (w.random.OneIn(3)) outputs.push_back(values[i]);
  }
  return outputs;
}

Values Relayout(FusionWriter& w) {
  const FusedValue value = w.Parameter(SomeType(w.random), RaggedSizes(w.random, 1, 5));
  return {w.Add(value.type, value.sizes, "copy(" + value.name + ")")};
}

// Dimensions that are worth tiles in shared memory, others beside them.
Values TransposeInTiles(FusionWriter& w) {
  const size_t rank = At(w.random.Between(2, 5));
  Sizes sizes = SomeSizes(w.random, rank, 3);
  const std::vector<int64_t> places = w.random.Permutation(rank);
  for (size_t i = 0; i < 2; ++i) {
    sizes[At(places[i])] = w.random.Between(1, 4) * (w.random.OneIn(2) ? 16 : 17);
  }
  const FusedValue value = MaybeLinear(w, w.Parameter(SomeType(w.random), sizes));
  Values outputs = {Epilogue(w, Transpose(w, value))};
  if (w.random.OneIn(3)) outputs.push_back(Linear(w, value));
  return outputs;
}

// The neutral element of the reducer is not needed: an initial value counts once. A constant could
// decide the result of predicates.
FusedValue InitialValue(FusionWriter& w, const std::string& type) {
  if (ClassOf(type) == ElementClass::kPredicate || w.random.OneIn(4)) return w.Parameter(type, {});
  return w.Constant(type, ClassOf(type) == ElementClass::kComplex ? "(1, -2)" : "1");
}

// A type, and a reducer of it that gives the same in any order.
std::string ReducerOf(FusionWriter& w, const std::string& type) {
  const bool is_predicate = ClassOf(type) == ElementClass::kPredicate;
  if (is_predicate) return w.Reducer(type, w.random.OneIn(2) ? "and" : "or");
  const bool is_summed =
      std::find(SummedTypes().begin(), SummedTypes().end(), type) != SummedTypes().end();
  const bool is_complex = ClassOf(type) == ElementClass::kComplex;
  if (is_complex || (is_summed && w.random.OneIn(2))) return w.Reducer(type, "add");
  return w.Reducer(type, w.random.OneIn(2) ? "maximum" : "minimum");
}

FusedValue Reduce(FusionWriter& w, const FusedValue& value, const Sizes& dimensions) {
  Sizes kept;
  for (size_t i = 0; i < value.sizes.size(); ++i) {
    const bool is_kept = std::find(dimensions.begin(), dimensions.end(), i) == dimensions.end();
    if (is_kept) kept.push_back(value.sizes[i]);
  }
  if (IsSmallFloat(value.type)) {
    return Convert(w, Reduce(w, Convert(w, value, "f32"), dimensions), value.type);
  }
  return w.Add(value.type, kept,
               "reduce(" + value.name + ", " + InitialValue(w, value.type).name + "), dimensions=" +
                   Braces(dimensions) + ", to_apply=" + ReducerOf(w, value.type));
}

Values Reduction(FusionWriter& w, const Sizes& sizes, const Sizes& dimensions) {
  const FusedValue value = MaybeLinear(w, w.Parameter(SomeType(w.random), sizes));
  Values outputs = {Epilogue(w, Reduce(w, value, dimensions))};
  if (w.random.OneIn(3)) outputs.push_back(Linear(w, value));
  if (w.random.OneIn(4)) {
    const FusedValue other =
        Convert(w, w.random.OneIn(2) ? value : Linear(w, value), w.random.Pick(SummedTypes()));
    outputs.push_back(Reduce(w, other, dimensions));
  }
  return outputs;
}

// Sizes in the order of memory or not: layouts decide which reductions are of rows.
Values RowReduction(FusionWriter& w) {
  const int64_t length =
      w.random.OneIn(4) ? w.random.Between(1000, 9000) : w.random.Between(1, 300);
  switch (w.random.Between(0, 3)) {
    case 0:
      return Reduction(w, {length}, {0});
    case 1:
      return Reduction(w, {w.random.Between(1, 3), w.random.Between(1, 5), length}, {0, 2});
    case 2:
      return Reduction(w, {w.random.Between(1, 5), w.random.Between(1, 4), w.random.Between(1, 70)},
                       {1, 2});
    default:
      return Reduction(w, {w.random.Between(1, 9), length}, {1});
  }
}

Values ColumnReduction(FusionWriter& w) {
  const int64_t length = w.random.OneIn(4) ? w.random.Between(500, 3000) : w.random.Between(1, 200);
  switch (w.random.Between(0, 2)) {
    case 0:
      return Reduction(w, {w.random.Between(1, 3), length, w.random.Between(1, 40)}, {1});
    case 1:
      return Reduction(w, {length, w.random.Between(1, 4), w.random.Between(1, 20)}, {0});
    default:
      return Reduction(w, {length, w.random.Between(1, 70)}, {0});
  }
}

// The largest elements and where they are.
Values ArgMax(FusionWriter& w) {
  const std::string type = w.random.Pick(WideFloats());
  const bool is_row = w.random.OneIn(2);
  const Sizes sizes = is_row ? Sizes{w.random.Between(1, 9), w.random.Between(1, 400)}
                             : Sizes{w.random.Between(1, 300), w.random.Between(1, 40)};
  const int64_t dimension = is_row ? 1 : 0;
  const int64_t kept = sizes[At(1 - dimension)];
  const FusedValue value = MaybeLinear(w, w.Parameter(type, sizes));
  const FusedValue numbers =
      w.Add("s32", sizes, "iota(), iota_dimension=" + std::to_string(dimension));
  const Values operands = {value, numbers, w.Constant(type, "-inf"), w.Constant("s32", "0")};
  return {w.AddTuple(w.TupleShape({{type, {kept}}, {"s32", {kept}}}),
                     "reduce(" + List(operands) + "), dimensions=" + Braces({dimension}) +
                         ", to_apply=" + w.ArgMax(type))};
}

// Rows that become others by what they are reduced to.
Values Rows(FusionWriter& w) {
  const Sizes sizes = {w.random.Between(1, 9), w.random.Between(16, 300)};
  const std::string type = SomeType(w.random);
  FusedValue value = MaybeLinear(w, w.Parameter(type, sizes));
  const int64_t steps = w.random.Between(1, 2);
  for (int64_t i = 0; i < steps; ++i) {
    const FusedValue reduced = Reduce(w, value, {1});
    const std::string opcode = ClassOf(type) == ElementClass::kPredicate ? "xor" : "subtract";
    value = w.Add(type, sizes,
                  opcode + "(" + value.name + ", " + Broadcast(w, reduced, sizes, {0}).name + ")");
  }
  return {Epilogue(w, value)};
}

Values Dot(FusionWriter& w) {
  const Types types = {"f32", "f16", "bf16", "s8", "u8", "f64", "s32", "c64", "s4"};
  const std::string type = w.random.Pick(types);
  const std::string of_result = type == "bf16" && w.random.OneIn(2)            ? "f32"
                                : type == "s8" || type == "u8" || type == "s4" ? "s32"
                                                                               : type;
  const int64_t batch = w.random.Between(1, 3);
  const int64_t depth = w.random.Between(1, 90);
  const int64_t rows = w.random.Between(1, 90);
  const int64_t columns = w.random.Between(1, 70);
  const bool has_batch = w.random.OneIn(3);
  const auto operand = [&](int64_t kept, bool is_turned) {
    Sizes sizes = is_turned ? Sizes{depth, kept} : Sizes{kept, depth};
    if (has_batch) sizes.insert(sizes.begin(), batch);
    return MaybeLinear(w, w.Parameter(type, sizes));
  };
  const bool is_turned = w.random.OneIn(2);
  const bool is_other_turned = w.random.OneIn(2);
  const FusedValue left = operand(rows, is_turned);
  const FusedValue right = operand(columns, is_other_turned);
  Sizes sizes = {rows, columns};
  if (has_batch) sizes.insert(sizes.begin(), batch);
  const int64_t first = has_batch ? 1 : 0;
  std::string attributes = "lhs_contracting_dims=" + Braces({first + (is_turned ? 0 : 1)}) +
                           ", rhs_contracting_dims=" + Braces({first + (is_other_turned ? 0 : 1)});
  if (has_batch) attributes = "lhs_batch_dims={0}, rhs_batch_dims={0}, " + attributes;
  const FusedValue dot = w.Add(of_result, sizes, "dot(" + List({left, right}) + "), " + attributes);
  return {Epilogue(w, dot)};
}

Values Concatenate(FusionWriter& w) {
  const std::string type = SomeType(w.random);
  Sizes sizes = RaggedSizes(w.random, 1, 4);
  const int64_t dimension = w.random.Between(0, std::ssize(sizes) - 1);
  Values operands;
  int64_t total = 0;
  const int64_t count = w.random.Between(2, 4);
  for (int64_t i = 0; i < count; ++i) {
    sizes[At(dimension)] = w.random.Between(1, 9) * (w.random.OneIn(2) ? 8 : 1);
    total += sizes[At(dimension)];
    operands.push_back(MaybeLinear(w, w.Parameter(type, sizes)));
  }
  sizes[At(dimension)] = total;
  return {
      Epilogue(w, w.Add(type, sizes,
                        "concatenate(" + List(operands) + "), dimensions=" + Braces({dimension})))};
}

Values UpdateInPlace(FusionWriter& w) {
  const std::string type = SomeType(w.random);
  const Sizes sizes = RaggedSizes(w.random, 1, 4);
  Sizes of_update;
  for (const int64_t size : sizes) of_update.push_back(w.random.Between(1, size));
  const FusedValue updated = w.Parameter(type, sizes);
  Values operands = {updated, MaybeLinear(w, w.Parameter(type, of_update))};
  for (size_t i = 0; i < sizes.size(); ++i) operands.push_back(w.Parameter("s32", {}));
  const std::string update = "dynamic-update-slice(" + List(operands) + ")";
  // In place or not.
  return {w.random.OneIn(4) ? w.Add(type, sizes, update) : w.AddLike(updated, update)};
}

Values Gather(FusionWriter& w) {
  const std::string type = SomeType(w.random);
  const Sizes sizes = {w.random.Between(1, 12), w.random.Between(1, 50)};
  const FusedValue value = MaybeLinear(w, w.Parameter(type, sizes));
  const int64_t count = w.random.Between(1, 30);
  const FusedValue indices = w.Parameter(w.random.OneIn(2) ? "s32" : "u8", {count});
  const int64_t width = w.random.Between(1, sizes[1]);
  return {
      Epilogue(w, w.Add(type, {count, width},
                        "gather(" + List({value, indices}) +
                            "), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                            "index_vector_dim=1, slice_sizes=" +
                            Braces({1, width})))};
}

Values Scatter(FusionWriter& w) {
  const std::string type = w.random.OneIn(4) ? "pred" : w.random.Pick(SummedTypes());
  const Sizes sizes = {w.random.Between(1, 12), w.random.Between(1, 50)};
  const int64_t count = w.random.Between(1, 20);
  const Values operands = {w.Parameter(type, sizes), w.Parameter("s32", {count}),
                           MaybeLinear(w, w.Parameter(type, {count, sizes[1]}))};
  const std::string scatter = "scatter(" + List(operands) +
                              "), update_window_dims={1}, inserted_window_dims={0}, "
                              "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=" +
                              ReducerOf(w, type);
  return {w.random.OneIn(4) ? w.Add(type, sizes, scatter) : w.AddLike(operands[0], scatter)};
}

Values Sort(FusionWriter& w) {
  // A NaN has no place in an order.
  std::string type = SomeType(w.random);
  while (type == "f8e8m0fnu" || ClassOf(type) == ElementClass::kComplex) type = SomeType(w.random);
  const Sizes sizes = RaggedSizes(w.random, 1, 3);
  const int64_t dimension = w.random.Between(0, std::ssize(sizes) - 1);
  const FusedValue value = w.Parameter(type, sizes);
  return {w.Add(
      type, sizes,
      "sort(" + value.name + "), dimensions=" + Braces({dimension}) +
          ", is_stable=true, to_apply=" + w.Comparator(type, w.random.OneIn(2) ? "LT" : "GT"))};
}

std::string WindowText(const Sizes& sizes, const Sizes& strides) {
  return "window={size=" + Join(sizes, "x") + " stride=" + Join(strides, "x") + "}";
}

Values ReduceWindow(FusionWriter& w) {
  std::string type = SomeType(w.random);
  while (IsSmallFloat(type)) type = SomeType(w.random);
  const Sizes sizes = RaggedSizes(w.random, 1, 3);
  const FusedValue value = MaybeLinear(w, w.Parameter(type, sizes));
  const std::string operands =
      "reduce-window(" + value.name + ", " + InitialValue(w, type).name + "), ";
  const std::string reducer = ", to_apply=" + ReducerOf(w, type);
  if (w.random.OneIn(2)) {
    // Each element is of all before it, along one dimension.
    const int64_t dimension = w.random.Between(0, std::ssize(sizes) - 1);
    Sizes of_window(sizes.size(), 1);
    of_window[At(dimension)] = sizes[At(dimension)];
    std::string padding;
    for (const int64_t size : of_window) {
      padding += (padding.empty() ? "" : "x") + std::to_string(size - 1) + "_0";
    }
    return {Epilogue(w, w.Add(type, sizes,
                              operands + "window={size=" + Join(of_window, "x") +
                                  " pad=" + padding + "}" + reducer))};
  }
  Sizes of_window;
  Sizes strides;
  Sizes of_result;
  for (const int64_t size : sizes) {
    of_window.push_back(w.random.Between(1, std::min<int64_t>(size, 4)));
    strides.push_back(w.random.Between(1, 3));
    of_result.push_back((size - of_window.back()) / strides.back() + 1);
  }
  return {Epilogue(w, w.Add(type, of_result, operands + WindowText(of_window, strides) + reducer))};
}

Values SelectAndScatter(FusionWriter& w) {
  const std::string type = w.random.Pick(Types{"f32", "f64", "s32", "s8", "s4", "u4"});
  const Sizes of_source = {w.random.Between(1, 9), w.random.Between(1, 12)};
  const Sizes window = {w.random.Between(1, 3), w.random.Between(1, 3)};
  const Sizes strides = {w.random.Between(1, 3), w.random.Between(1, 3)};
  Sizes sizes;
  for (size_t i = 0; i < 2; ++i) {
    sizes.push_back((of_source[i] - 1) * strides[i] + window[i]);
  }
  const Values operands = {w.Parameter(type, sizes), w.Parameter(type, of_source),
                           w.Constant(type, "0")};
  return {w.Add(type, sizes,
                "select-and-scatter(" + List(operands) + "), " + WindowText(window, strides) +
                    ", select=" + w.Comparator(type, "GE") +
                    ", scatter=" + w.Reducer(type, "add"))};
}

Values Convolution(FusionWriter& w) {
  const std::string type = w.random.Pick(Types{"f32", "f64", "bf16", "f16"});
  const int64_t batch = w.random.Between(1, 3);
  const int64_t length = w.random.Between(4, 20);
  const int64_t features = w.random.Between(1, 6);
  const int64_t window = w.random.Between(1, 4);
  const int64_t outputs = w.random.Between(1, 9);
  const FusedValue image = MaybeLinear(w, w.Parameter(type, {batch, length, features}));
  const FusedValue kernel = w.Parameter(type, {window, features, outputs});
  return {Epilogue(w, w.Add(type, {batch, length - window + 1, outputs},
                            "convolution(" + List({image, kernel}) + "), window={size=" +
                                std::to_string(window) + "}, dim_labels=b0f_0io->b0f"))};
}

// The sum up to each slice, from one end.
Values Scan(FusionWriter& w) {
  const std::string type = w.random.Pick(Types{"f32", "f64", "s32", "s8", "s4", "u16", "c64"});
  const Sizes sizes = RaggedSizes(w.random, 1, 3);
  const int64_t dimension = w.random.Between(0, std::ssize(sizes) - 1);
  Sizes of_slice = sizes;
  of_slice.erase(of_slice.begin() + dimension);
  const Values operands = {w.Parameter(type, sizes), w.Parameter(type, of_slice)};
  return {w.AddTuple(w.TupleShape({{type, sizes}, {type, of_slice}}),
                     "scan(" + List(operands) + "), dimensions=" + Braces({dimension}) +
                         ", num_carries=1, is_reverse=" + (w.random.OneIn(2) ? "true" : "false") +
                         ", is_associative=true, to_apply=" + w.RunningSum(type, of_slice))};
}

Values SortWithNumbers(FusionWriter& w) {
  const std::string type = w.random.Pick(Types{"f32", "bf16", "s8", "s4", "u16", "f64"});
  const Sizes sizes = RaggedSizes(w.random, 1, 3);
  const int64_t dimension = w.random.Between(0, std::ssize(sizes) - 1);
  const std::string other = SomeType(w.random);
  const Values operands = {w.Parameter(type, sizes), w.Parameter(other, sizes)};
  return {w.AddTuple(w.TupleShape({{type, sizes}, {other, sizes}}),
                     "sort(" + List(operands) + "), dimensions=" + Braces({dimension}) +
                         ", is_stable=true, to_apply=" + w.KeyComparator(type, other))};
}

Values TopK(FusionWriter& w) {
  const std::string type = w.random.Pick(Types{"f32", "bf16", "s32", "u8"});
  const Sizes sizes = RaggedSizes(w.random, 1, 3);
  Sizes of_result = sizes;
  of_result.back() = w.random.Between(1, sizes.back());
  return {w.AddTuple(w.TupleShape({{type, of_result}, {"s32", of_result}}),
                     "topk(" + w.Parameter(type, sizes).name +
                         "), k=" + std::to_string(of_result.back()) + ", largest=true")};
}

Values BatchNorm(FusionWriter& w) {
  const std::string type = w.random.Pick(Types{"f32", "f64"});
  const Sizes sizes = RaggedSizes(w.random, 2, 4);
  const int64_t feature = w.random.Between(0, std::ssize(sizes) - 1);
  const Sizes of_feature = {sizes[At(feature)]};
  const Values operands = {w.Parameter(type, sizes), w.Parameter(type, of_feature),
                           w.Parameter(type, of_feature)};
  return {w.AddTuple(w.TupleShape({{type, sizes}, {type, of_feature}, {type, of_feature}}),
                     "batch-norm-training(" + List(operands) +
                         "), epsilon=0.001, feature_index=" + std::to_string(feature))};
}

// With ones in the diagonal, so that nothing is divided.
Values TriangularSolve(FusionWriter& w) {
  const std::string type = w.random.Pick(Types{"f32", "f64", "c64"});
  const int64_t batch = w.random.Between(1, 4);
  const int64_t size = w.random.Between(1, 6);
  const int64_t columns = w.random.Between(1, 9);
  const Values operands = {w.Parameter(type, {batch, size, size}),
                           w.Parameter(type, {batch, size, columns})};
  return {w.Add(type, {batch, size, columns},
                "triangular-solve(" + List(operands) +
                    "), left_side=true, lower=" + (w.random.OneIn(2) ? "true" : "false") +
                    ", unit_diagonal=true, transpose_a=NO_TRANSPOSE")};
}

// ---- The table ----

struct Family {
  const char* name;
  Values (*make)(FusionWriter&);
  double tolerance;
};

constexpr Family kFamilies[] = {
    {"loop", Loop, 0},
    {"relayout", Relayout, 0},
    {"transpose", TransposeInTiles, 0},
    {"row reduction", RowReduction, 0},
    {"column reduction", ColumnReduction, 0},
    {"argmax", ArgMax, 0},
    {"rows", Rows, 0},
    {"dot", Dot, 0},
    {"concatenate", Concatenate, 0},
    {"dynamic-update-slice", UpdateInPlace, 0},
    {"gather", Gather, 0},
    {"scatter", Scatter, 0},
    {"sort", Sort, 0},
    {"reduce-window", ReduceWindow, 0},
    {"select-and-scatter", SelectAndScatter, 0},
    {"convolution", Convolution, 0},
    {"scan", Scan, 0},
    {"sort of two arrays", SortWithNumbers, 0},
    {"largest of lines", TopK, 0},
    {"batch norm", BatchNorm, 1e-5},
    {"triangular system", TriangularSolve, 1e-5},
};

}  // namespace

size_t NumFusionFamilies() { return std::size(kFamilies); }

std::string FusionFamilyName(size_t family) { return kFamilies[family].name; }

const std::vector<std::string>& AllElementTypes() { return AllTypes(); }

LayoutFusion RandomLayoutFusion(Random& random, size_t family) {
  const Family& chosen = kFamilies[family % NumFusionFamilies()];
  FusionWriter writer(random);
  const Values outputs = chosen.make(writer);
  return {chosen.name, writer.Module(outputs), chosen.tolerance};
}

}  // namespace hlo_indexing::testing
