#include "tests/property/random_calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/property/random_opcode.h"

namespace hlo_indexing::testing {
namespace {

// What a computation takes and gives.
enum class Type : uint8_t { kFlat, kRows, kColumns, kIndex, kIndices };

const char* ShapeOf(Type type) {
  switch (type) {
    case Type::kFlat:
      return "f32[12]";
    case Type::kRows:
      return "f32[3,4]";
    case Type::kColumns:
      return "f32[4,3]";
    case Type::kIndex:
      return "s32[]";
    case Type::kIndices:
      break;
  }
  return "s32[4]";
}

struct Computation {
  std::string name;
  std::vector<Type> parameters;
  std::vector<Type> results;
};

// "(a, b, a)", or "a" for one that stands alone.
std::string TupleShape(const std::vector<Type>& types) {
  std::string text;
  for (const Type type : types) text += (text.empty() ? "(" : ", ") + std::string(ShapeOf(type));
  return text + ")";
}

std::string ResultShape(const Computation& computation) {
  return computation.results.size() == 1 ? ShapeOf(computation.results[0])
                                         : TupleShape(computation.results);
}

// Writes the computations of a module, each on those before it.
class CallsWriter {
 public:
  explicit CallsWriter(Random& random) : random_(random), has_devices_(random.OneIn(3)) {}

  std::string Module() {
    if (random_.OneIn(2)) WriteCombinations();
    const int64_t computations = random_.Between(2, 5);
    for (int64_t k = 0; k < computations; ++k) WriteComputation(random_.Between(2, 6));
    const Computation top = written_.back();
    Start("e");
    for (const Type type : top.parameters) AddParameter(type);
    const std::string root = CallOf(top, Arguments(top, Choice::kInOrder));
    text_ += "ENTRY e {\n" + body_ + "  ROOT r = " + ResultShape(top) + " " + root + "\n}\n";
    return "HloModule calls\n" + text_;
  }

 private:
  struct Value {
    std::string name;
    Type type;
  };
  enum class Choice : uint8_t { kAny, kInOrder };

  void Start(const std::string& name) {
    name_ = name;
    body_.clear();
    parameters_.clear();
    values_.clear();
    next_value_ = 0;
  }

  std::string Name() { return name_ + "v" + std::to_string(next_value_++); }

  std::string Line(const std::string& shape, const std::string& operation) {
    std::string name = Name();
    body_ += "  " + name + " = " + shape + " " + operation + "\n";
    return name;
  }
  void Add(Type type, const std::string& operation) {
    values_.push_back({Line(ShapeOf(type), operation), type});
  }
  void AddParameter(Type type) {
    Add(type, "parameter(" + std::to_string(parameters_.size()) + ")");
    parameters_.push_back(type);
  }

  // One that is there, what was made last more often; without one, what an array is brought to.
  std::string Pick(Type type) {
    std::vector<std::string> names;
    for (const Value& value : values_) {
      if (value.type == type) names.push_back(value.name);
    }
    if (!names.empty() && !random_.OneIn(4)) {
      return random_.OneIn(2) ? names.back() : random_.Pick(names);
    }
    if (type == Type::kIndex) return NewIndex();
    if (type == Type::kIndices) return NewIndices();
    std::vector<std::string> arrays;
    for (const Value& value : values_) {
      if (IsArray(value.type)) arrays.push_back(value.name);
    }
    return Line(ShapeOf(type), "reshape(" + random_.Pick(arrays) + ")");
  }

  static bool IsArray(Type type) { return type < Type::kIndex; }
  Type ArrayType() {
    return random_.Pick(std::vector<Type>{Type::kFlat, Type::kFlat, Type::kRows, Type::kColumns});
  }

  std::string Number() {
    return Line("s32[]", "constant(" + std::to_string(random_.Between(-1, 4)) + ")");
  }

