#include "codegen/program/program.h"

#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::program {

llvm::StringRef ContentName(FrameBuffer::Content content) {
  switch (content) {
    case FrameBuffer::Content::kValue:
      return "value";
    case FrameBuffer::Content::kSecondState:
      return "second state";
    case FrameBuffer::Content::kPredicate:
      return "predicate";
    case FrameBuffer::Content::kCallee:
      return "callee";
  }
  return "";
}

namespace {

llvm::StringRef KindName(Place::Kind kind) {
  switch (kind) {
    case Place::Kind::kParameter:
      return "parameter";
    case Place::Kind::kOutput:
      return "output";
    case Place::Kind::kFrame:
      return "frame";
    case Place::Kind::kConstant:
      return "constant";
  }
  return "";
}

class ProgramPrinter {
 public:
  ProgramPrinter(const Program& program, llvm::raw_ostream& out) : program_(program), out_(out) {}

  void Print() {
    for (const CompiledComputation& computation : program_.computations) Print(computation);
    for (size_t i = 0; i < program_.constants.size(); ++i) {
      const Constant& constant = program_.constants[i];
      out_ << "constant " << i << ": " << constant.bytes.size() << " bytes, %"
           << constant.instruction->name() << '\n';
    }
  }

 private:
  void Print(const CompiledComputation& computation) {
    const size_t num_outputs = computation.sharing.size();
    out_ << "computation %" << computation.computation->name() << ": " << computation.num_parameters
         << (computation.num_parameters == 1 ? " parameter, " : " parameters, ") << num_outputs
         << (num_outputs == 1 ? " output" : " outputs") << ", frame of " << computation.frame_bytes
         << " bytes (at least " << computation.live_bytes << " at a time)\n";
    for (size_t i = 0; i < computation.steps.size(); ++i) {
      out_ << "  " << i << "  ";
      std::visit([&](const auto& action) { Print(action); }, computation.steps[i].action);
      out_ << '\n';
    }
    for (size_t i = 0; i < computation.frame.size(); ++i) {
      const FrameBuffer& buffer = computation.frame[i];
      out_ << "  frame " << i << ": " << buffer.bytes << " bytes at " << buffer.offset << ", step";
      if (buffer.first_step == buffer.last_step) {
        out_ << ' ' << buffer.first_step;
      } else {
        out_ << "s " << buffer.first_step << " to " << buffer.last_step;
      }
      out_ << ", " << ContentName(buffer.content) << " of %" << buffer.instruction->name() << '\n';
    }
  }

  void Print(const Place& place) { out_ << KindName(place.kind) << ' ' << place.number; }
  void Print(const std::vector<Place>& places) {
    for (size_t i = 0; i < places.size(); ++i) {
      if (i > 0) out_ << ", ";
      Print(places[i]);
    }
  }

  void Print(const CopyStep& copy) {
    out_ << "copy " << copy.bytes << " bytes: ";
    Print(copy.from);
    out_ << " -> ";
    Print(copy.to);
  }
  void Print(const LaunchStep& launch) {
    const emit::Kernel& kernel = program_.kernels[launch.kernel];
    out_ << "launch " << kernel.name << ": ";
    bool is_output = false;
    for (size_t i = 0; i < launch.arguments.size(); ++i) {
      const bool begins_outputs = !is_output && kernel.arguments[i].is_output();
      if (kernel.arguments[i].is_scratch()) {
        out_ << (kernel.arguments[i].is_zeros ? ", zeros " : ", scratch ");
      } else if (begins_outputs) {
        out_ << (i > 0 ? " -> " : "-> ");
        is_output = true;
      } else if (i > 0) {
        out_ << ", ";
      }
      Print(launch.arguments[i]);
      if (kernel.arguments[i].updates.has_value()) {
        out_ << " (updates ";
        Print(launch.arguments[*kernel.arguments[i].updates]);
        out_ << ')';
      }
    }
  }
  llvm::StringRef NameOf(size_t computation) const {
    return program_.computations[computation].computation->name();
  }
  void Print(const CallStep& call) {
    out_ << "call %" << NameOf(call.computation) << " in frame " << call.frame << ": ";
    Print(call.parameters);
    out_ << " -> ";
    Print(call.outputs);
  }
  void Print(const WhileStep& loop) {
    out_ << "while %" << NameOf(loop.condition) << " repeat %" << NameOf(loop.body) << " in frame "
         << loop.frame << ", ";
    Print(loop.predicate);
    for (size_t i = 0; i < loop.state.size(); ++i) {
      const LoopState& state = loop.state[i];
      out_ << "\n       state " << i << ": ";
      Print(state.initial);
      if (state.initial == state.place) {
        out_ << (state.second.has_value() ? "" : ", in place");
      } else {
        out_ << " -> ";
        Print(state.place);
      }
      if (!state.second.has_value()) continue;
      out_ << " and ";
      Print(*state.second);
    }
  }
  void Print(const ConditionalStep& conditional) {
    out_ << "conditional on ";
    Print(conditional.selector);
    out_ << " in frame " << conditional.frame << " -> ";
    Print(conditional.outputs);
    for (const ConditionalStep::Branch& branch : conditional.branches) {
      out_ << "\n       %" << NameOf(branch.computation) << ": ";
      Print(branch.parameters);
    }
  }

  const Program& program_;
  llvm::raw_ostream& out_;
};

}  // namespace

void Program::Print(llvm::raw_ostream& out) const { ProgramPrinter(*this, out).Print(); }

}  // namespace hlo_indexing::program
