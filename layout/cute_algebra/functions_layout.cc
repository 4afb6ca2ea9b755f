// Functions of the calculator on layouts: what makes them, takes them apart, and the algebra.
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "layout/cute_algebra/composition.h"
#include "layout/cute_algebra/functions.h"
#include "layout/cute_algebra/inverse.h"
#include "layout/cute_algebra/modes.h"
#include "layout/cute_algebra/recast.h"
#include "layout/cute_algebra/tuple.h"
#include "llvm/ADT/STLExtras.h"
#include "support/status_macros.h"

namespace hlo_indexing::layout {
namespace {

using Arguments = CuteArguments;

// ---- Making layouts.

CuteOutcome MakeLayout(const Arguments& arguments) {
  if (arguments.Is<CuteTensor>(0)) {
    std::vector<CuteLayout> modes;
    for (size_t i = 0; i < arguments.size(); ++i) {
      HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout mode, arguments.Layout(i));
      modes.push_back(std::move(mode));
    }
    return ResultOf(Concatenate(modes));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple shape, arguments.Tuple(0));
  if (arguments.size() == 1) return ResultOf(ColumnMajor(shape));
  if (arguments.size() > 2) {
    return absl::InvalidArgumentError(
        "a layout has a shape and strides, or modes that are layouts");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, arguments.Tuple(1));
  return ResultOf(CuteLayout::Create(std::move(shape), std::move(stride)));
}

template <absl::StatusOr<CuteLayout> (*make)(const IntTuple&)>
CuteOutcome FromShape(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(0));
  return ResultOf(make(shape));
}

CuteOutcome MakeOrderedLayout(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple shape, arguments.Shape(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple order, arguments.Tuple(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple stride, OrderedStrides(shape, order));
  return ResultOf(CuteLayout::Create(std::move(shape), std::move(stride)));
}

// ---- Modes.

CuteOutcome Get(const Arguments& arguments) {
  std::vector<int64_t> path;
  for (size_t i = 1; i < arguments.size(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t index, arguments.Number(i));
    path.push_back(index);
  }
  if (!arguments.Is<CuteTensor>(0)) {
    HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple tuple, arguments.Tuple(0));
    for (const int64_t index : path) {
      HLO_INDEXING_ASSIGN_OR_RETURN(IntTuple mode, ModeAt(tuple, index));
      tuple = std::move(mode);
    }
    return ResultOf(absl::StatusOr<IntTuple>(std::move(tuple)));
  }
  return OnLayout(arguments, [&](const CuteLayout& layout) -> absl::StatusOr<CuteLayout> {
    CuteLayout part = layout;
    for (const int64_t index : path) {
      HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout mode, ModeOf(part, index));
      part = std::move(mode);
    }
    return part;
  });
}

CuteOutcome Select(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple indices, arguments.Tuple(1));
  return OnLayout(arguments, [&](const CuteLayout& layout) -> absl::StatusOr<CuteLayout> {
    std::vector<CuteLayout> modes;
    const llvm::SmallVector<TupleInteger, 4> leaves = indices.Leaves();
    for (const TupleInteger& index : leaves) {
      HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout mode, ModeOf(layout, index.value));
      modes.push_back(std::move(mode));
    }
    return Concatenate(modes);
  });
}

CuteOutcome Take(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const ModeRange range, arguments.Range(1));
  return OnLayout(arguments, [&](const CuteLayout& layout) { return TakeModes(layout, range); });
}

CuteOutcome Group(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const ModeRange range, arguments.Range(1));
  return OnLayout(arguments, [&](const CuteLayout& layout) { return GroupModes(layout, range); });
}

// What an edit of the modes does with the second argument, a layout.
using ModesEdit = void (*)(std::vector<CuteLayout>&, const CuteLayout&);

CuteOutcome EditModes(const Arguments& arguments, ModesEdit edit) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout other, arguments.Layout(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<CuteLayout> modes, ModesOf(layout));
  edit(modes, other);
  return ResultOf(Concatenate(modes));
}

