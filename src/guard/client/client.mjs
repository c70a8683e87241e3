// Hookline's client for the hooks of other agents, where there is no bash: `node client.mjs <agent> <event>`. It does what
// client.sh beside it does, and says the same. It needs Node 18.
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Agents wait an hour, and most of them then run the call. */
const LIMIT_MS = 3_500_000;
/**
 * Of agents that wait less.
 * @type {Readonly<Partial<Record<string, number>>>}
 */
const LIMITS_MS = { cline: 115_000, qwen: 55_000 };
const START_LIMIT_MS = 3_000;
const LARGEST_BYTES = 16_777_216;
const LATE = 'no answer came in time';
/** Exit code of an answer that cannot be written; Claude Code and Copilot then block, and would run the call at 0. */
const UNPRINTED = 2;
const VARIABLES = [
  ...['CLAUDE_CODE_SESSION_ATTENDED', 'CLAUDE_PROJECT_DIR'],
  ...['COPILOT_PROJECT_DIR', 'COPILOT_CLI_BINARY_VERSION', 'GEMINI_PROJECT_DIR'],
  ...['QWEN_PROJECT_DIR', 'QWEN_CODE_STARTUP_VERSION'],
];

/** Compactions that can be refused by themselves. */
const KEEPS_CONTEXT = new Set(['claude-PreCompact', 'opencode-PreCompact', 'kilo-PreCompact']);
/** Events whose refusal is an end, or takes the place of a result. */
const STOPPED = new Set([
  ...['claude-PostToolUse', 'qwen-PostToolUse', 'codex-PreCompact'],
  ...['droid-PostToolUse', 'droid-UserPromptSubmit'],
]);
const GEMINI_GATES = new Set(['gemini-BeforeTool', 'gemini-AfterTool', 'gemini-BeforeAgent']);

const folder = dirname(fileURLToPath(import.meta.url));
const [agent = '', event = ''] = process.argv.slice(2);
let isAnswered = false;
let isStarter = false;

/** Why there is no answer, as the end of a sentence. */
class Refusal extends Error {}

/**
 * The agent's form of a refusal; empty where the event cannot be refused.
 * @param {string} why
 */
function refusal(why) {
  const reason = `Hookline could not check this, because ${why}. Run 'hookline guard status' in a terminal to see what to do.`;
  if (agent === 'cline') {
    return event.endsWith('Use') ? `${JSON.stringify({ cancel: true, errorMessage: reason })}\n` : '';
  }
  if (event === 'PreToolUse') {
    const decision = { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: reason };
    return `${JSON.stringify({ hookSpecificOutput: decision })}\n`;
  }
  const call = `${agent}-${event}`;
  const cursors = agent === 'cursor' ? cursorRefusal(reason) : undefined;
  if (cursors !== undefined) return `${JSON.stringify(cursors)}\n`;
  if (STOPPED.has(call)) {
    return `${JSON.stringify({ continue: false, stopReason: reason })}\n`;
  }
  if (GEMINI_GATES.has(call)) return `${JSON.stringify({ decision: 'deny', reason })}\n`;
  if (event !== 'PostToolUse' && event !== 'UserPromptSubmit' && !KEEPS_CONTEXT.has(call)) return '';
  return `${JSON.stringify({ decision: 'block', reason })}\n`;
}

/**
 * What Cursor takes for a refusal of the event; undefined where it has none of its own.
 * @param {string} reason
 */
function cursorRefusal(reason) {
  switch (event) {
    case 'preToolUse':
      return { permission: 'deny', user_message: reason, agent_message: reason };
    case 'beforeSubmitPrompt':
      return { continue: false, user_message: reason };
    case 'postToolUse':
      return { updated_mcp_tool_output: { content: [{ type: 'text', text: reason }], isError: true } };
    default:
      return undefined;
  }
}

/** @param {string} text */
function print(text) {
  if (isAnswered) return;
  isAnswered = true;
  if (isStarter) rmSync(join(folder, 'starting'), { force: true });
  if (text === '') process.exit(0);
  process.stdout.write(text, error => process.exit(error ? UNPRINTED : 0));
}

/** @param {unknown} error */
function fail(error) {
  print(refusal(error instanceof Refusal ? error.message : 'its client failed'));
}

/**
 * The lines `key value` of a file of this user; none when it is missing.
 * @param {string} name
 * @returns {Readonly<Partial<Record<string, string>>>}
 */
function membersOf(name) {
  const path = join(folder, name);
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (!info?.isFile() || (process.getuid !== undefined && info.uid !== process.getuid())) return {};
  const lines = readFileSync(path, 'utf8').split('\n');
  return Object.fromEntries(lines.map(line => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)]));
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return Number.isInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A connection to the host; undefined when none runs. */
async function connected() {
  const { port, client, host, pid } = membersOf('endpoint');
  // When the host has ended, the port may belong to somebody else.
  if (client?.length !== 64 || host?.length !== 64 || !isAlive(Number(pid))) return undefined;
  const socket = createConnection({ host: '127.0.0.1', port: Number(port) });
  /** @type {boolean} */
  const isOpen = await new Promise(resolve => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  socket.on('error', () => socket.destroy());
  return isOpen ? { socket, secret: client, proof: host } : undefined;
}

/**
 * One client starts the host, the others wait for it.
 * @param {string} path
 */
function takeStart(path) {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
    isStarter = true;
  } catch {
    // Another client has it, or the folder cannot be written: the wait for the host tells.
  }
}

