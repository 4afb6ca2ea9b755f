// Instances of opcodes that hand values on: tuples, asynchronous pairs, branches, loops, calls.
#include <string>
#include <utility>
#include <vector>

#include "tests/property/random_opcode_generators.h"

namespace hlo_indexing::testing::generate {
using hlo::Opcode;

namespace {

// Starts an operation that reverses the first dimension: (shape of the array, name).
std::pair<std::string, std::string> StartReverse(RandomComputation& i, std::string& operation) {
  const Sizes sizes = i.SomeSizes(1, 2);
  const std::string shape = ShapeText("f32", sizes);
  const std::string callee =
      i.callees.Add("reversed", "{\n  p = " + shape + " parameter(0)\n  ROOT r = " + shape +
                                    " reverse(p), dimensions={0}\n}");
  operation = "async-start(" + i.Operand(sizes) + "), calls=" + callee;
  return {shape, "((" + shape + "), " + shape + ", s32[])"};
}

}  // namespace

void Rng(RandomComputation& i) {
  const std::string low = i.Operand(Sizes());
  const std::string high = i.Operand(Sizes());
  i.Result(i.SomeSizes(0, 2), "rng(" + low + ", " + high + "), distribution=rng_uniform");
}

void RngBitGenerator(RandomComputation& i) {
  const std::string state = i.AddParameter("u64[3]");
  i.Result("(u64[3], " + ShapeText("u32", i.SomeSizes(0, 2)) + ")",
           "rng-bit-generator(" + state + "), algorithm=rng_default");
}

void Tuple(RandomComputation& i) {
  const std::string a = ShapeText("f32", i.SomeSizes(0, 2));
  const std::string b = ShapeText("f32", i.SomeSizes(0, 2));
  const std::string pair = i.AddParameter("(" + a + ", " + b + ")");
  i.Result("(" + a + ", (" + a + ", " + b + "))", "tuple(" + i.AddParameter(a) + ", " + pair + ")");
}

void GetTupleElement(RandomComputation& i) {
  const std::string a = ShapeText("f32", i.SomeSizes(0, 2));
  const std::string b = ShapeText("f32", i.SomeSizes(0, 2));
  const int64_t index = i.random.Between(0, 2);
  const std::string pair = "(" + a + ", " + b + ")";
  i.Result(index == 1 ? pair : b, "get-tuple-element(" +
                                      i.AddParameter("(" + b + ", " + pair + ", " + b + ")") +
                                      "), index=" + std::to_string(index));
}

// Passes a tuple or array on.
void PassOn(RandomComputation& i, const std::string& name, const std::string& attributes) {
  const Sizes sizes = i.SomeSizes(0, 2);
  const std::string array = ShapeText("f32", sizes);
  if (i.Maybe()) return i.Result(array, name + "(" + i.Operand(sizes) + ")" + attributes);
  const std::string pair = "(" + array + ", f32[3])";
  i.Result(pair, name + "(" + i.AddParameter(pair) + ")" + attributes);
}

void AddDependency(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(0, 2);
  const std::string token = i.Line("token[]", "after-all()");
  i.Result(sizes, "add-dependency(" + i.Operand(sizes) + ", " + token + ")");
}

void Done(RandomComputation& i, Opcode opcode) {
  const std::string shape = ShapeText("f32", i.SomeSizes(0, 2));
  const std::string name = hlo::OpcodeName(opcode).str();
  if (opcode == Opcode::kAllReduceDone) {
    return i.Result(shape, name + "(" + i.AddParameter(shape) + ")");
  }
  if (opcode == Opcode::kRecvDone) {
    return i.Result("(" + shape + ", token[])",
                    "recv-done(" + i.AddParameter("(" + shape + ", u32[], token[])") + ")");
  }
  const std::string first = opcode == Opcode::kCopyDone ? shape : "f32[5]";
  i.Result(shape, name + "(" + i.AddParameter("(" + first + ", " + shape + ", u32[])") + ")");
}

void CopyStart(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(0, 2);
  const std::string shape = ShapeText("f32", sizes);
  i.Result("(" + shape + ", " + shape + ", u32[])", "copy-start(" + i.Operand(sizes) + ")");
}

void Send(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(0, 2);
  const std::string token = i.Line("token[]", "after-all()");
  i.Result("(" + ShapeText("f32", sizes) + ", u32[], token[])",
           "send(" + i.Operand(sizes) + ", " + token + "), channel_id=1");
}

void AsyncStart(RandomComputation& i) {
  std::string operation;
  const auto [array, shape] = StartReverse(i, operation);
  i.Result(shape, operation);
}

void AsyncUpdate(RandomComputation& i) {
  std::string operation;
  const auto [array, shape] = StartReverse(i, operation);
  i.Result(shape, "async-update(" + i.Line(shape, operation) + ")");
}

void AsyncDone(RandomComputation& i) {
  std::string operation;
  const auto [array, shape] = StartReverse(i, operation);
  i.Result(array, "async-done(" + i.Line(shape, operation) + ")");
}

void Conditional(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(1, 2);
  const std::string shape = ShapeText("f32", sizes);
  const bool is_predicate = i.Maybe();
  const int64_t count = is_predicate ? 2 : i.random.Between(1, 4);
  const std::string selector = is_predicate ? i.Operand("pred", Sizes()) : i.Index();
  std::string operands;
  std::vector<std::string> branches;
  for (int64_t k = 0; k < count; ++k) {
    const std::string operation = i.random.Pick(std::vector<std::string>{
        "negate(p)", "reverse(p), dimensions={0}", "copy(p)", "dynamic-slice(p"});
    const bool is_sliced = operation.starts_with("dynamic");
    std::string body = "{\n  p = " + shape + " parameter(0)\n";
    std::string root = operation;
    if (is_sliced) {
      body += "  n = s32[] constant(" + std::to_string(i.random.Between(-1, 3)) + ")\n";
      for (size_t d = 0; d < sizes.size(); ++d) root += ", n";
      root += "), dynamic_slice_sizes=" + Braces(sizes);
    }
    body += "  ROOT r = " + shape + " " + root + "\n}";
    branches.push_back(i.callees.Add("branch", body));
    operands += ", " + i.Operand(sizes);
  }
  std::string attributes;
  if (is_predicate && i.Maybe()) {
    attributes = "true_computation=" + branches[0] + ", false_computation=" + branches[1];
  } else {
    for (const std::string& branch : branches) {
      attributes += (attributes.empty() ? "branch_computations={" : ", ") + branch;
    }
    attributes += "}";
  }
  i.Result(shape, "conditional(" + selector + operands + "), " + attributes);
}

namespace {

// Where a loop that counts up to 1 or 3 begins: at a number, which says how often it runs, or few
// iterations before the end, whatever the index was computed from.
std::string FirstCount(RandomComputation& i) {
  if (i.Maybe()) {
    return i.Line("s32[]", "constant(" + std::to_string(i.random.Between(-2, 3)) + ")");
  }
  const std::string first = i.Index();
  const std::string least = i.Line("s32[]", "constant(-2)");
  return i.Line("s32[]", "maximum(" + first + ", " + least + ")");
}

// A loop in which one of two arrays changes.
void SmallWhile(RandomComputation& i) {
  const Sizes sizes = {i.random.Between(1, 5), i.random.Between(1, 3)};
  const std::string a = ShapeText("f32", sizes);
  const std::string state = "(s32[], " + a + ", " + a + ", f32[])";
  const std::string change = i.random.Pick(std::vector<std::string>{
      "reverse(x), dimensions={0}", "add(x, y)", "broadcast(s), dimensions={}",
      "dynamic-update-slice(x, row, n, zero)"});
  const std::string columns = std::to_string(sizes[1]);
  const std::string row =
      i.Maybe() ? "slice(y), slice={[0:1], [0:" + columns + "]}"
                : "dynamic-slice(y, n, zero), dynamic_slice_sizes={1," + columns + "}";
  const std::string condition = i.callees.Add(
      "condition",
      "{\n  p = " + state +
          " parameter(0)\n  n = s32[] get-tuple-element(p), index=0\n  k = s32[] constant(3)\n"
          "  ROOT r = pred[] compare(n, k), direction=LT\n}");
  const std::string body = i.callees.Add(
      "body", "{\n  p = " + state +
                  " parameter(0)\n  n = s32[] get-tuple-element(p), index=0\n  x = " + a +
                  " get-tuple-element(p), index=1\n  y = " + a +
                  " get-tuple-element(p), index=2\n  s = f32[] get-tuple-element(p), index=3\n"
                  "  one = s32[] constant(1)\n  zero = s32[] constant(0)\n  m = s32[] add(n, one)\n"
                  "  row = " +
                  ShapeText("f32", {1, sizes[1]}) + " " + row + "\n  z = " + a + " " + change +
                  "\n  ROOT t = " + state + " tuple(m, z, y, s)\n}");
  std::string operands = FirstCount(i);
  operands += ", " + i.Operand(sizes);
  operands += ", " + i.Operand(sizes);
  operands += ", " + i.Operand(Sizes());
  const std::string initial = i.Line(state, "tuple(" + operands + ")");
  i.Result(state, "while(" + initial + "), condition=" + condition + ", body=" + body);
}

// Writes a loop over a counter and arrays of the same sizes. Each of the arrays is handed on, takes
// the place of another one, or is computed from some.
class LoopWriter {
 public:
  LoopWriter(RandomComputation& i, int64_t arrays)
      : i_(i),
        arrays_(arrays),
        has_collectives_(i.random.OneIn(4)),
        sizes_(i.random.Pick(std::vector<Sizes>{{}, {2}, {3}, {2, 2}})) {
    shape_ = ShapeText("f32", sizes_);
    state_ = "(s32[]";
    for (int64_t k = 0; k < arrays_; ++k) state_ += ", " + shape_;
    state_ += ")";
  }

