// Sets of indices: where a map leads from the indices in a box.
import type {Bounds, Constraint, IndexingMap, Linear, Term} from './affine';

/** first, first + step, first + 2 step, ...: `count` numbers; the step is positive. */
export interface Run {
  first: number;
  step: number;
  count: number;
}

/** Numbers in ascending order, each once. */
export type Values = Run | Float64Array;

/** Some of the results of a map, and the tuples of values that they have together. */
export interface Part {
  results: number[];
  /** Of one result its values; of several those of each for every tuple. */
  values: Values | Float64Array[];
  size: number;
}

/** A set of indices: the product of its parts, each result in one of them. */
export interface IndexSet {
  parts: Part[];
  /** Every index of the set is one for some choice of values known at run time only. */
  dependsOnRuntime: boolean;
  /** The parts are bounding boxes, as there were too many points to try. */
  isBox: boolean;
}

/** How many points may be tried, of all maps that are looked at together. */
export interface Budget {
  points: number;
}

/** So many take about a tenth of a second on a slow machine. */
export const MOST_POINTS = 1 << 17;

export const isRun = (values: Part['values']): values is Run => 'step' in values;

export const runOf = (lower: number, upper: number): Run => ({first: lower, step: 1, count: upper - lower + 1});

export function partOf(result: number, values: Values): Part {
  return {results: [result], values, size: isRun(values) ? values.count : values.length};
}

/** All indices of a box. */
export function setOfBox(box: readonly Bounds[]): IndexSet {
  return {parts: box.map(({lower, upper}, i) => partOf(i, runOf(lower, upper))), dependsOnRuntime: false, isBox: false};
}

/**
 * The values of a sum of multiples, where they are evenly spaced: multiples of the smallest factor,
 * each other one of which begins where the smaller ones end, or before. Null where they are not.
 */
function valuesOfSum({factors, constant}: Linear, bounds: readonly Bounds[]): Run | null {
  let first = constant;
  const steps: {step: number; count: number}[] = [];
  for (const [variable, factor] of factors) {
    const {lower, upper} = bounds[variable]!;
    first += factor * (factor < 0 ? upper : lower);
    if (factor !== 0 && lower < upper) steps.push({step: Math.abs(factor), count: upper - lower + 1});
  }
  steps.sort((a, b) => a.step - b.step);
  const run: Run = {first, step: steps[0]?.step ?? 1, count: 1};
  for (const {step, count} of steps) {
    if (step % run.step !== 0 || step > run.step * run.count) return null;
    run.count += (step / run.step) * (count - 1);
  }
  return Number.isSafeInteger(first + run.step * run.count) && Number.isSafeInteger(first) ? run : null;
}

/** Every point of a box: the values of each variable of `variables`. */
function pointsOf(variables: readonly number[], bounds: readonly Bounds[]): {columns: Float64Array[]; count: number} {
  const count = variables.reduce((n, i) => n * (bounds[i]!.upper - bounds[i]!.lower + 1), 1);
  const columns: Float64Array[] = [];
  let repeated = 1;
  for (const variable of [...variables].reverse()) {
    const {lower, upper} = bounds[variable]!;
    const column = new Float64Array(count);
    let at = 0;
    while (at < count) {
      for (let value = lower; value <= upper; value++) {
        column.fill(value, at, at + repeated);
        at += repeated;
      }
    }
    repeated *= upper - lower + 1;
    columns[variable] = column;
  }
  return {columns, count};
}

/** The points at which the constraints hold. */
function kept(columns: Float64Array[], count: number, constraints: readonly Constraint[]): {columns: Float64Array[]; count: number} {
  if (constraints.length === 0) return {columns, count};
  const places = new Int32Array(count);
  let found = 0;
  const tested = constraints.map(({term, lower, upper}) => ({values: term.column(columns, count), lower, upper}));
  for (let i = 0; i < count; i++) {
    if (tested.every(({values, lower, upper}) => values[i]! >= lower && values[i]! <= upper)) places[found++] = i;
  }
  return {columns: columns.map((column) => Float64Array.from({length: found}, (_, i) => column[places[i]!]!)), count: found};
}

const extremes = (values: Float64Array): Bounds => {
  let [lower, upper] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < lower) lower = value;
    if (value > upper) upper = value;
  }
  return {lower, upper};
};

/** A table of so many bytes is quicker than sorting. */
const MOST_TABLE = 1 << 24;

/** Numbers from 0 to `most`, each once and in order. */
export function sortedOnce(numbers: Float64Array, most: number): Float64Array {
  if (most >= MOST_TABLE) {
    const sorted = numbers.slice().sort();
    return sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]);
  }
  const table = new Uint8Array(most + 1);
  let count = 0;
  for (const number of numbers) {
    if (table[number] !== 0) continue;
    table[number] = 1;
    count++;
  }
  const found = new Float64Array(count);
  for (let number = 0, i = 0; i < count; number++) if (table[number] !== 0) found[i++] = number;
  return found;
}

/** The run that values in order are, if they are one. */
export function asRun(values: Float64Array): Values {
  const first = values[0]!;
  const step = values.length > 1 ? values[1]! - first : 1;
  return values.every((value, i) => value === first + i * step) ? {first, step, count: values.length} : values;
}