CuteOutcome Replace(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t index, arguments.Number(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout other, arguments.Layout(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(std::vector<CuteLayout> modes, ModesOf(layout));
  if (index < 0 || index >= layout.rank()) {
    return absl::InvalidArgumentError(layout.ToString() + " has no mode " + std::to_string(index));
  }
  modes[index] = std::move(other);
  return ResultOf(Concatenate(modes));
}

template <absl::StatusOr<CuteLayout> (*whole)(const CuteLayout&),
          absl::StatusOr<CuteLayout> (*by_mode)(const CuteLayout&, const IntTuple&)>
CuteOutcome WithProfile(const Arguments& arguments) {
  if (arguments.size() == 1) return OnLayout(arguments, whole);
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple profile, arguments.Tuple(1));
  return OnLayout(arguments, [&](const CuteLayout& layout) { return by_mode(layout, profile); });
}

template <absl::StatusOr<CuteLayout> (*operation)(const CuteLayout&)>
CuteOutcome OnAny(const Arguments& arguments) {
  return OnLayout(arguments, operation);
}

CuteOutcome Cosize(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  TupleInteger size;
  if (const CuteLayout* layout = tensor.plain()) {
    HLO_INDEXING_ASSIGN_OR_RETURN(size, CosizeWithKind(*layout));
  } else {
    HLO_INDEXING_ASSIGN_OR_RETURN(size.value, tensor.composed()->Cosize());
  }
  return ResultOf(absl::StatusOr<TupleInteger>(size));
}

CuteOutcome MakeStatic(const Arguments& arguments) {
  return OnLayout(arguments, [](const CuteLayout& layout) -> absl::StatusOr<CuteLayout> {
    return AsStatic(layout);
  });
}

// ---- The algebra.

CuteOutcome Composed(const Arguments& arguments) {
  const bool has_offset = arguments.size() == 3;
  TupleInteger offset = StaticInteger(0);
  if (has_offset) {
    HLO_INDEXING_ASSIGN_OR_RETURN(offset, arguments.Integer(1));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout inner, arguments.Layout(has_offset ? 2 : 1));
  if (inner.has_axes()) {
    return absl::InvalidArgumentError("composed: the inner layout maps to coordinates");
  }
  if (arguments.Is<CuteSwizzle>(0)) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteSwizzle swizzle, arguments.Swizzle(0));
    return ResultOf(CuteTensor{ComposedLayout{swizzle, offset, std::move(inner)}});
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(CuteLayout outer, arguments.Layout(0));
  return ResultOf(CuteTensor{ComposedLayout{std::move(outer), offset, std::move(inner)}});
}

CuteOutcome ComplementOf(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout layout, arguments.Layout(0));
  if (arguments.size() == 1) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout filtered, Filter(layout));
    const CuteModes modes = FlatModes(filtered);
    const bool is_known = modes.size() == 1 || llvm::all_of(modes, [](const CuteMode& mode) {
                            return mode.stride.is_static();
                          });
    if (!is_known) {
      return absl::InvalidArgumentError(
          "complement: the size is not known statically; give it, complement(layout, size)");
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger cosize, CosizeWithKind(filtered));
    return ResultOf(Complement(layout, IntTuple::Integer(cosize)));
  }
  if (arguments.Is<CuteTensor>(1)) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteLayout other, arguments.Layout(1));
    HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger cosize, CosizeWithKind(other));
    return ResultOf(Complement(layout, IntTuple::Integer(cosize)));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Tuple(1));
  return ResultOf(Complement(layout, shape));
}

template <auto operation>
CuteOutcome InverseOf(const Arguments& arguments) {
  // `_` stands for the identity.
  if (arguments.Is<CuteTree>(0) && std::get<CuteTree>(arguments[0]).is_underscore()) {
    return ResultOf(absl::StatusOr<CuteTree>(CuteTree::Underscore()));
  }
  return OfLayout<operation>(arguments);
}

CuteOutcome InShape(const Arguments& arguments) {
  if (arguments.size() > 2) {
    return absl::InvalidArgumentError("the shape is one argument: with_shape(layout, (4,8))");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(1));
  return OnLayout(arguments, [&](const CuteLayout& layout) { return WithShape(layout, shape); });
}

template <absl::StatusOr<CuteTensor> (*operation)(const CuteTensor&, int64_t)>
CuteOutcome ByFactor(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t factor, arguments.Number(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  return ResultOf(operation(tensor, factor));
}

CuteOutcome RecastLayout(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t old_bits, arguments.ElementBits(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const int64_t new_bits, arguments.ElementBits(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTensor tensor, arguments.Tensor(0));
  return ResultOf(Recast(tensor, old_bits, new_bits));
}

CuteOutcome Distribute(const Arguments& arguments) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const IntTuple shape, arguments.Shape(0));
  HLO_INDEXING_ASSIGN_OR_RETURN(const TupleInteger n, arguments.Integer(1));
  return ResultOf(DomainDistribute(shape, n));
}