  void Write(int64_t nested_loops) {
    const std::string attributes = Attributes(nested_loops);
    std::string operands = Counter();
    for (int64_t k = 0; k < arrays_; ++k) operands += ", " + i_.Operand(sizes_);
    const std::string initial = i_.Line(state_, "tuple(" + operands + ")");
    i_.Result(state_, "while(" + initial + ")" + attributes);
  }

 private:
  // Few iterations; as many on all devices where these meet.
  std::string Counter() {
    if (has_collectives_) {
      return i_.Line("s32[]", "constant(" + std::to_string(i_.random.Between(-2, 1)) + ")");
    }
    return FirstCount(i_);
  }

  std::string Attributes(int64_t nested_loops) {
    const std::string condition = i_.callees.Add("condition", Condition());
    return ", condition=" + condition + ", body=" + i_.callees.Add("body", Body(nested_loops));
  }

  // The state and its counter, at the start of a computation.
  std::string Start() const {
    return "{\n  p = " + state_ +
           " parameter(0)\n  n = s32[] get-tuple-element(p), index=0\n  k = s32[] constant(1)\n";
  }

  std::string SomeArray() { return std::to_string(i_.random.Between(1, arrays_)); }

  // The counter decides, and an array that may be one that is handed on.
  std::string Condition() {
    const std::string few = " compare(n, k), direction=LT\n}";
    if (!i_.random.OneIn(3)) return Start() + "  ROOT r = pred[]" + few;
    std::string decides = "x";
    std::string lines = "  x = " + shape_ + " get-tuple-element(p), index=" + SomeArray() + "\n";
    if (Count(sizes_) > 1) {
      std::string ranges;
      for (size_t d = 0; d < sizes_.size(); ++d) ranges += d == 0 ? "[0:1]" : ", [0:1]";
      lines += "  first = " + ShapeText("f32", Sizes(sizes_.size(), 1)) + " slice(x), slice={" +
               ranges + "}\n";
      decides = "first";
    }
    lines += "  s = f32[] reshape(" + decides + ")\n";
    decides = "s";
    if (has_collectives_ && i_.Maybe()) {
      lines +=
          "  g = f32[] all-reduce(s), replica_groups={}, to_apply=" + i_.callees.Add("add", kAdd) +
          "\n";
      decides = "g";
    }
    return Start() + lines + "  a = pred[] compare(n, k), direction=LT\n  b = pred[] compare(" +
           decides + ", " + decides + "), direction=EQ\n  ROOT r = pred[] and(a, b)\n}";
  }

