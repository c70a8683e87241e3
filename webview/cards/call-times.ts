import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { HookVerdict, ToolState } from '../../src/protocol/items/chat-item';
import { hookBar, timeBars, type BarKind, type TimeBar } from '../controls/time-bars';
import { duration } from '../format';
import { visibleText } from '../../src/base/text/visible-text';

interface Part {
  readonly kind: BarKind;
  readonly name: string;
  readonly ms: number;
}

/** Shows how long hooks, questions and the tool took in a call, as bars and as text; nothing until the call has ended. */
export function callTimes(verdicts: readonly HookVerdict[], state: ToolState): TemplateResult | typeof nothing {
  if (state.type !== 'done' && state.type !== 'failed' && state.type !== 'blocked') return nothing;
  const tool: Part[] =
    'durationMs' in state && state.durationMs !== undefined
      ? [{ kind: 'tool', name: l10n.t('tool'), ms: state.durationMs }]
      : [];
  const after = verdicts.filter(({ event }) => AFTER_TOOL.has(event));
  const before = verdicts.filter(verdict => !after.includes(verdict));
  const parts = [...before.flatMap(partsOf), ...tool, ...after.flatMap(partsOf)];
  const total = parts.reduce((sum, { ms }) => sum + ms, 0);
  return html`<div class="call-times">
    ${timeBars(oneAfterAnother(parts), total)}
    <p class="muted">${parts.map(({ name, ms }) => `${visibleText(name)} ${duration(ms)}`).join(' · ')}</p>
  </div>`;
}

/** Names of the events, in all dialects, that hooks get after the tool has ended. */
const AFTER_TOOL: ReadonlySet<string> = new Set(['tool_result', 'tool_execution_end', 'PostToolUse']);

function partsOf({ hook, durationMs, askedMs = 0, outcome }: HookVerdict): readonly Part[] {
  const own: Part = { kind: hookBar(outcome), name: hook.name, ms: Math.max(0, durationMs - askedMs) };
  return askedMs === 0 ? [own] : [own, { kind: 'asked', name: l10n.t('Question to you'), ms: askedMs }];
}

function oneAfterAnother(parts: readonly Part[]): readonly TimeBar[] {
  let from = 0;
  return parts.map(({ kind, ms }) => {
    const bar = { kind, from, ms };
    from += ms;
    return bar;
  });
}
