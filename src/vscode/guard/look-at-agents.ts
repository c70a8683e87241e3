import * as vscode from 'vscode';
import { defined } from '../../base/defined';
import type { Problem } from '../../base/result';
import { CONTRACTS } from '../../guard/agents';
import type { AgentContract } from '../../guard/agents/agent';
import type { Machine } from '../../guard/config/this-machine';
import { findAgents, type FoundAgent } from '../../guard/config/find-agents';
import { guardStatus, type Configured, type GuardStatus } from '../../guard/config/guard-status';
import type { GuardedAgents } from '../../guard/config/guarded-agents';
import { activityOf, readGuardLog } from '../../guard/protocol/agent-activity';
import type { GuardRecord } from '../../guard/protocol/agent-call';
import type { GuardPlace } from '../../guard/protocol/place';
import type { AgentRow } from '../hooks-view/agent-nodes';
import type { Lazy } from '../lazy';
import type { TrustOfCodex } from './trust-of-codex';
import { gateName } from './guard-words';

export interface LookParts {
  readonly place: GuardPlace;
  readonly machine: Machine;
  readonly guarded: GuardedAgents;
  /** Agent -> what hooks did that can have no effect there, in words. */
  readonly withoutEffect: ReadonlyMap<string, ReadonlySet<string>>;
  readonly codex: Lazy<TrustOfCodex>;
  /** The folder of the window, absolute; undefined when none is open. */
  readonly folder: string | undefined;
}

/** The rows of the agents on this machine, in the order of the contracts. */
export async function lookAtAgents(parts: LookParts): Promise<readonly AgentRow[]> {
  const found = await findAgents(CONTRACTS, parts.machine);
  const { guarded } = parts;
  const { entries: records } = await readGuardLog(parts.place);
  const rows = CONTRACTS.map(async contract => {
    const agent = found.find(({ id }) => id === contract.id);
    if (agent === undefined) return [];
    const { place, machine, folder } = parts;
    const status = await guardStatus({ contract, place, machine, ...defined({ project: folder }) });
    const isTrusted =
      isGuarded(status) && agent.id === 'codex' ? await (await parts.codex.get()).isGiven(agent) : undefined;
    return [rowOf({ contract, agent, status, isTrusted, guarded, records }, parts)];
  });
  return (await Promise.all(rows)).flat();
}

interface AgentFacts {
  readonly contract: AgentContract;
  readonly agent: FoundAgent;
  readonly status: GuardStatus;
  readonly isTrusted: boolean | undefined;
  readonly guarded: GuardedAgents;
  readonly records: readonly GuardRecord[];
}

function rowOf({ contract, agent, status, isTrusted, guarded, records }: AgentFacts, parts: LookParts): AgentRow {
  const { id, name, testedVersion } = contract;
  const { configured } = status;
  const { last, calls, blocks } = activityOf(records, id, Date.now());
  const gate = guarded[id]?.gate ?? 'off';
  return {
    id,
    name,
    ...{ version: agent.version, tested: agent.tested, testedVersion },
    isGuarded: isGuarded(status),
    isTrusted,
    gate: gate === 'off' ? undefined : gateName(gate),
    ...{ calls, blocks },
    last: last === undefined ? undefined : { at: last.at, text: recordText(last) },
    switchedOff: status.switchedOff.map(({ file, line, setting }) => ({ file, line: line + 1, message: setting })),
    problems: problemsOf(configured),
    withoutEffect: [...(parts.withoutEffect.get(name) ?? [])],
  };
}

function isGuarded({ configured }: GuardStatus): boolean {
  return configured.type === 'yes' || configured.type === 'older';
}

function problemsOf(configured: Configured): readonly Problem[] {
  switch (configured.type) {
    case 'no':
    case 'yes':
      return [];
    case 'older':
      return [{ file: configured.file, message: vscode.l10n.t('incomplete: guard it again') }];
    case 'broken':
      return [{ file: configured.file, message: configured.problem }];
  }
}

/** What became of a call, and the call in a few words. */
function recordText({ tool, summary, verdict }: GuardRecord): string {
  const call = [tool, summary].filter(Boolean).join(' ');
  switch (verdict) {
    case 'passed':
      return vscode.l10n.t('last passed: {0}', call);
    case 'blocked':
      return vscode.l10n.t('last blocked: {0}', call);
    case 'changed':
      return vscode.l10n.t('last changed: {0}', call);
    case 'asks':
      return vscode.l10n.t('last left to the agent: {0}', call);
  }
}
