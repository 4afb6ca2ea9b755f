// What modules compute, by the interpreter and on GPUs.
#include <algorithm>
#include <optional>
#include <string>

#include "codegen/ptx/device_model.h"
#include "hlo/interpreter/interpreter.h"
#include "python/core/device.h"
#include "python/core/errors.h"
#include "python/core/long_work.h"
#include "python/core/module.h"
#include "tools/environment.h"
#include "tools/gpu_run.h"
#include "tools/seeded_values.h"

namespace hlo_indexing::python {

namespace nb = nanobind;

namespace {

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

absl::StatusOr<hlo::Arguments> ArgumentsOf(llvm::ArrayRef<const hlo::Shape*> shapes,
                                           const std::vector<Bytes>& arrays) {
  hlo::Arguments arguments;
  size_t next = 0;
  for (const hlo::Shape* shape : shapes) {
    std::vector<llvm::ArrayRef<uint8_t>> leaves;
    for (int64_t leaf = 0; leaf < shape->num_array_leaves(); ++leaf, ++next) {
      if (next == arrays.size()) return absl::InvalidArgumentError("an argument is missing");
      leaves.emplace_back(arrays[next].data(), arrays[next].size());
    }
    absl::StatusOr<hlo::Value> value = hlo::Value::FromBytes(*shape, leaves);
    if (!value.ok()) return value.status();
    arguments.push_back(*std::move(value));
  }
  if (next != arrays.size()) return absl::InvalidArgumentError("there are too many arguments");
  return arguments;
}

// The arrays of a value: the type, the sizes that it has now, the bound sizes, and the bytes of a
// literal of those.
nb::list ArraysOf(const hlo::Value& value) {
  nb::list arrays;
  for (const hlo::ArrayValue* array : value.ArrayLeaves()) {
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < array->shape().rank(); ++i) sizes.push_back(array->DimensionSize(i));
    const llvm::ArrayRef<int64_t> bounds = array->shape().sizes();
    auto bytes = std::make_unique_for_overwrite<uint8_t[]>(array->bytes().size());
    std::copy(array->bytes().begin(), array->bytes().end(), bytes.get());
    arrays.append(nb::make_tuple(hlo::ElementTypeName(array->type()).str(), sizes,
                                 std::vector<int64_t>(bounds.begin(), bounds.end()),
                                 ArrayOf(std::move(bytes), array->bytes().size())));
  }
  return arrays;
}

// The result of the computation on every device.
nb::list EvaluateOnDevices(const Computation& self, const std::vector<std::vector<Bytes>>& arrays,
                           int64_t num_replicas, int64_t num_partitions, int64_t max_steps,
                           int64_t max_bytes, nb::object progress) {
  std::vector<const hlo::Shape*> shapes;
  for (const hlo::Instruction* parameter : self.computation->parameters()) {
    shapes.push_back(&parameter->shape());
  }
  std::vector<hlo::Arguments> arguments;
  for (const std::vector<Bytes>& of_device : arrays) {
    arguments.push_back(ValueOrRaise(ArgumentsOf(shapes, of_device)));
  }
  LongWork work(std::move(progress));
  hlo::InterpreterOptions options;
  options.max_steps = max_steps;
  options.max_bytes = max_bytes;
  options.num_replicas = num_replicas;
  options.num_partitions = num_partitions;
  options.keep_running = [&](const hlo::Instruction& instruction, int64_t steps) {
    work.Report(instruction.name().str(), steps, 0);
    return !work.MustStop();
  };
  absl::StatusOr<std::vector<hlo::Value>> values;
  {
    const nb::gil_scoped_release release;
    values = hlo::EvaluateOnDevices(*self.computation, arguments, options);
  }
  work.RaiseIfStopped();
  if (!values.ok()) Raise(values.status());
  nb::list results;
  for (const hlo::Value& value : *values) results.append(ArraysOf(value));
  return results;
}

// The result of the module on a GPU, virtual or not, and what the checks found.
nb::tuple EvaluateOnGpu(const Module& self, const std::vector<Bytes>& arrays, bool is_virtual,
                        const std::string& device, const std::optional<std::vector<bool>>& checks,
                        int64_t max_steps, nb::object progress) {
  const hlo::Module& module = self.state->module();
  std::vector<const hlo::Shape*> shapes;
  for (const hlo::Instruction* parameter : module.entry().parameters()) {
    shapes.push_back(&parameter->shape());
  }
  const hlo::Arguments arguments = ValueOrRaise(ArgumentsOf(shapes, arrays));
  tools::GpuRun::Options options;
  options.kind = is_virtual ? tools::GpuKind::kVirtual : tools::GpuKind::kCuda;
  options.device = DeviceNamed(device);
  options.max_steps = max_steps;
  if (checks.has_value()) {
    options.checks = ptx::Checks{
        .initcheck = (*checks)[0], .racecheck = (*checks)[1], .synccheck = (*checks)[2]};
  }
  LongWork work(std::move(progress));
  tools::Environment environment;
  environment.stop = [&] { return work.MustStop(); };
  environment.progress = [&](const std::string& what, int64_t done, int64_t total) {
    work.Report(what, done, total);
  };
  absl::StatusOr<hlo::Value> value;
  std::vector<ptx::Finding> findings;
  {
    const nb::gil_scoped_release release;
    const tools::ScopedEnvironment scope(environment);
    tools::GpuRun run(std::move(options));
    const absl::Status compiled = run.Compile(module.file_name().str(), module);
    value = compiled.ok() ? run.Evaluate(module.file_name().str(), arguments)
                          : absl::StatusOr<hlo::Value>(compiled);
    if (compiled.ok()) findings = run.findings();
  }
  work.RaiseIfStopped();
  if (!value.ok()) Raise(value.status());
  std::vector<std::string> texts;
  for (const ptx::Finding& finding : findings) texts.push_back(finding.ToString());
  return nb::make_tuple(ArraysOf(*value), texts);
}

// The program that a GPU's back end makes of a module: its text, and its buffers as JSON.
std::pair<std::string, std::string> GpuProgram(const Module& self, const std::string& device,
                                               nb::object progress) {
  tools::GpuRun::Options options;
  options.device = DeviceNamed(device);
  LongWork work(std::move(progress));
  tools::Environment environment;
  environment.stop = [&] { return work.MustStop(); };
  environment.progress = [&](const std::string& what, int64_t done, int64_t total) {
    work.Report(what, done, total);
  };
  const hlo::Module& module = self.state->module();
  absl::Status status;
  std::string text;
  std::string json;
  {
    const nb::gil_scoped_release release;
    const tools::ScopedEnvironment scope(environment);
    tools::GpuRun run(std::move(options));
    status = run.Compile(module.file_name().str(), module);
    if (status.ok()) {
      llvm::raw_string_ostream text_out(text);
      run.program().Print(text_out);
      llvm::raw_string_ostream json_out(json);
      json_out << tools::BuffersJson(run.program());
    }
  }
  work.RaiseIfStopped();
  if (!status.ok()) Raise(status);
  return {std::move(text), std::move(json)};
}

// The arrays of the entry's parameters that `run --seed` gives to a device, as bytes.
// An unbounded dimension has no size, and a small module may ask for any amount of memory.
void CheckArguments(const hlo::Module& module, int64_t max_bytes) {
  const support::SourceText source = module.source();
  double bytes = 0;
  for (const hlo::Instruction* parameter : module.entry().parameters()) {
    const hlo::Shape& shape = parameter->shape();
    const std::string name = "parameter '" + parameter->name().str() + "'";
    for (int64_t i = 0; i < shape.num_array_leaves(); ++i) {
      const hlo::Shape& array = shape.ArrayLeaf(i);
      if (array.HasUnboundedDimension()) {
        RaiseAt(source,
                {parameter->offset(), name + " has an unbounded dimension, " + array.ToString()});
      }
      bytes += static_cast<double>(array.num_elements()) *
               static_cast<double>(hlo::LiteralBytesPerElement(array.element_type()));
    }
    if (bytes > static_cast<double>(max_bytes)) {
      RaiseAt(source, {parameter->offset(), "the parameters up to " + name +
                                                " take more than the limit of " +
                                                std::to_string(max_bytes) + " bytes"});
    }
  }
}

nb::list SeededArguments(const Module& self, uint64_t seed, int64_t device, int64_t max_bytes) {
  CheckArguments(self.state->module(), max_bytes);
  nb::list arrays;
  int64_t leaf = 0;
  for (const hlo::Instruction* parameter : self.state->module().entry().parameters()) {
    const hlo::Shape& shape = parameter->shape();
    for (int64_t i = 0; i < shape.num_array_leaves(); ++i) {
      const std::vector<uint8_t> bytes =
          tools::SeededBytes(shape.ArrayLeaf(i), seed, device, leaf++);
      auto copy = std::make_unique_for_overwrite<uint8_t[]>(bytes.size());
      std::copy(bytes.begin(), bytes.end(), copy.get());
      arrays.append(ArrayOf(std::move(copy), bytes.size()));
    }
  }
  return arrays;
}

}  // namespace

void BindEvaluation(nb::module_& module) {
  module.def("evaluate_on_devices", &EvaluateOnDevices, "computation"_a, "arrays"_a,
             "num_replicas"_a, "num_partitions"_a, "max_steps"_a, "max_bytes"_a,
             "progress"_a.none());
  module.def("evaluate_on_gpu", &EvaluateOnGpu, "module"_a, "arrays"_a, "is_virtual"_a, "device"_a,
             "checks"_a.none(), "max_steps"_a, "progress"_a.none());
  module.def("gpu_program", &GpuProgram, "module"_a, "device"_a, "progress"_a.none());
  module.def("seeded_arguments", &SeededArguments, "module"_a, "seed"_a, "device"_a, "max_bytes"_a);
}

}  // namespace hlo_indexing::python
