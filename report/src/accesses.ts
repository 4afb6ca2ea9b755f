// What every access of a kernel moves, why it wastes, and what would help.
import type {AccessRecord, KernelDetails, KernelRecord, PlanCure} from './data';
import {html, section} from './dom';
import {MOST_IN_HEADING, bytes, counted, microseconds, percent, ratio, shortenedName, withCommas} from './format';
import {qualityColour} from './palette';
import type {Selection} from './selection';

/** A sentence on why an access touches more sectors than it would have to. */
function causeText(record: AccessRecord): string {
  const distance = record.stride_bytes !== undefined
    ? counted(record.stride_bytes, 'byte')
    : record.stride_bits !== undefined
      ? counted(record.stride_bits, 'bit')
      : '';
  const variable = record.broken_by ?? '';
  switch (record.cause) {
    case 'stride':
      return `Neighbouring lanes (${variable}) are ${distance} apart.`;
    case 'no vector':
      return `What a thread accesses lies side by side, but is no vector${distance && `; lanes (${variable}) are ${distance} apart`}.`;
    case 'short runs':
      return `Groups of lanes (${variable}) are side by side, but the groups are not${distance && `: they begin ${distance} apart`}.`;
    case 'alignment':
      return 'Lanes are side by side, but warps begin inside of a sector.';
    case 'scattered':
      return `Lanes (${variable}) have no pattern, or data decide where they are.`;
    default:
      return '';
  }
}

function accessCard(record: AccessRecord, selection: Selection, showWarps: (record: AccessRecord) => void): HTMLElement {
  const isShared = record.space === 'shared';
  const unit = isShared ? 'wavefronts' : 'sectors';
  const used = isShared ? record.wavefronts : record.sectors;
  const ideal = isShared ? record.ideal_wavefronts : record.ideal_sectors;
  const card = html('li', {class: 'access'});
  const name = isShared ? `tile of %${record.hero}` : (record.array_name ?? '');
  card.append(html('h3', {title: name}, html('span', {class: 'kind'}, record.access), ` ${shortenedName(name, MOST_IN_HEADING)}`));
  if (used === undefined || ideal === undefined || record.requests === undefined) {
    card.append(html('p', {class: 'note'}, `Nobody knows which elements: ${record.reason ?? ''}`));
    return card;
  }
  const share = used === 0 ? 1 : ideal / used;
  const perRequest = ratio(`${used}/${record.requests}`);
  card.append(
    html('p', {},
      html('span', {class: 'bar', title: `${ideal}/${used}`},
        html('span', {class: 'fill', style: `width:${100 * share}%;background:${qualityColour(share)}`}),
        html('span', {class: 'bar-text'}, percent(share))),
      ' ', html('data', {value: perRequest}, perRequest.toFixed(1)), ` ${unit} per request, ideal ${ratio(`${ideal}/${record.requests}`).toFixed(1)}`),
    html('p', {class: 'muted'},
      `${withCommas(record.requests)} requests, ${withCommas(used)} ${unit}`,
      isShared ? `; ${record.layout ?? ''}` : `, ${bytes(used * 32)}; ${bytes((record.distinct_sectors ?? 0) * 32)} of different sectors; ${record.vector_bytes} bytes of a thread at a time`,
      record.exact ? '' : `; at most: ${record.reason ?? ''}`),
  );
  const cause = causeText(record);
  if (cause) card.append(html('p', {class: 'cause'}, cause));
  const {origin} = record;
  if (origin !== undefined) {
    selection.listen((key) => card.classList.toggle('selected', key === origin.instruction), card);
    card.append(html('p', {}, 'Brought in by ',
      html('button', {type: 'button', class: 'link', onclick: () => selection.set(origin.instruction)}, `%${origin.instruction}`),
      ` at line ${origin.line}, column ${origin.column}.`));
  }
  if (record.cure !== undefined) {
    const {layout, sectors, sectors_now: now, copy_bytes: copy} = record.cure;
    card.append(html('p', {class: 'cure'}, `Would help: layout ${layout}, ${bytes(sectors * 32)} instead of ${bytes(now * 32)}; a copy to it moves ${bytes(copy)}.`));
  }
  card.append(html('p', {class: 'to-warps'}, html('button',
    {type: 'button', class: 'link', 'aria-label': `Show its warps: ${record.access} ${name}`, onclick: () => showWarps(record)}, 'Show its warps')));
  return card;
}

/** As `explain` says it. Example: "4.19 MB instead of 5.24 MB", "4.19 MB as now" */
function instead(then: string, now: string, isExact: boolean): string {
  if (!isExact) return `at most ${then} instead of at least ${now}`;
  return then === now ? `${now} as now` : `${then} instead of ${now}`;
}

function cureText(cure: PlanCure): string {
  const {exact} = cure;
  const requests = cure.change === 'vector' ? `${instead(`${withCommas(cure.requests)} requests`, withCommas(cure.requests_now), exact)}, ` : '';
  const effect = `${requests}${instead(bytes(cure.moved_bytes), bytes(cure.moved_bytes_now), exact)}, ${instead(microseconds(cure.estimated_us), microseconds(cure.estimated_us_now), exact)}`;
  switch (cure.change) {
    case 'result layout':
      return `Output ${cure.output} in layout ${cure.layout}: ${effect}; a copy back moves ${bytes(cure.copy_bytes ?? 0)}`;
    case 'hero':
      return `As ${cure.variant}${cure.hero === undefined ? '' : ` of %${cure.hero}`}: ${effect}`;
    case 'split':
      return `Split after %${cure.at}, ${bytes(cure.array_bytes ?? 0)} between both kernels: ${effect}`;
    case 'vector':
      return `${cure.vector_elements} elements of a thread at a time: ${effect}`;
    default:
      return `${cure.change}: ${effect}`;
  }
}

function cures(record: KernelRecord): HTMLElement | null {
  if (record.cures === undefined) return null;
  const tried = counted(record.changes_tried ?? 0, 'change');
  const leftOut = record.changes_left_out ? `, ${record.changes_left_out} more were beyond the limits` : '';
  return section('What would help the whole kernel',
    record.cures.length === 0 ? null : html('ul', {}, ...record.cures.map((cure) => html('li', {class: 'cure'}, cureText(cure)))),
    html('p', {class: 'muted'}, `${tried} tried${leftOut}${record.cures.length === 0 ? '; none helps' : ''}.`));
}

export function accessesView(record: KernelRecord, details: KernelDetails, selection: Selection, showWarps: (record: AccessRecord) => void): HTMLElement {
  const records = [...details.accesses.map((access) => access.record), ...details.shared_accesses];
  const maps = html('ul', {class: 'maps'});
  for (const pass of details.passes) {
    const to = pass.output === undefined ? '' : ` (output ${pass.output})`;
    maps.append(html('li', {}, html('b', {}, `${shortenedName(`%${pass.instruction}`, MOST_IN_HEADING)}${to}: `),
      html('code', {}, details.map(pass.map)?.text ?? 'no closed form'),
      pass.vector > 1 ? `; vectors of ${pass.vector}` : ''));
  }
  return html('div', {},
    records.length === 0 ? html('p', {class: 'muted'}, 'The kernel accesses no memory.') : html('ul', {class: 'accesses'}, ...records.map((each) => accessCard(each, selection, showWarps))),
    cures(record),
    section('What each thread computes', maps));
}
