import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { AnswerWatcher, Interruption } from '../../agent/run/loop';
import type { AgentMessage, CustomMessage } from '../../agent/messages';
import { RuleMatcher } from '../../agent/resources/rule-matcher';
import type { Rule } from '../../agent/resources/stream-rule';
import { Emitter } from '../../base/event';
import type { ResourceSource } from '../../startup/resources';
import { RULE_MESSAGE } from '../../transcript/own-messages';
import type { SessionState } from '../state/session-state';

/** Entry that records which rules the model already got, in the form of oh-my-pi. */
const MEMORY_ENTRY = 'ttsr_injection';

export interface StreamRulesParts {
  readonly resources: ResourceSource;
  readonly state: SessionState;
}

/**
 * Aborts answers that break a rule, and tells the model. Each rule applies once per session: an entry on the path
 * records it, so the rule applies again on a branch without that entry.
 */
export class StreamRules {
  private applied: Set<string> | undefined;
  private readonly messages = new WeakMap<AgentMessage, readonly Rule[]>();

  private readonly triggerEmitter = new Emitter<readonly Rule[]>();
  /** Fires before an answer is aborted. */
  readonly onDidTrigger = this.triggerEmitter.event;

  constructor(private readonly parts: StreamRulesParts) {}

  /** A watcher for the next answer; undefined, and without cost, while no rule is left. */
  watch(): AnswerWatcher | undefined {
    const all = this.parts.resources.current.rules;
    if (all.length === 0) return undefined;
    const applied = (this.applied ??= this.readMemory());
    const left = all.filter(({ rule }) => !applied.has(rule.name));
    if (left.length === 0) return undefined;
    const matcher = new RuleMatcher(left);
    return event => this.look(matcher, event);
  }

  /** Called when a message was added to the session: if it names rules, records them after it. */
  noteMessage(message: AgentMessage): void {
    const rules = this.messages.get(message);
    if (rules === undefined) return;
    const names = rules.map(rule => rule.name);
    for (const name of names) this.applied?.add(name);
    this.parts.state.store.appendRaw({ type: MEMORY_ENTRY, injectedRules: names });
  }

  /** The session or the position in it changed. */
  forget(): void {
    this.applied = undefined;
  }

  private look(matcher: RuleMatcher, event: AssistantMessageEvent): Interruption | undefined {
    if (event.type !== 'text_delta' && event.type !== 'thinking_delta') return undefined;
    const rules = matcher.add(event.contentIndex, event.delta);
    if (rules.length === 0) return undefined;
    const message = messageFor(rules);
    this.messages.set(message, rules);
    this.triggerEmitter.fire(rules);
    return { reason: `Interrupted by ${namesOf(rules)}`, messages: [message] };
  }

  private readMemory(): Set<string> {
    const { store } = this.parts.state;
    const entries = store.getPathIds().filter(node => node.type === MEMORY_ENTRY);
    return new Set(entries.flatMap(node => namesIn(store.getEntry(node.id))));
  }
}

function namesOf(rules: readonly Rule[]): string {
  const names = rules.map(rule => `"${rule.name}"`).join(', ');
  return rules.length === 1 ? `the rule ${names}` : `the rules ${names}`;
}

function messageFor(rules: readonly Rule[]): CustomMessage {
  const blocks = rules.map(({ name, path, content }) => `<rule name="${name}" path="${path}">\n${content}\n</rule>`);
  const why = `Your answer was stopped and discarded because it broke ${namesOf(rules)} of the user. Start it again and follow this:`;
  return {
    role: 'custom',
    customType: RULE_MESSAGE,
    content: [why, ...blocks].join('\n\n'),
    display: true,
    details: { rules: rules.map(({ name, path }) => ({ name, path })) },
    timestamp: Date.now(),
  };
}

/** Foreign entries may hold anything. */
function namesIn(entry: object | undefined): readonly string[] {
  const names: unknown = entry !== undefined && 'injectedRules' in entry ? entry.injectedRules : undefined;
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}
