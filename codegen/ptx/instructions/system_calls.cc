#include "codegen/ptx/instructions/system_calls.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/warp_access.h"

namespace hlo_indexing::ptx {
namespace {

// Bytes that all threads together may print, and those of one text.
constexpr size_t kMaxOutput = size_t{1} << 24;
constexpr size_t kMaxText = size_t{1} << 16;

struct CallDetails : OperationDetails {
  SystemCallPlaces places;
};

// The value of an argument, of up to 8 bytes, in a lane.
uint64_t Argument(const Operation& operation, const Execution& execution, size_t i, int lane) {
  const VariablePlace& place = operation.Details<CallDetails>().places.arguments[i];
  uint64_t value = 0;
  const std::byte* from =
      execution.warp->local(lane) + execution.warp->current().activation->local_base + place.offset;
  std::memcpy(&value, from, std::min<uint64_t>(place.size, sizeof(value)));
  return value;
}

void SetResult(const Operation& operation, const Execution& execution, int lane, uint64_t value) {
  const std::vector<VariablePlace>& results = operation.Details<CallDetails>().places.results;
  if (results.empty()) return;
  const uint64_t offset = execution.warp->current().activation->local_base + results.front().offset;
  const uint64_t size = std::min<uint64_t>(results.front().size, sizeof(value));
  std::memcpy(execution.warp->local(lane) + offset, &value, size);
  std::memset(execution.warp->local_is_written().data() +
                  static_cast<uint64_t>(lane) * execution.warp->local_capacity() + offset,
              1, size);
}

// Reads what a lane's generic address points to; nullopt (and a finding) where it points nowhere.
template <typename T>
std::optional<T> ReadAt(const Operation& operation, const Execution& execution, int lane,
                        uint64_t address) {
  WarpAccess access;
  access.bytes = sizeof(T);
  access.alignment = sizeof(T);
  access.lanes = LaneMask{1} << lane;
  access.addresses[static_cast<size_t>(lane)] = address;
  HostPointers pointers;
  if (ResolveAccess(operation, execution, access, pointers) == 0) return std::nullopt;
  T value;
  std::memcpy(&value, pointers[static_cast<size_t>(lane)], sizeof(T));
  return value;
}

std::string ReadText(const Operation& operation, const Execution& execution, int lane,
                     uint64_t address) {
  std::string text;
  while (text.size() < kMaxText) {
    const std::optional<char> next = ReadAt<char>(operation, execution, lane, address++);
    if (!next.has_value() || *next == '\0') break;
    text.push_back(*next);
  }
  return text;
}

// Reads the arguments of one lane's vprintf, which lie one after the other at their alignments.
class PrintArguments {
 public:
  PrintArguments(const Operation& operation, const Execution& execution, int lane, uint64_t address)
      : operation_(operation), execution_(execution), lane_(lane), address_(address) {}

  uint64_t Next(uint64_t size) {
    address_ = (address_ + size - 1) / size * size;
    const uint64_t at = address_;
    address_ += size;
    if (size == 8) return ReadAt<uint64_t>(operation_, execution_, lane_, at).value_or(0);
    return ReadAt<uint32_t>(operation_, execution_, lane_, at).value_or(0);
  }
  std::string Text(uint64_t address) const {
    return ReadText(operation_, execution_, lane_, address);
  }

