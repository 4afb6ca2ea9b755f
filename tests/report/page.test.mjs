// The page in a browser: its views by mouse and by keys, its numbers, its looks, what it must not do.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {difference, keepIfAsked, kept} from './pictures.mjs';
import {largeModel} from './large_model.mjs';
import {VIEWS, graphIsThere, onPage as onPageOf, records, report, run, startBrowser, temporaryFile} from './tools.mjs';

const BLOCK = 'examples/transformer_block.hlo';
const SLOW = 'examples/slow_kernels.hlo';
const TILED = `HloModule tiled
f { p = bf16[100,200]{1,0:T(8,128)(2,1)} parameter(0)
  ROOT t = bf16[200,100]{1,0:T(8,128)(2,1)} transpose(p), dimensions={1,0} }
ENTRY e { x = bf16[100,200]{1,0:T(8,128)(2,1)} parameter(0)
  ROOT y = bf16[200,100]{1,0:T(8,128)(2,1)} fusion(x), kind=kInput, calls=f }
`;
let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

const onPage = (...args) => onPageOf(browser, ...args);
const value = (page, locator) => page.locator(locator).evaluate((element) => element.value);

test('the numbers are those of explain', async () => {
  for (const [file, ...options] of [[BLOCK], [SLOW, '--device=a100'], ['examples/tiles.hlo', '--plan=ours']]) {
    const lines = records('explain', file, ...options);
    const module = lines.find(({kind}) => kind === 'module');
    const kernels = lines.filter(({kind}) => kind === 'kernel');
    const requests = records('coalescing', file, ...options).filter(({kind}) => kind === 'access');
    const number = (value) => value.toLocaleString('en-US');
    const said = run('explain', file, ...options).replace(/\s+/g, ' ');
    await onPage(report(file, ...options), '', async (page) => {
      const shown = await page.locator('.cards data').evaluateAll((elements) => elements.map(({value}) => Number(value)));
      assert.deepEqual(shown, [module.kernels, module.moved_bytes, module.needed_bytes, module.wasted_bytes, module.estimated_us]);
      const rows = await page.locator('tbody tr').evaluateAll((elements) => elements.map((row) => [
        row.querySelector('a').textContent, ...[...row.querySelectorAll('data')].map(({value}) => Number(value)), row.querySelector('.bar').title]));
      assert.deepEqual(rows, kernels.map((kernel) => [`%${kernel.instruction}`, kernel.wasted_bytes, kernel.moved_bytes,
        kernel.needed_bytes, kernel.estimated_us, `${kernel.efficiency} sectors`]));
      for (const kernel of kernels) {
        await page.goto(`${page.url().split('#')[0]}#${kernel.instruction}`);
        await page.waitForSelector(`h2:text-is("%${kernel.instruction}")`);
        const facts = await page.locator('.kernel .cards data').evaluateAll((elements) => elements.map(({value}) => Number(value)));
        assert.deepEqual(facts, [kernel.moved_bytes, kernel.needed_bytes, kernel.wasted_bytes, kernel.dram_bytes, kernel.estimated_us]);
        const of = ({kind, computation, instruction}) => kind === 'access' && computation === kernel.computation && instruction === kernel.instruction;
        const accesses = lines.filter(of);
        const counted = requests.filter(of);
        const cards = await page.locator('.access').allTextContents();
        assert.equal(cards.length, accesses.length);
        accesses.forEach((access, i) => {
          const card = cards[i];
          const has = (text) => assert.ok(card.includes(text), `${kernel.instruction}: ${text} in ${card}`);
          has(access.access);
          const unit = access.space === 'shared' ? 'wavefronts' : 'sectors';
          if (access[unit] === undefined) return has('Nobody knows');
          const record = counted.find((each) => each.space === access.space && each.access === access.access && each.operand === access.operand && each.array === access.array && each.output === access.output && each.tile === access.tile && each[unit] === access[unit]);
          assert.ok(record !== undefined, `coalescing has no ${JSON.stringify(access)}`);
          has(`${number(record.requests)} requests, ${number(record[unit])} ${unit}`);
          has(`${(record[unit] / record.requests).toFixed(1)} ${unit} per request, ideal ${(record[`ideal_${unit}`] / record.requests).toFixed(1)}`);
          if (access.space === 'global') has(`${record.vector_bytes} bytes of a thread`);
          if (record.stride_bytes !== undefined) has(`${number(record.stride_bytes)} byte`);
          if (record.broken_by !== undefined && access.cause !== undefined && access.cause !== 'alignment') has(`(${record.broken_by})`);
          if (access.origin !== undefined) has(`%${access.origin.instruction} at line ${access.origin.line}, column ${access.origin.column}`);
          if (access.cure !== undefined) has(`layout ${access.cure.layout}`);
        });
        // What would help the whole kernel, in the words of `explain`.
        const cures = await page.locator('li.cure').allTextContents();
        assert.equal(cures.length, kernel.cures?.length ?? 0);
        for (const cure of cures) {
          const effect = cure.slice(cure.indexOf(': ') + 2).split(';')[0];
          assert.ok(said.includes(`: ${effect}`), `explain does not say: ${effect}`);
        }
      }
    });
  }
});

