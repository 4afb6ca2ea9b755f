// Large models, kernels and arrays: how large the page is, how quick, that everything is reached.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {statSync} from 'node:fs';
import {largeKernel, largeModel} from './large_model.mjs';
import {VIEWS, graphIsThere, onPage as onPageOf, report, startBrowser, temporaryFile} from './tools.mjs';

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());
const onPage = (...args) => onPageOf(browser, ...args);

/** Milliseconds from an action in the page to its next picture, as the page itself sees it. */
const timeOf = (page, action, ...args) => page.evaluate(async ({text, values}) => {
  const act = new Function(`return (${text})`)();
  const begin = performance.now();
  await act(...values);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  return performance.now() - begin;
}, {text: String(action), values: args});

const click = (page, selector) => timeOf(page, async (wanted) => {
  document.querySelector(wanted).dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));
  while (wanted.startsWith('tbody') && !document.querySelector('.kernel')) await new Promise((done) => setTimeout(done, 1));
}, selector);

/** So often what is measured is done again, while other programs leave too little of the processor. */
const MOST_ROUNDS = 4;
/** What the page may take for a click. */
const MOST_MILLISECONDS = 100;

/**
 * Does clicks, which `round` adds by kind. The fastest of each kind is what the page itself takes;
 * the others tell how much else the machine had to do.
 */
async function checkClicks(round) {
  const times = new Map();
  const add = (kind, ms) => times.set(kind, [...(times.get(kind) ?? []), ms]);
  const slow = () => [...times].map(([kind, all]) => [kind, Math.min(...all)]).filter(([, ms]) => ms >= MOST_MILLISECONDS);
  for (let i = 0; i === 0 || (i < MOST_ROUNDS && slow().length > 0); i++) await round(add);
  const medians = [...times].map(([kind, all]) => `${kind} ${[...all].sort((a, b) => a - b)[Math.floor(all.length / 2)].toFixed(0)}`);
  console.log(`# median milliseconds: ${medians.join(', ')}`);
  assert.deepEqual(slow(), []);
}

/** What the page may take until it is there. */
const MOST_FIRST = 1500;

/** Milliseconds since the browser began to load the page, the median of three times. */
async function medianFirstView(page) {
  const firsts = [];
  for (let i = 0; i < 3; i++) {
    await page.reload();
    await page.waitForSelector('html[data-ready]');
    firsts.push(await page.evaluate(() => performance.now()));
  }
  return firsts.sort((a, b) => a - b)[1];
}

test('a model of 20,000 instructions: small, quick, in little memory', async () => {
  const file = report(temporaryFile('large.hlo', largeModel(20000)));
  assert.ok(statSync(file).size < 8e6, `${statSync(file).size} bytes`);
  await onPage(file, '', async (page) => {
    let first = Infinity;
    for (let i = 0; i < MOST_ROUNDS && first >= MOST_FIRST; i++) first = await medianFirstView(page);
    assert.ok(first < MOST_FIRST, `first view after ${first} ms`);
    await checkClicks(async (add) => {
      for (const row of [1, 12, 25, 37, 50]) {
        add('row', await click(page, `tbody tr:nth-child(${row}) a`));
        for (const view of VIEWS) add(view, await click(page, `#tab-${view}`));
        await page.evaluate(() => { location.hash = ''; });
        await page.waitForSelector('table');
      }
      for (const column of [5, 8, 4, 5, 8]) add('column', await click(page, `th:nth-child(${column}) button`));
    });
    const memory = await page.evaluate(() => {
      window.gc?.();
      return performance.memory.usedJSHeapSize;
    });
    console.log(`# page ${statSync(file).size} bytes, first view ${first.toFixed(0)} ms, heap ${(memory / 1e6).toFixed(0)} MB`);
    assert.ok(memory < 300e6, `${memory} bytes`);
  });
});

