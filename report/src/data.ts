// The data of the page: JSON, compressed, in elements of the document.
import {unzlibSync} from 'fflate';
import {type IndexingMap, parseMap} from './affine';

/** As `explain --format=json` has it. */
export interface ModuleRecord {
  file: string;
  module: string;
  plan: string;
  device: string;
  kernels: number;
  moved_bytes: number;
  needed_bytes: number;
  wasted_bytes: number;
  dram_bytes: number;
  exact: boolean;
  dram_exact: boolean;
  estimated_us: number;
  kernels_not_tried: number;
  not_shown: {instruction: string; opcode: string; reason: string}[];
}

/** The name of a module; texts without a header have none, but a file. */
export function titleOf({module, file}: ModuleRecord): string {
  return module || file.slice(file.lastIndexOf('/') + 1);
}

export interface PlanCure {
  change: string;
  output?: number;
  layout?: string;
  copy_bytes?: number;
  variant?: string;
  hero?: string;
  at?: string;
  array_bytes?: number;
  vector_elements?: number;
  moved_bytes: number;
  moved_bytes_now: number;
  requests: number;
  requests_now: number;
  estimated_us: number;
  estimated_us_now: number;
  exact: boolean;
}

export interface KernelRecord {
  computation: string;
  instruction: string;
  line: number;
  column: number;
  emitter: string;
  variant: string;
  blocks: number[];
  threads: number[];
  refused?: string;
  moved_bytes: number;
  needed_bytes: number;
  wasted_bytes: number;
  dram_bytes: number;
  efficiency: string;
  exact: boolean;
  dram_exact: boolean;
  unknown_accesses: number;
  estimated_us: number;
  bound: string;
  dram_bandwidth_share: number;
  cures?: PlanCure[];
  changes_tried?: number;
  changes_left_out?: number;
  before?: {moved_bytes: number; wasted_bytes: number; estimated_us: number};
}

export interface AccessRecord {
  access: 'load' | 'store' | 'atomic';
  space: 'global' | 'shared';
  array_name?: string;
  operand?: number;
  array?: number;
  output?: number;
  tile?: number;
  hero?: string;
  layout?: string;
  vector_bytes?: number;
  requests?: number;
  sectors?: number;
  ideal_sectors?: number;
  distinct_sectors?: number;
  wavefronts?: number;
  ideal_wavefronts?: number;
  exact: boolean;
  reason?: string;
  cause?: string;
  broken_by?: string;
  stride_bytes?: number;
  stride_bits?: number;
  origin?: {instruction: string; line: number; column: number};
  hint?: string;
  cure?: {layout: string; sectors: number; sectors_now: number; copy_bytes: number};
}

/** What the table of the overview knows of a kernel. */
export interface KernelEntry {
  record: KernelRecord;
  opcode: string;
  op_name?: string;
  source?: string;
  chunk: number;
  place: number;
  /** The part of the address behind `#`, decoded. */
  link: string;
}

export interface EarlierKernel {
  computation: string;
  instruction: string;
  moved_bytes: number;
  wasted_bytes: number;
  estimated_us: number;
}

export interface ModuleData {
  record: ModuleRecord;
  earlier?: EarlierKernel[];
  kernels: KernelEntry[];
}

export interface Summary {
  tool_version: string;
  before?: string;
  modules: ModuleData[];
}

/** The number of a map in the table of a chunk; null for the unknown map. */
type MapNumber = number | null;

export interface OperandReads {
  operand: number;
  array: number;
  exactness: 'exact' | 'superset' | 'unknown';
  reason?: string;
  of_other_devices?: boolean;
  maps: MapNumber[];
}

export interface Reads {
  unknown?: string;
  operands: OperandReads[];
}

export interface ArrayInfo {
  name: string;
  operand?: number;
  array: number;
  shape: string;
  sizes?: number[];
  bits?: number;
  layout?: string;
  positions?: number;
  wasted_bytes?: number;
  position?: MapNumber;
  element?: MapNumber;
}

export interface OutputInfo extends ArrayInfo {
  reads: Reads;
  goes_to: Reads;
}

export interface GraphNode {
  name: string;
  opcode: string;
  shape: string;
  line: number;
  text: string;
  root?: boolean;
  given?: boolean;
  operands?: string[];
  /** The computations that it calls. */
  calls?: string[];
  reads?: Reads;
}

