// The first view: what the module moves, and which kernels waste most of it.
import {comparison} from './comparison';
import {type EarlierKernel, type KernelEntry, type ModuleData, type Summary, titleOf} from './data';
import {choice, html} from './dom';
import {MOST_IN_HEADING, bytes, counted, efficiency, microseconds, percent, shortenedName, withCommas} from './format';
import {KernelTable, kernelAddress} from './kernel_table';
import {MEASURES, type Measure, type TreemapKernel, legend, measureText, treemapOf} from './treemap';

function card(title: string, value: string, note: string, exact: number): HTMLElement {
  return html(
    'div',
    {class: 'card'},
    html('dt', {}, title),
    html('dd', {}, html('data', {value: exact, title: String(exact)}, value), note && html('small', {}, note)),
  );
}

function cards(module: ModuleData): HTMLElement {
  const {record, earlier} = module;
  const sum = (get: (kernel: EarlierKernel) => number) => earlier!.reduce((total, kernel) => total + get(kernel), 0);
  const was = (text: (value: number) => string, get: (kernel: EarlierKernel) => number) =>
    earlier === undefined ? '' : `before: ${text(sum(get))}`;
  const share = record.moved_bytes === 0 ? 1 : record.needed_bytes / record.moved_bytes;
  const unknown = module.kernels.reduce((n, kernel) => n + kernel.record.unknown_accesses, 0);
  const upTo = unknown > 0
    ? `without ${counted(unknown, 'access', 'accesses')} that nobody knows`
    : record.exact ? '' : 'at most: values known at run time decide';
  return html(
    'dl',
    {class: 'cards'},
    card('Kernels', withCommas(record.kernels), '', record.kernels),
    card('Moved', bytes(record.moved_bytes), was(bytes, (kernel) => kernel.moved_bytes) || upTo, record.moved_bytes),
    card('Needed', bytes(record.needed_bytes), `${percent(share)} of what is moved`, record.needed_bytes),
    card('Wasted', bytes(record.wasted_bytes), was(bytes, (kernel) => kernel.wasted_bytes), record.wasted_bytes),
    card(
      'Estimate',
      microseconds(record.estimated_us),
      was(microseconds, (kernel) => kernel.estimated_us) || `on ${record.device}`,
      record.estimated_us,
    ),
  );
}

/** As the device model names them: each has its colour in all reports. */
const BOUNDS = ['DRAM', 'L2', 'LSU', 'shared memory', 'issue'];

/** The estimated time by what bounds the kernels: a bar with true proportions, and what its parts are. */
function bounds(kernels: readonly KernelEntry[]): HTMLElement | null {
  const times = new Map<string, number>();
  for (const {record} of kernels) times.set(record.bound, (times.get(record.bound) ?? 0) + record.estimated_us);
  const total = [...times.values()].reduce((a, b) => a + b, 0);
  if (total === 0) return null;
  const sorted = [...times].sort((a, b) => b[1] - a[1]);
  const bar = html('div', {class: 'bounds-bar', 'aria-hidden': 'true'});
  const list = html('ul', {class: 'bounds', 'aria-label': 'Estimated time by what bounds it'});
  for (const [bound, us] of sorted) {
    const colour = `bound-${BOUNDS.indexOf(bound)}`;
    bar.append(html('span', {class: colour, style: `width:${(100 * us) / total}%`, title: `${bound}: ${us} us`}));
    list.append(html('li', {}, html('span', {class: `swatch ${colour}`}), html('b', {}, bound), ' ',
      html('data', {value: us, title: `${us} us`}, microseconds(us)), `, ${percent(us / total)}`));
  }
  return html('div', {}, html('p', {class: 'muted'}, 'Estimated time by what bounds it'), bar, list);
}