 private:
  const Operation& operation_;
  const Execution& execution_;
  int lane_;
  uint64_t address_;
};

// snprintf into a string of any length (up to kMaxText).
template <typename... Values>
void AppendFormatted(std::string& out, const std::string& format, Values... values) {
  std::array<char, 512> buffer;
  const int size = std::snprintf(buffer.data(), buffer.size(), format.c_str(), values...);
  if (size < 0) return;
  if (static_cast<size_t>(size) < buffer.size()) {
    out.append(buffer.data(), static_cast<size_t>(size));
    return;
  }
  std::string large(std::min<size_t>(static_cast<size_t>(size), kMaxText) + 1, '\0');
  std::snprintf(large.data(), large.size(), format.c_str(), values...);
  large.pop_back();
  out += large;
}

// One directive of a format: flags, width, precision and length are checked, so that what reaches
// snprintf is a directive of the type that is passed. Returns the position behind it.
size_t AppendDirective(const std::string& format, size_t begin, PrintArguments& arguments,
                       std::string& out) {
  std::string directive = "%";
  size_t at = begin + 1;
  while (at < format.size() && std::strchr("-+ #0", format[at]) != nullptr && format[at] != '\0') {
    if (directive.size() < 8) directive += format[at];
    ++at;
  }
  const auto number = [&] {
    if (at < format.size() && format[at] == '*') {
      ++at;
      const auto value = static_cast<int32_t>(arguments.Next(4));
      directive += std::to_string(std::clamp<int32_t>(value, -4096, 4096));
      return;
    }
    int value = 0;
    bool has_digits = false;
    while (at < format.size() && format[at] >= '0' && format[at] <= '9') {
      value = std::min(value * 10 + (format[at] - '0'), 4096);
      has_digits = true;
      ++at;
    }
    if (has_digits) directive += std::to_string(value);
  };
  number();
  if (at < format.size() && format[at] == '.') {
    directive += '.';
    ++at;
    number();
  }
  bool is_long = false;
  while (at < format.size() && std::strchr("hlqjzt", format[at]) != nullptr && format[at] != '\0') {
    is_long |= format[at] != 'h';
    ++at;
  }
  if (at >= format.size()) {
    out.append(format, begin, std::string::npos);
    return format.size();
  }
  const char conversion = format[at++];
  switch (conversion) {
    case '%':
      out += '%';
      break;
    case 'd':
    case 'i':
      if (is_long) {
        AppendFormatted(out, directive + "lld",
                        static_cast<long long>(arguments.Next(8)));  // NOLINT(google-runtime-int)
      } else {
        AppendFormatted(out, directive + "d", static_cast<int>(arguments.Next(4)));
      }
      break;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (is_long) {
        AppendFormatted(out, directive + "ll" + conversion,
                        static_cast<unsigned long long>(  // NOLINT(google-runtime-int)
                            arguments.Next(8)));
      } else {
        AppendFormatted(out, directive + conversion, static_cast<unsigned>(arguments.Next(4)));
      }
      break;
    case 'c':
      AppendFormatted(out, directive + "c", static_cast<int>(arguments.Next(4)));
      break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      AppendFormatted(out, directive + conversion, std::bit_cast<double>(arguments.Next(8)));
      break;
    case 's':
      AppendFormatted(out, directive + "s", arguments.Text(arguments.Next(8)).c_str());
      break;
    case 'p':
      absl::StrAppend(&out, "0x", absl::Hex(arguments.Next(8)));
      break;
    default:
      out.append(format, begin, at - begin);
      break;
  }
  return at;
}

// vprintf(format, arguments) (CUDA C++ Programming Guide, "Formatted Output").
Step PrintFormatted(const Operation& operation, Execution& execution) {
  ForEachLane(execution.lanes, [&](int lane) {
    const std::string format =
        ReadText(operation, execution, lane, Argument(operation, execution, 0, lane));
    PrintArguments arguments(operation, execution, lane, Argument(operation, execution, 1, lane));
    std::string text;
    int directives = 0;
    for (size_t at = 0; at < format.size() && text.size() < kMaxText;) {
      if (format[at] != '%') {
        text += format[at++];
        continue;
      }
      ++directives;
      at = AppendDirective(format, at, arguments, text);
    }
    std::string& output = execution.launch->output;
    output.append(text, 0, kMaxOutput - std::min(kMaxOutput, output.size()));
    SetResult(operation, execution, lane, static_cast<uint64_t>(directives));
  });
  return Step::kNext;
}

// __assertfail(message, file, line, function, character size).
Step FailAssertion(const Operation& operation, Execution& execution) {
  const int lane = std::countr_zero(execution.lanes);
  const auto text = [&](size_t i) {
    return ReadText(operation, execution, lane, Argument(operation, execution, i, lane));
  };
  const std::string message =
      absl::StrCat("assertion '", text(0), "' failed in ", text(3), " at ", text(1), ":",
                   static_cast<uint32_t>(Argument(operation, execution, 2, lane)));
  ReportFinding(operation, execution, Check::kMemcheck, execution.lanes, message);
  execution.launch->is_stopped = true;
  execution.launch->stop_reason = message;
  return Step::kReschedule;
}

// malloc and free of the device's heap; a lane that gets nothing gets a null pointer.
Step AllocateFromHeap(const Operation& operation, Execution& execution) {
  ForEachLane(execution.lanes, [&](int lane) {
    const uint64_t bytes = Argument(operation, execution, 0, lane);
    const auto address = execution.launch->memory->Allocate(bytes, "malloc in a kernel", 16);
    SetResult(operation, execution, lane, address.ok() ? *address : 0);
  });
  return Step::kNext;
}

Step FreeToHeap(const Operation& operation, Execution& execution) {
  ForEachLane(execution.lanes, [&](int lane) {
    const uint64_t address = Argument(operation, execution, 0, lane);
    if (address == 0) return;
    const absl::Status status = execution.launch->memory->FreeDuringLaunch(address);
    if (!status.ok()) {
      ReportFinding(operation, execution, Check::kMemcheck, LaneMask{1} << lane,
                    absl::StrCat("free: ", status.message()));
    }
  });
  return Step::kNext;
}

struct Row {
  std::string_view name;
  Execute execute;
  // Bytes of each argument.
  std::vector<uint64_t> arguments;
};

}  // namespace

absl::Status EmitSystemCall(InstructionDecoder& decoder, std::string_view name,
                            SystemCallPlaces places) {
  static const std::vector<Row> kRows = {
      {"vprintf", PrintFormatted, {8, 8}},
      {"__assertfail", FailAssertion, {8, 8, 4, 8, 8}},
      {"malloc", AllocateFromHeap, {8}},
      {"free", FreeToHeap, {8}},
  };
  const auto row = std::ranges::find(kRows, name, &Row::name);
  if (row == kRows.end()) {
    return decoder.Error(absl::StrCat("function '", std::string(name),
                                      "' has no body in this module; of the driver's functions, "
                                      "vprintf, malloc, free and __assertfail are known"));
  }
  bool fits = places.arguments.size() == row->arguments.size();
  for (size_t i = 0; fits && i < row->arguments.size(); ++i) {
    fits = places.arguments[i].size == row->arguments[i];
  }
  if (!fits) {
    return decoder.Error(absl::StrCat("these are not the parameters of '", std::string(name), "'"));
  }
  auto details = std::make_shared<CallDetails>();
  details->places = std::move(places);
  return decoder.Emit(
      {.execute = row->execute, .pipe = Pipe::kControl, .details = std::move(details)});
}

}  // namespace hlo_indexing::ptx