  std::string NewIndex() {
    std::string index;
    switch (random_.Between(0, has_devices_ ? 4 : 3)) {
      case 0:
        index = Number();
        break;
      case 1: {
        // Looked up in an array.
        const std::string flat = Pick(Type::kFlat);
        const std::string one = Line("f32[1]", "slice(" + flat + "), slice={[2:3]}");
        const std::string scalar = Line("f32[]", "reshape(" + one + ")");
        index = Line("s32[]", "convert(" + scalar + ")");
        break;
      }
      case 2: {
        const std::string number = Number();
        index = Line("s32[]", "add(" + PickKnownIndex() + ", " + number + ")");
        break;
      }
      case 3: {
        const std::string by = PickKnownIndex();
        const std::string found = Line("s32[1]", "dynamic-slice(" + Pick(Type::kIndices) + ", " +
                                                     by + "), dynamic_slice_sizes={1}");
        index = Line("s32[]", "reshape(" + found + ")");
        break;
      }
      default:
        index = Line("s32[]", "convert(" + Line("u32[]", "partition-id()") + ")");
    }
    values_.push_back({index, Type::kIndex});
    return index;
  }
  std::string PickKnownIndex() {
    std::vector<std::string> names;
    for (const Value& value : values_) {
      if (value.type == Type::kIndex) names.push_back(value.name);
    }
    return names.empty() ? Number() : random_.Pick(names);
  }

  std::string NewIndices() {
    switch (random_.Between(0, 2)) {
      case 0:
        return Line("s32[4]", "constant({3, 0, 7, 5})");
      case 1:
        return Line("s32[4]", "iota(), iota_dimension=0");
      default:
        return Line("s32[4]", "broadcast(" + PickKnownIndex() + "), dimensions={}");
    }
  }

  void WriteComputation(int64_t instructions) {
    Start("f" + std::to_string(written_.size()));
    const int64_t arrays = random_.Between(1, 3);
    for (int64_t k = 0; k < arrays; ++k) AddParameter(ArrayType());
    const int64_t indices = random_.Between(0, 2);
    for (int64_t k = 0; k < indices; ++k) AddParameter(Type::kIndex);
    if (random_.OneIn(3)) AddParameter(Type::kIndices);
    for (int64_t k = 0; k < instructions; ++k) {
      if (!written_.empty() && random_.OneIn(2)) {
        AddCall();
      } else {
        AddInstruction();
      }
    }
    Finish(AddRoot());
  }

  void Finish(std::vector<Type> results) {
    text_ += name_ + " {\n" + body_ + "}\n";
    written_.push_back({name_, parameters_, std::move(results)});
  }

  // A computation with several results and some that combine these in different ways, so that calls
  // of it are reached alike but for the outputs and the indices.
  void WriteCombinations() {
    Start("f" + std::to_string(written_.size()));
    AddParameter(Type::kFlat);
    AddParameter(Type::kFlat);
    for (int64_t k = random_.Between(2, 4); k > 0; --k) AddInstruction();
    Finish(AddTuple({Pick(Type::kFlat), Pick(Type::kFlat), Pick(Type::kFlat)}));
    const Computation callee = written_.back();
    for (int64_t more = random_.Between(3, 5); more > 0; --more) {
      Start("f" + std::to_string(written_.size()));
      for (const Type type : callee.parameters) AddParameter(type);
      for (int k = 0; k < 3; ++k) AddParameter(Type::kIndex);
      const std::string result =
          Line(ResultShape(callee), CallOf(callee, Arguments(callee, Choice::kInOrder)));
      const bool is_sliced = random_.OneIn(3);
      std::vector<std::string> sums;
      for (int64_t k = random_.Between(2, 3); k > 0; --k) {
        sums.push_back(SumOf(result, is_sliced));
      }
      Finish(AddTuple(sums));
    }
  }

  // Of some of three arrays, or of slices of them.
  std::string SumOf(const std::string& arrays, bool is_sliced) {
    const char* shape = is_sliced ? "f32[5]" : "f32[12]";
    const std::vector<int64_t> order = random_.Permutation(3);
    const int64_t count = random_.OneIn(4) ? 3 : 2;
    std::string sum;
    for (int64_t k = 0; k < count; ++k) {
      const std::string number = std::to_string(order[static_cast<size_t>(k)]);
      std::string part = Line("f32[12]", "get-tuple-element(" + arrays + "), index=" + number);
      if (is_sliced) {
        part = Line(shape, "dynamic-slice(" + part + ", " + PickKnownIndex() +
                               "), dynamic_slice_sizes={5}");
      }
      sum = sum.empty() ? part : Line(shape, "add(" + sum + ", " + part + ")");
    }
    if (!is_sliced) return sum;
    const std::string zero = Line("f32[]", "constant(0)");
    return Line("f32[12]", "pad(" + sum + ", " + zero + "), padding=3_4");
  }