test('every view by clicks', async () => {
  await onPage(report(BLOCK), '', async (page) => {
    await page.click('a:text-is("%query")');
    await page.waitForSelector('.kernel');
    assert.equal(await page.locator('h2').textContent(), '%query');
    for (const view of VIEWS) {
      await page.click(`#tab-${view}`);
      assert.equal(await page.locator(`#tab-${view}`).getAttribute('aria-selected'), 'true');
      assert.ok((await page.locator('#panel').textContent()).length > 20, view);
      assert.equal(await page.evaluate(() => location.hash), view === 'accesses' ? '#query' : `#query/${view}`);
    }
    await page.click('text=All kernels');
    await page.waitForSelector('table');
    await page.click('.treemap a >> nth=0');
    await page.waitForSelector('.kernel');
    await page.goBack();
    await page.waitForSelector('table');
  });
});

test('every view by keys', async () => {
  await onPage(report(BLOCK), '', async (page) => {
    const focus = () => page.evaluate(() => document.activeElement.textContent);
    for (let i = 0; i < 60 && (await focus()) !== '%query'; i++) await page.keyboard.press('Tab');
    assert.equal(await focus(), '%query');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.kernel');
    assert.equal(await focus(), '%query');
    for (let i = 0; i < 5 && (await focus()) !== 'Accesses'; i++) await page.keyboard.press('Tab');
    for (const view of [...VIEWS.slice(1), VIEWS[0]]) {
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.evaluate(() => document.activeElement.id), `tab-${view}`);
    }
    // The graph: a node is chosen, and its line in the text with it.
    await page.click('#tab-graph');
    await graphIsThere(page);
    for (let i = 0; i < 8 && !(await page.evaluate(() => document.activeElement.classList.contains('node'))); i++) await page.keyboard.press('Tab');
    const chosen = await page.evaluate(() => document.activeElement.querySelector('.name').textContent);
    await page.keyboard.press('Enter');
    assert.ok((await page.locator('.hlo .selected').textContent()).includes(`${chosen} = `));
    // The elements: arrows move.
    await page.click('#tab-elements');
    await page.focus('.matrix >> nth=0');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    assert.notEqual(await value(page, '[aria-label="Index that is chosen"]'), '0, 0, 0');
    // The warps: sliders.
    await page.click('#tab-warps');
    const status = () => page.locator('#panel [role="status"]').textContent();
    await page.focus('input[type="range"] >> nth=0');
    await page.keyboard.press('ArrowRight');
    assert.equal(await value(page, 'input[type="number"] >> nth=0'), '1');
    assert.match(await status(), /This request/);
    // The grids: arrows and zoom.
    await page.click('#tab-layouts');
    await page.focus('.grid >> nth=0');
    await page.keyboard.press('ArrowRight');
    assert.match(await page.locator('.zoomable [role="status"] >> nth=0').textContent(), /\[0, 0, 1\] lies at position 1/);
    const width = () => page.locator('.grid >> nth=0').evaluate((canvas) => canvas.style.width);
    const before = await width();
    await page.keyboard.press('-');
    assert.notEqual(await width(), before);
  });
});

