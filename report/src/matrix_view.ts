// A matrix of elements that can be pointed at, by mouse and by keys.
import {html} from './dom';
import {type Cells, type Matrix, indexAt} from './marks';
import {styleColour} from './palette';

export interface MatrixLayer {
  colour: string;
  cells: readonly Cells[];
}

const MOST_WIDTH = 460;
const MOST_HEIGHT = 300;
const LARGEST_CELL = 20;

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
    private readonly pick: (index: number[]) => void,
  ) {
    const {rows, columns} = matrix;
    const cell = Math.max(1, Math.min(LARGEST_CELL, Math.floor(MOST_WIDTH / columns), Math.floor(MOST_HEIGHT / rows)));
    // Few rows or columns stay easy to point at where there are many of the others.
    this.width = Math.max(Math.min(10 * columns, 60), Math.min(MOST_WIDTH, columns * cell));
    this.height = Math.max(Math.min(10 * rows, 60), Math.min(MOST_HEIGHT, rows * cell));
    const ratio = 2;
    this.canvas = html('canvas', {
      width: this.width * ratio,
      height: this.height * ratio,
      style: `width:${this.width}px;height:${this.height}px`,
      tabindex: 0,
      role: 'application',
      'aria-label': `${label}; arrow keys move, Enter selects`,
      class: 'matrix',
    });
    this.canvas.getContext('2d')!.scale(ratio, ratio);
    this.canvas.addEventListener('click', (event) => {
      this.cursor = {
        row: Math.min(rows - 1, Math.floor((event.offsetY / this.height) * rows)),
        column: Math.min(columns - 1, Math.floor((event.offsetX / this.width) * columns)),
      };
      this.select();
    });
    this.canvas.addEventListener('mousemove', (event) => {
      const row = Math.min(rows - 1, Math.floor((event.offsetY / this.height) * rows));
      const column = Math.min(columns - 1, Math.floor((event.offsetX / this.width) * columns));
      this.canvas.title = `[${indexAt(matrix, Math.max(0, row), Math.max(0, column)).join(', ')}]`;
    });
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.element = this.canvas;
    this.draw([]);
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
    for (const {colour, cells} of this.layers) {
      context.fillStyle = colour;
      for (const list of cells) {
        const xs = runs(list.columns, xScale, this.width);
        for (const [y, height] of runs(list.rows, yScale, this.height)) {
          for (const [x, width] of xs) context.fillRect(x, y, width, height);
        }
      }
    }
    if (xScale < 5 || yScale < 5) return;
    context.fillStyle = styleColour('background');
    for (let column = 1; column < columns; column++) context.fillRect(column * xScale - 0.5, 0, 1, this.height);
    for (let row = 1; row < rows; row++) context.fillRect(0, row * yScale - 0.5, this.width, 1);
  }
}

/** What is smaller is not seen. */
const LEAST_MARK = 3;

/** Where cells are drawn along one side: joined where they touch, and large enough to be seen. */
function runs(positions: readonly number[], scale: number, size: number): [number, number][] {
  const isSorted = positions.every((position, i) => i === 0 || position >= positions[i - 1]!);
  const sorted = isSorted ? positions : [...positions].sort((a, b) => a - b);
  const result: [number, number][] = [];
  for (const position of sorted) {
    const begin = Math.min(position * scale, size - LEAST_MARK);
    const end = Math.max(begin + LEAST_MARK, (position + 1) * scale);
    const last = result[result.length - 1];
    if (last !== undefined && begin <= last[0] + last[1] + 0.01) last[1] = Math.max(last[1], end - last[0]);
    else result.push([begin, end - begin]);
  }
  return result;
}
