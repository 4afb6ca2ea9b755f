// Which sectors of memory, or banks of shared memory, the lanes of a warp touch.
import type {IndexingMap} from './affine';
import type {AccessRecord, KernelDetails, KernelRecord} from './data';
import {choice, html, slider, svg} from './dom';
import {counted, ratio} from './format';
import {drawnAgain, lineColour, stepColour, textOn} from './palette';
import {BANKS, LANES, type LanePositions, SECTOR_BITS, type WarpPlace, positionsOf, sectorsOf, sideBySide, swizzled, wavefrontsOf} from './request';

interface Choice {
  title: string;
  record: AccessRecord | undefined;
  map: IndexingMap | null;
  bits: number;
  vector: number;
  swizzle?: [number, number, number];
  isShared: boolean;
  /** What the whole kernel does by this access. */
  total: string;
  runtime: string[];
}

function choicesOf(details: KernelDetails): Choice[] {
  const choices: Choice[] = details.accesses.map(({record, bits, vector, position}) => ({
    title: `${record.access} ${record.array_name ?? ''}`,
    record,
    map: details.map(position),
    bits,
    vector,
    isShared: false,
    total: record.sectors === undefined
      ? `nobody knows: ${record.reason ?? ''}`
      : `${ratio(`${record.sectors}/${record.requests}`).toFixed(1)} sectors per request in the whole kernel, ideal ${ratio(`${record.ideal_sectors}/${record.requests}`).toFixed(1)}`,
    runtime: details.runtimeOf(position),
  }));
  details.tiles.forEach((tile, number) => {
    const records = details.shared_accesses.filter((record) => record.tile === number);
    tile.accesses.forEach((access, i) => {
      const record = records[i];
      choices.push({
        title: `${access.access} shared tile of %${tile.hero}`,
        record,
        map: details.map(access.position),
        bits: tile.bits,
        vector: record === undefined ? access.vector : Math.max(1, Math.floor(((record.vector_bytes ?? 0) * 8) / tile.bits)),
        ...(tile.swizzle && {swizzle: tile.swizzle}),
        isShared: true,
        total: record?.wavefronts === undefined
          ? ''
          : `${ratio(`${record.wavefronts}/${record.requests}`).toFixed(1)} wavefronts per request in the whole kernel, ideal ${ratio(`${record.ideal_wavefronts}/${record.requests}`).toFixed(1)}; ${tile.layout}`,
        runtime: details.runtimeOf(access.position),
      });
    });
  });
  return choices;
}

/** Example: 4 -> "0.5 bytes" */
const bytesOf = (bits: number) => (bits === 8 ? '1 byte' : `${bits / 8} bytes`);

const laneColour = (lane: number) => stepColour(lane, LANES);

const WIDTH = 1000;
const LANE_WIDTH = WIDTH / LANES;

function laneBoxes(positions: LanePositions): SVGElement[] {
  return positions.map((position, lane) => {
    const colour = laneColour(lane);
    const isActive = position !== null;
    return svg(
      'g',
      {transform: `translate(${lane * LANE_WIDTH},14)`, class: isActive ? '' : 'inactive'},
      svg('title', {}, `lane ${lane}: ${isActive ? `position ${position}` : 'accesses nothing'}`),
      svg('rect', {width: LANE_WIDTH - 2, height: 22, rx: 3, ...(isActive && {fill: colour})}),
      svg('text', {x: (LANE_WIDTH - 2) / 2, y: 15, 'text-anchor': 'middle', ...(isActive && {fill: textOn(colour)})}, String(lane)),
    );
  });
}

/** So many sectors are drawn. */
const MOST_SECTORS = 64;