  std::vector<Type> AddTuple(const std::vector<std::string>& flat) {
    std::vector<Type> types(flat.size(), Type::kFlat);
    body_ += "  ROOT " + Name() + " = " + TupleShape(types) + " tuple(" + Joined(flat) + ")\n";
    return types;
  }

  // One array, or a tuple of several, of which some may be the same.
  std::vector<Type> AddRoot() {
    std::vector<Value> arrays;
    for (const Value& value : values_) {
      if (IsArray(value.type)) arrays.push_back(value);
    }
    const Value last = arrays.back();
    if (random_.OneIn(2)) {
      body_ += "  ROOT " + Name() + " = " + ShapeOf(last.type) + " copy(" + last.name + ")\n";
      return {last.type};
    }
    std::vector<Type> types = {last.type};
    std::string operands = last.name;
    const int64_t more = random_.Between(1, 4);
    for (int64_t k = 0; k < more; ++k) {
      const Value& value = random_.Pick(arrays);
      types.push_back(value.type);
      operands += ", " + value.name;
    }
    body_ += "  ROOT " + Name() + " = " + TupleShape(types) + " tuple(" + operands + ")\n";
    return types;
  }

  void AddInstruction() {
    const Type type = ArrayType();
    switch (random_.Between(0, has_devices_ ? 10 : 8)) {
      case 0: {
        const std::string a = Pick(type);
        return Add(type, "add(" + a + ", " + Pick(type) + ")");
      }
      case 1:
        return Add(type, "reverse(" + Pick(type) + "), dimensions={0}");
      case 2:
        return Add(Type::kColumns, "transpose(" + Pick(Type::kRows) + "), dimensions={1,0}");
      case 3:
        return AddShifted();
      case 4:
        return AddDynamicSlice();
      case 5: {
        const std::string part = Line("f32[5]", "slice(" + Pick(Type::kFlat) + "), slice={[1:6]}");
        const std::string target = Pick(Type::kFlat);
        return Add(Type::kFlat, "dynamic-update-slice(" + target + ", " + part + ", " +
                                    Pick(Type::kIndex) + ")");
      }
      case 6: {
        const std::string flat = Pick(Type::kFlat);
        return Add(Type::kColumns,
                   "gather(" + flat + ", " + Pick(Type::kIndices) +
                       "), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, "
                       "index_vector_dim=1, slice_sizes={3}");
      }
      case 7: {
        const std::string row = Line("f32[4]", "slice(" + Pick(Type::kFlat) + "), slice={[0:4]}");
        return Add(Type::kRows, "broadcast(" + row + "), dimensions={1}");
      }
      case 8: {
        const std::string a = Line("f32[6]", "slice(" + Pick(Type::kFlat) + "), slice={[1:12:2]}");
        const std::string b = Line("f32[6]", "slice(" + Pick(Type::kFlat) + "), slice={[5:11]}");
        return Add(Type::kFlat, "concatenate(" + a + ", " + b + "), dimensions={0}");
      }
      case 9:
        return Add(type, "collective-permute(" + Pick(type) +
                             "), source_target_pairs={{0,1},{1,2},{2,0},{3,3}}");
      default: {
        const std::string part = Line("f32[3]", "slice(" + Pick(Type::kFlat) + "), slice={[2:5]}");
        return Add(Type::kFlat, "all-gather(" + part +
                                    "), replica_groups={{0,1,2,3},{4,5,6,7}}, dimensions={0}");
      }
    }
  }