/** What has no kernel whose plan is known, by reason. */
function notShown(module: ModuleData): HTMLElement | null {
  const {not_shown: list, kernels_not_tried: notTried} = module.record;
  if (list.length === 0 && notTried === 0) return null;
  const reasons = new Map<string, string[]>();
  for (const {instruction, opcode, reason} of list) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), `%${instruction} (${opcode})`]);
  }
  return html(
    'details',
    {},
    html('summary', {}, `Not shown: ${counted(list.length, 'instruction')} that run otherwise`),
    notTried > 0 && html('p', {}, `Changes of ${counted(notTried, 'kernel')}, those that waste least, were not tried.`),
    html(
      'ul',
      {},
      ...[...reasons].map(([reason, names]) =>
        html('li', {}, html('b', {}, `${reason}: `),
          names.slice(0, 200).join(', ') + (names.length > 200 ? ` and ${withCommas(names.length - 200)} more` : '')),
      ),
    ),
  );
}

function measureOf({record}: KernelEntry, measure: Measure): number {
  if (measure === 'wasted') return record.wasted_bytes;
  return measure === 'moved' ? record.moved_bytes : record.estimated_us;
}

/** Longer names are cut in the table of modules. */
const MOST_IN_TABLE = 60;

const HEIGHT = 300;
/** What the page has in this window; the letters on tiles have the size of others. */
const pictureWidth = () => Math.max(280, Math.min(1232, document.documentElement.clientWidth - 48));

interface Pictures {
  element: HTMLElement;
  /** Shows these kernels alone, and those that they were before. */
  show(kernels: readonly KernelEntry[]): void;
}

/** The kernels as tiles; beside an earlier version, both with the same area for the same amount. */
function pictures(module: ModuleData): Pictures {
  const picture = html('div');
  let shown: readonly KernelEntry[] = module.kernels;
  const status = html('p', {role: 'status', class: 'only-heard'});
  let measure: Measure = module.record.wasted_bytes > 0 ? 'wasted' : 'time';
  const now = () => shown.map((kernel) => ({
    name: kernel.record.instruction,
    address: kernelAddress(kernel),
    value: measureOf(kernel, measure),
    share: efficiency(kernel.record.efficiency),
  }));
  const draw = () => {
    if (module.earlier === undefined) {
      picture.replaceChildren(treemapOf(now(), measure, pictureWidth(), HEIGHT, 'Kernels'));
      return;
    }
    const before = earlierOf(module.earlier, shown, module.kernels).map((kernel) => ({
      name: kernel.instruction,
      value: measure === 'wasted' ? kernel.wasted_bytes : measure === 'moved' ? kernel.moved_bytes : kernel.estimated_us,
      share: kernel.moved_bytes === 0 ? 1 : 1 - kernel.wasted_bytes / kernel.moved_bytes,
    }));
    const sum = (kernels: readonly {value: number}[]) => kernels.reduce((n, {value}) => n + value, 0);
    const most = Math.max(sum(before), sum(now()));
    const width = pictureWidth() < 700 ? pictureWidth() : (pictureWidth() - 16) / 2;
    const side = (title: string, kernels: readonly TreemapKernel[]) =>
      html('div', {}, html('h3', {}, `${title}: ${measureText(sum(kernels), measure)}`),
        treemapOf(kernels, measure, width, Math.max(24, (HEIGHT * sum(kernels)) / (most || 1)), `Kernels ${title.toLowerCase()}`));
    picture.replaceChildren(html('div', {class: 'sides'}, side('Before', before), side('Now', now())));
  };
  draw();
  let drawnFor = pictureWidth();
  addEventListener('resize', () => {
    if (pictureWidth() === drawnFor) return;
    drawnFor = pictureWidth();
    draw();
  });
  const element = html('div', {},
    html('div', {class: 'controls'}, choice('Area of a kernel', MEASURES, measure, (value) => {
      measure = value as Measure;
      draw();
      status.textContent = `Kernels by ${MEASURES.find((each) => each.value === value)!.text}`;
    }), legend()),
    status, picture);
  return {
    element,
    show(kernels) {
      // The table below stays where it is, also if no tile is left.
      if (module.earlier === undefined) picture.style.minHeight = `${picture.offsetHeight}px`;
      shown = kernels;
      draw();
    },
  };
}