constexpr CuteFunction kFunctions[] = {
    {"make_layout", 1, 64, "shape[, stride] | layout, layout, ...", MakeLayout},
    {"make_layout_left", 1, 1, "shape", FromShape<ColumnMajor>},
    {"make_layout_right", 1, 1, "shape", FromShape<RowMajor>},
    {"make_ordered_layout", 2, 2, "shape, order", MakeOrderedLayout},
    {"make_layout_like", 1, 1, "layout", OfLayout<CompactLike>},
    {"make_identity_layout", 1, 1, "shape", FromShape<IdentityLayout>},
    {"get", 2, 16, "layout, mode, ...", Get},
    {"layout", 2, 16, "layout, mode, ...", Get},
    {"select", 2, 2, "layout, (mode,...)", Select},
    {"take", 3, 3, "layout, begin, end", Take},
    {"group", 3, 3, "layout, begin, end", Group},
    {"append", 2, 2, "layout, mode",
     [](const Arguments& arguments) {
       return EditModes(arguments, [](std::vector<CuteLayout>& modes, const CuteLayout& other) {
         modes.push_back(other);
       });
     }},
    {"prepend", 2, 2, "layout, mode",
     [](const Arguments& arguments) {
       return EditModes(arguments, [](std::vector<CuteLayout>& modes, const CuteLayout& other) {
         modes.insert(modes.begin(), other);
       });
     }},
    {"replace", 3, 3, "layout, mode, layout", Replace},
    {"static", 1, 1, "layout", MakeStatic},
    {"flatten", 1, 1, "layout", OnAny<Flattened>},
    {"coalesce", 1, 2, "layout[, profile]", WithProfile<Coalesce, Coalesce>},
    {"filter", 1, 2, "layout[, profile]", WithProfile<Filter, Filter>},
    {"filter_zeros", 1, 1, "layout", OnAny<FilterZeros>},
    {"cosize", 1, 1, "layout", Cosize},
    {"composition", 2, 3, "A, B | A, tiler | A, offset, B", ComposeValues},
    {"composed", 2, 3, "function, layout | function, offset, layout", Composed},
    {"with_shape", 2, 64, "layout, shape", InShape},
    {"complement", 1, 2, "layout[, size]", ComplementOf},
    {"right_inverse", 1, 1, "layout", InverseOf<RightInverse>},
    {"left_inverse", 1, 1, "layout", InverseOf<LeftInverse>},
    {"nullspace", 1, 1, "layout", OfLayout<NullSpace>},
    {"upcast", 2, 2, "layout, n", ByFactor<Upcast>},
    {"downcast", 2, 2, "layout, n", ByFactor<Downcast>},
    {"recast_layout", 3, 3, "layout, old type, new type", RecastLayout},
    {"max_common_layout", 2, 2, "A, B", OfTwoLayouts<MaxCommonLayout>},
    {"max_common_vector", 2, 2, "A, B", OfTwoLayouts<MaxCommonVector>},
    {"max_alignment", 1, 1, "layout", OfLayout<MaxAlignment>},
    {"domain_distribute", 2, 2, "shape, n", Distribute},
};

}  // namespace

CuteOutcome ComposeValues(const CuteArguments& arguments) {
  if (arguments.size() == 3) return Composed(arguments);
  if (arguments.Is<CuteSwizzle>(0)) {
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteSwizzle swizzle, arguments.Swizzle(0));
    if (!arguments.Is<CuteSwizzle>(1)) return Composed(arguments);
    HLO_INDEXING_ASSIGN_OR_RETURN(const CuteSwizzle other, arguments.Swizzle(1));
    return ResultOf(Compose(swizzle, other));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const CuteTree tiler, arguments.Tree(1));
  return OnLayout(arguments, [&](const CuteLayout& layout) { return Compose(layout, tiler); });
}

llvm::ArrayRef<CuteFunction> CuteLayoutFunctions() { return kFunctions; }

}  // namespace hlo_indexing::layout
