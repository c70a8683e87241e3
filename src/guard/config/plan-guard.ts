import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { watchedName } from '../../base/files/counted-text';
import { agentName, type AgentId } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';
import { filesOfGuard, hasMode, type GuardedFile } from './agent-files';
import type { Machine } from './this-machine';
import { setupOf } from './agents';
import type { GuardScope } from './agents/agent-setup';
import { codexConfigFile, codexHooksFile } from './codex/codex-files';
import { withoutTrust } from './codex/codex-trust-text';
import { configurationText } from './formats/configuration-text';
import type { GuardEntry, GuardFormat } from './formats/guard-format';
import { entriesIn, guardEntries, type GuardedContract } from './guard-entries';

/** Whose guard changes, where, and how. */
export interface GuardRequest {
  readonly contract: GuardedContract;
  readonly action: 'add' | 'remove';
  readonly scope: GuardScope;
  readonly place: Pick<GuardPlace, 'client' | 'nodeClient'>;
  readonly machine: Machine;
}

/** A change of one file. A text is undefined where there is no file. */
export interface FileChange {
  /** Absolute. */
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Of the file, if it has to be another one than that of a configuration. */
  readonly mode?: number;
  /** Absolute path of the copy of what the file held before our entries. `write`: `before` becomes it; `remove`: it is not needed any more. */
  readonly backup: { readonly file: string; readonly does: 'write' | 'remove' | 'nothing' };
}

/** What guarding an agent, or its end, changes. */
export interface GuardPlan {
  readonly agent: AgentId;
  /** Empty if all is as it should be. */
  readonly changes: readonly FileChange[];
  /** What hooks cannot stop in this agent, as sentences. */
  readonly cannotGuard: readonly string[];
}

/**
 * What a request changes; writes nothing.
 * @throws Error that names the file, if it cannot be read or is no configuration of the agent; Error that says so, if the agent
 *   has no such scope
 */
export async function planGuard(request: GuardRequest): Promise<GuardPlan> {
  const { contract, action, scope, place, machine } = request;
  const { id } = contract;
  const files = filesOfGuard(id, scope, machine);
  if (files.length === 0) throw new Error(`${agentName(id)} has no configuration of the system.`);
  const entries = guardEntries(contract, place, machine);
  const changes = await Promise.all(files.map(guarded => changeOf(guarded, entries, action)));
  const trust = id === 'codex' && scope === 'user' && action === 'remove' ? await trustChange(machine) : [];
  return { agent: id, changes: [...trust, ...changes.flat()], cannotGuard: setupOf(id).cannotGuard };
}

async function changeOf(
  { file, format, event, mode }: GuardedFile,
  all: readonly GuardEntry[],
  action: GuardRequest['action'],
): Promise<readonly FileChange[]> {
  const backup = `${file}${BACKUP_END}`;
  const [before, saved] = await Promise.all([configurationText(file), configurationText(backup)]);
  const parts = { before, saved, entries: entriesIn(event, all), format };
  const { after, does } = inFile(file, () => (action === 'add' ? added(parts) : removed(parts)));
  const isUsable = action === 'remove' || mode === undefined || (await hasMode(file, mode));
  if (after === before && isUsable) return [];
  return [{ file, before, after, backup: { file: backup, does }, ...defined({ mode }) }];
}

/** Takes what Codex stored when it was told to trust our entries out of its config.toml. */
async function trustChange(machine: Machine): Promise<readonly FileChange[]> {
  const { file, format } = codexHooksFile(machine);
  const hooks = await configurationText(file);
  const config = codexConfigFile(machine);
  const before = await configurationText(config);
  if (hooks === undefined || before === undefined) return [];
  const after = inFile(config, () => withoutTrust(before, [file, watchedName(file)], format.own(hooks)));
  if (after === before) return [];
  const backup = { file: `${config}${BACKUP_END}`, does: 'nothing' } as const;
  return [{ file: config, before, after: after.trim() === '' ? undefined : after, backup }];
}

const BACKUP_END = '.before-hookline';

interface Parts {
  readonly before: string | undefined;
  /** What the file held before our entries. */
  readonly saved: string | undefined;
  readonly entries: readonly GuardEntry[];
  readonly format: GuardFormat;
}

interface Next {
  readonly after: string | undefined;
  readonly does: FileChange['backup']['does'];
}

function added({ before, entries, format }: Parts): Next {
  const isFirst = before !== undefined && format.own(before).length === 0;
  return { after: format.add(before ?? '', entries), does: isFirst ? 'write' : 'nothing' };
}

function removed({ before, saved, entries, format }: Parts): Next {
  if (before === undefined || format.own(before).length === 0) return { after: before, does: 'nothing' };
  // Byte for byte as it was, if nothing else changed since.
  if (saved !== undefined && addedTo(saved, entries, format) === before) return { after: saved, does: 'remove' };
  const after = format.remove(before);
  return saved === undefined ? { after, does: 'nothing' } : { after: after ?? '{}\n', does: 'nothing' };
}

function addedTo(saved: string, entries: readonly GuardEntry[], format: GuardFormat): string | undefined {
  try {
    return format.add(saved, entries);
  } catch {
    // What was saved was changed since, and is no configuration any more.
    return undefined;
  }
}

function inFile<T>(file: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new Error(`${file} cannot be changed: ${messageOf(error)}`, { cause: error });
  }
}