function sectorPicture(positions: LanePositions, bits: number, vector: number): SVGElement {
  const {sectors, ideal} = sectorsOf(positions, bits, vector);
  const shown = sectors.slice(0, MOST_SECTORS);
  const perRow = Math.min(LANES, Math.max(8, shown.length));
  const boxWidth = WIDTH / perRow;
  const rowHeight = 54;
  const top = 130;
  const rows = Math.max(1, Math.ceil(shown.length / perRow));
  const idealTop = top + rows * rowHeight + 26;
  const height = idealTop + 10 + 24 * Math.ceil(ideal / perRow);
  const place = new Map(shown.map((sector, i) => [sector, {x: (i % perRow) * boxWidth, y: top + Math.floor(i / perRow) * rowHeight}]));
  const picture = svg('svg', {
    viewBox: `0 -4 ${WIDTH} ${height}`,
    class: 'warp',
    role: 'img',
    'aria-label': `32 lanes touch ${counted(sectors.length, 'sector')} of 32 bytes, ideal ${ideal}`,
  }, svg('text', {x: 0, y: 8, class: 'caption'}, 'lanes'), ...laneBoxes(positions));
  positions.forEach((position, lane) => {
    if (position === null) return;
    const begin = position * bits;
    const end = begin + bits * vector;
    for (let sector = Math.floor(begin / SECTOR_BITS); sector * SECTOR_BITS < end; sector++) {
      const at = place.get(sector);
      if (at === undefined) continue;
      const x = at.x + (Math.max(0, begin - sector * SECTOR_BITS) / SECTOR_BITS) * (boxWidth - 3);
      const width = ((Math.min(end, (sector + 1) * SECTOR_BITS) - Math.max(begin, sector * SECTOR_BITS)) / SECTOR_BITS) * (boxWidth - 3);
      picture.append(
        svg('path', {d: `M${lane * LANE_WIDTH + LANE_WIDTH / 2 - 1},36 L${(x + width / 2).toFixed(1)},${at.y}`, class: 'line', stroke: lineColour(laneColour(lane))}),
        svg('rect', {x, y: at.y + 1, width: Math.max(1, width), height: 20, fill: laneColour(lane)}),
      );
    }
  });
  picture.append(svg('text', {x: 0, y: top - 8, class: 'caption on-lines'},
    `${counted(sectors.length, 'sector')} of memory${sectors.length > shown.length ? `, the first ${shown.length} drawn` : ''}, by number; filled: the bytes that lanes want`));
  const every = perRow > 16 ? 2 : 1;
  shown.forEach((sector, i) => {
    const {x, y} = place.get(sector)!;
    picture.append(svg('rect', {x, y, width: boxWidth - 3, height: 22, class: 'sector'}, svg('title', {}, `sector ${sector}: bytes ${sector * 32} to ${sector * 32 + 31}`)));
    // Sectors that follow each other in memory are tied together.
    if (shown[i + 1] === sector + 1 && (i + 1) % perRow !== 0) {
      picture.append(svg('path', {d: `M${x + boxWidth - 3},${y + 11} h3`, class: 'tie'}));
    }
    if (i % every === 0) picture.append(svg('text', {x: x + 1, y: y + 35, class: 'number'}, String(sector)));
  });
  picture.append(svg('text', {x: 0, y: idealTop - 6, class: 'caption'}, `ideal, the same bytes side by side: ${ideal}`));
  const inIdeal = (sector: number) => ({x: (sector % perRow) * boxWidth, y: idealTop + 24 * Math.floor(sector / perRow)});
  for (const {lane, sector, begin, end} of sideBySide(positions, bits, vector)) {
    const {x, y} = inIdeal(sector);
    const [left, right] = [begin, end].map((bit) => (bit / SECTOR_BITS) * (boxWidth - 3)) as [number, number];
    picture.append(svg('rect', {x: x + left, y: y + 1, width: right - left, height: 20, fill: laneColour(lane)}));
  }
  for (let i = 0; i < ideal; i++) {
    picture.append(svg('rect', {...inIdeal(i), width: boxWidth - 3, height: 22, class: 'ideal'}));
  }
  return picture;
}

