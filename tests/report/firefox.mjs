// The views of the page in Firefox: `tools/test_report.sh --firefox`. Not a part of CI, as it needs
// another browser and what drives it.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {VIEWS, graphIsThere, records, report, repository, temporaryFile} from './tools.mjs';
import {largeKernel} from './large_model.mjs';

const puppeteer = createRequire(join(repository, 'build/firefox/package.json'))('puppeteer-core');
const BLOCK = 'examples/transformer_block.hlo';

let browser;
before(async () => {
  browser = await puppeteer.launch({browser: 'firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr', headless: true});
  console.log(`# ${await browser.version()}`);
});
after(() => browser.close());

async function onPage(file, hash, action) {
  const page = await browser.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.setViewport({width: 1280, height: 900});
  await page.goto(`file://${file}${hash}`);
  await page.waitForSelector('html[data-ready]');
  await action(page);
  assert.deepEqual(problems, []);
  await page.close();
}

const text = (page, selector) => page.$eval(selector, (element) => element.textContent);
/** How many colours a canvas has. */
const colours = (page, selector) => page.$eval(selector, (canvas) => {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
});

test('every view, by clicks and by keys', async () => {
  await onPage(report(BLOCK), '', async (page) => {
    const kernels = records('explain', BLOCK).filter(({kind}) => kind === 'kernel');
    assert.equal(await page.$$eval('tbody tr', (rows) => rows.length), kernels.length);
    assert.ok(await page.$$eval('.treemap a', (tiles) => tiles.length) > 3);
    await page.click('tbody a[href="#query"]');
    await page.waitForSelector('.kernel');
    for (const view of VIEWS) {
      await page.click(`#tab-${view}`);
      await page.waitForSelector(`#tab-${view}[aria-selected="true"]`);
      if (view === 'accesses') assert.ok(await page.$$eval('.access', (cards) => cards.length) > 1);
      if (view === 'graph') {
        await graphIsThere(page);
        assert.equal(await page.$$eval('.graph .node', (nodes) => nodes.length), 17);
        await page.$eval('.graph [tabindex="0"]', (node) => node.focus());
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('Enter');
        assert.match(await text(page, '.chosen'), /reads/);
        assert.match(await text(page, '.hlo .selected'), /%(first|second) = /);
      }
      if (view === 'elements') {
        await page.focus('.matrix');
        await page.keyboard.press('ArrowRight');
        assert.match(await text(page, '#panel [role="status"]'), /chosen: \[0, 0, 1\].*reads 2 of 1,536/);
        assert.ok(await colours(page, '.matrix') > 2);
      }
      if (view === 'warps') {
        await page.focus('input[type="range"]');
        await page.keyboard.press('ArrowRight');
        assert.match(await text(page, '#panel [role="status"]'), /This request: 32 lanes/);
        assert.ok(await page.$$eval('.warp .sector', (sectors) => sectors.length) > 3);
      }
      if (view === 'layouts') {
        await page.focus('.grid');
        await page.keyboard.press('ArrowRight');
        assert.match(await text(page, '.zoomable [role="status"]'), /\[0, 0, 1\] lies at position 1/);
        assert.ok(await colours(page, '.grid') > 5);
      }
    }
  });
});

test('a large kernel', async () => {
  await onPage(report(temporaryFile('large_kernel.hlo', largeKernel(1200))), '#k/graph', async (page) => {
    await graphIsThere(page);
    assert.equal(await text(page, '.graph-view [role="status"]'), '1,200 instructions');
    assert.ok(await page.$$eval('.graph .node', (nodes) => nodes.length) > 3);
  });
});
