import { basename, relative, sep } from 'node:path';
import type { LogEntry } from '../recording/log-entry';
import { outcomeText } from '../recording/outcome-text';
import { payloadBefore } from '../replay/recorded-dispatch';
import { recordedEvent } from '../replay/recorded-event';
import { defined } from '../../base/defined';

/** File name of the helper, which is in the same folder as the tests. */
export const TEST_HELPER = 'hookline-testing.mjs';

/** What the file names of tests end with. */
export const TEST_ENDING = '.test.mjs';

/** The usual folder for tests, in `.pi` of a workspace folder and in the agent folder. */
export const TESTS_FOLDER = 'hooks-test';

/** Common names of folders for tests in a workspace folder. Those that exist are offered for tests of hooks. */
export const COMMON_FOLDERS = ['test', 'tests', 'spec'];

export interface HookTest {
  /** File name without folder; it says what is tested. */
  readonly name: string;
  readonly text: string;
}

/**
 * Writes a test for mocha, in plain JavaScript, that calls the hook with the recorded event and expects the recorded
 * verdict. `folder` is the absolute path of the test's folder. Returns `why` if the entry does not hold enough for
 * that.
 */
export function hookTest(entry: LogEntry, folder: string): HookTest | { readonly why: string } {
  const source = recordedEvent(entry, { cwd: '', model: undefined, messages: [], sessionFile: undefined });
  if (source.type === 'none') return { why: source.why };
  const { hook, event, registeredAs, nth, tool, toolCallId, dialogs, noUi, agent } = entry;
  const given = {
    event,
    registeredAs,
    nth,
    ...defined({ tool, toolCallId }),
    payload: payloadBefore(entry),
    ...defined({ dialogs, noUi, agent }),
  };
  const subject = [registeredAs, tool].filter(Boolean).join(' ');
  const verdict = outcomeText(entry.outcome).replace(/\s+/g, ' ').slice(0, 80);
  const text = [
    `import assert from 'node:assert/strict';`,
    `import { fileURLToPath } from 'node:url';`,
    `import { fire } from './${TEST_HELPER}';`,
    '',
    `const hook = fileURLToPath(new URL(${literal(pathFrom(folder, hook))}, import.meta.url));`,
    '',
    `describe(${literal(basename(hook))}, () => {`,
    `  it(${literal(`${subject}: ${verdict}`)}, async function () {`,
    `    this.timeout(30_000);`,
    ...source.gaps.map(gap => `    // Recorded with a gap: ${gap.replace(/\s+/g, ' ')}.`),
    `    const { ${['outcome', ...members(entry)].join(', ')} } = await fire(hook, ${indented(given)});`,
    ...assertions(entry),
    '  });',
    '});',
    '',
  ].join('\n');
  return { name: nameFor(entry), text };
}

/** The members that, besides the outcome, show what the hook decided. */
function members({ changes = [], returned, outcome }: LogEntry): readonly ('changes' | 'returned')[] {
  if (changes.length > 0) return ['changes'];
  return returned !== undefined && !['nothing', 'blocked', 'ignored'].includes(outcome.type) ? ['returned'] : [];
}

function assertions(entry: LogEntry): readonly string[] {
  const { outcome, changes, returned } = entry;
  const bare = Object.fromEntries(
    Object.entries(outcome).filter(([name]) => !['line', 'column', 'stack'].includes(name)),
  );
  const expected = { outcome: bare, changes, returned };
  return (['outcome', ...members(entry)] as const).map(
    member => `    assert.deepEqual(${member}, ${indented(expected[member])});`,
  );
}

