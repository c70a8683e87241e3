import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runProcess } from '../../../agent/tools/shell/process';
import { messageOf } from '../../../base/errors';
import { isRecord } from '../../../base/json/is-record';
import { parseObject } from '../../../base/json/parse-object';
import { clientOf } from './client-problem';
import type { GuardCommandLine } from '../guard-command-line';
import { denyCallsIn } from '../host-queries';

/** How long the client may take, in ms. */
const CLIENT_MS = 10_000;

/** What a try of the client showed: a sentence, and whether it is as it should be. */
export interface Tried {
  readonly text: string;
  readonly isFine: boolean;
}

/**
 * Tries the installed client with a call of Claude Code that runs nowhere: with the host, which is ordered to deny it, and where there
 * is no host. Rejects when the disk does.
 */
export async function tryClient(line: GuardCommandLine): Promise<readonly Tried[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'hookline-check-')));
  try {
    return [await tryWithHost(line, folder), await tryWithoutHost(line, folder)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryWithHost(line: GuardCommandLine, folder: string): Promise<Tried> {
  const reason = `Hookline denied this call, since it is a check (${randomBytes(8).toString('hex')}).`;
  try {
    const order = await denyCallsIn(line, folder, reason);
    try {
      const output = await callClient(clientOf(line), folder, line.caller.env);
      if (denialIn(output) === reason) return { text: 'The client gets the answers of the host.', isFine: true };
      return { text: `The client does not get the answers of the host: ${shown(output)}`, isFine: false };
    } finally {
      order.end();
    }
  } catch (error) {
    return { text: `The client could not be tried: ${messageOf(error)}`, isFine: false };
  }
}

/** A copy of the client, beside which nothing says how a host is reached or started, must refuse. */
async function tryWithoutHost(line: GuardCommandLine, folder: string): Promise<Tried> {
  const installed = clientOf(line);
  const copy = join(folder, basename(installed));
  try {
    await copyFile(installed, copy);
    const output = await callClient(copy, folder, line.caller.env);
    if (denialIn(output) !== undefined) return { text: 'Without a host, the client denies a call.', isFine: true };
    return { text: `Without a host, the client does not deny a call: ${shown(output)}`, isFine: false };
  } catch (error) {
    return { text: `The client could not be tried without a host: ${messageOf(error)}`, isFine: false };
  }
}

function shown(output: string): string {
  return output === '' ? 'it prints nothing' : `it prints ${output}`;
}

/** What a client prints for a call in a folder. Rejects when it cannot be started. */
async function callClient(client: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const id = randomBytes(8).toString('hex');
  const payload = {
    ...{ session_id: `hookline-check-${id}`, cwd, hook_event_name: 'PreToolUse', tool_use_id: id },
    ...{ tool_name: 'Bash', tool_input: { command: 'true' } },
  };
  const chunks: Buffer[] = [];
  const end = await runProcess({
    command: client.endsWith('.mjs') ? process.execPath : 'bash',
    args: [...(client.endsWith('.mjs') ? [] : ['-p']), client, 'claude', 'PreToolUse'],
    cwd,
    env: { ...env, CLAUDE_PROJECT_DIR: cwd },
    input: JSON.stringify(payload),
    timeoutMs: CLIENT_MS,
    onStdout: chunk => void chunks.push(chunk),
  });
  if (end.kind === 'failed') throw end.error;
  return Buffer.concat(chunks).toString('utf8').trim();
}

/** The reason, if a text is the denial of a call for Claude Code. */
function denialIn(output: string): string | undefined {
  const answer = parseObject(output)?.['hookSpecificOutput'];
  if (!isRecord(answer) || answer['permissionDecision'] !== 'deny') return undefined;
  const { permissionDecisionReason: reason } = answer;
  return typeof reason === 'string' ? reason : undefined;
}
