import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors';
import type { AgentId } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';
import { agentFolder, filesOfGuard, hasMode, type GuardedFile } from './agent-files';
import type { Machine } from './this-machine';
import { setupOf } from './agents';
import type { GuardScope } from './agents/agent-setup';
import { configurationText } from './formats/configuration-text';
import type { GuardEntry, GuardFormat } from './formats/guard-format';
import { entriesIn, guardEntries, type GuardedContract } from './guard-entries';
import { switchesOf, switchFilesOfProject, type SwitchOff } from './switched-off';
import { toolsOf } from './tools-place';

/**
 * How far an agent's configuration is as Hookline writes it. `older`: entries of ours are there, but call another client, lack an
 * event or cannot be started. `broken`: the file cannot be read, and `problem` names it and says why.
 */
export type Configured =
  | { readonly type: 'no' }
  | { readonly type: 'yes' | 'older'; readonly scope: GuardScope; readonly file: string }
  | { readonly type: 'broken'; readonly scope: GuardScope; readonly file: string; readonly problem: string };

/** See {@link Configured}; `file` is absolute. */
export type ToolsConfigured =
  | { readonly type: 'no' }
  | { readonly type: 'yes' | 'older'; readonly file: string }
  | { readonly type: 'broken'; readonly problem: string };

/** Whether an agent calls Hookline, as far as files say it. */
export interface GuardStatus {
  readonly agent: AgentId;
  /** The system's entries, if both are there. */
  readonly configured: Configured;
  /** When the plugin that calls Hookline was written, ms since 1970; undefined where the agent has none, or loads none. */
  readonly pluginSince: number | undefined;
  /** Whether our MCP server is in its configuration; `older`: it is, but not as this version writes it. */
  readonly tools: ToolsConfigured;
  /** What keeps the agent from calling our entries in this project. */
  readonly switchedOff: readonly SwitchOff[];
}

export interface GuardStatusRequest {
  readonly contract: GuardedContract;
  readonly place: Pick<GuardPlace, 'client' | 'nodeClient' | 'toolServer' | 'nodeToolServer'>;
  readonly machine: Machine;
  /** Absolute path of the folder that the agent works in; absent: only what holds for all. */
  readonly project?: string;
}

/** Reads files only, and never rejects: what cannot be read is in the result. */
export async function guardStatus(request: GuardStatusRequest): Promise<GuardStatus> {
  const { contract, machine, project } = request;
  const [system, user] = await Promise.all([configuredIn('system', request), configuredIn('user', request)]);
  const configured = system.type === 'no' ? user : system;
  const switchedOff = await switchesIn(contract.id, machine, project);
  const isForced = configured.type === 'yes' && configured.scope === 'system';
  const counting = isForced ? switchedOff.filter(({ beatsSystem }) => beatsSystem === true) : switchedOff;
  const tools = await toolsIn(contract.id, request);
  const pluginSince = await pluginTime(contract.id, configured);
  return { agent: contract.id, configured, pluginSince, tools, switchedOff: counting };
}

async function pluginTime(agent: AgentId, configured: Configured): Promise<number | undefined> {
  if (setupOf(agent).loadsPlugin !== true || configured.type !== 'yes') return undefined;
  const { mtimeMs } = await stat(configured.file).catch(() => ({ mtimeMs: undefined }));
  return mtimeMs;
}

/** Whether our MCP server is in an agent's configuration. Never rejects: in one that cannot be read, it is not. */
export async function getsTools(id: AgentId, about: Pick<GuardStatusRequest, 'place' | 'machine'>): Promise<boolean> {
  const { type } = await toolsIn(id, about);
  return type === 'yes' || type === 'older';
}

async function toolsIn(
  id: AgentId,
  { place, machine }: Pick<GuardStatusRequest, 'place' | 'machine'>,
): Promise<ToolsConfigured> {
  const tools = toolsOf(id, machine);
  const { file, format } = tools;
  try {
    const text = await configurationText(file);
    if (text === undefined || !format.has(text)) return { type: 'no' };
    return { type: format.add(text, tools.entry(place)) === text ? 'yes' : 'older', file };
  } catch (error) {
    return { type: 'broken', problem: `${file}: ${messageOf(error)}` };
  }
}

async function configuredIn(scope: GuardScope, { contract, place, machine }: GuardStatusRequest): Promise<Configured> {
  const all = guardEntries(contract, place, machine);
  const files = filesOfGuard(contract.id, scope, machine);
  const found = await Promise.all(files.map(guarded => configuredInFile(guarded, all, scope)));
  const [first] = found;
  const broken = found.find(({ type }) => type === 'broken');
  if (first === undefined || found.every(({ type }) => type === 'no')) return { type: 'no' };
  if (broken !== undefined) return broken;
  const flaw = found.findIndex(({ type }) => type !== 'yes');
  return flaw === -1 ? first : { type: 'older', scope, file: files[flaw]?.file ?? '' };
}

async function configuredInFile(
  { file, format, event, mode }: GuardedFile,
  all: readonly GuardEntry[],
  scope: GuardScope,
): Promise<Configured> {
  try {
    const text = await configurationText(file);
    if (text === undefined) return { type: 'no' };
    const type = standsIn(text, { file, format, entries: entriesIn(event, all) });
    if (type === 'no') return { type };
    const isUsable = mode === undefined || (await hasMode(file, mode));
    return { type: isUsable ? type : 'older', scope, file };
  } catch (error) {
    return { type: 'broken', scope, file, problem: messageOf(error) };
  }
}

/** @throws Error that names the file, if its text is no configuration */
function standsIn(
  text: string,
  { file, format, entries }: { file: string; format: GuardFormat; entries: readonly GuardEntry[] },
): 'no' | 'yes' | 'older' {
  try {
    if (format.own(text).length === 0) return 'no';
    return format.add(text, entries) === text ? 'yes' : 'older';
  } catch (error) {
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function switchesIn(
  agent: AgentId,
  machine: Machine,
  project: string | undefined,
): Promise<readonly SwitchOff[]> {
  const setup = setupOf(agent);
  const ofUser = [...setup.settings, ...(setup.variables ?? [])].map(name => join(agentFolder(agent, machine), name));
  const files = [
    ...ofUser,
    ...(project === undefined ? [] : switchFilesOfProject(setup).map(name => join(project, name))),
  ];
  const found = await Promise.all(
    files.map(async file => {
      const text = await configurationText(file).catch(() => undefined);
      return text === undefined ? [] : switchesOf(agent, file, text);
    }),
  );
  return found.flat();
}
