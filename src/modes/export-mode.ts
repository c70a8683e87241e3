import { resolve } from 'node:path';
import { sessionDirFor } from '../agent/session/library/catalog';
import { SessionStore } from '../agent/session/store';
import { messageOf } from '../base/errors';
import { exportTo } from '../conversation/export/write-export';
import { agentDirFrom } from '../startup/live-settings';
import type { CliOptions } from './arguments';
import { sessionFile } from './session-choice';
import { UsageError } from './usage-error';

/**
 * `--export <session> [out]` as in pi: writes the session to the file named by the first message and tells its path on
 * stdout. The session is only read; no hook is loaded. Resolves with the exit code.
 */
export async function exportSession(
  given: string,
  { messages, sessionDir }: CliOptions,
  { cwd, process }: { readonly cwd: string; readonly process: NodeJS.Process },
): Promise<number> {
  try {
    const [output, extra] = messages;
    if (extra !== undefined) throw new UsageError(`--export takes one output file, not also "${extra}".`);
    const dir =
      sessionDir === undefined ? sessionDirFor(agentDirFrom(undefined, process.env), cwd) : resolve(cwd, sessionDir);
    const file = await sessionFile(given, { cwd, sessionDir: dir, flag: '--export' });
    const store = await SessionStore.open(file, { readOnly: true });
    try {
      process.stdout.write(`Exported to: ${await exportTo(store, cwd, output)}\n`);
    } finally {
      await store.dispose();
    }
    return 0;
  } catch (error) {
    process.stderr.write(`hookline: ${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
