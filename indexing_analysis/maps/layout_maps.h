// Layouts as indexing maps: between the index of an element and its position in memory.
//
// They compose with the maps of instructions. What the kernel of an instruction reads, as positions
// in the operand's buffer by the position in its own, is
//
//   Compose(Compose(ElementMap(output), map of the instruction), PositionMap(operand))
//
// a `copy` between tiled buffers is RelayoutMap, and a `bitcast` is
// Compose(PositionMap(output), ElementMap(operand)).
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_LAYOUT_MAPS_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_LAYOUT_MAPS_H_

#include "indexing_analysis/maps/indexing_map.h"
#include "layout/relayout.h"
#include "layout/tiled_layout.h"

namespace hlo_indexing::indexing_analysis {

// All of these return the unknown map if an expression overflows or is so long that nobody could
// read it, and an empty one for arrays without elements.

/// From the index of an element to its position.
/// Example: f32[3,5]{0,1} -> (d0, d1) -> (d1 * 3 + d0), domain: d0 in [0, 2], d1 in [0, 4]
IndexingMap PositionMap(const layout::TiledLayout& layout, mlir::MLIRContext* context);

/// From the position to the index of the element there; positions of padding are not in the
/// domain. Example: f32[3,5]{0,1} -> (d0) -> (d0 mod 3, d0 floordiv 3), domain: d0 in [0, 14]
IndexingMap ElementMap(const layout::TiledLayout& layout, mlir::MLIRContext* context);

/// From positions of elements in `to` to their positions in `from`: what a copy reads.
/// Example: f32[3,5]{1,0} to {0,1} -> (d0) -> (d0 * 5 - (d0 floordiv 3) * 14), domain: d0 in
/// [0, 14]
IndexingMap RelayoutMap(const layout::TiledLayout& from, const layout::TiledLayout& to,
                        mlir::MLIRContext* context);

/// The same between any two placements, made in `digits`. Elements that share a position in `to`
/// are told apart by range variables.
IndexingMap RelayoutMap(simplifier::DigitContext& digits, const layout::ElementPositions& from,
                        const layout::ElementPositions& to, mlir::MLIRContext* context);

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_LAYOUT_MAPS_H_
