import { setImmediate } from 'node:timers/promises';
import * as l10n from '@vscode/l10n';
import type { AgentMessage } from '../agent/messages';
import type { TextFile } from '../protocol/composer/composer';
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
 * Asks the agent of a new conversation when it is settled, and lets it use only tools that read until it is settled
 * again. Resolves with its answer; undefined when there is no complete one. The user is told why, and nothing is thrown.
 */
export async function askByReading(
  { toolset, inbox, run, events, onDidHappen }: Conversation,
  text: string,
  files: readonly TextFile[],
): Promise<string | undefined> {
  await settled(run);
  const messages: AgentMessage[] = [];
  const reading = toolset.holdToReading();
  const listening = onDidHappen(event => {
    if (event.type === 'message_end') messages.push(event.message);
  });
  let asked: AgentMessage | undefined;
  try {
    asked = await inbox.submit(text, { files, literal: true });
    await settled(run);
  } finally {
    listening.dispose();
    reading.dispose();
  }
  const answers = messages.filter(message => message === asked || message.role === 'assistant');
  const last = asked && answers.includes(asked) ? answers.at(-1) : undefined;
  if (last?.role !== 'assistant') {
    events.notice('warning', l10n.t('The agent did not answer. It may have been stopped, or a hook handled the text.'));
    return undefined;
  }
  return last.stopReason === 'stop' ? lastAnswerText([last]) : undefined;
}

/** Resolves when nothing goes on, is being prepared, or waits to follow. */
async function settled(run: Conversation['run']): Promise<void> {
  while (!run.isSettled) {
    await run.waitForSettled();
    await setImmediate(); // What follows a run may be about to begin.
  }
}
