// Shows the view that the address asks for: `#` all kernels, `#NAME` a kernel, `#NAME/VIEW` a view of it.
import {type KernelEntry, type Summary, loadSummary, titleOf} from './data';
import {html} from './dom';
import {isViewName, kernelView} from './kernel';
import {overview} from './overview';
import {drawAgain} from './palette';

const main = document.querySelector('main')!;

function show(content: HTMLElement): void {
  main.replaceChildren(content);
}

/** Kernels by their part of the address. */
function find(summary: Summary): Map<string, KernelEntry> {
  return new Map(summary.modules.flatMap(({kernels}) => kernels).map((kernel) => [kernel.link, kernel]));
}

function start(): void {
  const summary = loadSummary();
  const kernels = find(summary);
  const first = summary.modules[0]?.record;
  document.title = first === undefined ? 'hlo-indexing report' : `${titleOf(first)}: hlo-indexing report`;
  document.querySelector('footer')!.append(`hlo-indexing ${summary.tool_version}`);
  // Made once, so that going back finds the table as it was left.
  const all = overview(summary);
  let scrolled = 0;
  let wasOverview = false;
  const route = () => {
    const [name, view = 'accesses'] = location.hash.slice(1).split('/');
    let link = '';
    try {
      link = decodeURIComponent(name ?? '');
    } catch {
      link = name ?? '';
    }
    if (wasOverview) scrolled = scrollY;
    wasOverview = false;
    if (link === '') {
      show(all);
      wasOverview = true;
      scrollTo(0, scrolled);
      return;
    }
    const kernel = kernels.get(link);
    if (kernel === undefined || !isViewName(view)) {
      show(html('div', {}, html('p', {role: 'alert'}, `There is no kernel '${link}'${isViewName(view) ? '' : ` with a view '${view}'`}.`),
        html('a', {href: '#'}, 'All kernels')));
      return;
    }
    const content = kernelView(kernel, view);
    show(content);
    scrollTo(0, 0);
    content.querySelector('h2')!.focus({preventScroll: true});
  };
  const safely = () => orFail(route);
  addEventListener('hashchange', safely);
  // Pictures on canvases have the colours of the scheme when they were drawn; paper is light.
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAgain);
  for (const [event, isPrinted] of [['beforeprint', true], ['afterprint', false]] as const) {
    addEventListener(event, () => {
      document.documentElement.classList.toggle('printed', isPrinted);
      drawAgain();
    });
  }
  safely();
  document.documentElement.dataset.ready = 'true';
}

/** Whatever goes wrong is told on the page. */
function orFail(action: () => void): void {
  try {
    action();
  } catch (error) {
    show(html('p', {role: 'alert'}, `The page cannot be shown: ${String(error)}`));
  }
}

orFail(start);
