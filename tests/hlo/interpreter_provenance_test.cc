// What elements are read from, opcode by opcode: hand-derived sets.
#include "tests/hlo/interpreter_testing.h"

namespace hlo_indexing::testing {
namespace {

// The reads of every element of every output array of the root, in terms of its operands:
// `operand.element`, those of an element in braces.
std::string TraceRoot(const std::string& body, const hlo::InterpreterOptions& options = {}) {
  const auto module = hlo::ParseModule(ModuleOf(body));
  if (!module.ok()) return std::string(module.status().message());
  if (const absl::Status fits = hlo::Verify(**module); !fits.ok()) {
    return std::string(fits.message());
  }
  // The operands are what the body makes of constants.
  const hlo::Instruction& root = (*module)->entry().root();
  std::vector<hlo::Arguments> operands(static_cast<size_t>(options.num_devices()));
  for (hlo::Arguments& of_device : operands) {
    for (const hlo::Instruction* operand : root.operands()) {
      of_device.push_back(*hlo::Value::FromLiteral(*operand->literal()));
    }
  }
  const auto trace = hlo::TraceReads(root, operands, options);
  if (!trace.ok()) return std::string(trace.status().message());
  std::string text;
  const auto leaves = trace->result().ArrayLeaves();
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    if (leaf != 0) text += "; ";
    for (int64_t i = 0; i < leaves[leaf]->size(); ++i) {
      text += "{";
      for (const hlo::Source& source : trace->Reads(static_cast<int64_t>(leaf), i)) {
        if (text.back() != '{') text += " ";
        if (options.num_devices() > 1) text += std::to_string(source.device) + ":";
        text += std::to_string(source.argument) + "." + std::to_string(source.element);
      }
      text += "}";
    }
  }
  return text;
}

struct Case {
  const char* name;
  const char* body;
  const char* expected;
};

constexpr char kValues[] =
    "v = f32[3] constant({3,1,2})\nw = f32[3] constant({0,0,0})\nz = f32[] constant(0)\n"
    "m = f32[2,2] constant({{4,2},{2,5}})\none = s32[] constant(1)\np = pred[3] "
    "constant({1,0,1})\n";

const Case kCases[] = {
    // 0 * x reads x.
    {"Multiply", "ROOT r = f32[3] multiply(v, w)", "{0.0 1.0}{0.1 1.1}{0.2 1.2}"},
    {"SelectReadsBoth", "ROOT r = f32[3] select(p, v, w)",
     "{0.0 1.0 2.0}{0.1 1.1 2.1}{0.2 1.2 2.2}"},
    {"Transpose", "ROOT r = f32[2,2] transpose(m), dimensions={1,0}", "{0.0}{0.2}{0.1}{0.3}"},
    {"Pad", "ROOT r = f32[5] pad(v, z), padding=1_-1_1", "{1.0}{0.0}{1.0}{0.1}{1.0}"},
    {"DynamicSlice", "ROOT r = f32[2] dynamic-slice(v, one), dynamic_slice_sizes={2}",
     "{0.1 1.0}{0.2 1.0}"},
    {"DynamicUpdateSlice",
     "u = f32[1] constant({7})\nROOT r = f32[3] dynamic-update-slice(v, u, one)",
     "{0.0 2.0}{1.0 2.0}{0.2 2.0}"},
    {"Reduce", "ROOT r = f32[2] reduce(m, z), dimensions={1}, to_apply=add",
     "{0.0 0.1 1.0}{0.2 0.3 1.0}"},
    // The computation drops its first argument: to a trace it is opaque.
    {"ReduceIsOpaque", "ROOT r = f32[] reduce(v, z), dimensions={0}, to_apply=replace",
     "{0.0 0.1 0.2 1.0}"},
    {"ReduceWindow", "ROOT r = f32[3] reduce-window(v, z), window={size=2 pad=1_0}, to_apply=add",
     "{0.0 1.0}{0.0 0.1 1.0}{0.1 0.2 1.0}"},
    {"SelectAndScatter",
     "s = f32[2] constant({1,1})\nROOT r = f32[3] select-and-scatter(v, s, z), window={size=2}, "
     "select=ge, "
     "scatter=add",
     "{0.0 0.1 1.0 2.0}{0.0 0.1 0.2 1.0 1.1 2.0}{0.1 0.2 1.1 2.0}"},
    {"Sort", "k = s32[3] constant({2,1,0})\nROOT r = s32[3] sort(k), dimensions={0}, to_apply=lt",
     "{0.0 0.1 0.2}{0.0 0.1 0.2}{0.0 0.1 0.2}"},
    {"Gather",
     "i = s32[2] constant({2,0})\nROOT r = f32[2] gather(v, i), offset_dims={}, "
     "collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
     "{0.2 1.0}{0.0 1.1}"},
    {"Scatter",
     "i = s32[1] constant({1})\nu = f32[] constant(5)\nROOT r = f32[3] scatter(v, i, u), "
     "update_window_dims={}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
     "to_apply=add",
     "{0.0 1.0}{0.1 1.0 2.0}{0.2 1.0}"},
    // What the computation does not take is not read.
    {"ScatterReplaces",
     "i = s32[1] constant({1})\nu = f32[] constant(5)\nROOT r = f32[3] scatter(v, i, u), "
     "update_window_dims={}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, "
     "to_apply=replace",
     "{0.0 1.0}{1.0 2.0}{0.2 1.0}"},
    {"Dot",
     "ROOT r = f32[2] dot(m, m), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
     "rhs_contracting_dims={1}",
     "{0.0 0.1 1.0 1.1}{0.2 0.3 1.2 1.3}"},
    {"ConvolutionSkipsPadding",
     "x = f32[1,2,1] constant({{{1},{2}}})\nk = f32[2,1,1] constant({{{1}},{{10}}})\n"
     "ROOT r = f32[1,2,1] convolution(x, k), window={size=2 pad=1_0}, dim_labels=b0f_0io->b0f",
     "{0.0 1.1}{0.0 0.1 1.0 1.1}"},
    {"Cholesky", "ROOT r = f32[2,2] cholesky(m), lower=true", "{0.0}{}{0.0 0.2}{0.0 0.2 0.3}"},
    {"BitcastToBytes", "b = u16[2]{0} constant({1,2})\nROOT r = u8[4]{0} bitcast(b)",
     "{0.0}{0.0}{0.1}{0.1}"},
    {"Scan",
     "ROOT r = (f32[3], f32[]) scan(v, z), dimensions={0}, num_carries=1, to_apply=running_sum",
     "{0.0 1.0}{0.0 0.1 1.0}{0.0 0.1 0.2 1.0}; {0.0 0.1 0.2 1.0}"},
    {"Conditional",
     "q = pred[] constant(true)\nx = f32[2] constant({3,4})\nROOT r = f32[2] conditional(q, x, x), "
     "true_computation=double, false_computation=squared",
     "{0.0 1.0 2.0}{0.0 1.1 2.1}"},
    {"While", "ROOT r = s32[] while(one), condition=below_100, body=triple", "{0.0}"},
    {"Fusion", "x = f32[2] constant({3,4})\nROOT r = f32[2] fusion(x), kind=kLoop, calls=double",
     "{0.0}{0.1}"},
    {"Iota", "ROOT r = f32[2] iota(), iota_dimension=0", "{}{}"},
};

TEST(TraceReadsTest, Table) {
  for (const Case& c : kCases) {
    EXPECT_EQ(TraceRoot(std::string(kValues) + c.body), c.expected) << c.name << "\n" << c.body;
  }
}

TEST(TraceReadsTest, OfDifferentDevicesAreDifferent) {
  hlo::InterpreterOptions options;
  options.num_replicas = 2;
  EXPECT_EQ(TraceRoot(std::string(kValues) +
                          "ROOT r = f32[3] all-reduce(v), replica_groups={{0,1}}, to_apply=add",
                      options),
            "{0:0.0 1:0.0}{0:0.1 1:0.1}{0:0.2 1:0.2}");
}

}  // namespace
}  // namespace hlo_indexing::testing
