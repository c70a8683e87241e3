import { join } from 'node:path';
import { messageOf } from '../../base/errors';
import { watchedName } from '../../base/files/counted-text';
import type { AgentContract } from '../agents/agent';
import type { AgentId } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';
import { agentFolder, guardedFile, type GuardScope, type Machine } from './agent-files';
import { REQUIREMENTS } from './formats/codex-requirements';
import { withoutTrust } from './codex/codex-trust-text';
import { configurationText } from './formats/configuration-text';
import { guardEntries, type GuardEntry } from './guard-entries';
import type { GuardFormat } from './formats/guard-format';
import { jsonFormat } from './formats/json-format';

/** Whose guard changes, where, and how. */
export interface GuardRequest {
  readonly contract: Pick<AgentContract, 'id' | 'events'>;
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
 * @throws Error that names the file, if it cannot be read or is no configuration of the agent
 */
export async function planGuard({ contract, action, scope, place, machine }: GuardRequest): Promise<GuardPlan> {
  const { id } = contract;
  const file = guardedFile(id, scope, machine);
  const backup = `${file}${BACKUP_END}`;
  const [before, saved] = await Promise.all([configurationText(file), configurationText(backup)]);
  const entries = guardEntries(contract, place, machine);
  const parts = { before, saved, entries, format: formatOf(id, scope) };
  const { after, does } = inFile(file, () => (action === 'add' ? added(parts) : removed(parts)));
  const changes = after === before ? [] : [{ file, before, after, backup: { file: backup, does } }];
  const isTrusted = id === 'codex' && scope === 'user' && action === 'remove';
  const trust = isTrusted && before !== undefined ? await trustChange(file, before, machine) : [];
  return { agent: id, changes: [...trust, ...changes], cannotGuard: CANNOT_GUARD[id] };
}

/** Takes what Codex stored when it was told to trust our entries out of its config.toml. */
async function trustChange(file: string, hooks: string, machine: Machine): Promise<readonly FileChange[]> {
  const config = join(agentFolder('codex', machine), 'config.toml');
  const before = await configurationText(config);
  if (before === undefined) return [];
  const own = formatOf('codex', 'user').own(hooks);
  const after = inFile(config, () => withoutTrust(before, [file, watchedName(file)], own));
  if (after === before) return [];
  const backup = { file: `${config}${BACKUP_END}`, does: 'nothing' } as const;
  return [{ file: config, before, after: after.trim() === '' ? undefined : after, backup }];
}

const BACKUP_END = '.before-hookline';

const CANNOT_GUARD: Readonly<Record<AgentId, readonly string[]>> = {
  claude: ['Claude Code that is started with --bare runs no hooks of yours, only those that "add --system" writes.'],
  copilot: ["VS Code's legacy Local agent is not Copilot: it runs a call when a hook fails."],
  codex: ['Text that Codex writes into a program that runs already (write_stdin) reaches no hook.'],
};

/** How the guard of an agent stands in its file. */
export function formatOf(agent: AgentId, scope: GuardScope): GuardFormat {
  if (agent === 'copilot') return jsonFormat({ version: 1 });
  if (agent === 'codex' && scope === 'system') return REQUIREMENTS;
  return jsonFormat();
}

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
