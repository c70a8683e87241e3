import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostConnection } from '../../guard/host/host-connection';
import { makeGuardFolder, type GuardPlace } from '../../guard/protocol/place';
import { PARENT_VARIABLE } from '../../startup/parent/messages';
import { CHILD_VARIABLE } from '../../startup/trust/project-trust';
import { withoutTraces } from '../../startup/agents/calling-agent';
import { printErrorTo } from '../terminal/print';
import { HOST_LOG } from './host-log';
import type { GuardCommandLine } from './guard-mode';

/** How long a host may take to start, and how often is looked, in ms. The client waits as long. */
const START_MS = 3_000;
const LOOK_MS = 20;

/**
 * `hookline guard start`: starts the host in the background unless one runs, and waits until it can be reached. The end of the
 * call that needs it does not end it: nothing in its environment shows where it comes from. Resolves with the exit code.
 */
export async function startHost({ place, process, caller, code }: GuardCommandLine): Promise<number> {
  if (await isServed(place)) return 0;
  await makeGuardFolder(place);
  const output = openSync(join(place.folder, HOST_LOG), 'a', 0o600);
  const host = spawn(process.execPath, [join(code.distDir, 'cli.js'), 'guard', 'serve'], {
    cwd: place.folder,
    detached: true,
    env: hostEnvironment(caller.env),
    stdio: ['ignore', output, output],
    windowsHide: true,
  });
  closeSync(output);
  let failure: string | undefined;
  host.once('error', error => (failure = error.message));
  host.once('exit', exitCode => (failure ??= `it ended with ${exitCode ?? 'a signal'}`));
  for (const end = performance.now() + START_MS; performance.now() < end && failure === undefined;) {
    if (await isServed(place)) {
      host.unref();
      return 0;
    }
    await sleep(LOOK_MS);
  }
  const why = failure ?? `it did not answer within ${START_MS / 1000} seconds`;
  printErrorTo(
    process.stderr,
    `hookline: the host of the guard did not start: ${why}. See ${join(place.folder, HOST_LOG)}.`,
  );
  return 1;
}

/** What a host gets of an environment: the decisions of whoever starts it are not its own. */
function hostEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const dropped = new Set([PARENT_VARIABLE, CHILD_VARIABLE, 'NODE_OPTIONS']);
  return Object.fromEntries(Object.entries(withoutTraces(env)).filter(([name]) => !dropped.has(name)));
}

/** Whether a host answers. That the process of the endpoint lives says nothing: another one may have its number by now. */
async function isServed(place: GuardPlace): Promise<boolean> {
  const connection = await HostConnection.open(place, { role: 'query', version: '', folders: [] });
  connection?.dispose();
  return connection !== undefined;
}
