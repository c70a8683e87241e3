import { basename } from 'node:path';
import { localTime } from '../../base/text/local-time';
import { singleLine } from '../../base/text/single-line';
import { CONTRACTS } from '../../guard/agents';
import type { GuardRecord } from '../../guard/protocol/agent-call';

/** A guarded call as a line: `2026-11-30 09:15:02 codex /home/ada/shop-api bash: rm -rf build – blocked by gate.ts: not here`. */
export function recordText(record: GuardRecord): string {
  const { at, agent, subagent, folder, event, tool, summary, verdict, hook, reason } = record;
  const call = summary === undefined ? tool : `${tool}: ${singleLine(summary)}`;
  const what = tool === undefined ? event : `${isResult(record) ? 'result of ' : ''}${call}`;
  const by = hook === undefined ? '' : ` by ${basename(hook)}`;
  const why = reason === undefined ? '' : `: ${singleLine(reason)}`;
  const who = subagent === undefined ? agent : `${agent} (subagent)`;
  return `${localTime(new Date(at))} ${who} ${folder} ${what} – ${verdict}${by}${why}`;
}

function isResult({ agent, event }: GuardRecord): boolean {
  const events = CONTRACTS.find(({ id }) => id === agent)?.events ?? [];
  return events.some(({ name, type }) => name === event && type === 'tool_result');
}
