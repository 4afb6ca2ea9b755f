// Who reads the page otherwise: by a screen reader, with fewer colours, with other contrasts, without motion.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {VIEWS, axeSource, eventually, graphIsThere, onPage as onPageOf, report, source, startBrowser} from './tools.mjs';

const BLOCK = 'examples/transformer_block.hlo';
const SLOW = 'examples/slow_kernels.hlo';
const {QUALITY, SCALE} = await source('palette.ts');

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());
const onPage = (...args) => onPageOf(browser, ...args);

async function goTo(page, hash) {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.waitForSelector(hash === '' ? '.overview' : `#tab-${hash.split('/')[1]}[aria-selected="true"]`);
  if (hash.endsWith('/graph')) await graphIsThere(page);
}

test('axe-core finds no serious violation', async () => {
  const check = (file, hashes, colorScheme) => onPage(file, '', async (page) => {
    // The page's own policy forbids scripts from elsewhere; this one is the test's.
    await page.evaluate(axeSource());
    // The schemes differ in colours only.
    const options = colorScheme === 'light' ? {} : {runOnly: ['color-contrast']};
    for (const hash of hashes) {
      await goTo(page, hash);
      const {violations, passes} = await page.evaluate((options) => window.axe.run(document, options), options);
      assert.ok(passes.length > 0);
      const serious = violations.filter(({impact}) => impact === 'serious' || impact === 'critical');
      assert.deepEqual(serious.map(({id, nodes}) => `${id}: ${nodes.map(({html}) => html.slice(0, 200)).join(' | ')}`), [], `${colorScheme} ${hash}`);
    }
  }, {colorScheme, bypassCSP: true});
  const file = report(BLOCK);
  for (const colorScheme of ['light', 'dark']) await check(file, ['', ...VIEWS.map((view) => `#query/${view}`)], colorScheme);
  // Of several modules, and compared with one.
  await check(report(BLOCK, SLOW), [''], 'light');
  await check(report(`--before=${BLOCK}`, SLOW), [''], 'light');
});

/** What a screen reader is told: roles and names in the order of the page. */
async function heard(page) {
  const session = await page.context().newCDPSession(page);
  const {nodes} = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return nodes.filter(({ignored}) => !ignored).map(({role, name, properties = [], description}) => ({
    role: role.value,
    name: name?.value ?? '',
    description: description?.value ?? '',
    ...Object.fromEntries(properties.map((property) => [property.name, property.value.value])),
  }));
}

const NAMED = ['button', 'link', 'textbox', 'searchbox', 'combobox', 'slider', 'spinbutton', 'tab', 'tabpanel', 'img', 'image', 'application', 'region', 'complementary'];

