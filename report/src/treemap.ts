// Kernels as tiles, whose area is a measure and whose colour is how much of what they move is needed.
import {hierarchy, treemap, treemapSquarify} from 'd3-hierarchy';
import {html, svg} from './dom';
import {bytes, counted, microseconds, percent, shortened, shortenedName} from './format';
import {qualityColour, textOn} from './palette';

export type Measure = 'wasted' | 'moved' | 'time';
export const MEASURES: readonly {value: Measure; text: string}[] = [
  {value: 'wasted', text: 'wasted bytes'},
  {value: 'moved', text: 'moved bytes'},
  {value: 'time', text: 'estimated time'},
];

export function measureText(value: number, measure: Measure): string {
  return measure === 'time' ? microseconds(value) : bytes(value);
}

export interface TreemapKernel {
  name: string;
  address?: string;
  value: number;
  /** The needed share of what it moves. */
  share: number;
}

/** More tiles would be too small to see. */
const MOST_TILES = 60;
const OTHERS = '#8a8f98';

/** In a picture of this size; `title` says whose kernels these are. */
export function treemapOf(all: readonly TreemapKernel[], measure: Measure, width: number, height: number, title: string): Element {
  const sorted = all.filter(({value}) => value > 0).sort((a, b) => b.value - a.value);
  if (sorted.length === 0) return html('p', {class: 'muted'}, measure === 'wasted' ? 'No bytes are wasted.' : 'No kernel counts.');
  const shown = sorted.slice(0, MOST_TILES);
  const others = sorted.slice(MOST_TILES);
  interface Datum {
    kernel?: TreemapKernel;
    value: number;
    children?: Datum[];
  }
  const children: Datum[] = shown.map((kernel) => ({kernel, value: kernel.value}));
  if (others.length > 0) children.push({value: others.reduce((n, {value}) => n + value, 0)});
  const root = hierarchy<Datum>({value: 0, children}).sum((datum) => (datum.children ? 0 : datum.value));
  const laidOut = treemap<Datum>().size([width, height]).tile(treemapSquarify).paddingInner(2).round(true)(root);
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    class: 'treemap',
    role: 'group',
    'aria-label': `${title} by ${MEASURES.find(({value}) => value === measure)!.text}`,
  });
  for (const leaf of laidOut.leaves()) {
    const {kernel, value} = leaf.data;
    const tileWidth = leaf.x1 - leaf.x0;
    const tileHeight = leaf.y1 - leaf.y0;
    const colour = kernel === undefined ? OTHERS : qualityColour(kernel.share);
    const name = kernel === undefined ? counted(others.length, 'other kernel') : `%${kernel.name}`;
    const needed = kernel === undefined ? '' : `, ${percent(kernel.share)} of what it moves is needed`;
    const told = `${name}: ${measureText(value, measure)}${needed}`;
    const tile = svg(
      'g',
      {transform: `translate(${leaf.x0},${leaf.y0})`},
      svg('rect', {width: tileWidth, height: tileHeight, fill: colour}),
    );
    // The percent sign and the dots of a name that is cut are wider than other letters.
    const fits = Math.floor((tileWidth - 15) / 8.2);
    if (fits >= 4 && tileHeight >= 20) {
      const text = (content: string, y: number) =>
        svg('text', {x: 6, y, fill: textOn(colour)}, content);
      tile.append(text(kernel === undefined ? shortened(name, fits) : shortenedName(name, fits), 16));
      const amount = measureText(value, measure);
      // A number that is cut off would be another one.
      if (tileHeight >= 36 && amount.length <= fits) tile.append(text(amount, 32));
    }
    picture.append(kernel?.address === undefined
      ? svg('g', {role: 'img', 'aria-label': told}, svg('title', {}, told), tile)
      : svg('a', {href: kernel.address}, svg('title', {}, told), tile));
  }
  return picture;
}

export function legend(): HTMLElement {
  return html('p', {class: 'legend', 'aria-hidden': 'true'}, 'needed of what is moved: 0%',
    ...[0.05, 0.2, 0.4, 0.6, 0.8, 1].map((share) => html('span', {class: 'swatch', style: `background:${qualityColour(share)}`})),
    '100%');
}
