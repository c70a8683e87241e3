import type { VersionTested } from '../../../guard/config/tested-version';
import type { AgentId, GuardGate } from '../../../guard/protocol/agent-call';
import type { GuardScope } from '../../../guard/config/agents/agent-setup';
import { problemsOf, type AgentFacts } from './status-text';

/** An agent and its guard, as a line of `hookline guard status --json`. */
export interface AgentRecord {
  readonly agent: AgentId;
  readonly name: string;
  readonly isFound: boolean;
  /** Absent where it could not be learned. */
  readonly version?: string;
  readonly tested: VersionTested;
  /** Absent where the tests ran none. */
  readonly testedVersion?: string;
  readonly isGuarded: boolean;
  readonly scope?: GuardScope;
  readonly gate?: GuardGate;
  /** Sentences; empty for an agent that is not guarded. */
  readonly problems: readonly string[];
  /** Whether it has told of an event since its plugin was written; absent where it loads none. */
  readonly pluginIsLoaded?: boolean;
  /** Calls of today, and how many of them were blocked. */
  readonly calls: number;
  readonly blocks: number;
}

/** `clientProblem`: why no agent can be checked, if it is so. */
export function agentRecord(facts: AgentFacts, clientProblem: string | undefined): AgentRecord {
  const { contract, found, guarded, status, activity } = facts;
  const { id, name, testedVersion } = contract;
  const { configured, pluginSince } = status;
  const isGuarded = guarded !== undefined || configured.type !== 'no';
  return {
    ...{ agent: id, name, isFound: found !== undefined },
    ...(found?.version === undefined ? {} : { version: found.version }),
    tested: found?.tested ?? (testedVersion === undefined ? 'untried' : 'unknown'),
    ...(testedVersion === undefined ? {} : { testedVersion }),
    isGuarded,
    ...(guarded === undefined ? {} : { scope: guarded.scope, gate: guarded.gate }),
    problems: isGuarded ? [...problemsOf(facts), ...(clientProblem === undefined ? [] : [clientProblem])] : [],
    ...(pluginSince === undefined ? {} : { pluginIsLoaded: (activity.toldAt ?? 0) >= pluginSince }),
    ...{ calls: activity.calls, blocks: activity.blocks },
  };
}