test('what is read, and where it goes', async () => {
  await onPage(report(BLOCK), '#query/elements', async (page) => {
    const told = (i) => page.locator('.told').nth(i).textContent();
    const choose = async (index) => {
      await page.fill('[aria-label="Index that is chosen"]', index);
      await page.keyboard.press('Enter');
    };
    assert.equal(await told(1), 'reads 2 of 1,536 elements: [0, 16] and [0, 0]');
    await choose('1, 2, 20');
    assert.equal(await told(0), 'chosen: [1, 2, 20]');
    assert.equal(await told(1), 'reads 2 of 1,536 elements: [1, 84] and [1, 68]');
    assert.equal(await told(2), 'reads 1 of 16 elements: [4]');
    await page.selectOption('select >> nth=0', 'row');
    assert.match(await told(1), /^reads 32 of 1,536 elements/);
    // The other way round: a click on an element of the operand.
    await page.selectOption('select >> nth=0', 'element');
    await page.locator('.matrix').nth(2).click({position: {x: 3, y: 3}});
    assert.match(await told(0), /^goes to 32 of 512 elements/);
    assert.ok((await page.locator('.array').nth(1).textContent()).includes('reads 512 of 1,536 elements; hatched: never read'));
  });
  // Values known at run time: no more than what may be read is said, and that it is that.
  await onPage(report(BLOCK), '#keys/elements', async (page) => {
    assert.match(await page.locator('#panel').textContent(), /superset: for every value that %position may have/);
  });
  await onPage(report(SLOW), '#sums/elements', async (page) => {
    assert.match(await page.locator('.told').nth(1).textContent(), /^reads 4,096 of 4,194,304 elements: \[0:4096, 0\]/);
  });
});

test('a computation by itself is asked both ways, as its fusion is', async () => {
  const body = (name) => `${name} { p = f32[8,12] parameter(0)  q = f32[24] parameter(1)  s = f32[4,12] slice(p), slice={[0:8:2], [0:12]}
  r = f32[12,4] transpose(s), dimensions={1,0}  v = f32[12] slice(q), slice={[0:12]}  b = f32[12,4] broadcast(v), dimensions={0}  ROOT a = f32[12,4] add(r, b) }`;
  const alone = temporaryFile('alone.hlo', `HloModule m\n${body('f')}\n`);
  const fused = temporaryFile('fused.hlo', `HloModule m\n${body('f')}\nENTRY e { x = f32[8,12] parameter(0)  y = f32[24] parameter(1)  ROOT a = f32[12,4] fusion(x, y), kind=kLoop, calls=f }\n`);
  const answers = [];
  for (const file of [alone, fused]) {
    await onPage(report(file), '#a/elements', async (page) => {
      const texts = [];
      for (const matrix of [0, 1, 2]) {
        for (const [x, y] of [[1, 1], [25, 5], [70, 15]]) {
          await page.locator('.matrix').nth(matrix).click({position: {x, y}});
          texts.push(await page.locator('.told').allTextContents());
        }
      }
      texts.push(await page.locator('.array > p:last-child').allTextContents());
      answers.push(texts);
    });
  }
  assert.deepEqual(answers[0], answers[1]);
  assert.deepEqual(answers[0][9].slice(1), ['The whole kernel reads 48 of 96 elements; hatched: never read', 'The whole kernel reads 12 of 24 elements; hatched: never read']);
  assert.match(answers[0][3][0], /^goes to 1 of 48 elements: \[0, 0\]/);
});

