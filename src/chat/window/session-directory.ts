import { resolve } from 'node:path';
import { waitForHooks, type SlowHook } from '../../session/ports/wait-for-hooks';
import type { WindowPorts } from '../ports';

/**
 * Hooks may put session files elsewhere (`session_directory`); relative to the workspace. One that
 * does not answer in time is `late`, and the files stay where they are.
 */
export async function withSessionDirectory(
  ports: WindowPorts,
): Promise<{ readonly ports: WindowPorts; readonly late?: SlowHook }> {
  const asking = ports.hooks.runner.emit({ type: 'session_directory', cwd: ports.cwd }, undefined);
  const nobody = { conversation: '', isAsking: () => false, hookWaitMs: ports.hookWaitMs };
  const answer = await waitForHooks('session_directory', asking, ports.hooks, nobody);
  if (!('value' in answer)) return { ports, late: answer };
  const wished = answer.value.sessionDir;
  return { ports: wished === undefined ? ports : { ...ports, sessionDir: resolve(ports.cwd, wished) } };
}
