// Makes page.html of the sources: one file, without its data.
//   node build.mjs           writes it
//   node build.mjs --check   fails if it is not what the sources make
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(here, name), 'utf8');

// What is bundled, with the licences that ask to be kept with it.
const licences = ['d3-hierarchy', 'fflate']
  .map((name) => `${name}\n${read(`node_modules/${name}/LICENSE`).trim()}`)
  .join('\n\n');

async function bundle(entry) {
  const {outputFiles} = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2020',
    charset: 'ascii',
    legalComments: 'none',
    absWorkingDir: here,
    tsconfig: join(here, 'tsconfig.json'),
  });
  return outputFiles[0].text.trim();
}

const script = (await bundle('src/main.ts')).replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = await bundle('src/style.css');
const page = read('src/page.html')
  .replace('/*STYLE*/', () => style)
  .replace('/*SCRIPT*/', () => `\n/*! Bundled:\n\n${licences.replaceAll('*/', '* /')}\n*/\n${script}\n`);
const target = join(here, 'page.html');
if (!process.argv.includes('--check')) {
  writeFileSync(target, page);
} else if (readFileSync(target, 'utf8') !== page) {
  console.error('report/page.html is not what the sources make: run `npm --prefix report run build`');
  process.exit(1);
}
