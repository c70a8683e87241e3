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
import { requireClientProgram } from './client-command';
import { entriesIn, guardEntries, type GuardedContract } from './guard-entries';
import { toolsOf, type ToolsPlace } from './tools-place';

/** Whose guard changes, where, and how. */
export interface GuardRequest {
  readonly contract: GuardedContract;
  readonly action: 'add' | 'remove';
  readonly scope: GuardScope;
  /** Whether the entry of our MCP server changes, too, or nothing but that; absent: `add` keeps it as it is, `remove` takes it out. */
  readonly tools?: 'too' | 'only';
  readonly place: Pick<GuardPlace, 'client' | 'nodeClient' | 'toolServer' | 'nodeToolServer'>;
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
 *   has no such scope, or if this machine cannot start our client
 */
export async function planGuard(request: GuardRequest): Promise<GuardPlan> {
  const { id } = request.contract;
  const { cannotGuard } = setupOf(id);
  if (request.action === 'add') requireClientProgram(request.machine);
  const changes = request.tools === 'only' ? [] : await hookChanges(request);
  return { agent: id, changes: await withTools(changes, request), cannotGuard };
}

async function hookChanges({ contract, action, scope, place, machine }: GuardRequest): Promise<readonly FileChange[]> {
  const { id } = contract;
  const files = filesOfGuard(id, scope, machine);
  if (files.length === 0) throw new Error(`${agentName(id)} has no configuration of the system.`);
  const entries = guardEntries(contract, place, machine);
  const changes = await Promise.all(files.map(guarded => changeOf(guarded, entries, action)));
  const trust = id === 'codex' && scope === 'user' && action === 'remove' ? await trustChange(machine) : [];
  return [...trust, ...changes.flat()];
}

/** Adds the change of the list of MCP servers, which may be in a file that changes already. */
async function withTools(changes: readonly FileChange[], request: GuardRequest): Promise<readonly FileChange[]> {
  const { contract, action, scope, tools: wanted, place, machine } = request;
  const tools = toolsOf(contract.id, machine);
  if (wanted === undefined && scope === 'system') return changes;
  const { file, format } = tools;
  const earlier = changes.find(change => change.file === file);
  const backup = `${file}${BACKUP_END}`;
  const [onDisk, saved] = await Promise.all([configurationText(file), configurationText(backup)]);
  const before = earlier === undefined ? onDisk : earlier.after;
  const { after, does } = inFile(file, () => {
    const isThere = before !== undefined && format.has(before);
    if (action === 'remove') return isThere ? removedServer(before, saved, tools, place) : nothingChanged(before);
    if (wanted === undefined && !isThere) return nothingChanged(before);
    const isFirst = before !== undefined && !isThere && (saved === undefined || earlier?.backup.does === 'write');
    return {
      after: format.add(before ?? '', tools.entry(place)),
      does: isFirst ? ('write' as const) : ('nothing' as const),
    };
  });
  if (after === before) return changes;
  const change = { file, before: onDisk, after, backup: { file: backup, does } };
  return [...changes.filter(each => each !== earlier), change];
}

function nothingChanged(text: string | undefined): Next {
  return { after: text, does: 'nothing' };
}

function removedServer(
  before: string,
  saved: string | undefined,
  tools: ToolsPlace,
  place: GuardRequest['place'],
): Next {
  // Byte for byte as it was, if nothing else changed since.
  const { format } = tools;
  const wasAdded = saved !== undefined && textOrNone(() => format.add(saved, tools.entry(place))) === before;
  return wasAdded ? { after: saved, does: 'remove' } : { after: format.remove(before), does: 'nothing' };
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
  if (saved !== undefined && textOrNone(() => format.add(saved, entries)) === before) {
    return { after: saved, does: 'remove' };
  }
  const after = format.remove(before);
  return saved === undefined ? { after, does: 'nothing' } : { after: after ?? '{}\n', does: 'nothing' };
}

/** Undefined where what was saved was changed since, and is no configuration any more. */
function textOrNone(text: () => string): string | undefined {
  try {
    return text();
  } catch {
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
