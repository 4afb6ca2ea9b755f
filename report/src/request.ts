// What the lanes of one warp access by one instruction.
import {type IndexingMap, isInDomain} from './affine';

export const LANES = 32;
export const SECTOR_BITS = 256;
export const BANKS = 32;
const WORD_BITS = 32;

/** Where a map from threads, blocks and loops is looked at. */
export interface WarpPlace {
  /** The number of the warp in its block, 32 threads each. */
  warp: number;
  /** The numbers of the block in x, y and z. */
  block: readonly number[];
  /** The values of the ranges, then of the variables known at run time. */
  symbols: readonly number[];
}

/** Where the access of a lane begins, in elements; null if it accesses nothing. */
export type LanePositions = (number | null)[];

/**
 * By lane. The map leads from (th_x, th_y, th_z, bl_x, bl_y, bl_z)[loops]{run time} to a position;
 * threads of a block of these sizes are numbered x first.
 */
export function positionsOf(map: IndexingMap, threads: readonly number[], place: WarpPlace): LanePositions {
  const [x = 1, y = 1, z = 1] = threads;
  return Array.from({length: LANES}, (_, lane) => {
    const thread = place.warp * LANES + lane;
    if (thread >= x * y * z) return null;
    const values = [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y)), ...place.block, ...place.symbols];
    if (!isInDomain(map, values)) return null;
    return map.results[0]!.evaluate(values);
  });
}

export interface SectorCounts {
  /** The numbers of the sectors in ascending order. */
  sectors: number[];
  /** As few as would hold the same bytes. */
  ideal: number;
}

/** Of accesses of `vector` elements each. */
export function sectorsOf(positions: LanePositions, bits: number, vector: number): SectorCounts {
  const width = bits * vector;
  const offsets = positions.filter((position) => position !== null).map((position) => position * bits);
  offsets.sort((a, b) => a - b);
  const sectors = new Set<number>();
  let used = 0;
  let end = -Infinity;
  for (const offset of offsets) {
    used += offset + width - Math.max(end, offset);
    end = offset + width;
    for (let s = Math.floor(offset / SECTOR_BITS); s * SECTOR_BITS < end; s++) sectors.add(s);
  }
  return {sectors: [...sectors], ideal: Math.ceil(used / SECTOR_BITS)};
}

/** A part of a sector that is for one lane, in bits of the sector. */
export interface SectorPart {
  lane: number;
  sector: number;
  begin: number;
  end: number;
}

/** The same bytes without gaps, in their order, from the beginning of sector 0; what several lanes want is the first one's. */
export function sideBySide(positions: LanePositions, bits: number, vector: number): SectorPart[] {
  const accesses = positions.flatMap((position, lane) => (position === null ? [] : [{lane, offset: position * bits}]));
  accesses.sort((a, b) => a.offset - b.offset);
  const parts: SectorPart[] = [];
  let reached = -Infinity;
  let at = 0;
  for (const {lane, offset} of accesses) {
    const end = at + Math.max(0, offset + bits * vector - Math.max(reached, offset));
    reached = Math.max(reached, offset + bits * vector);
    while (at < end) {
      const sector = Math.floor(at / SECTOR_BITS);
      const next = Math.min(end, (sector + 1) * SECTOR_BITS);
      parts.push({lane, sector, begin: at - sector * SECTOR_BITS, end: next - sector * SECTOR_BITS});
      at = next;
    }
  }
  return parts;
}

/** A swizzle of CuTe: bits, base, shift. */
export function swizzled(position: number, swizzle: readonly [number, number, number] | undefined): number {
  if (swizzle === undefined) return position;
  const [bits, base, shift] = swizzle;
  // Numbers may be beyond the 32 bits of JavaScript's own operators.
  const value = BigInt(position);
  const mask = ((1n << BigInt(bits)) - 1n) << BigInt(base + Math.max(0, shift));
  const source = value & mask;
  const moved = shift >= 0 ? source >> BigInt(shift) : source << BigInt(-shift);
  return Number(value ^ moved);
}

/** What a pass over the banks serves: by bank, the words that are wanted, and by which lanes. */
export interface Wavefronts {
  /** For each pass the words of every bank. */
  passes: Map<number, number[]>[][];
  wavefronts: number;
  ideal: number;
}

export function wavefrontsOf(positions: LanePositions, bits: number, vector: number): Wavefronts {
  const width = bits * vector;
  const words = Math.max(1, Math.floor(width / WORD_BITS));
  const lanesAtOnce = LANES / words;
  const result: Wavefronts = {passes: [], wavefronts: 0, ideal: 0};
  for (let begin = 0; begin < LANES; begin += lanesAtOnce) {
    const banks = Array.from({length: BANKS}, () => new Map<number, number[]>());
    let isUsed = false;
    for (let lane = begin; lane < begin + lanesAtOnce; lane++) {
      const position = positions[lane];
      if (position === null || position === undefined) continue;
      isUsed = true;
      const first = Math.floor((position * bits) / WORD_BITS);
      const last = Math.floor((position * bits + width - 1) / WORD_BITS);
      for (let word = first; word <= last; word++) {
        const lanes = banks[word % BANKS]!;
        lanes.set(word, [...(lanes.get(word) ?? []), lane]);
      }
    }
    if (!isUsed) continue;
    result.passes.push(banks);
    result.wavefronts += Math.max(...banks.map((lanes) => lanes.size));
    result.ideal++;
  }
  return result;
}
