// How the page looks where the pictures that are kept do not show it: on paper, in the dark, with large arrays and files,
// with names of any length.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {largeKernel} from './large_model.mjs';
import {VIEWS, onPage as onPageOf, records, report, startBrowser, temporaryFile} from './tools.mjs';

const BLOCK = 'examples/transformer_block.hlo';
const SLOW = 'examples/slow_kernels.hlo';

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());
const onPage = (...args) => onPageOf(browser, ...args);

test('nothing is wider than a telephone, however long the names are', async () => {
  const long = 'long_'.repeat(30);
  const path = `/${'folder/'.repeat(20)}`;
  const file = temporaryFile('long.hlo', `HloModule m_${long}
f { p = f32[8,4096] parameter(0)  ROOT r = f32[4096,8] transpose(p), dimensions={1,0} }
ENTRY e { x_${long} = f32[8,4096] parameter(0)  ROOT k_${long} = f32[4096,8] fusion(x_${long}), kind=kLoop, calls=f, metadata={op_name="jit(${long})/${long}" source_file="${path}model.py" source_line=3} }
`);
  await onPage(report(file), '', async (page) => {
    assert.equal(await page.locator('tbody .origin').textContent(), `model.py:3 jit(${long})/${long}`);
    assert.ok((await page.locator('tbody .origin').getAttribute('title')).startsWith(`${path}model.py:3 `));
    const link = await page.locator('tbody a').getAttribute('href');
    for (const hash of ['', ...VIEWS.map((view) => `${link}/${view}`)]) {
      await page.evaluate((to) => { location.hash = to; }, hash);
      await page.waitForSelector(hash === '' ? '.overview' : `#tab-${hash.split('/')[1]}[aria-selected="true"]`);
      const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(wide <= window, `${hash.split('/')[1] ?? 'overview'}: ${wide} pixels on ${window}`);
    }
  }, {viewport: {width: 390, height: 844}});
});

test('printing gives pages', async () => {
  await onPage(report('tests/corpus/jax/transformer_training_step.hlo'), '', async (page) => {
    await page.emulateMedia({media: 'print'});
    const [wide, shown] = await page.locator('table').evaluate((table) => [table.scrollWidth, table.parentElement.clientWidth]);
    assert.ok(wide <= shown, `the table is ${wide} pixels wide on ${shown}`);
    // Names can be read: in two lines at most, as headings are in one.
    const lines = (selector) => page.locator(selector).evaluateAll((all) => Math.max(...all.map((element) => element.getClientRects().length)));
    assert.ok(await lines('tbody a') <= 2);
    assert.equal(await lines('thead button'), 1);
  }, {viewport: {width: 720, height: 1000}});
  await onPage(report(BLOCK), '#query', async (page) => {
    const pdf = await page.pdf({format: 'A4'});
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    await page.emulateMedia({media: 'print'});
    assert.equal(await page.locator('.tabs').isVisible(), false);
    assert.equal(await page.locator('.access').first().isVisible(), true);
    assert.ok(await page.locator('.hlo button').first().isVisible());
    // Which access it is, of which block and warp.
    await page.evaluate(() => { location.hash = '#query/warps'; });
    assert.equal(await page.locator('#panel select').isVisible(), true);
    assert.equal(await page.locator('#panel [type="number"]').first().isVisible(), true);
    assert.equal(await page.locator('#panel [type="range"]').first().isVisible(), false);
  });
});

/** The names of the colours that a style gives. */
const inStyle = (page, ...names) => page.evaluate((all) => all.map((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()), names);

/** How many pixels of a canvas have a colour. */
const pixelsOf = (page, canvas, colour) => page.locator(canvas).first().evaluate((element, wanted) => {
  const [red, green, blue] = [1, 3, 5].map((i) => parseInt(wanted.slice(i, i + 2), 16));
  const {data} = element.getContext('2d').getImageData(0, 0, element.width, element.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i] === red && data[i + 1] === green && data[i + 2] === blue) count++;
  return count;
}, colour);

/** Waits until more pixels than that have a colour: the page draws when the browser has told it of a change. */
const hasPixels = async (page, canvas, colour, least) => {
  for (const end = Date.now() + 10000; Date.now() < end;) {
    if (await pixelsOf(page, canvas, colour) > least) return;
    await page.waitForTimeout(50);
  }
  assert.fail(`${await pixelsOf(page, canvas, colour)} pixels of ${canvas} are ${colour}`);
};