test('warps and banks', async () => {
  await onPage(report(SLOW), '#scaled/warps', async (page) => {
    assert.equal(await page.locator('.warp').getAttribute('aria-label'), '32 lanes touch 32 sectors of 32 bytes, ideal 4');
    assert.equal(await page.locator('.warp .sector').count(), 32);
    await page.selectOption('select >> nth=0', '1');
    assert.equal(await page.locator('.warp').getAttribute('aria-label'), '32 lanes touch 16 sectors of 32 bytes, ideal 16');
  });
  await onPage(report(SLOW), '#swapped/warps', async (page) => {
    await page.selectOption('select >> nth=0', {label: 'load shared tile of %swapped'});
    assert.match(await page.locator('.warp').getAttribute('aria-label'), /^32 lanes take \d+ wavefronts?, ideal \d+/);
  });
});

test('layouts have positions, padding and threads', async () => {
  await onPage(report(temporaryFile('tiled.hlo', TILED)), '#y/layouts', async (page) => {
    const [layout] = records('layout', 'bf16[200,100]{1,0:T(8,128)(2,1)}').filter(({kind}) => kind === 'layout');
    const text = await page.locator('#panel').textContent();
    assert.ok(text.includes(`${layout.num_positions?.toLocaleString('en-US') ?? '25,600'} positions`), text);
    await page.click('.grid >> nth=1', {position: {x: 5, y: 5}});
    for (let i = 0; i < 13; i++) await page.keyboard.press('ArrowDown');
    assert.match(await page.locator('.zoomable [role="status"] >> nth=1').textContent(), /padding/);
    await page.selectOption('select >> nth=0', {label: 'threads and values of output 0'});
    assert.match(await page.locator('.zoomable [role="status"]').textContent(), /element \[0, 0\]: thread \d+ \(warp \d+, lane \d+\), value \d+/);
    await page.selectOption('select >> nth=0', {label: 'shared memory tile of %t'});
    assert.match(await page.locator('.zoomable [role="status"]').textContent(), /lies at offset 0, bank 0/);
  });
});

test('the table: order, search, filters', async () => {
  await onPage(report(BLOCK), '', async (page) => {
    const names = () => page.locator('tbody a').allTextContents();
    const all = await names();
    await page.click('th button:text("Kernel")');
    assert.deepEqual(await names(), [...all].sort());
    await page.click('th button:text("Kernel")');
    assert.deepEqual(await names(), [...all].sort().reverse());
    assert.equal(await page.locator('th[aria-sort="descending"]').count(), 1);
    await page.fill('[type="search"]', 'query');
    assert.deepEqual(await names(), ['%query']);
    await page.fill('[type="search"]', '');
    await page.locator('.field', {hasText: 'Emitter'}).locator('select').selectOption('concatenate');
    assert.deepEqual(await names(), ['%query']);
  });
});

test('what is filtered is what the tiles show, too', async () => {
  const file = report(temporaryFile('layers.hlo', largeModel(300)));
  await onPage(file, '', async (page) => {
    const choose = (name, value) => page.locator('.field', {hasText: name}).locator('select').selectOption(value);
    const names = (selector) => page.locator(selector).evaluateAll((all) => all.map((link) => link.getAttribute('href').slice(1)).sort());
    await choose('Area of a kernel', 'moved');
    const all = await names('tbody a');
    assert.ok(all.length > 40);
    const check = async (found) => {
      assert.deepEqual(await names('tbody a'), [...found].sort());
      assert.deepEqual(await names('.treemap a'), [...found].sort());
      assert.ok((await page.locator('.table [role="status"]').textContent()).startsWith(`${found.length} of ${all.length} kernels`));
    };
    await page.fill('[type="search"]', 'layer_3/');
    await check(['t3', 's3', 'p3', 'x4']);
    await page.fill('[type="search"]', '');
    await choose('Emitter', 'reduction');
    await check(all.filter((name) => name.startsWith('s')));
    await page.fill('[type="search"]', 'model.py:63');
    await check(['s3']);
    await choose('Emitter', '');
    await page.fill('[type="search"]', '');
    await choose('Source', 'model.py:113');
    await check(['p3']);
    const sources = await page.locator('.field', {hasText: 'Source'}).locator('option').allTextContents();
    assert.deepEqual(sources.slice(0, 3), ['all', 'model.py:10', 'model.py:11']);
    // What has no tile leaves their place empty, so that the table stays where it is.
    const top = () => page.locator('.table').evaluate((table) => table.offsetTop);
    const before = await top();
    await page.fill('[type="search"]', 'nothing is called so');
    assert.equal(await page.locator('.treemap').count(), 0);
    assert.equal(await top(), before);
  });
});

