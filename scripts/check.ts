// `npm run check`: types, lint, format, translations and the lock file. Warnings do not fail it.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { translationProblems } from './l10n.ts';
import { runMain } from './support/fail.mjs';
import type { Failure } from './support/mocha-run.ts';
import { ROOT } from './support/paths.ts';
import { closingLines } from './support/suite.ts';

const modules = join(ROOT, 'node_modules');
const TSC = join(modules, 'typescript', 'bin', 'tsc');
const ESLINT = join(modules, 'eslint', 'bin', 'eslint.js');
const PRETTIER = join(modules, 'prettier', 'bin', 'prettier.cjs');

/** How many checks run at the same time; more would not fit into the memory of a small machine. */
const AT_ONCE = 2;

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
type Dependencies = { readonly [K in (typeof KINDS)[number]]?: Readonly<Record<string, string>> };

interface LockFile {
  readonly packages: Readonly<Record<string, Dependencies & { readonly resolved?: string }>>;
}

/** Each check returns what it complains about; an empty text means that it passed. The longest checks are first. */
const CHECKS: Readonly<Record<string, () => string | Promise<string>>> = {
  lint: () => runNode(ESLINT, '--quiet', '.'),
  'types of the host': () => runNode(TSC, '--noEmit', '-p', 'tsconfig.json'),
  'types of the page': () => runNode(TSC, '--noEmit', '-p', 'webview/tsconfig.json'),
  'types of the scripts': () => runNode(TSC, '--noEmit', '-p', 'scripts/tsconfig.json'),
  'types of the page’s tests': () => runNode(TSC, '--noEmit', '-p', 'test/webview/tsconfig.json'),
  format: () => runNode(PRETTIER, '--check', '--log-level', 'warn', '.'),
  translations: async () => (await translationProblems()).join('\n'),
  'lock file': () => lockFileProblems(),
};

await runMain(async () => {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: new Array<Failure>() };
  const waiting = Object.entries(CHECKS);
  const runWaiting = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, check] = next;
      const complaints = await check();
      counts[complaints === '' ? 'passed' : 'failed']++;
      if (complaints !== '') counts.failures.push({ title: name, reason: 'see above' });
      console.log(complaints === '' ? `✔ ${name}` : `✘ ${name}\n${complaints}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, availableParallelism()) }, () => runWaiting()));
  console.log(`\n${closingLines([counts])}`);
  return counts.failed > 0 ? 1 : 0;
});

/** Runs a program with Node. Resolves with its output when it fails, else with an empty text. */
function runNode(program: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve(code === 0 ? '' : output || `exit code ${String(code)}`));
  });
}

/**
 * Checks that the lock file names no registry, because each machine has its own, and that it matches package.json, because
 * otherwise `npm ci` fails.
 */
function lockFileProblems(): string {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockFile;
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Dependencies;
  const problems: string[] = [];
  for (const [path, entry] of Object.entries(packages)) {
    if (entry.resolved) problems.push(`${path} contains an address: ${entry.resolved}`);
  }
  for (const kind of KINDS) {
    const locked = packages['']?.[kind] ?? {};
    for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
      if (!/^(npm:@?[\w./-]+@)?\d[\w.+-]*$/.test(version)) {
        problems.push(`${name}: "${version}" is not an exact version`);
      }
      if (locked[name] !== version) {
        problems.push(`${name}: package.json says ${version}, the lock file ${String(locked[name])}`);
      }
    }
  }
  return problems.join('\n');
}
