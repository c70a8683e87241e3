import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutTraces } from '../../startup/agents/calling-agent';
import { PARENT_VARIABLE } from '../../startup/parent/messages';
import { CHILD_VARIABLE } from '../../startup/trust/project-trust';
import { makeGuardFolder, type GuardPlace } from '../protocol/place';
import { environmentOf, readProgram, type GuardProgram } from '../protocol/program';
import { HostConnection } from './host-connection';

/** How long a host may take to start, and how often is looked, in ms. The client waits as long. */
const START_MS = 3_000;
const LOOK_MS = 20;

/** The file in the guard folder for what the host prints. */
export const HOST_LOG = 'host.log';

/**
 * Starts the host in the background unless one runs, and waits until it can be reached. It is in a session of its own, and
 * nothing in its environment shows where it comes from, so the end of whoever needs it does not end it.
 * @throws Error that says why it did not start
 */
export async function startGuardHost(
  place: GuardPlace,
  { node, cli }: Pick<GuardProgram, 'node' | 'cli'>,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (await isServed(place)) return;
  await makeGuardFolder(place);
  const log = join(place.folder, HOST_LOG);
  const output = openSync(log, 'a', 0o600);
  const host = spawn(node, [cli, 'guard', 'serve'], {
    cwd: place.folder,
    detached: true,
    env: hostEnvironment(place, env),
    stdio: ['ignore', output, output],
    windowsHide: true,
  });
  closeSync(output);
  let failure: string | undefined;
  host.once('error', error => (failure = error.message));
  host.once('exit', code => (failure ??= `it ended with ${code ?? 'a signal'}`));
  host.unref();
  for (const end = performance.now() + START_MS; performance.now() < end && failure === undefined;) {
    if (await isServed(place)) return;
    await sleep(LOOK_MS);
  }
  const why = failure ?? `it did not answer within ${START_MS / 1000} seconds`;
  throw new Error(`the host of the guard did not start: ${why}. See ${log}.`);
}

/** What a host gets of an environment: the decisions of whoever starts it are not its own. */
function hostEnvironment(place: GuardPlace, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = environmentOf(readProgram(place) ?? { variables: {} }, withoutTraces(env));
  const others = Object.entries(own).filter(([name]) => name !== PARENT_VARIABLE && name !== CHILD_VARIABLE);
  // In VS Code, the program is Electron.
  return { ...Object.fromEntries(others), ELECTRON_RUN_AS_NODE: '1' };
}

/** Whether a host answers. That the process of the endpoint lives says nothing: another one may have its number by now. */
async function isServed(place: GuardPlace): Promise<boolean> {
  const connection = await HostConnection.open(place, { role: 'query', version: '', folders: [] });
  connection?.dispose();
  return connection !== undefined;
}
