import { join, resolve } from 'node:path';
import { SessionTrash } from '../../../agent/session/library/trash';
import { sessionDirFrom } from '../../../startup/live-settings';
import { agentDirFrom } from '../../../startup/own-folders';
import { parseArguments } from '../../arguments/parse';
import { openFolder, type FolderRuntime } from '../../start/folder-runtime';
import type { FolderParts } from '../../start/load-folder';
import type { AcpClient } from '../client';
import type { SessionMethods } from '../connection/methods';
import { FolderTrust } from '../questions/folder-trust';
import { Folders, type FolderProblems } from './folders';
import { createSessionMethods } from './session-methods';
import { StoredSessions } from './stored-sessions';

/** The process whose client opens sessions. Problems that concern no session are printed. */
export type OpenSessionsParts = Omit<FolderParts, 'cwd' | 'mode'>;

/** The methods of sessions for a client; its folders are loaded when sessions need them. */
export function openSessions(parts: OpenSessionsParts, client: AcpClient): SessionMethods {
  const { argv, startedIn, env, code } = parts;
  const folders = new Folders(async (cwd, problems) => {
    const printError = (text: string): void => {
      parts.printError(text);
      problems.tell(text);
    };
    const runtime = await openFolder({ ...parts, cwd, mode: 'rpc', printError });
    return { runtime, trust: trustOf(runtime, parts, problems) };
  });
  const { sessionDir } = parseArguments(argv);
  const shared = sessionDir === undefined ? sessionDirFrom(env, startedIn) : resolve(startedIn, sessionDir);
  const stored = new StoredSessions({
    agentDir: agentDirFrom(undefined, env),
    shared,
    open: () => folders.loaded.map(runtime => runtime.sessionDir),
  });
  // The state folder, since what is in the cache may be removed at any time.
  const trash = new SessionTrash(join(code.stateDir, 'deleted-sessions'));
  return createSessionMethods({ client, folders, stored, trash });
}

function trustOf(runtime: FolderRuntime, { code, caller }: OpenSessionsParts, problems: FolderProblems): FolderTrust {
  const { place, trust, loadHooks } = runtime.services;
  const { cwd, agentDir } = place;
  const reload = async (): Promise<void> => {
    await loadHooks();
    if (trust.isTrusted) problems.forget(); // They say that it is not.
    const active = runtime.conversations.at(-1)?.conversation;
    await active?.resources.discover('reload', active.forHooks);
  };
  return new FolderTrust({ place: { cwd, agentDir, stateDir: code.stateDir, caller }, trust, reload });
}