/** Asserts of what is heard of the overview, or of a view of the kernel %scaled, that nothing is missing. */
function checkHeard(nodes, view) {
  const of = (role) => nodes.filter((node) => node.role === role);
  assert.deepEqual(nodes.filter(({role, name}) => NAMED.includes(role) && name.trim() === ''), [], view);
  assert.deepEqual([of('banner').length, of('main').length, of('contentinfo').length], [1, 1, 1]);
  // No level of headings is left out.
  const levels = of('heading').map(({level}) => level);
  levels.forEach((level, i) => assert.ok(level <= (levels[i - 1] ?? 0) + 1, `${view}: ${levels}`));
  const is = (role, pattern) => assert.ok(nodes.some((node) => node.role === role && pattern.test(node.name)), `${view}: no ${role} ${pattern}`);
  if (view === undefined) {
    assert.deepEqual(of('columnheader').map(({name}) => name.replace(/ [▼▲]/u, '')), ['Kernel', 'Opcode', 'Emitter', 'Wasted', 'Moved', 'Needed', 'Efficiency', 'Estimate', 'Bound by', 'From']);
    is('group', /^Kernels by wasted bytes$/);
    is('link', /^%scaled: .* of what it moves is needed$/);
    return;
  }
  assert.equal(of('complementary')[0].name, 'HLO');
  assert.deepEqual(of('tab').map(({name, selected}) => [name.toLowerCase(), selected]), VIEWS.map((each) => [each, each === view]));
  if (view === 'accesses') is('button', /^Show its warps: load %logits$/);
  if (view === 'graph') {
    is('group', /^Graph of \d+ instructions: arrow keys go to operands, users and neighbours/);
    is('button', /^%\S+ parameter f32\[\S+, given$/);
  }
  if (view === 'elements') {
    is('application', /^%scaled f32\[\d+,\d+\]\S*; arrow keys move, Enter selects$/);
    assert.ok(of('application').every(({description}) => /chosen|reads|goes to/.test(description)));
  }
  if (view === 'warps') {
    is(of('image').length > 0 ? 'image' : 'img', /^32 lanes touch 32 sectors of 32 bytes, ideal 4$/);
    is('slider', /^warp$/);
  }
  if (view === 'layouts') is('application', /^Positions of the elements of %\w+; arrow keys move, plus and minus zoom$/);
}

test('every control and picture has a name, every view its landmarks, headings and tables', async () => {
  await onPage(report(SLOW), '', async (page) => {
    for (const view of [undefined, ...VIEWS]) {
      await goTo(page, view === undefined ? '' : `#scaled/${view}`);
      await eventually(async () => checkHeard(await heard(page), view));
      if (view !== 'warps') continue;
      await page.click('summary');
      await eventually(async () => {
        const nodes = await heard(page);
        assert.deepEqual(nodes.filter(({role}) => role === 'columnheader').map(({name}) => name), ['Lane', 'Position', 'Bytes', 'Sectors']);
        assert.equal(nodes.filter(({role}) => role === 'rowheader').length, 32);
      });
    }
  });
});

test('what changes is announced', async () => {
  /** The texts of the live regions that `act` changed. */
  const announced = async (page, act) => {
    await page.evaluate(() => {
      window.said = new Set();
      new MutationObserver((changes) => {
        for (const {target} of changes) {
          const region = (target.nodeType === 1 ? target : target.parentElement)?.closest('[role="status"], [role="alert"], [aria-live]');
          if (region !== null && region !== undefined) window.said.add(region);
        }
      }).observe(document, {subtree: true, childList: true, characterData: true});
    });
    await act();
    return page.evaluate(() => [...window.said].map(({textContent}) => textContent).join('\n'));
  };
  await onPage(report(BLOCK), '', async (page) => {
    const says = async (pattern, act) => assert.match(await announced(page, act), pattern);
    await says(/^1 of \d+ kernels/, () => page.fill('[type="search"]', 'query'));
    await page.fill('[type="search"]', '');
    await says(/by moved, descending/, () => page.click('th button:text("Moved")'));
    await says(/Kernels by moved bytes/, () => page.selectOption('.controls select >> nth=0', 'moved'));
    await goTo(page, '#query/graph');
    await says(/%low reads/, () => page.click('.graph .node:has-text("%low") >> nth=0'));
    await goTo(page, '#query/elements');
    await says(/%query: chosen: \[0, 1, 0\]\. %qkv: reads 2 of 1,536 elements/, async () => {
      await page.focus('.matrix >> nth=0');
      await page.keyboard.press('ArrowDown');
    });
    await goTo(page, '#query/warps');
    await says(/This request: 32 lanes/, async () => {
      await page.focus('input[type="range"] >> nth=0');
      await page.keyboard.press('ArrowRight');
    });
    await goTo(page, '#query/layouts');
    await says(/element \[0, 0, 1\] lies at position 1/, async () => {
      await page.focus('.grid >> nth=0');
      await page.keyboard.press('ArrowRight');
    });
  });
});

/** CIE 1976 lightness and colour, from sRGB. */
function labOf(rgb) {
  const [r, g, b] = rgb.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const [x, y, z] = [f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047), f(0.2126 * r + 0.7152 * g + 0.0722 * b), f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const distance = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

test('colours can be told apart with fewer of them', async () => {
  // What a part of the page's own style paints.
  const painted = (page, classes) => page.evaluate((names) => names.map((name) => {
    const part = document.createElement('span');
    part.className = name;
    const around = document.createElement('div');
    around.className = 'change legend';
    around.append(part);
    document.body.append(around);
    const {backgroundColor} = getComputedStyle(part);
    around.remove();
    return backgroundColor;
  }), classes);
  const variables = (page, names) => page.evaluate((all) => all.map((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)), names);
  for (const colorScheme of ['light', 'dark']) {
    await onPage(report(SLOW), '', async (page) => {
      const sets = {
        quality: QUALITY,
        scale: SCALE,
        bounds: await painted(page, ['bound-0', 'bound-1', 'bound-2', 'bound-3', 'bound-4']),
        change: await painted(page, ['less', 'more']),
        cells: await variables(page, ['cell', 'mark']),
        lines: await variables(page, ['cell', 'unread']),
        focus: await variables(page, ['background', 'focus']),
      };
      const session = await page.context().newCDPSession(page);
      const seen = async (type, colours) => {
        await page.evaluate((all) => {
          document.body.innerHTML = all.map((colour) => `<div style="position:fixed;top:0;left:${20 * all.indexOf(colour)}px;width:20px;height:20px;background:${colour}"></div>`).join('');
        }, colours);
        await session.send('Emulation.setEmulatedVisionDeficiency', {type});
        const png = (await page.screenshot({clip: {x: 0, y: 0, width: 20 * colours.length, height: 20}})).toString('base64');
        await session.send('Emulation.setEmulatedVisionDeficiency', {type: 'none'});
        return page.evaluate(async ({base64, count}) => {
          const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], {type: 'image/png'}));
          const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
          context.drawImage(bitmap, 0, 0);
          return Array.from({length: count}, (_, i) => [...context.getImageData(20 * i + 10, 10, 1, 1).data].slice(0, 3));
        }, {base64: png, count: colours.length});
      };
      // That it is simulated at all.
      const red = '#c00000';
      assert.ok(distance(labOf((await seen('none', [red]))[0]), labOf((await seen('achromatopsia', [red]))[0])) > 20);
      for (const type of ['none', 'protanopia', 'deuteranopia', 'tritanopia', 'achromatopsia']) {
        const labs = {};
        for (const [name, colours] of Object.entries(sets)) labs[name] = (await seen(type, colours)).map(labOf);
        const message = `${colorScheme}, ${type}: ${JSON.stringify(labs)}`;
        const nearest = (list) => Math.min(...list.flatMap((a, i) => list.slice(i + 1).map((b) => distance(a, b))));
        // A difference of 2 is just seen by those who see all colours, of two surfaces side by side.
        for (const name of ['bounds', 'change', 'cells', 'focus']) assert.ok(nearest(labs[name]) > 10, `${name}, ${message}`);
        for (const name of ['quality', 'lines']) assert.ok(nearest(labs[name]) > 7, `${name}, ${message}`);
        // Scales have an order without hues, too.
        const order = (list, sign) => list.every(([lightness], i) => i === 0 || sign * (lightness - list[i - 1][0]) > 2);
        assert.ok(order(labs.scale, 1) && order(labs.quality, -1), `order, ${message}`);
      }
    }, {colorScheme});
  }
});