/**
 * The environment of the host: a repository may set variables for what its agent runs, so `program` has the user's own.
 * @param {Readonly<Partial<Record<string, string>>>} program
 */
function environmentFor(program) {
  const given = Object.entries(process.env).filter(([name]) => !/^(?:NODE_|LD_|DYLD_|ELECTRON_)/.test(name));
  const own = Object.entries(program).filter(([name]) => /^[A-Z]/.test(name));
  const all = Object.entries({ ...Object.fromEntries(given), ...Object.fromEntries(own) });
  return { ...Object.fromEntries(all.filter(([, value]) => value !== '')), ELECTRON_RUN_AS_NODE: '1' };
}

async function started() {
  const program = membersOf('program');
  const { node, cli } = program;
  if (node === undefined || cli === undefined) throw new Refusal('nothing says which program is its host');
  if (!existsSync(node) || !existsSync(cli)) throw new Refusal('the program of its host is no longer there');
  const starting = join(folder, 'starting');
  takeStart(starting);
  if (!isStarter && !isAlive(Number.parseInt(existsSync(starting) ? readFileSync(starting, 'utf8') : '', 10))) {
    rmSync(starting, { force: true });
    takeStart(starting);
  }
  if (isStarter) {
    const env = environmentFor(program);
    const child = spawn(node, [cli, 'guard', 'start'], { env, stdio: 'ignore', detached: true, windowsHide: true });
    child.on('error', () => undefined).unref();
  }
  const end = Date.now() + START_LIMIT_MS;
  while (Date.now() < end) {
    const connection = await connected();
    if (connection !== undefined) return connection;
    await delay(50);
  }
  rmSync(starting, { force: true }); // Whoever made it did not start a host.
  throw new Refusal('its host could not be reached or started within 3 seconds');
}

/**
 * @param {AsyncIterable<Buffer>} stream
 * @param {number} largest in bytes
 */
async function allOf(stream, largest) {
  /** @type {Buffer[]} */
  const chunks = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > largest) throw new Refusal('there was too much data');
  }
  return Buffer.concat(chunks);
}

/**
 * A value for a header line.
 * @param {string} value
 */
function escaped(value) {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/**
 * @param {string} secret
 * @param {number} length
 */
function headOf(secret, length) {
  const variables = VARIABLES.map(name => [name, process.env[name] ?? ''])
    .filter(([, value]) => value !== '')
    .map(([name, value = '']) => `var ${name} ${escaped(value)}`);
  const call = [
    `agent ${escaped(agent)}`,
    `event ${escaped(event)}`,
    `pid ${process.ppid}`,
    `cwd ${escaped(process.cwd())}`,
  ];
  return ['hookline-guard 1', `secret ${secret}`, ...call, ...variables, `length ${length}`, '', ''].join('\n');
}

/** @param {string} text */
function isObject(text) {
  try {
    /** @type {unknown} */
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * The text of an answer that the host has proven to be its own.
 * @param {Buffer} answer
 * @param {string} proof
 */
function outputIn(answer, proof) {
  const end = answer.indexOf('\n');
  if (end < 0) throw new Refusal('its host ended before it answered');
  const head = answer.toString('latin1', 0, end);
  const [, length] = head.startsWith(`hookline-guard 1 ${proof} `) ? head.split(`${proof} `) : [];
  if (length === undefined) throw new Refusal('another program answered in place of its host');
  if (!/^\d{1,9}$/.test(length)) throw new Refusal('the answer of its host cannot be read');
  const output = answer.subarray(end + 1);
  if (output.length !== Number(length)) throw new Refusal('the answer of its host was cut short');
  const text = output.toString('utf8');
  if (text !== '' && !isObject(text)) throw new Refusal('the answer of its host is not one JSON object');
  return text;
}

async function answer() {
  const payload = await allOf(process.stdin, LARGEST_BYTES);
  const { socket, secret, proof } = (await connected()) ?? (await started());
  socket.write(headOf(secret, payload.length));
  socket.write(payload);
  const given = await allOf(socket, LARGEST_BYTES + 200).catch((/** @type {unknown} */ error) => {
    throw error instanceof Refusal ? error : new Refusal('its host ended before it answered');
  });
  const text = outputIn(given, proof);
  print(text === '' ? '' : `${text}\n`);
}

setTimeout(() => fail(new Refusal(LATE)), LIMITS_MS[agent] ?? LIMIT_MS);
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) {
  process.on(signal, () => fail(new Refusal('its client was ended before there was an answer')));
}
process.on('uncaughtException', fail);
process.stdout.on('error', () => process.exit(UNPRINTED));
process.on('exit', () => {
  if (isAnswered) return;
  process.exitCode = UNPRINTED;
  writeSync(1, refusal('its client was ended before there was an answer'));
  process.exitCode = 0;
});
await answer().catch(fail);
