import * as l10n from '@vscode/l10n';
import { toolKind } from '../gate/calls/call-details';
import type { TextFile } from '../protocol/composer';
import type { Conversation } from './conversation';
import { DEMO_PROVIDER } from './models/model-choice';
import { lastAnswerText } from './state/session-stats';
import { modelRefusalOf, RefusedError, showRefusal } from './state/refusal';

/** Whether the model of a conversation cannot do a real task: it has no key, or is the demo. The user is told the reason. */
export async function lacksRealModel({ state, ports, events }: Conversation): Promise<boolean> {
  const refusal = state.model?.provider === DEMO_PROVIDER ? demoRefusal() : await modelRefusalOf(state, ports.models);
  if (refusal !== undefined) showRefusal(refusal, events);
  return refusal !== undefined;
}

function demoRefusal(): RefusedError {
  return new RefusedError(l10n.t('The demo model cannot do this.'), {
    actions: [
      { label: l10n.t('Choose Model'), command: 'pickModel' },
      { label: l10n.t('Set API Key'), command: 'setApiKey' },
    ],
  });
}

/**
 * Asks the agent of a new conversation, and turns off all tools that do more than read until it has answered. Resolves
 * with its answer; undefined when there is no complete one. The user is told why, and nothing is thrown.
 */
export async function askByReading(
  { toolset, inbox, run }: Conversation,
  text: string,
  files: readonly TextFile[],
): Promise<string | undefined> {
  const off = toolset.chosen().filter(tool => toolKind(tool) !== 'reads');
  const isOff = new Set(off.map(({ name }) => name));
  toolset.setActive(toolset.activeNames().filter(name => !isOff.has(name)));
  try {
    await inbox.submit(text, { files, literal: true });
  } finally {
    toolset.setActive([...toolset.activeNames(), ...isOff]);
  }
  const last = run.agent.messages.findLast(message => message.role === 'assistant');
  return last?.role === 'assistant' && last.stopReason === 'stop' ? lastAnswerText([last]) : undefined;
}