/** The tuples that columns have, each once; null if they are too far apart to be numbered. */
function tuplesOf(results: readonly number[], columns: readonly Float64Array[], count: number): Part | null {
  const ranges = columns.map(extremes);
  const sizes = ranges.map(({lower, upper}) => upper - lower + 1);
  const most = sizes.reduce((n, size) => n * size, 1) - 1;
  if (!Number.isSafeInteger(most)) return null;
  const numbers = new Float64Array(count);
  columns.forEach((column, k) => {
    const [size, {lower}] = [sizes[k]!, ranges[k]!];
    for (let i = 0; i < count; i++) numbers[i] = numbers[i]! * size + column[i]! - lower;
  });
  const found = sortedOnce(numbers, most);
  if (results.length === 1) return partOf(results[0]!, asRun(found.map((number) => number + ranges[0]!.lower)));
  const values: Float64Array[] = [];
  const rest = found.slice();
  for (let k = results.length - 1; k >= 0; k--) {
    const [size, {lower}] = [sizes[k]!, ranges[k]!];
    const column = new Float64Array(rest.length);
    for (let i = 0; i < rest.length; i++) {
      const quotient = Math.floor(rest[i]! / size);
      column[i] = rest[i]! - quotient * size + lower;
      rest[i] = quotient;
    }
    values[k] = column;
  }
  return {results: [...results], values, size: found.length};
}

/** Groups the variables: those that a result or a constraint has in common belong together. */
function groupsOf(map: IndexingMap): (variable: number) => number {
  const leader = map.variables.map((_, i) => i);
  const leaderOf = (i: number): number => (leader[i] === i ? i : leaderOf(leader[i]!));
  for (const {variables} of [...map.results, ...map.constraints.map(({term}) => term)]) {
    const [first, ...others] = variables;
    for (const other of others) leader[leaderOf(other)] = leaderOf(first!);
  }
  return leaderOf;
}

/**
 * Where a map leads from the indices in a box of its dimensions; null if nowhere. Exact, values
 * known at run time aside, unless isBox says otherwise.
 */
export function imageOf(map: IndexingMap, from: readonly Bounds[], budget: Budget = {points: MOST_POINTS}): IndexSet | null {
  if (map.isEmpty) return null;
  const bounds = map.variables.map(({lower, upper}, i) =>
    i < map.numDimensions
      ? {lower: Math.max(lower, from[i]!.lower), upper: Math.min(upper, from[i]!.upper)}
      : {lower, upper},
  );
  if (bounds.some(({lower, upper}) => lower > upper)) return null;
  const isConstant = (term: Term) => term.variables.size === 0;
  const holds = ({term, lower, upper}: Constraint) => {
    const value = term.evaluate([]);
    return value >= lower && value <= upper;
  };
  if (!map.constraints.filter(({term}) => isConstant(term)).every(holds)) return null;
  const set: IndexSet = {parts: [], dependsOnRuntime: false, isBox: false};
  const firstRuntime = map.numDimensions + map.numRanges;
  set.dependsOnRuntime = bounds.some(({lower, upper}, i) => i >= firstRuntime && lower < upper);
  const leaderOf = groupsOf(map);
  const belongs = (term: Term, leader: number) => {
    const [first] = term.variables;
    return first !== undefined && leaderOf(first) === leader;
  };
  for (const leader of new Set(bounds.map((_, i) => leaderOf(i)))) {
    const variables = bounds.map((_, i) => i).filter((i) => leaderOf(i) === leader);
    const results = map.results.map((_, i) => i).filter((i) => belongs(map.results[i]!, leader));
    const constraints = map.constraints.filter(({term}) => belongs(term, leader));
    if (results.length === 0 && constraints.length === 0) continue;
    const terms = results.map((i) => map.results[i]!);
    const {linear} = terms[0] ?? {linear: null};
    if (results.length === 1 && constraints.length === 0 && linear !== null) {
      const run = valuesOfSum(linear, bounds);
      if (run !== null) {
        set.parts.push(partOf(results[0]!, run));
        continue;
      }
    }
    const points = variables.reduce((n, i) => n * (bounds[i]!.upper - bounds[i]!.lower + 1), 1);
    if (points <= budget.points) {
      budget.points -= points;
      const all = pointsOf(variables, bounds);
      const {columns, count} = kept(all.columns, all.count, constraints);
      if (count === 0) return null;
      if (results.length === 0) continue;
      const part = tuplesOf(results, terms.map((term) => term.column(columns, count)), count);
      if (part !== null) {
        set.parts.push(part);
        continue;
      }
    }
    set.isBox = true;
    terms.forEach((term, i) => {
      const {lower, upper} = term.range(bounds);
      set.parts.push(partOf(results[i]!, runOf(lower, upper)));
    });
  }
  map.results.forEach((result, i) => {
    if (isConstant(result)) set.parts.push(partOf(i, runOf(result.evaluate([]), result.evaluate([]))));
  });
  return set;
}

/** How many indices a set has. */
export function sizeOf(set: IndexSet): number {
  return set.parts.reduce((n, {size}) => n * size, 1);
}
