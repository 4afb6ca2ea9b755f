// Sets of elements of an array, as they are drawn and told.
import {withCommas} from './format';
import {type IndexSet, type Values, asRun, isRun, sortedOnce} from './image';

/** An array drawn as a matrix: the first dimensions are its rows, the others its columns. */
export interface Matrix {
  sizes: number[];
  /** How many dimensions the rows have. */
  split: number;
  rows: number;
  columns: number;
}

const product = (numbers: readonly number[]) => numbers.reduce((a, b) => a * b, 1);

/** The split that makes the matrix most like a screen. */
export function matrixOf(sizes: number[]): Matrix {
  const wanted = Math.log(2);
  let best: Matrix | null = null;
  let bestDistance = Infinity;
  for (let split = 0; split <= Math.max(0, sizes.length - 1); split++) {
    const rows = product(sizes.slice(0, split));
    const columns = product(sizes.slice(split));
    const distance = Math.abs(Math.log(Math.max(1, columns) / Math.max(1, rows)) - wanted);
    if (distance < bestDistance) {
      best = {sizes, split, rows, columns};
      bestDistance = distance;
    }
  }
  return best!;
}

export function cellOf(matrix: Matrix, index: readonly number[]): {row: number; column: number} {
  const at = (from: number, to: number) => {
    let position = 0;
    for (let i = from; i < to; i++) position = position * matrix.sizes[i]! + index[i]!;
    return position;
  };
  return {row: at(0, matrix.split), column: at(matrix.split, matrix.sizes.length)};
}

export function indexAt(matrix: Matrix, row: number, column: number): number[] {
  const index = new Array<number>(matrix.sizes.length).fill(0);
  const fill = (position: number, from: number, to: number) => {
    for (let i = to - 1; i >= from; i--) {
      index[i] = position % matrix.sizes[i]!;
      position = Math.floor(position / matrix.sizes[i]!);
    }
  };
  fill(row, 0, matrix.split);
  fill(column, matrix.split, matrix.sizes.length);
  return index;
}

/** Positions along a side of a matrix: sums of one value of each. */
export type Axis = Values[];

/** Cells of a matrix: all pairs of these rows and columns, or the pairs at equal places. */
export type Cells = {rows: Axis; columns: Axis} | {pairs: {rows: Float64Array; columns: Float64Array}};

/** So many pairs of an index and a part are written out for a picture. */
const MOST_CELLS = 1 << 18;

const lengthOf = (values: Values) => (isRun(values) ? values.count : values.length);
const countOf = (axis: Axis) => axis.reduce((n, values) => n * lengthOf(values), 1);

/** All positions of an axis, written out. */
export function positionsOf(axis: Axis): Float64Array {
  let positions = new Float64Array(1);
  for (const values of axis) {
    const count = lengthOf(values);
    const all = new Float64Array(positions.length * count);
    for (let i = 0; i < positions.length; i++) {
      for (let k = 0; k < count; k++) all[i * count + k] = positions[i]! + (isRun(values) ? values.first + k * values.step : values[k]!);
    }
    positions = all;
  }
  return positions;
}

const scaled = (values: Values, factor: number): Values =>
  isRun(values) ? {first: values.first * factor, step: values.step * factor, count: values.count} : values.map((value) => value * factor);

