// `npm run check`: types, lint, format, translations and the lock file. Warnings do not fail it.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { translationProblems } from './l10n.mjs';
import { runMain } from './support/fail.mjs';
import { ROOT } from './support/paths.mjs';
import { sumLine } from './support/suite.mjs';

const modules = join(ROOT, 'node_modules');
const TSC = join(modules, 'typescript', 'bin', 'tsc');
const ESLINT = join(modules, 'eslint', 'bin', 'eslint.js');
const PRETTIER = join(modules, 'prettier', 'bin', 'prettier.cjs');

const CHECKS = {
  'types of the host': () => runNode(TSC, '--noEmit', '-p', 'tsconfig.json'),
  'types of the page': () => runNode(TSC, '--noEmit', '-p', 'webview/tsconfig.json'),
  'types of the page’s tests': () => runNode(TSC, '--noEmit', '-p', 'test/webview/tsconfig.json'),
  'lint of the code': () => runNode(ESLINT, '--quiet', 'src', 'webview', 'test'),
  'lint of the scripts': () => runNode(ESLINT, '--config', 'scripts/eslint.config.mjs', 'scripts'),
  format: () => runNode(PRETTIER, '--check', '--log-level', 'warn', '.'),
  translations: async () => (await translationProblems()).join('\n'),
  'lock file': () => lockFileProblems(),
};

await runMain(async () => {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, check] of Object.entries(CHECKS)) {
    const complaints = await check();
    counts[complaints === '' ? 'passed' : 'failed']++;
    console.log(complaints === '' ? `✔ ${name}` : `✘ ${name}\n${complaints}`);
  }
  console.log(`\n${sumLine([counts])}`);
  return counts.failed > 0 ? 1 : 0;
});

/** What the program says if it fails, else nothing. */
function runNode(program, ...args) {
  const child = spawn(process.execPath, [program, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve(code === 0 ? '' : output || `exit code ${code}`));
  });
}

/** Each machine has its own registry, so the lock file names none; and it must fit package.json, or `npm ci` refuses. */
function lockFileProblems() {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const problems = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (entry.resolved) problems.push(`${path} carries an address: ${entry.resolved}`);
  }
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    const locked = lock.packages[''][kind] ?? {};
    for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
      if (!/^\d/.test(version)) problems.push(`${name}: "${version}" is not an exact version`);
      if (locked[name] !== version)
        problems.push(`${name}: package.json says ${version}, the lock file ${locked[name]}`);
    }
  }
  return problems.join('\n');
}
