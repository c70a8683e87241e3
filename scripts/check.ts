// `npm run check`: types, lint, format, translations and the lock file. Warnings do not fail it; their number and the worst
// ones are printed at the end.
import { ESLint } from 'eslint';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { translationProblems } from './l10n.ts';
import { runMain } from './support/fail.mjs';
import { warningLines } from './support/lint-warnings.ts';
import type { Failure } from './support/mocha-run.ts';
import { ROOT } from './support/paths.ts';
import { closingLines } from './support/suite.ts';

const modules = join(ROOT, 'node_modules');
const TSC = join(modules, 'typescript', 'bin', 'tsc');
const ESLINT_PROGRAM = join(modules, 'eslint', 'bin', 'eslint.js');
/** What ESLint may take for the types of all sources and tests, in MB: Node's own limit is just below what they need. */
const LINT_MEMORY_MB = 8192;
const PRETTIER = join(modules, 'prettier', 'bin', 'prettier.cjs');

/** How many checks run at the same time; more would not fit into the memory of a small machine. */
const AT_ONCE = 2;

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
type Dependencies = { readonly [K in (typeof KINDS)[number]]?: Readonly<Record<string, string>> };

interface LockFile {
  readonly packages: Readonly<Record<string, Dependencies & { readonly resolved?: string }>>;
}

/** What a check complains about; an empty text means that it passed. */
interface Checked {
  readonly complaints: string;
  /** Lines about what does not fail the check. */
  readonly warnings?: readonly string[];
}

/** The longest checks are first. */
const CHECKS: Readonly<Record<string, () => Checked | Promise<Checked>>> = {
  lint: () => lint(),
  'types of the host': () => runNode(TSC, '--noEmit', '-p', 'tsconfig.json'),
  'types of the page': () => runNode(TSC, '--noEmit', '-p', 'webview/tsconfig.json'),
  'types of the scripts': () => runNode(TSC, '--noEmit', '-p', 'scripts/tsconfig.json'),
  'types of the page’s tests': () => runNode(TSC, '--noEmit', '-p', 'test/webview/tsconfig.json'),
  format: () => runNode(PRETTIER, '--check', '--log-level', 'warn', '.'),
  translations: async () => ({ complaints: (await translationProblems()).join('\n') }),
  'lock file': () => ({ complaints: lockFileProblems() }),
};

await runMain(async () => {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: new Array<Failure>() };
  const warnings: string[] = [];
  const waiting = Object.entries(CHECKS);
  const runWaiting = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, check] = next;
      const { complaints, warnings: more = [] } = await check();
      warnings.push(...more);
      counts[complaints === '' ? 'passed' : 'failed']++;
      if (complaints !== '') counts.failures.push({ title: name, reason: 'see above' });
      console.log(complaints === '' ? `✔ ${name}` : `✘ ${name}\n${complaints}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, availableParallelism()) }, () => runWaiting()));
  console.log(['', ...warnings, closingLines([counts])].join('\n'));
  return counts.failed > 0 ? 1 : 0;
});

/** Runs ESLint. Only errors are complaints. */
async function lint(): Promise<Checked> {
  const { code, stdout, stderr } = await outputOf(
    `--max-old-space-size=${LINT_MEMORY_MB}`,
    ESLINT_PROGRAM,
    '--format',
    'json',
    '.',
  );
  // ESLint ends with 1 if there are errors, and with 2 if it could not work.
  if (code !== 0 && code !== 1) return { complaints: stdout + stderr || `exit code ${String(code)}` };
  const results = JSON.parse(stdout) as ESLint.LintResult[]; // Written by ESLint.
  const formatter = await new ESLint({ cwd: ROOT }).loadFormatter('stylish');
  const complaints = await formatter.format(ESLint.getErrorResults(results));
  return { complaints, warnings: warningLines(results, ROOT) };
}

/** Runs a program with Node, whose output is the complaint if it fails. */
async function runNode(program: string, ...args: readonly string[]): Promise<Checked> {
  const { code, stdout, stderr } = await outputOf(program, ...args);
  return { complaints: code === 0 ? '' : stdout + stderr || `exit code ${String(code)}` };
}

/** What Node prints, started with these arguments in the root of the project. */
function outputOf(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', code => resolve({ code, stdout, stderr }));
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