test('all of a large kernel is reached, quickly', async () => {
  const count = 1200;
  await onPage(report(temporaryFile('large_kernel.hlo', largeKernel(count))), '', async (page) => {
    const laidOut = () => graphIsThere(page);
    await checkClicks(async (add) => {
      for (let i = 0; i < 4; i++) {
        add('kernel', await click(page, 'tbody tr a'));
        add('graph', await click(page, '#tab-graph'));
        await laidOut();
        for (const button of [1, 2, 3, 4]) add(`graph button ${button}`, await click(page, `.graph-view .controls button:nth-child(${button})`));
        add('node', await click(page, '.graph .node'));
        add('line', await click(page, '.hlo li:nth-child(5) button'));
        await page.evaluate(() => { location.hash = ''; });
        await page.waitForSelector('table');
      }
    });
    await click(page, 'tbody tr a');
    await click(page, '#tab-graph');
    await laidOut();
    assert.equal(await page.locator('.graph-view [role="status"]').textContent(), '1,200 instructions');
    // By keys, from the first to the last; each is drawn and has the focus.
    const reached = await page.evaluate(async () => {
      const names = new Set();
      const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
      document.querySelector('.graph [tabindex="0"]').focus();
      press('Home');
      const name = () => document.activeElement.querySelector('.name').textContent;
      for (let last = null; last !== name();) {
        last = name();
        names.add(last);
        press('ArrowRight');
      }
      return names.size;
    });
    assert.equal(reached, count);
    // Chosen in the text, however far, it comes into sight; and the other way round.
    const name = () => page.locator('.graph .node.selected .name').textContent();
    await page.click('.hlo li:nth-child(40) button');
    const text = await page.locator('.hlo .selected').textContent();
    assert.ok(text.includes(`${await name()} = `), text);
    await page.click('text=To the root');
    await page.click('.graph .node.root');
    assert.ok((await page.locator('.hlo .selected').textContent()).includes(`${await name()} = `));
    // Only what is in sight is on the page.
    assert.ok(await page.locator('.graph .node').count() < 300);
    assert.ok(await page.locator('.hlo li').count() <= 151);
  });
});

/** The instructions whose texts leave their box, or whose name is behind the button that opens calls. */
const crowded = (page) => page.locator('.graph .node').evaluateAll((nodes) => nodes.filter((node) => {
  const box = node.querySelector('rect').getBoundingClientRect();
  const button = node.querySelector('.toggle')?.getBoundingClientRect();
  return [...node.querySelectorAll('text')].some((text) => {
    const {left, right, bottom} = text.getBoundingClientRect();
    return left < box.left || right > box.right || (button !== undefined && right > button.left && bottom < button.bottom + 4);
  });
}).map((node) => node.textContent));

