import assert from 'node:assert/strict';
import type { AssistantMessage } from '@mariozechner/pi-ai';
import type { StreamFn } from '../../../src/agent/run/loop';
import type { AgentMessage } from '../../../src/agent/messages';
import { Rig } from '../../support/conversation-rig';
import { answer } from '../../support/scripted-stream';

type Diagnostics = NonNullable<AssistantMessage['diagnostics']>;

describe('reasoning that a provider dropped', () => {
  /** What the chat says after answers with these diagnostics. */
  async function told(isWanted: boolean, ...answers: readonly unknown[]): Promise<readonly string[]> {
    const script = answers.map(diagnostics => ({ ...answer({ text: 'ok' }), diagnostics: diagnostics as Diagnostics }));
    const stream: StreamFn = async function* () {
      await Promise.resolve();
      const message = script.shift();
      if (message !== undefined) yield { type: 'done', reason: 'stop', message };
    };
    const rig = await Rig.open([], { stream, settings: { showCacheMissNotices: isWanted } });
    for (const [index] of answers.entries()) await rig.chat.submit(`question ${index}`);
    const stored = rig.conversation.store
      .getEntries()
      .flatMap(entry => ('message' in entry ? [entry.message as AgentMessage] : []));
    const kept = stored.flatMap(message => (message.role === 'assistant' ? [message.diagnostics as unknown] : []));
    assert.deepEqual(kept, answers, 'the session has the details');
    const texts = rig.items('notice').map(({ text }) => text);
    await rig.close();
    return texts;
  }
  const anthropic = (...reasons: readonly (string | undefined)[]) => [
    {
      type: 'anthropic_input_transformations',
      timestamp: 1,
      details: { transformations: reasons.map(reason => ({ type: 'thinking_dropped', path: 'p', reason })) },
    },
  ];
  const openai = (...reasons: readonly string[]) => [
    {
      type: 'openai_input_transformations',
      timestamp: 1,
      details: { transformations: reasons.map(reason => ({ type: 'reasoning', id: 'r', action: 'removed', reason })) },
    },
  ];

  it('is told with the reasons, once for the same parts', async () => {
    const texts = await told(
      true,
      anthropic('prefix_mismatch'),
      anthropic('prefix_mismatch'),
      anthropic('prefix_mismatch', 'expired', 'expired'),
      openai('prefix_mismatch', 'other_model'),
      openai('prefix_mismatch'),
    );
    assert.deepEqual(texts, [
      'Anthropic dropped one part of the earlier reasoning: prefix_mismatch',
      'Anthropic dropped 3 parts of the earlier reasoning: prefix_mismatch, expired',
      'OpenAI dropped 2 parts of the earlier reasoning: prefix_mismatch, other_model',
    ]);
  });

  it('is not told unless the settings say so', async () => {
    assert.deepEqual(await told(false, anthropic('prefix_mismatch')), []);
  });

  it('is told without reasons, and nothing is made of other diagnostics', async () => {
    assert.deepEqual(await told(true, anthropic(undefined)), [
      'Anthropic dropped one part of the earlier reasoning: no reason given',
    ]);
    const others = [
      { type: 'anthropic_thread_fallback', timestamp: 1, details: { reason: 'thread_not_found' } },
      { type: 'anthropic_input_transformations', timestamp: 1, details: { transformations: 'magic' } },
      { type: 'openai_input_transformations', timestamp: 1, details: { transformations: [null, 3, { type: 'x' }] } },
      { type: 'openai_input_transformations', timestamp: 1 },
    ];
    assert.deepEqual(await told(true, others), []);
  });
});