  // Read in lines that no reshape is aligned to.
  void AddShifted() {
    const int64_t times = random_.OneIn(8) ? 12 : 1;
    std::string array = Pick(Type::kFlat);
    const std::string zero = Line("f32[]", "constant(0)");
    for (int64_t k = 0; k < times; ++k) {
      array = Line("f32[11]", "slice(" + array + "), slice={[1:12]}");
      array = Line("f32[12]", "pad(" + array + ", " + zero + "), padding=0_1");
      array = Line("f32[3,4]", "reshape(" + array + ")");
      array = Line("f32[4,3]", "transpose(" + array + "), dimensions={1,0}");
      array = Line("f32[12]", "reshape(" + array + ")");
    }
    values_.push_back({array, Type::kFlat});
  }

  void AddDynamicSlice() {
    const std::string a = Pick(Type::kFlat);
    const std::string both =
        Line("f32[24]", "concatenate(" + a + ", " + Pick(Type::kFlat) + "), dimensions={0}");
    Add(Type::kFlat,
        "dynamic-slice(" + both + ", " + Pick(Type::kIndex) + "), dynamic_slice_sizes={12}");
  }

  std::vector<std::string> Arguments(const Computation& callee, Choice choice) {
    std::vector<std::string> names;
    for (size_t k = 0; k < callee.parameters.size(); ++k) {
      names.push_back(choice == Choice::kInOrder ? values_[k].name : Pick(callee.parameters[k]));
    }
    return names;
  }

  static std::string Joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  std::string CallOf(const Computation& callee, const std::vector<std::string>& arguments) {
    if (random_.OneIn(3)) {
      return "fusion(" + Joined(arguments) + "), kind=kLoop, calls=" + callee.name;
    }
    return "call(" + Joined(arguments) + "), to_apply=" + callee.name;
  }

  void AddCall() {
    const Computation callee = random_.Pick(written_);
    switch (random_.Between(0, 9)) {
      case 0:
        return AddAsyncCall(callee);
      case 1:
      case 2:
        return AddConditional(callee);
      case 3:
        return AddLoop(callee);
      default:
        break;
    }
    const std::vector<std::string> arguments = Arguments(callee, Choice::kAny);
    AddResults(callee, Line(ResultShape(callee), CallOf(callee, arguments)));
    if (random_.OneIn(2)) return;
    // Once more with the same arguments.
    AddResults(callee, Line(ResultShape(callee), CallOf(callee, arguments)));
  }

  void AddResults(const Computation& callee, const std::string& result) {
    if (callee.results.size() == 1) {
      values_.push_back({result, callee.results[0]});
      return;
    }
    for (size_t k = 0; k < callee.results.size(); ++k) {
      if (random_.OneIn(4)) continue;
      Add(callee.results[k], "get-tuple-element(" + result + "), index=" + std::to_string(k));
    }
  }

  // Some arguments are bound by an update.
  void AddAsyncCall(const Computation& callee) {
    const std::vector<std::string> arguments = Arguments(callee, Choice::kAny);
    const auto all = static_cast<int64_t>(arguments.size());
    const auto bound = static_cast<std::ptrdiff_t>(random_.Between(1, all));
    const auto state = [&](std::ptrdiff_t count) {
      const std::vector<Type> types(callee.parameters.begin(), callee.parameters.begin() + count);
      return "(" + TupleShape(types) + ", " + ResultShape(callee) + ", s32[])";
    };
    const std::vector<std::string> first(arguments.begin(), arguments.begin() + bound);
    std::string started =
        Line(state(bound), "async-start(" + Joined(first) + "), calls=" + callee.name);
    if (bound < all) {
      const std::vector<std::string> rest(arguments.begin() + bound, arguments.end());
      started = Line(state(all), "async-update(" + started + ", " + Joined(rest) + ")");
    }
    AddResults(callee, Line(ResultShape(callee), "async-done(" + started + ")"));
  }

  // A computation that takes what a callee takes as one tuple and calls it.
  std::string Branch(const Computation& callee) {
    std::string name = "b" + std::to_string(next_branch_++);
    std::string body = "  p = " + TupleShape(callee.parameters) + " parameter(0)\n";
    std::vector<std::string> arguments;
    for (size_t k = 0; k < callee.parameters.size(); ++k) {
      arguments.push_back("a" + std::to_string(k));
      body += "  a" + std::to_string(k) + " = " + ShapeOf(callee.parameters[k]) +
              " get-tuple-element(p), index=" + std::to_string(k) + "\n";
    }
    const std::string root = ResultShape(callee) + " " + CallOf(callee, arguments);
    text_ += name + " {\n" + body + "  ROOT r = " + root + "\n}\n";
    return name;
  }