/** Writes a value as JavaScript: JSON is the same, except for two line separators. */
function literal(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function indented(value: unknown): string {
  return literal(value).replaceAll('\n', '\n    ');
}

function pathFrom(folder: string, hook: string): string {
  const parts = relative(folder, hook)
    .split(sep)
    .map(part => (part === '..' ? part : encodeURIComponent(part)));
  return parts[0] === '..' ? parts.join('/') : `./${parts.join('/')}`;
}

function nameFor({ hook, registeredAs, tool, outcome }: LogEntry): string {
  const words = [basename(hook).replace(/\.[cm]?[jt]sx?$/, ''), registeredAs, tool ?? '', outcome.type];
  const name = words
    .filter(Boolean)
    .join('-')
    .replace(/[^\w.-]+/g, '-');
  return name.slice(0, 100) + TEST_ENDING;
}

/** The text of the helper that tests import; `cli` is the absolute path of the command line that it calls first. */
export function testHelper(cli: string): string {
  return HELPER.replace('"WRITTEN_BY"', () => literal(cli));
}

const HELPER = `// Written by "Hookline: Make Hook Test", which overwrites this file each time it makes a test.
// Sends recorded events to hooks through Hookline's command line. Nothing that a hook asks for is executed: no commands,
// no processes, no network, no writing to disk. Runs with plain mocha on Node 20 or newer.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The command line that wrote this file. It may no longer exist, or be on another machine. */
const WRITTEN_BY = "WRITTEN_BY";
const EXTENSION_FOLDERS = ['.vscode', '.vscode-server', '.vscode-insiders', '.vscode-oss', '.cursor', '.windsurf'];

/**
 * Calls one handler of a hook with the recorded event and returns the new result: \`outcome\`, \`returned\`, \`changes\`
 * (member, before, after), and \`notes\` on what the event lacks.
 */
export async function fire(hook, call) {
  const record = { run: 'test', seq: 1, at: 0, conversation: 'test', nth: 0, ms: 0, askedMs: 0, outcome: { type: 'nothing' }, ...call, hook };
  const flag = /[\\\\/]extensions[\\\\/]/.test(hook) ? '--extension' : '--hook';
  const args = ['replay', '-', '--alone', '--json', '--no-hooks', flag, hook];
  const { stdout, stderr } = await run([cliPath(), ...args], JSON.stringify(record) + '\\n');
  const report = reportIn(stdout, stderr);
  const [dispatch] = report.dispatches;
  if (dispatch.why !== undefined) throw new Error(\`This call cannot be repeated: \${dispatch.why}.\`);
  const after = dispatch.handlers[0]?.after;
  if (after === undefined) throw new Error(\`\${hook} no longer has a handler \${call.nth ?? 0} for "\${call.registeredAs}".\`);
  const { line, column, stack, ...outcome } = after.outcome;
  return { outcome, returned: after.returned, changes: after.changes ?? [], notes: dispatch.handlers[0].notes };
}

function reportIn(stdout, stderr) {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(stderr.trim() || 'Hookline printed nothing.');
  }
}

/** HOOKLINE_CLI, else the command line that wrote this file, else the newest installed extension. */
function cliPath() {
  const { HOOKLINE_CLI } = process.env;
  if (HOOKLINE_CLI) return HOOKLINE_CLI;
  const found = existsSync(WRITTEN_BY) ? WRITTEN_BY : installed();
  if (found === undefined) throw new Error('Hookline was not found. Name its dist/cli.js in HOOKLINE_CLI.');
  return found;
}

function installed() {
  const folders = EXTENSION_FOLDERS.map(name => join(homedir(), name, 'extensions')).filter(existsSync);
  const all = folders.flatMap(folder =>
    readdirSync(folder).filter(name => name.startsWith('hookline.hookline-')).map(name => join(folder, name, 'dist', 'cli.js')),
  );
  return all.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).filter(existsSync).at(-1);
}

function run(args, input) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', text => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', text => (stderr += text));
    child.on('error', reject);
    child.on('close', () => resolve({ stdout, stderr }));
    child.stdin.on('error', () => {}); // The process ended early; its stderr says why.
    child.stdin.end(input);
  });
}
`;