test('from an access to its warps', async () => {
  await onPage(report(SLOW), '#scaled', async (page) => {
    await page.locator('.access').nth(1).locator('button', {hasText: 'Show its warps'}).click();
    assert.equal(await page.evaluate(() => location.hash), '#scaled/warps');
    assert.equal(await page.locator('#panel select').evaluate((select) => select.selectedOptions[0].textContent), 'load %scale');
    assert.equal(await page.locator('.warp').getAttribute('aria-label'), '32 lanes touch 16 sectors of 32 bytes, ideal 16');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-warps');
  });
  await onPage(report(SLOW), '#swapped', async (page) => {
    await page.locator('.access', {hasText: 'tile of'}).nth(1).locator('button', {hasText: 'Show its warps'}).click();
    assert.equal(await page.locator('#panel select').evaluate((select) => select.selectedOptions[0].textContent), 'load shared tile of %swapped');
  });
});

test('arrays and their lines of the text are marked together', async () => {
  const marked = (page) => page.locator('.hlo .selected').allTextContents();
  await onPage(report(BLOCK), '#query/elements', async (page) => {
    assert.deepEqual(await marked(page), []);
    await page.locator('.matrix').nth(2).click({position: {x: 3, y: 3}});
    assert.match((await marked(page)).join(), /^\d+%cosine = /);
    await page.locator('.matrix').nth(0).click({position: {x: 3, y: 3}});
    assert.match((await marked(page)).join(), /^\d+%rotated = /);
    await page.locator('.hlo button', {hasText: '%sine = '}).click();
    assert.match(await page.locator('.array.selected').textContent(), /^%sine /);
  });
  // An instruction by itself has no parameters; its operands are known by name.
  const file = temporaryFile('alone_with_operands.hlo', 'HloModule m\nENTRY e { a = f32[8] parameter(1)  b = f32[8] parameter(0)  ROOT s = f32[8] subtract(a, b) }\n');
  await onPage(report(file), '#s/elements', async (page) => {
    await page.locator('.matrix').nth(1).click({position: {x: 3, y: 3}});
    assert.match((await marked(page)).join(), /^\d+%a = /);
  });
});