function bankPicture(positions: LanePositions, bits: number, vector: number): SVGElement {
  const {passes, wavefronts, ideal} = wavefrontsOf(positions, bits, vector);
  const picture = svg('svg', {class: 'warp', role: 'img',
    'aria-label': `32 lanes take ${counted(wavefronts, 'wavefront')}, ideal ${ideal}`},
    svg('text', {x: 0, y: 8, class: 'caption'}, 'lanes'), ...laneBoxes(positions));
  let y = 66;
  passes.forEach((banks, pass) => {
    picture.append(svg('text', {x: 0, y, class: 'caption'},
      `banks 0 to 31${passes.length > 1 ? `, pass ${pass + 1}` : ''}: the words that are wanted of each, by which lane; the highest column takes as many wavefronts`));
    const most = Math.max(...banks.map((words) => words.size));
    y += 8;
    banks.forEach((words, bank) => {
      const x = bank * LANE_WIDTH;
      [...words].sort((a, b) => a[0] - b[0]).forEach(([word, lanes], i) => {
        const colour = laneColour(lanes[0]!);
        picture.append(
          svg('g', {transform: `translate(${x},${y + i * 18})`},
            svg('title', {}, `bank ${bank}, word ${word}: ${lanes.length > 1 ? 'lanes' : 'lane'} ${lanes.join(', ')}`),
            svg('rect', {width: LANE_WIDTH - 2, height: 16, rx: 2, fill: colour}),
            svg('text', {x: (LANE_WIDTH - 2) / 2, y: 12, 'text-anchor': 'middle', fill: textOn(colour)}, lanes.length > 1 ? `${lanes[0]}+` : String(lanes[0]))),
        );
      });
      picture.append(svg('text', {x: x + (LANE_WIDTH - 2) / 2, y: y + most * 18 + 12, class: 'number', 'text-anchor': 'middle'}, String(bank)));
    });
    y += most * 18 + 40;
  });
  picture.setAttribute('viewBox', `0 -4 ${WIDTH} ${y}`);
  return picture;
}

/** The picture in words: a row for each lane. */
function laneTable(positions: LanePositions, {bits, vector, isShared}: Choice): HTMLElement {
  const unit = isShared ? 32 : SECTOR_BITS;
  const from = (begin: number, end: number) => (begin === end ? String(begin) : `${begin} to ${end}`);
  const rows = positions.map((position, lane) => {
    if (position === null) return [String(lane), 'none', '', '', ...(isShared ? [''] : [])];
    const [begin, end] = [position * bits, (position + vector) * bits - 1];
    const [first, last] = [Math.floor(begin / unit), Math.floor(end / unit)];
    return [String(lane), String(position), from(Math.floor(begin / 8), Math.floor(end / 8)), from(first, last),
      ...(isShared ? [from(first % BANKS, last % BANKS)] : [])];
  });
  const titles = ['Lane', isShared ? 'Position, swizzled' : 'Position', 'Bytes', ...(isShared ? ['Words', 'Banks'] : ['Sectors'])];
  return html('table', {class: 'lanes'},
    html('caption', {}, 'What each lane accesses by this request'),
    html('thead', {}, html('tr', {}, ...titles.map((title) => html('th', {scope: 'col'}, title)))),
    html('tbody', {}, ...rows.map(([lane, ...others]) =>
      html('tr', {}, html('th', {scope: 'row'}, lane), ...others.map((text) => html('td', {class: 'number'}, text))))));
}

