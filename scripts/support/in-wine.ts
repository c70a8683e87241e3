// `node in-wine.ts <wine as JSON> <node> …options <mocha-process.ts> <options of runMocha as JSON>`: runs mocha-process.ts in
// Node for Windows, with paths of Windows, and writes a report with paths of Linux. The environment has `WINEPREFIX`.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, createReadStream, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MochaOptions, MochaReport } from './mocha-run.ts';
import { linuxPath, windowsPath, type Wine } from './wine.ts';

const [wineText = '', , ...rest] = process.argv.slice(2);
const wine = JSON.parse(wineText) as Pick<Wine, 'loader' | 'server' | 'node'>;
const [optionsText = '', runner = ''] = rest.reverse();
const options = JSON.parse(optionsText) as MochaOptions & { readonly resultFile: string };
const [input, output, result] = ['options', 'output', 'result'].map(name => `${options.resultFile}.${name}`) as [
  string,
  string,
  string,
];
const ofWindows: MochaOptions = {
  ...options,
  files: options.files.map(windowsPath),
  resultFile: windowsPath(result),
  claims: options.claims === undefined ? undefined : windowsPath(options.claims),
};
rmSync(result, { force: true });
writeFileSync(input, JSON.stringify(ofWindows));
const start = pathToFileURL(join(import.meta.dirname, 'windows-start.mjs')).href.replace('file://', 'file:///Z:');
const args = ['--enable-source-maps', '--expose-gc', '--disable-warning=ExperimentalWarning', `--import=${start}`];
// Node in Wine cannot write to a pipe of Linux.
const out = openSync(output, 'w');
const child = spawn(wine.loader, [wine.node, ...args, windowsPath(runner), windowsPath(input)], {
  stdio: ['ignore', out, out],
});
const [code] = (await once(child, 'exit')) as [number | null];
closeSync(out);
createReadStream(output).pipe(process.stdout);
spawnSync(wine.server, ['-k'], { stdio: 'ignore' });
if (existsSync(result)) {
  const { byFile, ...report } = JSON.parse(readFileSync(result, 'utf8')) as MochaReport;
  const files = Object.entries(byFile).map(([file, counts]) => [linuxPath(file), counts] as const);
  writeFileSync(
    options.resultFile,
    JSON.stringify({ ...report, byFile: Object.fromEntries(files) } satisfies MochaReport),
  );
}
process.exitCode = code ?? 1;