test('an earlier version beside it', async () => {
  const text = (transposed) => `HloModule m
f { p = f32[512,512] parameter(0)  ROOT r = f32[512,512] ${transposed ? 'transpose(p), dimensions={1,0}' : 'negate(p)'} }
ENTRY e { x = f32[512,512] parameter(0)  ${transposed ? 'old = f32[512,512] exponential(x)  ' : 'new = f32[512,512] sine(x)  '}
  k = f32[512,512]{${transposed ? '0,1' : '1,0'}} fusion(${transposed ? 'old' : 'new'}), kind=kLoop, calls=f  ROOT t = (f32[512,512]) tuple(k) }
`.replaceAll('f32[512,512]{0,1} fusion', 'f32[512,512] fusion').replaceAll('f32[512,512]{1,0} fusion', 'f32[512,512] fusion');
  const older = temporaryFile('older.hlo', text(true));
  const newer = temporaryFile('newer.hlo', text(false));
  const earlier = records('explain', older).find(({kind}) => kind === 'module');
  const compared = records('explain', `--before=${older}`, newer).filter(({kind}) => kind === 'kernel');
  await onPage(report(`--before=${older}`, newer), '', async (page) => {
    const body = await page.locator('main').textContent();
    assert.ok(body.includes('compared with'), body);
    assert.match(body, /Kernels: \d move less, \d move more, \d differ otherwise, 1 new, 1 gone, \d as they were/);
    assert.equal(await page.locator('.treemap').count(), 2);
    const data = (selector) => page.locator(selector).evaluateAll((rows) => rows.map((row) => [row.querySelector('a, th').textContent, row.cells[3].textContent, [...row.querySelectorAll('data')].map(({value}) => Number(value))]));
    const rows = new Map((await data('.comparison tbody tr')).map(([name, state, numbers]) => [name, {state, numbers}]));
    const was = records('explain', older).find(({kind, instruction}) => kind === 'kernel' && instruction === 'old');
    assert.deepEqual(rows.get('%old'), {state: 'gone', numbers: [was.moved_bytes, was.wasted_bytes, was.estimated_us]});
    for (const {instruction, before, moved_bytes: moved, wasted_bytes: wasted, estimated_us: us} of compared) {
      const row = rows.get(`%${instruction}`);
      if (before === undefined) {
        assert.deepEqual(row, {state: 'new', numbers: [moved, wasted, us]});
      } else if (before.moved_bytes === moved && before.wasted_bytes === wasted && before.estimated_us === us) {
        assert.equal(row, undefined);
      } else {
        assert.deepEqual(row.numbers, [before.moved_bytes, moved, before.wasted_bytes, wasted, before.estimated_us, us]);
      }
    }
    const table = await page.locator('.table tbody tr').evaluateAll((all) => all.map((row) => [row.cells[0].textContent, row.cells[9].textContent]));
    assert.equal(table.find(([name]) => name === '%new')[1], 'new');
    assert.equal(earlier.kernels, 2);
  });
  // A layout that was worse: the numbers of both versions, and the sign of the change.
  const slow = temporaryFile('slow.hlo', 'HloModule m\nf { p = f32[512,512]{0,1} parameter(0)  ROOT r = f32[512,512] exponential(p) }\nENTRY e { x = f32[512,512]{0,1} parameter(0)  ROOT k = f32[512,512] fusion(x), kind=kLoop, calls=f }\n');
  const fast = temporaryFile('fast.hlo', 'HloModule m\nf { p = f32[512,512] parameter(0)  ROOT r = f32[512,512] exponential(p) }\nENTRY e { x = f32[512,512] parameter(0)  ROOT k = f32[512,512] fusion(x), kind=kLoop, calls=f }\n');
  for (const [before, now, sign] of [[slow, fast, '−'], [fast, slow, '+']]) {
    const kernel = records('explain', `--before=${before}`, now).find(({kind}) => kind === 'kernel');
    assert.notEqual(kernel.moved_bytes, kernel.before.moved_bytes);
    await onPage(report(`--before=${before}`, now), '', async (page) => {
      const numbers = await page.locator('.comparison tbody tr data').evaluateAll((all) => all.map(({value}) => Number(value)));
      assert.deepEqual(numbers.slice(0, 2), [kernel.before.moved_bytes, kernel.moved_bytes]);
      assert.ok((await page.locator('.comparison tbody tr').textContent()).includes(sign));
    });
  }
});

