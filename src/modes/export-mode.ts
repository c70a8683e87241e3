import { basename, resolve } from 'node:path';
import { learnKeysOfFiles } from '../agent/models/keys/learn-keys';
import { sessionDirFor } from '../agent/session/library/session-list';
import { SessionStore } from '../agent/session/store';
import { messageOf } from '../base/errors';
import { exportTo } from '../export/write-export';
import { sessionDirFrom } from '../startup/live-settings';
import { agentDirFrom } from '../startup/own-folders';
import type { CliOptions } from './arguments/options';
import { findSession } from './start/session-choice';
import { printErrorTo, printText } from './terminal/print';
import { UsageError } from './arguments/usage-error';

/**
 * `--export <session> [out]` as in pi: writes the session to the file that the first message names, and prints that
 * name as it was given. The session is only read; no hook is loaded. Resolves with the exit code.
 */
export async function exportSession(
  given: string,
  { messages, sessionDir }: CliOptions,
  { cwd, process }: { readonly cwd: string; readonly process: NodeJS.Process },
): Promise<number> {
  try {
    const [output, extra] = messages;
    if (extra !== undefined) throw new UsageError(`--export takes one output file, not also "${extra}".`);
    const agentDir = agentDirFrom(undefined, process.env);
    const ownDir = sessionDirFrom(process.env, cwd) ?? sessionDirFor(agentDir, cwd);
    const dir = sessionDir === undefined ? ownDir : resolve(cwd, sessionDir);
    const found = await findSession(given, { agentDir, cwd, startedIn: cwd, sessionDir: dir }, '--export');
    const file = found.kind === 'here' ? found.file : found.session.file;
    await learnKeysOfFiles(agentDir, process.env);
    const store = await SessionStore.open(file, { readOnly: true });
    try {
      const target = await exportTo(store, cwd, output);
      printText(process.stdout, `Exported to: ${output ?? basename(target)}\n`);
    } finally {
      await store.dispose();
    }
    return 0;
  } catch (error) {
    printErrorTo(process.stderr, `hookline: ${messageOf(error)}`);
    return 1;
  }
}