  std::string Body(int64_t nested_loops) {
    std::string lines = Start() + "  one = s32[] constant(1)\n  m = s32[] add(n, one)\n";
    for (int64_t k = 1; k <= arrays_; ++k) {
      lines += "  x" + std::to_string(k) + " = " + shape_ +
               " get-tuple-element(p), index=" + std::to_string(k) + "\n";
    }
    // Few arrays change in some loops, and most in others.
    const int64_t handed_on = i_.random.Between(0, 8);
    std::string root = "tuple(m";
    for (int64_t k = 1; k <= arrays_; ++k) {
      std::string next = "x" + std::to_string(k);
      if (i_.random.Between(1, 8) > handed_on) {
        const std::string name = "y" + std::to_string(k);
        lines += "  " + name + " = " + shape_ + " " + Change(next) + "\n";
        next = i_.random.OneIn(4) ? "x" + SomeArray() : name;
      }
      root += ", " + next;
    }
    if (nested_loops > 0) {
      // A loop around this one runs it once more, for what this iteration leaves.
      lines += "  t = " + state_ + " " + root + ")\n";
      return lines + Nested(nested_loops - 1) + "}";
    }
    return lines + "  ROOT t = " + state_ + " " + root + ")\n}";
  }

  // Another loop over the same arrays, whose counter starts again.
  std::string Nested(int64_t nested_loops) {
    std::string lines = "  zero = s32[] constant(0)\n";
    std::string operands = "zero";
    std::string root = "m";
    for (int64_t k = 1; k <= arrays_; ++k) {
      const std::string number = std::to_string(k);
      lines += "  z" + number + " = " + shape_ + " get-tuple-element(t), index=" + number + "\n";
      operands += ", z" + number;
    }
    lines += "  u = " + state_ + " tuple(" + operands + ")\n  w = " + state_ + " while(u)" +
             Attributes(nested_loops) + "\n";
    for (int64_t k = 1; k <= arrays_; ++k) {
      const std::string number = std::to_string(k);
      const std::string from = i_.random.OneIn(2) ? "w" : "u";
      lines += "  a" + number + " = " + shape_ + " get-tuple-element(" + from +
               "), index=" + number + "\n";
      root += ", a" + number;
    }
    return lines + "  ROOT r = " + state_ + " tuple(" + root + ")\n";
  }

