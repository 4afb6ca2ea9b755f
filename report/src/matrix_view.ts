// A matrix of elements that can be pointed at, by mouse and by keys.
import {html} from './dom';
import {isRun} from './image';
import {type Axis, type Cells, type Matrix, indexAt} from './marks';
import {drawnAgain, styleColour} from './palette';

export interface MatrixLayer {
  /** Of the page's style. */
  colour: string;
  /** By lines instead of a surface, so that it differs from others not in colour only. */
  isHatched?: boolean;
  cells: readonly Cells[];
}

const MOST_WIDTH = 460;
const MOST_HEIGHT = 300;
const LARGEST_CELL = 20;
/** Pixels of the canvas for one of the page. */
const RATIO = 2;

/** A canvas with the matrix and the layers on it, the later ones on top. */
export class MatrixView {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly width: number;
  private readonly height: number;
  private cursor = {row: 0, column: 0};
  private layers: readonly MatrixLayer[] = [];

  constructor(
    private readonly matrix: Matrix,
    label: string,
    /** The element that says what is drawn. */
    describedBy: string,
    private readonly pick: (index: number[]) => void,
  ) {
    const {rows, columns} = matrix;
    const cell = Math.max(1, Math.min(LARGEST_CELL, Math.floor(MOST_WIDTH / columns), Math.floor(MOST_HEIGHT / rows)));
    // Few rows or columns stay easy to point at where there are many of the others.
    this.width = Math.max(Math.min(10 * columns, 60), Math.min(MOST_WIDTH, columns * cell));
    this.height = Math.max(Math.min(10 * rows, 60), Math.min(MOST_HEIGHT, rows * cell));
    this.canvas = html('canvas', {
      width: this.width * RATIO,
      height: this.height * RATIO,
      style: `width:${this.width}px;height:${this.height}px`,
      tabindex: 0,
      role: 'application',
      'aria-label': `${label}; arrow keys move, Enter selects`,
      'aria-describedby': describedBy,
      class: 'matrix',
    });
    this.canvas.getContext('2d')!.scale(RATIO, RATIO);
    this.canvas.addEventListener('click', (event) => {
      this.cursor = {
        row: Math.min(rows - 1, Math.floor((event.offsetY / this.height) * rows)),
        column: Math.min(columns - 1, Math.floor((event.offsetX / this.canvas.clientWidth) * columns)),
      };
      this.select();
    });
    this.canvas.addEventListener('mousemove', (event) => {
      const row = Math.min(rows - 1, Math.floor((event.offsetY / this.height) * rows));
      const column = Math.min(columns - 1, Math.floor((event.offsetX / this.canvas.clientWidth) * columns));
      this.canvas.title = `[${indexAt(matrix, Math.max(0, row), Math.max(0, column)).join(', ')}]`;
    });
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.element = this.canvas;
    this.draw([]);
    drawnAgain(this.canvas, () => this.draw(this.layers));
  }

  private key(event: KeyboardEvent): void {
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-Math.ceil(this.matrix.rows / 10), 0],
      PageDown: [Math.ceil(this.matrix.rows / 10), 0],
    };
    const move = moves[event.key];
    if (move === undefined && event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    if (move !== undefined) {
      const clamp = (value: number, size: number) => Math.min(size - 1, Math.max(0, value));
      this.cursor.row = clamp(this.cursor.row + move[0], this.matrix.rows);
      this.cursor.column = clamp(this.cursor.column + move[1], this.matrix.columns);
    }
    this.select();
  }

  private select(): void {
    this.pick(indexAt(this.matrix, this.cursor.row, this.cursor.column));
  }

  draw(layers: readonly MatrixLayer[]): void {
    this.layers = layers;
    const context = this.canvas.getContext('2d')!;
    const {rows, columns} = this.matrix;
    const xScale = this.width / columns;
    const yScale = this.height / rows;
    context.fillStyle = styleColour('cell');
    context.fillRect(0, 0, this.width, this.height);
    for (const {colour, cells, isHatched} of this.layers) {
      context.fillStyle = isHatched ? hatching(context, styleColour(colour)) : styleColour(colour);
      const extent: Extent = {left: Infinity, top: Infinity, right: 0, bottom: 0};
      for (const each of cells) {
        if ('pairs' in each) {
          this.fillPairs(context, each.pairs.rows, each.pairs.columns, extent);
          continue;
        }
        const xs = spans(each.columns, xScale, this.width);
        for (const [top, bottom] of spans(each.rows, yScale, this.height)) {
          for (const [left, right] of xs) fill(context, left, top, right, bottom, extent);
        }
      }
      if (!isHatched) this.frame(context, extent, styleColour(colour));
    }
    if (xScale < 5 || yScale < 5) return;
    context.fillStyle = styleColour('background');
    for (let column = 1; column < columns; column++) context.fillRect(column * xScale - 0.5, 0, 1, this.height);
    for (let row = 1; row < rows; row++) context.fillRect(0, row * yScale - 0.5, this.width, 1);
  }

  /** A frame around a mark that would hardly be seen by itself. */
  private frame(context: CanvasRenderingContext2D, {left, top, right, bottom}: Extent, colour: string): void {
    if (left > right || Math.max(right - left, bottom - top) >= LEAST_FRAME / 2) return;
    const place = (middle: number, size: number) => Math.max(1, Math.min(size - LEAST_FRAME - 1, middle - LEAST_FRAME / 2));
    context.strokeStyle = colour;
    context.lineWidth = 2;
    const [width, height] = [Math.min(LEAST_FRAME, this.width - 2), Math.min(LEAST_FRAME, this.height - 2)];
    context.strokeRect(place((left + right) / 2, this.width), place((top + bottom) / 2, this.height), width, height);
  }

  /** Many cells fall on the same pixels: these are marked first, and filled row by row. */
  private fillPairs(context: CanvasRenderingContext2D, rows: Float64Array, columns: Float64Array, extent: Extent): void {
    const [width, height] = [this.width * RATIO, this.height * RATIO];
    const marked = new Uint8Array(width * height);
    const place = (position: number, size: number, all: number): [number, number] => {
      const [begin, end] = spanOf(position, position + 1, all / size, all);
      return [Math.round(begin), Math.round(end)];
    };
    for (let i = 0; i < rows.length; i++) {
      const [left, right] = place(columns[i]!, this.matrix.columns, width);
      const [top, bottom] = place(rows[i]!, this.matrix.rows, height);
      for (let y = top; y < bottom; y++) marked.fill(1, y * width + left, y * width + right);
    }
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        if (marked[y * width + x] === 0) continue;
        const begin = x;
        while (x < width && marked[y * width + x] !== 0) x++;
        fill(context, begin / RATIO, y / RATIO, x / RATIO, (y + 1) / RATIO, extent);
      }
    }
  }
}