test('other colours, more contrast, less motion', async () => {
  await onPage(report(SLOW), '', async (page) => {
    const style = (selector, name) => page.locator(selector).first().evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);
    // What is measured keeps its colours, where the system forces its own on the rest.
    await page.emulateMedia({forcedColors: 'active'});
    const bars = await page.locator('.bar .fill').evaluateAll((all) => all.map((bar) => getComputedStyle(bar).backgroundColor));
    assert.ok(new Set(bars).size > 1, String(bars));
    assert.notEqual(await style('.card', 'border-style'), 'none');
    await goTo(page, '#scaled/elements');
    assert.notEqual(await style('.matrix', 'border-style'), 'none');
    await page.emulateMedia({forcedColors: 'none', contrast: 'more'});
    assert.equal(await style(':root', '--muted'), await style(':root', '--text'));
    // Nothing on the page moves by itself, so there is nothing to be reduced.
    await page.emulateMedia({contrast: 'no-preference', reducedMotion: 'reduce'});
    for (const hash of ['', ...VIEWS.map((view) => `#scaled/${view}`)]) {
      await goTo(page, hash);
      assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
      const moving = await page.evaluate(() => [...document.querySelectorAll('*')].filter((element) => {
        const {transitionDuration, animationName, scrollBehavior} = getComputedStyle(element);
        return transitionDuration !== '0s' || animationName !== 'none' || scrollBehavior !== 'auto';
      }).length);
      assert.equal(moving, 0);
    }
  });
});
