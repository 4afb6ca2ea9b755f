// What changed since an earlier version of the module: kernel by kernel, before and now.
import type {EarlierKernel, KernelEntry, ModuleData} from './data';
import {html} from './dom';
import {bytes, counted, microseconds, withCommas} from './format';
import {changeText, kernelAddress} from './kernel_table';

interface Pair {
  name: string;
  kernel?: KernelEntry;
  before?: EarlierKernel | NonNullable<KernelEntry['record']['before']>;
}

const movedNow = ({kernel}: Pair) => kernel?.record.moved_bytes ?? 0;
const movedBefore = ({before}: Pair) => before?.moved_bytes ?? 0;
const changeOf = (pair: Pair) => movedNow(pair) - movedBefore(pair);

/** What is new, gone, or moves or takes something else than before; what changed most at first. */
function changes(module: ModuleData): {changed: Pair[]; same: number} {
  const now = new Set(module.kernels.map(({record}) => `${record.computation}\n${record.instruction}`));
  const pairs: Pair[] = module.kernels.map((kernel) => ({
    name: kernel.record.instruction,
    kernel,
    ...(kernel.record.before && {before: kernel.record.before}),
  }));
  for (const before of module.earlier!) {
    if (!now.has(`${before.computation}\n${before.instruction}`)) pairs.push({name: before.instruction, before});
  }
  const changed = pairs.filter(({kernel, before}) =>
    kernel === undefined || before === undefined || kernel.record.moved_bytes !== before.moved_bytes ||
    kernel.record.wasted_bytes !== before.wasted_bytes || kernel.record.estimated_us !== before.estimated_us);
  changed.sort((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a)));
  return {changed, same: pairs.length - changed.length};
}

const ROWS = 100;

/** Null without an earlier version. */
export function comparison(module: ModuleData): HTMLElement | null {
  if (module.earlier === undefined) return null;
  const {changed, same} = changes(module);
  const count = (test: (pair: Pair) => boolean) => changed.filter(test).length;
  const isOld = ({kernel, before}: Pair) => kernel !== undefined && before !== undefined;
  const facts = [
    ['move less', count((pair) => isOld(pair) && changeOf(pair) < 0)],
    ['move more', count((pair) => isOld(pair) && changeOf(pair) > 0)],
    ['differ otherwise', count((pair) => isOld(pair) && changeOf(pair) === 0)],
    ['new', count(({before}) => before === undefined)],
    ['gone', count(({kernel}) => kernel === undefined)],
    ['as they were', same],
  ] as const;
  const section = html('section', {class: 'comparison'}, html('h3', {}, 'What changed'), html('p', {}, 'Kernels: ', facts.map(([text, number]) => `${withCommas(number)} ${text}`).join(', ')));
  if (changed.length === 0) return section;
  const most = Math.max(...changed.map((pair) => Math.abs(changeOf(pair))), 1);
  const number = (value: number | undefined, text: (value: number) => string) =>
    html('td', {class: 'number'}, value === undefined ? '' : html('data', {value, title: withCommas(value)}, text(value)));
  const row = (pair: Pair) => {
    const {name, kernel, before} = pair;
    const change = changeOf(pair);
    const share = (50 * Math.abs(change)) / most;
    const state = kernel === undefined ? 'gone' : before === undefined ? 'new' : changeText(change, bytes);
    return html('tr', {},
      html('th', {scope: 'row'}, kernel === undefined ? `%${name}` : html('a', {href: kernelAddress(kernel)}, `%${name}`)),
      number(before?.moved_bytes, bytes), number(kernel?.record.moved_bytes, bytes),
      html('td', {class: 'number'}, state),
      html('td', {}, html('span', {class: 'change', 'aria-hidden': 'true'},
        html('span', {class: change > 0 ? 'more' : 'less', style: `width:${share}%;${change > 0 ? 'left:50%' : `left:${50 - share}%`}`}))),
      number(before?.wasted_bytes, bytes), number(kernel?.record.wasted_bytes, bytes),
      number(before?.estimated_us, microseconds), number(kernel?.record.estimated_us, microseconds));
  };
  const head = (text: string, isNumber = true) => html('th', {scope: 'col', class: isNumber && 'number'}, text);
  const body = html('tbody', {}, ...changed.slice(0, ROWS).map(row));
  section.append(html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'What changed'},
    html('table', {}, html('thead', {}, html('tr', {}, head('Kernel', false), head('Moved before'), head('now'), head('Change'),
      html('th', {scope: 'col', class: 'change-head'}, 'less | more'), head('Wasted before'), head('now'), head('Estimate before'), head('now'))), body)));
  if (changed.length > ROWS) {
    const more = html('p', {}, html('button', {type: 'button', onclick: () => {
      body.append(...changed.slice(ROWS).map(row));
      more.remove();
    }}, `Show ${counted(changed.length - ROWS, 'more kernel')}`));
    section.append(more);
  }
  return section;
}