test('what is called opens in the graph', async () => {
  const file = temporaryFile('calls.hlo', `HloModule m
larger { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT m = f32[] maximum(a, b) }
twice { p = f32[64,32] parameter(0)  z = f32[] constant(0)  e = f32[64,32] exponential(p)
  r = f32[64] reduce(e, z), dimensions={1}, to_apply=larger  ROOT n = f32[64] negate(r) }
names { a_wide_name.1 = f32[] parameter(0)  b_wide_name.2 = f32[] parameter(1)  ROOT larger_of_both_whose_name_is_long.3 = f32[] maximum(a_wide_name.1, b_wide_name.2) }
wide { p = f32[64,32] parameter(0)  z = f32[] constant(0)  ROOT reduced_to_rows.12 = f32[64] reduce(p, z), dimensions={1}, to_apply=names }
ENTRY e { x = f32[64,32] parameter(0)  k = f32[64] fusion(x), kind=kInput, calls=twice  w = f32[64] fusion(x), kind=kInput, calls=wide  ROOT t = (f32[64], f32[64]) tuple(k, w) }
`);
  await onPage(report(file), '#k/graph', async (page) => {
    const names = () => page.locator('.graph .node .name').allTextContents();
    assert.deepEqual((await names()).sort(), ['%e', '%n', '%p', '%r', '%z']);
    assert.equal(await page.locator('.graph .node[aria-expanded]').getAttribute('aria-expanded'), 'false');
    await page.locator('.graph .toggle').click();
    await graphIsThere(page);
    assert.deepEqual((await names()).sort(), ['%a', '%b', '%e', '%m', '%n', '%p', '%r', '%z']);
    await page.locator('.graph .node', {hasText: 'maximum'}).click();
    assert.match(await page.locator('.hlo .selected').textContent(), /%m = f32\[\] maximum/);
    assert.match(await page.locator('.chosen').textContent(), /%m reads.*%a: \(\) -> \(\)/);
    // By keys: closed again.
    await page.locator('.graph .node[aria-expanded]').focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 8 && (await page.evaluate(() => document.activeElement.getAttribute('aria-expanded'))) !== 'true'; i++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('o');
    await graphIsThere(page);
    assert.equal(await page.locator('.graph .node').count(), 5);
  });
  await onPage(report(file), '#w/graph', async (page) => {
    assert.equal(await page.locator('.graph .toggle').count(), 1);
    assert.deepEqual(await crowded(page), []);
    await page.click('text=Open all calls');
    await graphIsThere(page);
    assert.equal(await page.locator('.graph .node').count(), 6);
    assert.deepEqual(await crowded(page), []);
  });
});

test('elements of large arrays: what is read is shown quickly', async () => {
  // A table of 151,936 rows, one of which is read; a reshape that mixes dimensions; an array of 16 million.
  const file = temporaryFile('gather.hlo', `HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
rows { table = f32[151936,896] parameter(0)  which = s32[32,1] parameter(1)
  ROOT g = f32[32,896] gather(table, which), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,896} }
mixed { p = f32[1000,1000] parameter(0)  r = f32[100,100,100] reshape(p)  t = f32[100,100,100] transpose(r), dimensions={2,1,0}
  q = f32[500,2000] reshape(t)  z = f32[] constant(0)  ROOT s = f32[500] reduce(q, z), dimensions={1}, to_apply=add }
all { p = f32[16777216] parameter(0)  z = f32[] constant(0)  ROOT s = f32[] reduce(p, z), dimensions={0}, to_apply=add }
ENTRY e { table = f32[151936,896] parameter(0)  which = s32[32,1] parameter(1)  x = f32[1000,1000] parameter(2)  y = f32[16777216] parameter(3)
  g = f32[32,896] fusion(table, which), kind=kLoop, calls=rows
  m = f32[500] fusion(x), kind=kInput, calls=mixed
  a = f32[] fusion(y), kind=kInput, calls=all
  ROOT t = (f32[32,896], f32[500], f32[]) tuple(g, m, a) }
`);
  const wanted = {
    g: /^reads 136,134,656 of 136,134,656 elements: \[0:151936, 0:896\]; superset: for every value that %which may have/,
    m: /^reads 2,000 of 1,000,000 elements/,
    a: /^reads 16,777,216 of 16,777,216 elements: \[0:16777216\]/,
  };
  for (const [kernel, pattern] of Object.entries(wanted)) {
    await onPage(report(file), `#${kernel}/elements`, async (page) => {
      if (kernel === 'g') await page.selectOption('#panel select', 'row');
      await checkClicks(async (add) => {
        for (let i = 0; i < 5; i++) {
          for (const matrix of [0, 1]) {
            add(`${kernel} array ${matrix}`, await timeOf(page, (number, step) => {
              const canvas = document.querySelectorAll('.matrix')[number];
              const {left, top, width, height} = canvas.getBoundingClientRect();
              canvas.dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: left + (width * (2 * step + 1)) / 10, clientY: top + (height * (2 * step + 1)) / 10}));
            }, matrix, i));
          }
        }
      });
      await page.locator('.matrix').first().click({position: {x: 5, y: 5}});
      assert.match((await page.locator('.told').allTextContents())[1], pattern);
    });
  }
});