/** `shown` is the access that is looked at first, else the first one. */
export function warpView(details: KernelDetails, kernel: KernelRecord, shown?: AccessRecord): HTMLElement {
  const choices = choicesOf(details);
  const view = html('div', {class: 'warp-view'});
  if (choices.length === 0) {
    view.append(html('p', {class: 'muted'}, 'The kernel accesses no array.'));
    return view;
  }
  const controls = html('div', {class: 'sliders'});
  const picture = html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Picture of a warp, scrolls'});
  const status = html('p', {role: 'status'});
  const table = html('details', {}, html('summary', {}, 'As a table'));
  let fillTable = () => {};
  table.addEventListener('toggle', () => fillTable());
  const first = Math.max(0, choices.findIndex(({record}) => record !== undefined && record === shown));
  let chosen = choices[first]!;
  let block = 0;
  let warp = 0;
  let symbols: number[] = [];

  const draw = () => {
    table.hidden = true;
    const {map, bits, vector, isShared, swizzle, total} = chosen;
    if (map === null) {
      picture.replaceChildren();
      status.textContent = total || 'nobody knows which elements are accessed';
      return;
    }
    const [x = 1, y = 1] = kernel.blocks;
    const place: WarpPlace = {warp, block: [block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))], symbols};
    try {
      let positions = positionsOf(map, kernel.threads, place);
      if (isShared) positions = positions.map((position) => (position === null ? null : swizzled(position, swizzle)));
      const active = positions.filter((position) => position !== null).length;
      if (active === 0) {
        picture.replaceChildren();
        status.textContent = `No lane of this warp accesses anything here. ${total}`;
        return;
      }
      picture.replaceChildren(isShared ? bankPicture(positions, bits, vector) : sectorPicture(positions, bits, vector));
      table.hidden = false;
      fillTable = () => {
        if (table.open) table.replaceChildren(table.firstElementChild!, laneTable(positions, chosen));
      };
      fillTable();
      const what = isShared
        ? (({wavefronts, ideal}) => `${counted(wavefronts, 'wavefront')}, ideal ${ideal}`)(wavefrontsOf(positions, bits, vector))
        : (({sectors, ideal}) => `${counted(sectors.length, 'sector')}, ideal ${ideal}`)(sectorsOf(positions, bits, vector));
      status.textContent = `This request: ${counted(active, 'lane')}, ${bytesOf(bits * vector)} each, ${what}. ${total}.`;
    } catch (error) {
      picture.replaceChildren();
      status.textContent = String(error);
    }
  };

  const setUp = () => {
    controls.replaceChildren();
    block = warp = 0;
    const {map, vector, runtime} = chosen;
    if (map !== null) {
      const threads = kernel.threads.reduce((a, b) => a * b, 1);
      const blocks = kernel.blocks.reduce((a, b) => a * b, 1);
      const add = (element: HTMLElement | null) => element && controls.append(element);
      add(slider('block', blocks - 1, 0, (value) => {
        block = value;
        draw();
      }));
      add(slider('warp', Math.ceil(threads / LANES) - 1, 0, (value) => {
        warp = value;
        draw();
      }));
      const first = map.numDimensions;
      symbols = map.variables.slice(first).map(({lower}) => lower);
      map.variables.slice(first).forEach(({name, lower, upper}, i) => {
        const isLast = i === map.numRanges - 1;
        const step = isLast ? vector : 1;
        const isRuntime = i >= map.numRanges;
        // Loops that the position does not depend on run once for the memory.
        const isUsed = map.results[0]!.variables.has(first + i) || map.constraints.some(({term}) => term.variables.has(first + i));
        if (!isUsed) return;
        const label = isRuntime ? `${runtime[i - map.numRanges] ? `%${runtime[i - map.numRanges]}` : name} (known at run time)` : `loop ${name}`;
        add(slider(label, upper - lower, 0, (value) => {
          symbols[i] = lower + value;
          draw();
        }, step));
      });
    }
    draw();
  };
  view.append(
    html('div', {class: 'controls'}, choice('Access', choices.map(({title}, i) => ({value: String(i), text: title})), String(first), (value) => {
      chosen = choices[Number(value)]!;
      setUp();
    })),
    controls,
    status,
    picture,
    table,
  );
  setUp();
  drawnAgain(view, draw);
  return view;
}