/** What some of the kernels were in the earlier version; with all of them also what is gone. */
function earlierOf(earlier: readonly EarlierKernel[], shown: readonly KernelEntry[], all: readonly KernelEntry[]): readonly EarlierKernel[] {
  if (shown.length === all.length) return earlier;
  const keyOf = ({computation, instruction}: {computation: string; instruction: string}) => `${computation}\n${instruction}`;
  const keys = new Set(shown.map(({record}) => keyOf(record)));
  return earlier.filter((kernel) => keys.has(keyOf(kernel)));
}

/** The kernels as pictures and as tables. */
function kernelsOf(module: ModuleData): (HTMLElement | null)[] {
  const tiles = pictures(module);
  const table = new KernelTable(module.kernels, module.earlier !== undefined, (kernels) => tiles.show(kernels));
  return [bounds(module.kernels), tiles.element, comparison(module), table.element];
}

function sectionOf(module: ModuleData, before: string | undefined): HTMLElement {
  const {record} = module;
  return html(
    'section',
    {},
    html('h2', {title: titleOf(record), tabindex: -1}, shortenedName(titleOf(record), MOST_IN_HEADING)),
    html('p', {class: 'muted'}, `${record.file}, ${record.plan === 'ours' ? 'our plans' : record.plan === 'given' ? 'a given plan' : "XLA's plans"} on ${record.device}`,
      before === undefined ? '' : `, compared with ${before}`),
    cards(module),
    ...(module.kernels.length === 0 && module.earlier === undefined
      ? [html('p', {}, 'The module has no kernel whose plan is known.')]
      : kernelsOf(module)),
    notShown(module),
  );
}

/** What leads to the modules of a page that has several: those that waste most come first. */
function contents(modules: readonly ModuleData[], sections: readonly HTMLElement[]): HTMLElement {
  const number = (value: number, text: string) => html('td', {class: 'number'}, html('data', {value, title: String(value)}, text));
  const rows = modules.map(({record}, i) => ({record, section: sections[i]!})).sort((a, b) => b.record.wasted_bytes - a.record.wasted_bytes);
  const goTo = (section: HTMLElement) => {
    section.scrollIntoView();
    section.querySelector('h2')!.focus({preventScroll: true});
  };
  const titles = ['Module', 'Kernels', 'Wasted', 'Moved', 'Needed', 'Estimate', 'File'];
  return html('section', {class: 'contents'},
    html('h2', {}, counted(modules.length, 'module')),
    html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Modules'}, html('table', {},
      html('thead', {}, html('tr', {}, ...titles.map((title, i) => html('th', {scope: 'col', class: i > 0 && i < 6 && 'number'}, title)))),
      html('tbody', {}, ...rows.map(({record, section}) => html('tr', {},
        html('td', {}, html('button', {type: 'button', class: 'link', title: titleOf(record), onclick: () => goTo(section)}, shortenedName(titleOf(record), MOST_IN_TABLE))),
        number(record.kernels, withCommas(record.kernels)), number(record.wasted_bytes, bytes(record.wasted_bytes)),
        number(record.moved_bytes, bytes(record.moved_bytes)), number(record.needed_bytes, bytes(record.needed_bytes)),
        number(record.estimated_us, microseconds(record.estimated_us)),
        html('td', {class: 'from'}, html('span', {class: 'origin', title: record.file}, record.file))))))));
}

export function overview(summary: Summary): HTMLElement {
  const view = html('div', {class: 'overview'});
  if (summary.modules.length === 0) {
    view.append(html('h2', {}, 'Nothing to show'), html('p', {}, 'There is no module.'));
    return view;
  }
  const sections = summary.modules.map((module) => sectionOf(module, summary.before));
  if (sections.length > 1) view.append(contents(summary.modules, sections));
  view.append(...sections);
  return view;
}
