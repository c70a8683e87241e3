import { localTime } from '../../../base/text/local-time';
import type { AgentContract } from '../../../guard/agents/agent';
import type { FoundAgent } from '../../../guard/config/find-agents';
import type { GuardedAgent } from '../../../guard/config/guarded-agents';
import type { GuardStatus } from '../../../guard/config/guard-status';
import type { AgentActivity } from '../../../guard/protocol/agent-activity';
import type { HostStatus } from '../../../guard/protocol/messages';

/** What is known about an agent and its guard. */
export interface AgentFacts {
  readonly contract: Pick<AgentContract, 'id' | 'name' | 'testedVersion'>;
  /** Undefined where neither its program nor its folder was found. */
  readonly found: FoundAgent | undefined;
  readonly guarded: GuardedAgent | undefined;
  readonly status: GuardStatus;
  /** Why the agent does not run the entries although they are there. */
  readonly untrusted: string | undefined;
  readonly activity: AgentActivity;
}

/** The name of an agent, its version, and what the tests ran of it. */
export function foundText({ name, testedVersion }: AgentFacts['contract'], found: AgentFacts['found']): string {
  const notes = [
    ...(found === undefined ? ['not found on this machine'] : []),
    ...(found !== undefined && found.program === undefined ? ['its program is not on PATH'] : []),
    ...testedText(found, testedVersion),
  ];
  const version = found?.version === undefined ? '' : ` ${found.version}`;
  const isUnknown = found?.program !== undefined && found.version === undefined;
  return `${name}${version}${isUnknown ? ', version unknown' : ''}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

function testedText(found: AgentFacts['found'], testedVersion: string | undefined): readonly string[] {
  if (testedVersion === undefined) return [NOT_TRIED];
  if (found?.program === undefined || found.tested === 'tested') return [];
  if (found.tested === 'newer') return [`not tested: newer than ${testedVersion}, the newest version that was`];
  return [`tested with ${testedVersion}`];
}

/** What is said of an agent that the tests do not run. */
export const NOT_TRIED = 'not tried: made from its documentation';

/** The guard of an agent: lines about it, and whether it is guarded and nothing is wrong; undefined: it is not guarded. */
export function statusText(facts: AgentFacts): {
  readonly lines: readonly string[];
  readonly isFine: boolean | undefined;
} {
  const { contract, found, guarded, status, activity } = facts;
  const problems = [...problemsOf(facts), ...toolsProblem(facts)];
  const { configured } = status;
  const isGuarded = guarded !== undefined || configured.type !== 'no';
  if (!isGuarded) {
    const next = `  not guarded; to guard it, run "hookline guard add ${contract.id}"`;
    return { lines: [foundText(contract, found), next], isFine: undefined };
  }
  return {
    lines: [
      foundText(contract, found),
      ...(configured.type === 'yes' ? [`  guarded, in ${configured.file}${scopeText(configured.scope)}`] : []),
      ...(status.tools.type === 'yes' ? [`  gets the tools of hooks, from ${status.tools.file}`] : []),
      ...problems.map(problem => `  ! ${problem}`),
      ...(guarded === undefined || guarded.gate === 'off'
        ? []
        : [`  the built-in gate decides, too (${guarded.gate})`]),
      ...pluginText(facts),
      `  ${activityText(activity)}`,
      ...undoneText(activity),
    ],
    isFine: problems.length === 0,
  };
}

/** What is wrong with the guard of a guarded agent, as sentences. */
export function problemsOf({
  contract: { id, name },
  untrusted,
  status: { configured, switchedOff },
}: Pick<AgentFacts, 'contract' | 'untrusted' | 'status'>): readonly string[] {
  const again = `run "hookline guard add ${id}"`;
  const off = switchedOff.map(
    ({ file, line, setting }) => `${name} runs no hooks: ${setting} in ${file}:${line + 1} turns them off`,
  );
  switch (configured.type) {
    case 'yes':
      return [...off, ...(untrusted === undefined ? [] : [untrusted])];
    case 'no':
      return [`not guarded: its configuration does not call Hookline any more; ${again}`, ...off];
    case 'older':
      return [`the entries in ${configured.file} are not those of this version; ${again}`, ...off];
    case 'broken':
      return [configured.problem, ...off];
  }
}

/** Whether an agent has loaded the plugin, which it tells by its events only. */
function pluginText({
  contract: { id },
  status: { pluginSince },
  activity: { toldAt },
}: AgentFacts): readonly string[] {
  if (pluginSince === undefined) return [];
  if (toldAt !== undefined && toldAt >= pluginSince) {
    return [`  its plugin is loaded: it last told of an event ${localTime(new Date(toldAt))}`];
  }
  return [
    `  ? its plugin has told of no event since it was written; "hookline guard check --fire ${id}" shows that it is loaded`,
  ];
}

function toolsProblem({ contract: { id }, status: { tools } }: AgentFacts): readonly string[] {
  if (tools.type === 'broken') return [tools.problem];
  if (tools.type !== 'older') return [];
  return [`the MCP server in ${tools.file} is not that of this version; run "hookline guard add ${id}"`];
}

function scopeText(scope: GuardedAgent['scope']): string {
  return scope === 'system' ? ', for the whole machine' : '';
}

function activityText({ last, calls, blocks }: AgentActivity): string {
  if (last === undefined) return 'no call is in the log';
  return `last call ${localTime(new Date(last.at))}; today ${calls} ${calls === 1 ? 'call' : 'calls'}, ${blocks} blocked`;
}

function undoneText({ undone }: AgentActivity): readonly string[] {
  if (undone === undefined) return [];
  return [`  it changed how it is guarded ${localTime(new Date(undone.at))}; this file was put back: ${undone.file}`];
}

/** Lines about the host; undefined: none runs. */
export function hostText(host: HostStatus | undefined): string {
  if (host === undefined) return 'No host runs: the next guarded call starts one.';
  const { pid, version, windows, watchers, ownFolders, waitingHooks = [], openCalls } = host;
  const open = openCalls === 0 ? '' : `, ${openCalls} ${openCalls === 1 ? 'call is' : 'calls are'} open`;
  return [
    `The host runs (process ${pid}, Hookline ${version})${open}.`,
    ...windows.map(({ folders }) => `  a window has ${folders.length === 0 ? 'no folder' : folders.join(', ')}`),
    ...ownFolders.map(folder => `  it has loaded the hooks of ${folder} itself`),
    ...waitingHooks.map(({ folder, count }) => {
      const wait = count === 1 ? 'a hook waits' : `${count} hooks wait`;
      return `  ${wait} for approval in ${folder}: run "hookline hooks diff" in it, then "hookline hooks approve"`;
    }),
    ...(watchers === 0 ? [] : ['  "hookline guard watch" answers questions']),
  ].join('\n');
}