  std::string Packed(const Computation& callee) {
    const std::string operands = Joined(Arguments(callee, Choice::kAny));
    return Line(TupleShape(callee.parameters), "tuple(" + operands + ")");
  }

  // Branches call the same computation or others that give the same; or are the same branch.
  void AddConditional(const Computation& callee) {
    std::vector<Computation> others;
    for (const Computation& other : written_) {
      if (other.results == callee.results) others.push_back(other);
    }
    const std::string selector = Pick(Type::kIndex);
    std::string branch = Branch(callee);
    std::string branches = branch;
    std::string operands = Packed(callee);
    Computation target = callee;
    for (int64_t more = random_.Between(1, 2); more > 0; --more) {
      if (!random_.OneIn(3)) {
        target = random_.Pick(others);
        branch = Branch(target);
      }
      operands += ", " + Packed(target);
      branches += ", " + branch;
    }
    AddResults(callee, Line(ResultShape(callee), "conditional(" + selector + ", " + operands +
                                                     "), branch_computations={" + branches + "}"));
  }

  // Twice: a counter, what the callee takes, and its first array in place of one of the same shape.
  void AddLoop(const Computation& callee) {
    std::vector<Type> types = {Type::kIndex};
    types.insert(types.end(), callee.parameters.begin(), callee.parameters.end());
    const std::string state = TupleShape(types);
    const std::string number = std::to_string(next_branch_++);
    const std::string start =
        "  p = " + state + " parameter(0)\n  n = s32[] get-tuple-element(p), index=0\n";
    text_ += "c" + number + " {\n" + start +
             "  k = s32[] constant(2)\n"
             "  ROOT r = pred[] compare(n, k), direction=LT\n}\n";
    std::string body = start + "  one = s32[] constant(1)\n  m = s32[] add(n, one)\n";
    std::vector<std::string> arguments;
    for (size_t k = 0; k < callee.parameters.size(); ++k) {
      arguments.push_back("a" + std::to_string(k));
      body += "  a" + std::to_string(k) + " = " + ShapeOf(callee.parameters[k]) +
              " get-tuple-element(p), index=" + std::to_string(k + 1) + "\n";
    }
    body += "  d = " + ResultShape(callee) + " " + CallOf(callee, arguments) + "\n";
    std::string made = "d";
    if (callee.results.size() > 1) {
      body +=
          "  g = " + std::string(ShapeOf(callee.results[0])) + " get-tuple-element(d), index=0\n";
      made = "g";
    }
    std::vector<std::string> next = arguments;
    const auto place =
        std::find(callee.parameters.begin(), callee.parameters.end(), callee.results[0]);
    if (place != callee.parameters.end()) {
      next[static_cast<size_t>(place - callee.parameters.begin())] = made;
    }
    text_ += "w" + number + " {\n" + body + "  ROOT r = " + state + " tuple(m, " + Joined(next) +
             ")\n}\n";
    const std::string zero = Line("s32[]", "constant(0)");
    const std::string operands = Joined(Arguments(callee, Choice::kAny));
    const std::string initial = Line(state, "tuple(" + zero + ", " + operands + ")");
    const std::string loop =
        Line(state, "while(" + initial + "), condition=c" + number + ", body=w" + number);
    for (size_t k = 0; k < types.size(); ++k) {
      if (k == 0 || random_.OneIn(3)) continue;
      Add(types[k], "get-tuple-element(" + loop + "), index=" + std::to_string(k));
    }
  }

  Random& random_;
  bool has_devices_;
  // The computations that are done.
  std::string text_;
  std::vector<Computation> written_;
  int64_t next_branch_ = 0;
  // The one in the making.
  std::string name_;
  std::string body_;
  std::vector<Type> parameters_;
  std::vector<Value> values_;
  int64_t next_value_ = 0;
};

}  // namespace

std::string RandomCalls(Random& random) { return CallsWriter(random).Module(); }

}  // namespace hlo_indexing::testing
