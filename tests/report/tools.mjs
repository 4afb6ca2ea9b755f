// What the tests of the report page share: the program, its pages in a browser, the page's sources.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

export const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
// The packages of the page, which lie beside its sources.
const require = createRequire(join(repository, 'report/package.json'));
const {chromium} = require('playwright-core');
const esbuild = require('esbuild');

const program = resolve(repository, process.env.HLO_INDEXING ?? 'build/release/bin/hlo-indexing');
const folder = mkdtempSync(join(tmpdir(), 'report-'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));

export function run(...args) {
  return execFileSync(program, args, {cwd: repository, encoding: 'utf8', maxBuffer: 1 << 30});
}

/** The records of a command that writes JSON. */
export function records(...args) {
  return run(...args, '--format=json').trim().split('\n').map((line) => JSON.parse(line));
}

export function temporaryFile(name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

let reports = 0;
/** The page of a module. */
export function report(...args) {
  const file = join(folder, `report-${++reports}.html`);
  run('report', ...args, '-o', file);
  return file;
}

/** A module of the page's sources. */
export async function source(name) {
  const {outputFiles} = await esbuild.build({
    entryPoints: [join(repository, 'report/src', name)],
    bundle: true,
    write: false,
    format: 'esm',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}

export const axeSource = () => require('axe-core').source;

export async function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--font-render-hinting=none', '--enable-precise-memory-info',
      '--js-flags=--expose-gc'],
  });
}

/** Opens a report. What the page says of errors, and whatever it would load, is in `problems`. */
export async function open(browser, file, hash = '', options = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 900}, offline: true, ...options});
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('request', (request) => request.url().startsWith('file:') || problems.push(`loads ${request.url()}`));
  await page.goto(`file://${file}${hash}`);
  await page.waitForSelector('html[data-ready]');
  if (hash.endsWith('/graph') && (await page.locator('.graph').count()) > 0) await graphIsThere(page);
  return {page, problems, close: () => context.close()};
}

/** Does it again until its assertions hold, for what the browser brings up to date some time after the page. */
export async function eventually(check, seconds = 20) {
  for (const end = Date.now() + 1000 * seconds; ;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

/** Waits until the graph is drawn that was asked for. */
export const graphIsThere = (page) => page.waitForSelector('.graph:not([aria-busy])');

/** Opens a report, does something with it, and finds that the page had no error and loaded nothing. */
export async function onPage(browser, file, hash, action, options) {
  const {page, problems, close} = await open(browser, file, hash, options);
  await action(page);
  assert.deepEqual(problems, []);
  await close();
}

export const VIEWS = ['accesses', 'graph', 'elements', 'warps', 'layouts'];