  std::string Change(const std::string& array) {
    switch (i_.random.Between(0, 5)) {
      case 0:
        return "copy(x" + SomeArray() + ")";
      case 1:
        return "negate(x" + SomeArray() + ")";
      case 2:
        if (!sizes_.empty()) return "reverse(" + array + "), dimensions={0}";
        return "abs(" + array + ")";
      case 3:
        if (!has_collectives_) return "negate(" + array + ")";
        return "collective-permute(" + array + "), source_target_pairs={{0,1},{1,2},{2,0},{3,3}}";
      default:
        return "add(" + array + ", x" + SomeArray() + ")";
    }
  }

  RandomComputation& i_;
  int64_t arrays_;
  bool has_collectives_;
  Sizes sizes_;
  std::string shape_;
  std::string state_;
};

}  // namespace

void While(RandomComputation& i) {
  switch (i.random.Between(0, 3)) {
    case 0:
      return LoopWriter(i, i.random.Between(2, 5)).Write(i.random.Between(0, 1));
    case 1:
      // More than are followed element by element.
      return LoopWriter(i, i.random.Between(16, 18)).Write(i.random.OneIn(4) ? 1 : 0);
    default:
      return SmallWhile(i);
  }
}

void Called(RandomComputation& i, Opcode opcode) {
  const Sizes sizes = i.SomeSizes(1, 3);
  const std::string shape = ShapeText("f32", sizes);
  const std::string pair = "(" + shape + ", " + shape + ")";
  const std::string callee = i.callees.Add(
      "called", "{\n  p = " + shape + " parameter(0)\n  q = " + shape + " parameter(1)\n  v = " +
                    shape + " reverse(p), dimensions={0}\n  ROOT r = " + pair + " tuple(v, q)\n}");
  std::string operands = i.Operand(sizes);
  operands += ", " + i.Operand(sizes);
  i.Result(pair, opcode == Opcode::kFusion ? "fusion(" + operands + "), kind=kLoop, calls=" + callee
                                           : "call(" + operands + "), to_apply=" + callee);
}

}  // namespace hlo_indexing::testing::generate