/** The cells of a set; null if they are too many to write out. */
export function cellsOf(matrix: Matrix, set: IndexSet): Cells | null {
  const rows: Axis = [];
  const columns: Axis = [];
  // What lies in rows and columns at once.
  const both: {row: Float64Array; column: Float64Array}[] = [];
  const strides = matrix.sizes.map((_, i) =>
    product(matrix.sizes.slice(i + 1, i < matrix.split ? matrix.split : matrix.sizes.length)),
  );
  for (const {results, values, size} of set.parts) {
    if (!Array.isArray(values)) {
      (results[0]! < matrix.split ? rows : columns).push(scaled(values, strides[results[0]!]!));
      continue;
    }
    const [row, column] = [new Float64Array(size), new Float64Array(size)];
    values.forEach((tuple, k) => {
      const side = results[k]! < matrix.split ? row : column;
      const stride = strides[results[k]!]!;
      for (let i = 0; i < size; i++) side[i] = side[i]! + tuple[i]! * stride;
    });
    if (results.every((i) => i < matrix.split)) rows.push(row);
    else if (results.every((i) => i >= matrix.split)) columns.push(column);
    else both.push({row, column});
  }
  if (both.length === 0) return {rows, columns};
  const count = both.reduce((n, {row}) => n * row.length, countOf(rows) * countOf(columns));
  if (count > MOST_CELLS) return null;
  let pairs = {rows: new Float64Array(1), columns: new Float64Array(1)};
  const add = (moreRows: Float64Array, moreColumns: Float64Array) => {
    const [n, m] = [pairs.rows.length, moreRows.length];
    const next = {rows: new Float64Array(n * m), columns: new Float64Array(n * m)};
    for (let i = 0, at = 0; i < n; i++) {
      for (let k = 0; k < m; k++, at++) {
        next.rows[at] = pairs.rows[i]! + moreRows[k]!;
        next.columns[at] = pairs.columns[i]! + moreColumns[k]!;
      }
    }
    pairs = next;
  };
  for (const {row, column} of both) add(row, column);
  const [outerRows, outerColumns] = [positionsOf(rows), positionsOf(columns)];
  add(outerRows, new Float64Array(outerRows.length));
  add(new Float64Array(outerColumns.length), outerColumns);
  return {pairs};
}

const sizeOfCells = (cells: Cells) => ('pairs' in cells ? cells.pairs.rows.length : countOf(cells.rows) * countOf(cells.columns));

/** The cells by their numbers, row by row. */
export function cellNumbers(matrix: Matrix, cells: Cells): Float64Array {
  if ('pairs' in cells) return cells.pairs.rows.map((row, i) => row * matrix.columns + cells.pairs.columns[i]!);
  return positionsOf([...cells.rows.map((values) => scaled(values, matrix.columns)), ...cells.columns]);
}

/** How many cells of the matrix the lists have together; null if that is too many to count. */
export function countCells(matrix: Matrix, lists: readonly Cells[]): number | null {
  const total = lists.reduce((n, cells) => n + sizeOfCells(cells), 0);
  if (lists.length === 1) return total;
  if (total > MOST_CELLS) return null;
  const all = new Float64Array(total);
  let at = 0;
  for (const cells of lists) {
    const numbers = cellNumbers(matrix, cells);
    all.set(numbers, at);
    at += numbers.length;
  }
  return sortedOnce(all, matrix.rows * matrix.columns - 1).length;
}

/** Example: 0, 2, 4 -> "0:6:2"; 3 -> "3" */
function valuesText(values: Values): string {
  if (isRun(values)) {
    const {first, step, count} = values;
    if (count === 1) return String(first);
    const last = first + step * (count - 1);
    return step === 1 ? `${first}:${last + 1}` : `${first}:${last + 1}:${step}`;
  }
  const shown = values.subarray(0, 6).join(' ');
  return values.length > 6 ? `{${shown} … ${values[values.length - 1]}}` : `{${shown}}`;
}

/** The set in the notation of HLO's slices, start, limit and stride, as far as it is one. */
export function setText(set: IndexSet, rank: number): string {
  const texts = new Array<string>(rank).fill('?');
  const together: string[] = [];
  for (const {results, values, size} of set.parts) {
    if (!Array.isArray(values)) {
      texts[results[0]!] = valuesText(values);
      continue;
    }
    // These indices go together: each is told by what it takes, the pairs by their number.
    const each = values.map((column) => {
      const least = column.reduce((a, b) => Math.min(a, b), Infinity);
      const most = column.reduce((a, b) => Math.max(a, b), -Infinity);
      return asRun(sortedOnce(column.map((value) => value - least), most - least).map((value) => value + least));
    });
    results.forEach((result, i) => (texts[result] = valuesText(each[i]!)));
    if (size !== each.reduce((n, one) => n * lengthOf(one), 1)) {
      together.push(`${withCommas(size)} combinations of dimensions ${results.join(' and ')}`);
    }
  }
  const text = `[${texts.join(', ')}]`;
  return together.length > 0 ? `${text} (${together.join('; ')})` : text;
}
