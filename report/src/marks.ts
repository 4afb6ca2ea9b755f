// Sets of elements of an array, as they are drawn and told.
import {type IndexSet, sizeOf} from './affine';
import {withCommas} from './format';

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

/** Cells of a matrix: all pairs of these rows and columns. */
export interface Cells {
  rows: number[];
  columns: number[];
}

/** So many pairs of an index and a part are written out for a picture. */
const MOST_CELLS = 1 << 20;

/** The cells of a set; null if they are too many to write out. */
export function cellsOf(matrix: Matrix, set: IndexSet): Cells[] | null {
  // Each part lies in the rows, in the columns or in both.
  let rows: number[] = [0];
  let columns: number[] = [0];
  let both: {row: number; column: number}[] = [{row: 0, column: 0}];
  let isProduct = true;
  const strides = matrix.sizes.map((_, i) =>
    product(matrix.sizes.slice(i + 1, i < matrix.split ? matrix.split : matrix.sizes.length)),
  );
  for (const {results, tuples} of set.parts) {
    const offsets = tuples.map((tuple) => {
      let row = 0;
      let column = 0;
      tuple.forEach((value, i) => {
        const result = results[i]!;
        if (result < matrix.split) row += value * strides[result]!;
        else column += value * strides[result]!;
      });
      return {row, column};
    });
    if (results.every((i) => i < matrix.split)) {
      if (rows.length * offsets.length > MOST_CELLS) return null;
      rows = rows.flatMap((row) => offsets.map((offset) => row + offset.row));
    } else if (results.every((i) => i >= matrix.split)) {
      if (columns.length * offsets.length > MOST_CELLS) return null;
      columns = columns.flatMap((column) => offsets.map((offset) => column + offset.column));
    } else {
      isProduct = false;
      if (both.length * offsets.length > MOST_CELLS) return null;
      both = both.flatMap(({row, column}) =>
        offsets.map((offset) => ({row: row + offset.row, column: column + offset.column})),
      );
    }
  }
  if (isProduct) return [{rows, columns}];
  if (both.length * Math.max(rows.length, columns.length) > MOST_CELLS) return null;
  return both.map(({row, column}) => ({
    rows: rows.map((offset) => row + offset),
    columns: columns.map((offset) => column + offset),
  }));
}

/** How many cells of the matrix the lists have together; null if that is too many to count. */
export function countCells(matrix: Matrix, lists: readonly Cells[]): number | null {
  const total = lists.reduce((n, {rows, columns}) => n + rows.length * columns.length, 0);
  if (lists.length === 1) return total;
  if (total > MOST_CELLS) return null;
  const cells = new Set<number>();
  for (const {rows, columns} of lists) {
    for (const row of rows) for (const column of columns) cells.add(row * matrix.columns + column);
  }
  return cells.size;
}

/** Example: 0, 2, 4 -> "0:6:2"; 3 -> "3" */
function progressionText(values: readonly number[]): string {
  const isSorted = values.every((value, i) => i === 0 || value >= values[i - 1]!);
  const sorted = isSorted ? values : [...values].sort((a, b) => a - b);
  const [first, second] = sorted;
  const last = sorted[sorted.length - 1]!;
  if (second === undefined) return String(first);
  const step = second - first!;
  if (sorted.every((value, i) => value === first! + i * step)) {
    return step === 1 ? `${first}:${last + 1}` : `${first}:${last + 1}:${step}`;
  }
  const shown = sorted.slice(0, 6).join(' ');
  return sorted.length > 6 ? `{${shown} … ${last}}` : `{${shown}}`;
}

/** The set in the notation of HLO's slices, start, limit and stride, as far as it is one. */
export function setText(set: IndexSet, rank: number): string {
  const texts = new Array<string>(rank).fill('?');
  const together: string[] = [];
  for (const {results, tuples} of set.parts) {
    if (results.length === 1) {
      texts[results[0]!] = progressionText(tuples.map((tuple) => tuple[0]!));
      continue;
    }
    if (tuples.length === 1) {
      results.forEach((result, i) => (texts[result] = String(tuples[0]![i])));
      continue;
    }
    // These indices go together: each is told by what it takes, the pairs by their number.
    results.forEach((result, i) => (texts[result] = progressionText([...new Set(tuples.map((tuple) => tuple[i]!))])));
    if (tuples.length !== results.reduce((n, _, i) => n * new Set(tuples.map((tuple) => tuple[i]!)).size, 1)) {
      together.push(`${withCommas(tuples.length)} combinations of dimensions ${results.join(' and ')}`);
    }
  }
  const text = `[${texts.join(', ')}]`;
  return together.length > 0 ? `${text} (${together.join('; ')})` : text;
}

export {sizeOf};