test('modules without kernels, and without anything', async () => {
  const texts = {
    nothing: 'HloModule m\nENTRY e { ROOT t = () tuple() }\n',
    scalar: 'HloModule m\nENTRY e { ROOT c = f32[] constant(1) }\n',
    parameter: 'HloModule m\nENTRY e { ROOT p = f32[0,4] parameter(0) }\n',
    empty: 'HloModule m\nENTRY e { p = f32[0,4] parameter(0)  ROOT n = f32[0,4] negate(p) }\n',
    single: 'HloModule m\nENTRY e { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }\n',
  };
  for (const [name, text] of Object.entries(texts)) {
    await onPage(report(temporaryFile(`${name}.hlo`, text)), '', async (page) => {
      assert.ok((await page.locator('main').textContent()).length > 20);
      const links = await page.locator('tbody a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
      for (const link of links) {
        for (const view of VIEWS) {
          await page.evaluate((hash) => { location.hash = hash; }, `${link}/${view}`);
          await page.waitForSelector(`#tab-${view}[aria-selected="true"]`);
        }
      }
    });
  }
});

test('hostile names are only names', async () => {
  const name = `</script><script>window.broken=1</script><img src=x onerror=window.broken=1>&quot;'`;
  const file = temporaryFile('hostile.hlo', `HloModule m
f { p = f32[8] parameter(0)  ROOT r = f32[8] negate(p), metadata={op_name="${name}"} }
ENTRY e { x = f32[8] parameter(0)  ROOT k = f32[8] fusion(x), kind=kLoop, calls=f, metadata={op_name="${name}" source_file="<b>javascript:alert(1)</b>" source_line=3} }
`);
  for (const hash of ['', ...VIEWS.map((view) => `#k/${view}`), '#%3Cimg%20src%3Dx%20onerror%3Dwindow.broken%3D1%3E', '#%E0%A4%A', '#k/nothing']) {
    await onPage(report(file), hash, async (page) => {
      assert.equal(await page.evaluate(() => window.broken), undefined);
      assert.equal(await page.locator('img').count(), 0);
      if (hash === '') assert.ok((await page.locator('tbody').textContent()).includes(name));
    });
  }
});

const PICTURES = [
  ['overview', () => report(SLOW), ''],
  ['accesses', () => report(SLOW), '#scaled'],
  ['graph', () => report(BLOCK), '#query/graph'],
  ['elements', () => report(BLOCK), '#query/elements'],
  ['warps', () => report(SLOW), '#scaled/warps'],
  ['layouts', () => report(temporaryFile('tiled.hlo', TILED)), '#y/layouts'],
];
// Of the pixels: letters of another version of a font differ in fewer, what is missing or elsewhere in more.
const MOST_DIFFERENT = 0.005;
const SMALL = {bypassCSP: true, viewport: {width: 1240, height: 660}};
const pictureOf = (page) => page.locator('#panel, .overview').screenshot();

test('six views look as the pictures that are kept', async () => {
  for (const [name, make, hash] of PICTURES) {
    await onPage(make(), hash, async (page) => {
      const picture = await pictureOf(page);
      keepIfAsked(name, picture);
      const share = await difference(page, picture, kept(name));
      assert.ok(share <= MOST_DIFFERENT, `${name}: ${(100 * share).toFixed(2)}% of the pixels differ`);
    }, SMALL);
  }
});

test('the figure of the documentation is how the page looks', async () => {
  await onPage(report(SLOW), '#scaled/warps', async (page) => {
    const picture = await page.screenshot();
    keepIfAsked('figure', picture);
    assert.ok((await difference(page, picture, kept('figure'))) <= MOST_DIFFERENT);
  }, {bypassCSP: true, viewport: {width: 1180, height: 720}});
});

test('a view that lacks something, or shows something else, is found by its picture', async () => {
  const lacking = {overview: '.treemap', accesses: '.access', graph: '.graph .node', elements: '.matrix', warps: '.warp .line', layouts: '.grid'};
  for (const [name, make, hash] of PICTURES) {
    await onPage(make(), hash, async (page) => {
      await page.addStyleTag({content: `${lacking[name]} { visibility: hidden !important; }`});
      const share = await difference(page, await pictureOf(page), kept(name));
      assert.ok(share > MOST_DIFFERENT, `${name}: only ${(100 * share).toFixed(2)}% of the pixels differ`);
    }, SMALL);
  }
});