test('paper is light, and nothing is cut off there', async () => {
  await onPage(report(SLOW), '#scaled/elements', async (page) => {
    const [dark] = await inStyle(page, 'cell');
    assert.ok(await pixelsOf(page, '.matrix', dark) > 1000);
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const [light] = await inStyle(page, 'cell');
    assert.notEqual(light, dark);
    for (const matrix of await page.locator('.matrix').all()) assert.equal(await pixelsOf(page, '.matrix', dark), 0, String(matrix));
    assert.ok(await pixelsOf(page, '.matrix', light) > 1000);
    assert.equal(await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor), 'rgb(255, 255, 255)');
    for (const useless of ['.back', '.hint']) assert.equal(await page.locator(useless).first().isVisible(), false);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.equal(await pixelsOf(page, '.matrix', light), 0);
    assert.ok(await pixelsOf(page, '.matrix', dark) > 1000);
    await page.evaluate(() => { location.hash = '#scaled/layouts'; });
    await page.waitForSelector('.grid');
    const [wide, paper] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= paper, `${wide} pixels on ${paper}`);
    for (const grid of await page.locator('.grid').all()) {
      const {x, width} = await grid.boundingBox();
      assert.ok(x + width <= paper);
    }
  }, {colorScheme: 'dark', viewport: {width: 700, height: 900}});
});

test('what was chosen stays so when the system becomes dark', async () => {
  await onPage(report(BLOCK), '#query/elements', async (page) => {
    await page.fill('[aria-label="Index that is chosen"]', '1, 2, 20');
    await page.keyboard.press('Enter');
    await page.emulateMedia({colorScheme: 'dark'});
    const [cell] = await inStyle(page, 'cell');
    await hasPixels(page, '.matrix', cell, 1000);
    assert.equal(await page.locator('.told').first().textContent(), 'chosen: [1, 2, 20]');
  }, {colorScheme: 'light'});
});

test('the line of every lane is seen, light or dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await onPage(report(SLOW), '#scaled/warps', async (page) => {
      const [background] = await inStyle(page, 'background');
      const colours = await page.locator('.warp .line').evaluateAll((lines) => lines.map((line) => line.getAttribute('stroke')));
      assert.equal(colours.length, 32);
      const luminance = (colour) => [1, 3, 5]
        .map((i) => parseInt(colour.slice(i, i + 2), 16) / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0.05);
      for (const colour of colours) {
        const [least, most] = [luminance(colour), luminance(background)].sort((a, b) => a - b);
        assert.ok(most / least >= 3, `${colour} on ${background}`);
      }
      assert.equal(new Set(colours).size, 32);
    }, {colorScheme});
  }
});

test('one element of millions is seen', async () => {
  const file = temporaryFile('large_array.hlo', `HloModule m
f { p = f32[4096,8192] parameter(0)  ROOT r = f32[8192,4096] transpose(p), dimensions={1,0} }
ENTRY e { x = f32[4096,8192] parameter(0)  ROOT k = f32[8192,4096] fusion(x), kind=kInput, calls=f }
`);
  await onPage(report(file), '#k/elements', async (page) => {
    const [mark] = await inStyle(page, 'mark');
    for (const index of ['0, 0', '8191, 4095', '4000, 2000']) {
      await page.fill('[aria-label="Index that is chosen"]', index);
      await page.keyboard.press('Enter');
      for (const matrix of ['.arrays >> nth=0 >> .matrix', '.arrays >> nth=1 >> .matrix']) {
        await hasPixels(page, matrix, mark, 150);
      }
    }
  });
});

test('numbers of lines stand beside the lines, however many there are', async () => {
  const text = largeKernel(60);
  await onPage(report(temporaryFile('long_file.hlo', `${'\n'.repeat(123456)}${text}`)), '', async (page) => {
    await page.click('tbody a');
    await page.waitForSelector('.kernel');
    const lines = await page.locator('.hlo button').evaluateAll((all) => all.map((line) => {
      const [number, code] = line.children;
      const range = document.createRange();
      range.selectNodeContents(number);
      return {number: number.textContent, end: range.getBoundingClientRect().right, begin: code.getBoundingClientRect().left, codeEnd: code.getBoundingClientRect().right, lineEnd: line.getBoundingClientRect().right};
    }));
    assert.ok(lines.length >= 60);
    for (const {number, end, begin, codeEnd, lineEnd} of lines) {
      assert.equal(number.length, 6);
      assert.ok(end + 4 <= begin && codeEnd <= lineEnd, `${number}: ${end}, ${begin}, ${codeEnd}, ${lineEnd}`);
    }
  });
});

