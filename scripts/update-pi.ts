// `npm run update:pi [-- <version>] [--dry-run]`: raises pi-ai, pi-tui and the pi beside which tests run to the newest version or to
// this one, runs the type check, the unit tests and the tests beside pi, and prints what changed in pi that matters here. `--dry-run`
// only prints.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { npmCommand } from './install.mjs';
import { cachedFolder } from './support/cached.ts';
import { runMain, UserError } from './support/fail.mjs';
import { ROOT } from './support/paths.ts';
import {
  commandsIn,
  compared,
  entriesSince,
  eventsIn,
  exportsIn,
  flagsIn,
  lacking,
  membersIn,
} from './support/pi-changes.ts';

const SCOPE = '@earendil-works';
/** Where each package is in our dependencies: hooks import it by that name. */
const NAMES = ['@mariozechner/pi-ai', '@mariozechner/pi-tui'] as const;

/** The folder whose package.json names the pi beside which tests run. */
const PEERS = join(ROOT, 'scripts', 'peers');

/** The page that tells people which version we follow. */
const PAGE = join(ROOT, 'docs', 'dialects.md');

const CHECKS: readonly (readonly string[])[] = [
  ['exec', '--', 'tsc', '--noEmit', '-p', '.'],
  ['test', '--', '--suite', 'unit'],
  ['run', 'test:peers'],
];

await runMain(async () => {
  const options = { 'dry-run': { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const before = installedVersion();
  const now = positionals[0] ?? npm(['view', `${SCOPE}/pi-ai`, 'version']).trim();
  console.log(`pi ${before} -> ${now}\n`);
  const models = modelsOf(await unpacked('pi-ai', before), await unpacked('pi-ai', now));
  for (const line of models) console.log(line);
  report(await unpacked('pi-coding-agent', now), before);
  if (values['dry-run'] || before === now) return 0;
  npm(['install', '--save-exact', ...NAMES.map(name => `${name}@npm:${SCOPE}/${name.split('/')[1] ?? ''}@${now}`)]);
  npm(['install', '--save-exact', '--package-lock-only', `${SCOPE}/pi-coding-agent@${now}`], PEERS);
  writeFileSync(PAGE, readFileSync(PAGE, 'utf8').replace(`pi ${before}`, `pi ${now}`));
  return CHECKS.every(check => isPassed(check)) ? 0 : 1;
});

/** The version that package.json names, the one place for it. */
function installedVersion(): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const [version] = /[^@]+$/.exec(manifest.dependencies[NAMES[0]] ?? '') ?? [];
  if (version === undefined) throw new UserError(`package.json names no version of ${NAMES[0]}`);
  return version;
}

/** What a version of a package of pi contains, in the cache; without its dependencies. */
function unpacked(name: string, version: string): Promise<string> {
  return cachedFolder(['pi', `${name}-${version}`], draft => {
    const packed = join(draft, 'packed');
    mkdirSync(packed);
    npm(['pack', `${SCOPE}/${name}@${version}`, '--silent', '--pack-destination', packed]);
    const [file = ''] = readdirSync(packed);
    run('tar', ['-xzf', join('packed', file), '--strip-components=1'], draft);
    rmSync(packed, { recursive: true });
  });
}

/** Lines about the models that two versions of pi-ai list. */
function modelsOf(before: string, now: string): readonly string[] {
  const { added, removed } = compared(catalogOf(before), catalogOf(now));
  return [...section('Models added', added), ...section('Models removed', removed)];
}

/** `provider/model` of each model in the generated lists of a version of pi-ai, which need nothing else. */
function catalogOf(folder: string): readonly string[] {
  const files = globSync('dist/providers/*.models.js', { cwd: folder }).sort();
  const code = `const ids = [];
    for (const file of process.argv.slice(1)) for (const list of Object.values(await import(file)))
      for (const { provider, id } of Object.values(list ?? {})) if (provider && id) ids.push(provider + '/' + id);
    console.log(JSON.stringify([...new Set(ids)]));`;
  const paths = files.map(file => join(folder, file));
  return JSON.parse(run(process.execPath, ['--input-type=module', '-e', code, ...paths], ROOT)) as string[];
}

/** Prints what of a version of pi no source of ours names, and its changelog. */
function report(pi: string, since: string): void {
  const read = (file: string): string => readFileSync(join(pi, file), 'utf8');
  const extensions = read('dist/core/extensions/types.d.ts');
  const typings = textOf('src/hook-typings/**/*.ts');
  const members = membersIn(extensions);
  const unknown = new Set(
    lacking(
      members.map(member => member.split('.')[1] ?? ''),
      typings,
    ),
  );
  const lines = [
    ...section('Events that the typings lack', lacking(eventsIn(extensions), typings)),
    ...section(
      'Members that the typings lack',
      members.filter(member => unknown.has(member.split('.')[1] ?? '')),
    ),
    ...section('Flags that we lack', lacking(flagsIn(read('dist/cli/args.js')), textOf('src/modes/arguments/*.ts'))),
    ...section(
      'RPC commands that we lack',
      lacking(commandsIn(read('dist/modes/rpc/rpc-mode.js')), textOf('src/modes/rpc/**/*.ts')),
    ),
    ...section(
      'Exports of the root that we lack',
      lacking(exportsIn(read('dist/index.d.ts')), `${textOf('src/hook-load/modules/**/*.ts')} ${typings}`),
    ),
    `Changelog since ${since}:`,
    '',
    entriesSince(read('CHANGELOG.md'), since) || 'nothing',
    '',
  ];
  console.log(lines.join('\n'));
}

function section(title: string, names: readonly string[]): readonly string[] {
  return [`${title}: ${names.length}`, ...names.map(name => `  ${name}`), ''];
}

function textOf(pattern: string): string {
  return globSync(pattern, { cwd: ROOT })
    .map(file => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
}

function isPassed(check: readonly string[]): boolean {
  const { file, args } = npmCommand();
  console.log(`\nnpm ${check.join(' ')}`);
  return spawnSync(file, [...args, ...check], { cwd: ROOT, stdio: 'inherit' }).status === 0;
}

function npm(given: readonly string[], cwd = ROOT): string {
  const { file, args } = npmCommand();
  return run(file, [...args, ...given], cwd);
}

/** Runs a program and returns what it prints. @throws UserError when it fails */
function run(file: string, args: readonly string[], cwd: string): string {
  const { status, stdout, error } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) {
    throw new UserError(`${file} ${args.join(' ')}: ${error?.message ?? `exit code ${String(status)}`}`);
  }
  return stdout;
}