/** What has been filled. */
interface Extent {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function fill(context: CanvasRenderingContext2D, left: number, top: number, right: number, bottom: number, extent: Extent): void {
  context.fillRect(left, top, right - left, bottom - top);
  extent.left = Math.min(extent.left, left);
  extent.top = Math.min(extent.top, top);
  extent.right = Math.max(extent.right, right);
  extent.bottom = Math.max(extent.bottom, bottom);
}

function hatching(context: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const side = 6 * RATIO;
  const tile = html('canvas', {width: side, height: side});
  const lines = tile.getContext('2d')!;
  lines.fillStyle = styleColour('cell');
  lines.fillRect(0, 0, side, side);
  lines.strokeStyle = colour;
  lines.lineWidth = 1.6 * RATIO;
  for (const shift of [-side, 0, side]) {
    lines.moveTo(shift, side);
    lines.lineTo(shift + side, 0);
  }
  lines.stroke();
  const pattern = context.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / RATIO));
  return pattern ?? colour;
}

/** What is smaller is not seen. */
const LEAST_MARK = 3;
/** A mark of less than half of this has a frame of this side. */
const LEAST_FRAME = 14;

/** Where the positions from `begin` to before `end` are drawn along one side, large enough to be seen. */
function spanOf(begin: number, end: number, scale: number, size: number): [number, number] {
  const first = Math.min(begin * scale, size - LEAST_MARK);
  return [first, Math.max(first + LEAST_MARK, end * scale)];
}

/** Where an axis is drawn: spans joined where they touch. */
function spans(axis: Axis, scale: number, size: number): [number, number][] {
  // As intervals of positions. Gaps that nobody would see are closed, so there are not many.
  const least = LEAST_MARK / scale;
  let intervals: [number, number][] = [[0, 1]];
  for (const values of [...axis].reverse()) {
    const starts: [number, number][] = [];
    if (!isRun(values)) {
      for (const value of values) addInterval(starts, value, value, least);
    } else if (values.step <= least) {
      starts.push([values.first, values.first + values.step * (values.count - 1)]);
    } else {
      for (let i = 0; i < values.count; i++) starts.push([values.first + i * values.step, values.first + i * values.step]);
    }
    const moved = starts.flatMap(([first, last]) => intervals.map(([begin, end]): [number, number] => [begin + first, end + last]));
    moved.sort((a, b) => a[0] - b[0]);
    intervals = [];
    for (const [begin, end] of moved) addInterval(intervals, begin, end, least);
  }
  const result: [number, number][] = [];
  for (const [begin, end] of intervals) {
    const [first, last] = spanOf(begin, end, scale, size);
    addInterval(result, first, last, 0.01);
  }
  return result;
}

/** Joins it with the last one where at most `gap` is between them. */
function addInterval(intervals: [number, number][], begin: number, end: number, gap: number): void {
  const last = intervals[intervals.length - 1];
  if (last !== undefined && begin <= last[1] + gap) last[1] = Math.max(last[1], end);
  else intervals.push([begin, end]);
}