test('what bounds kernels has its colour, whichever takes the most time; names stay on their tiles', async () => {
  const colours = new Map();
  let orders = '';
  for (const files of [[SLOW], [BLOCK], ['tests/corpus/jax/transformer_training_step.hlo']]) {
    await onPage(report(...files), '', async (page) => {
      const parts = await page.locator('.bounds li').evaluateAll((all) => all.map((part) => [part.querySelector('b').textContent, getComputedStyle(part.querySelector('.swatch')).backgroundColor]));
      const wide = await page.locator('.treemap g:has(> rect)').evaluateAll((tiles) => tiles.filter((tile) => {
        const {right} = tile.querySelector('rect').getBoundingClientRect();
        return [...tile.querySelectorAll('text')].some((text) => text.getBoundingClientRect().right > right);
      }).map((tile) => tile.textContent));
      assert.deepEqual(wide, [], 'texts leave their tiles');
      orders += `${parts.map(([bound]) => bound).join()} `;
      for (const [bound, colour] of parts) {
        assert.notEqual(colour, 'rgba(0, 0, 0, 0)', bound);
        assert.equal(colours.get(bound) ?? colour, colour, `${bound} in ${files}`);
        colours.set(bound, colour);
      }
    });
  }
  assert.ok(colours.size > 2 && new Set(colours.values()).size === colours.size, orders);
});

test('a page of several modules begins with what leads to them', async () => {
  const files = [BLOCK, SLOW, 'examples/tiles.hlo'];
  const modules = records('explain', ...files).filter(({kind}) => kind === 'module');
  await onPage(report(...files), '', async (page) => {
    const rows = await page.locator('.contents tbody tr').evaluateAll((all) => all.map((row) => [row.querySelector('button').textContent, ...[...row.querySelectorAll('data')].map(({value}) => Number(value)), row.querySelector('.origin').textContent]));
    const wanted = modules.map((module) => [module.module, module.kernels, module.wasted_bytes, module.moved_bytes, module.needed_bytes, module.estimated_us, module.file]);
    assert.deepEqual(rows, wanted.sort((a, b) => b[2] - a[2]));
    for (const {module} of modules) {
      await page.locator('.contents button', {hasText: module}).focus();
      await page.keyboard.press('Enter');
      assert.equal(await page.evaluate(() => document.activeElement.textContent), module);
      const {y} = await page.locator('h2', {hasText: module}).boundingBox();
      assert.ok(y >= -1 && y < 900, `${module} is at ${y}`);
    }
  });
  // A text without a header has the name of its file.
  const nameless = temporaryFile('nameless.hlo', 'ENTRY e { p = f32[8] parameter(0)  ROOT n = f32[8] negate(p) }\n');
  await onPage(report(nameless, SLOW), '', async (page) => {
    assert.deepEqual(await page.locator('.contents button').allTextContents(), ['slow_kernels', 'nameless.hlo']);
    assert.deepEqual(await page.locator('h2').allTextContents(), ['2 modules', 'nameless.hlo', 'slow_kernels']);
    assert.match(await page.title(), /^nameless\.hlo: /);
  });
});

test('a grid of one row can be read', async () => {
  const file = temporaryFile('row.hlo', `HloModule m
f { p = f32[65536] parameter(0)  ROOT n = f32[65536] exponential(p) }
ENTRY e { x = f32[65536] parameter(0)  ROOT k = f32[65536] fusion(x), kind=kLoop, calls=f }
`);
  await onPage(report(file), '#k/layouts', async (page) => {
    await page.selectOption('#panel select >> nth=0', {label: 'threads and values of output 0'});
    assert.ok((await page.locator('.grid').boundingBox()).height >= 22);
    assert.match(await page.locator('.zoomable [role="status"]').textContent(), /rows 0 to 0 of 1, columns 0 to \d+ of \d+ are shown/);
    // All of it can still be asked for.
    await page.focus('.grid');
    for (let i = 0; i < 6; i++) await page.keyboard.press('-');
    assert.ok((await page.locator('.grid').boundingBox()).height < 10);
  });
});

test('names of 10,000 letters leave room for the rest', async () => {
  const long = 'n'.repeat(10_000);
  const file = temporaryFile('very_long.hlo', `HloModule m_${long}
f_${long} { p_${long} = f32[64,32] parameter(0)  ROOT t_${long} = f32[32,64] transpose(p_${long}), dimensions={1,0} }
ENTRY e { x_${long} = f32[64,32] parameter(0)  ROOT k_${long} = f32[32,64] fusion(x_${long}), kind=kLoop, calls=f_${long}, metadata={op_name="${long}" source_file="/${long}.py" source_line=3} }
`);
  await onPage(report(file), '', async (page) => {
    const link = await page.locator('tbody a').getAttribute('href');
    assert.equal(await page.locator('h2').getAttribute('title'), `m_${long}`);
    for (const hash of ['', ...VIEWS.map((view) => `${link}/${view}`)]) {
      await page.evaluate((to) => { location.hash = to; }, hash);
      await page.waitForSelector(hash === '' ? '.overview' : `#tab-${hash.split('/')[1]}[aria-selected="true"]`);
      const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(wide <= window, `${wide} pixels on ${window}`);
      const top = await page.locator(hash === '' ? 'table' : '#panel').evaluate((part) => part.getBoundingClientRect().top);
      assert.ok(top < 900, `${hash.slice(-10)} begins at ${top}`);
    }
  });
});