export interface Access {
  record: AccessRecord;
  bits: number;
  vector: number;
  element: MapNumber;
  position: MapNumber;
}

export interface Tile {
  hero: string;
  layout: string;
  bits: number;
  bytes: number;
  sizes: number[];
  strides: number[];
  swizzle?: [number, number, number];
  accesses: {access: 'store' | 'load'; vector: number; position: MapNumber}[];
}

export interface UtilizationRecord {
  operand: number;
  operand_name: string;
  elements?: number;
  elements_read?: number;
  lower?: number;
  upper?: number;
  bytes?: number;
  exact: boolean;
  reason?: string;
  unread: {offset: number[]; size: number[]; stride: number[]}[] | null;
  unread_depends_on_runtime?: boolean;
}

export interface Pass {
  instruction: string;
  output?: number;
  vector: number;
  map: MapNumber;
}

interface DetailRecord {
  nodes: GraphNode[];
  /** What the instructions call, and what these call. */
  computations?: {name: string; nodes: GraphNode[]}[];
  inputs: ArrayInfo[];
  outputs: OutputInfo[];
  accesses: Access[];
  shared_accesses: AccessRecord[];
  tiles: Tile[];
  utilization?: UtilizationRecord[];
  passes: Pass[];
}

interface Chunk {
  maps: {text: string; runtime?: string[]}[];
  kernels: DetailRecord[];
}

/** All about one kernel. */
export interface KernelDetails extends DetailRecord {
  map(number: MapNumber | undefined): IndexingMap | null;
  mapText(number: MapNumber): string;
  /** The instructions of a computation that is called. */
  computation(name: string): GraphNode[];
  /** The instructions whose values the runtime variables of a map are. */
  runtimeOf(number: MapNumber): string[];
}

/** Not by the browser's own DecompressionStream, which those before 2023 lack. */
function unpack(id: string): string {
  const text = document.getElementById(id)?.textContent;
  if (!text) throw new Error(`the page has no data '${id}'; it has not been saved whole`);
  const binary = atob(text);
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) packed[i] = binary.charCodeAt(i);
  return new TextDecoder().decode(unzlibSync(packed));
}

export function loadSummary(): Summary {
  const summary = JSON.parse(unpack('summary')) as Summary;
  const all = summary.modules.flatMap(({kernels}) => kernels);
  const counts = new Map<string, number>();
  for (const {record} of all) counts.set(record.instruction, (counts.get(record.instruction) ?? 0) + 1);
  const used = new Map<string, number>();
  for (const kernel of all) {
    const {instruction, computation} = kernel.record;
    const name = counts.get(instruction) === 1 ? instruction : `${computation}:${instruction}`;
    const number = used.get(name) ?? 0;
    used.set(name, number + 1);
    kernel.link = number === 0 ? name : `${name}:${number}`;
  }
  return summary;
}

/** Few are kept: a chunk takes some megabytes. */
const MOST_CHUNKS = 4;
const chunks = new Map<number, Chunk>();

function loadChunk(number: number): Chunk {
  let chunk = chunks.get(number);
  if (chunk === undefined) {
    chunk = JSON.parse(unpack(`chunk-${number}`)) as Chunk;
    chunks.set(number, chunk);
    if (chunks.size > MOST_CHUNKS) chunks.delete(chunks.keys().next().value!);
  }
  return chunk;
}

export function loadDetails(kernel: KernelEntry): KernelDetails {
  const chunk = loadChunk(kernel.chunk);
  const parsed = new Map<number, IndexingMap>();
  const record = chunk.kernels[kernel.place]!;
  const computations = new Map(record.computations?.map(({name, nodes}) => [name, nodes]));
  return {
    ...record,
    map(number) {
      if (number === null || number === undefined) return null;
      let map = parsed.get(number);
      if (map === undefined) {
        map = parseMap(chunk.maps[number]!.text);
        parsed.set(number, map);
      }
      return map;
    },
    mapText(number) {
      return number === null ? 'UNKNOWN' : chunk.maps[number]!.text;
    },
    computation(name) {
      return computations.get(name)!;
    },
    runtimeOf(number) {
      return number === null ? [] : (chunk.maps[number]!.runtime ?? []);
    },
  };
}
