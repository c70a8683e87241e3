import assert from 'node:assert/strict';
import type { Answer } from '../../../src/hook-contract/ui/ui';
import { RpcUi } from '../../../src/modes/rpc/rpc-ui';
import { HIDING_COMMAND, SHOWN_COMMAND } from '../../support/hidden-text';
import { questionWith } from '../../support/question';

describe('questions over RPC', () => {
  const asked: Record<string, unknown>[] = [];
  const ui = new RpcUi({
    send: message => asked.push(message as Record<string, unknown>),
    draws: false,
    whenDrained: () => undefined,
  });
  /** Asks, and answers with what the client was sent as `value`. */
  const answered = (question: Parameters<typeof questionWith>[0], value?: unknown): Answer => {
    let given: Answer;
    ui.show(questionWith(question), answer => (given = answer));
    ui.receive({ id: asked.at(-1)?.['id'], value });
    return given;
  };

  it('have their hidden characters marked, because clients print them in terminals', () => {
    const text = { title: HIDING_COMMAND, message: HIDING_COMMAND };
    answered({ ...text, dialog: { type: 'confirm' } });
    assert.deepEqual([asked.at(-1)?.['title'], asked.at(-1)?.['message']], [SHOWN_COMMAND, SHOWN_COMMAND]);
    answered({ ...text, dialog: { type: 'input', placeholder: HIDING_COMMAND } });
    assert.deepEqual([asked.at(-1)?.['title'], asked.at(-1)?.['placeholder']], [SHOWN_COMMAND, SHOWN_COMMAND]);
    ui.hookUi({} as never).notify(HIDING_COMMAND, 'info', { hookPath: '/h.ts', event: 'tool_call' });
    assert.equal(asked.at(-1)?.['message'], SHOWN_COMMAND);
  });

  it('are answered with the option of the hook, whose hidden characters the client does not know', () => {
    const dialog = { type: 'select', options: ['No', HIDING_COMMAND] } as const;
    assert.equal(answered({ title: 'Which?', dialog }, SHOWN_COMMAND), HIDING_COMMAND);
    assert.deepEqual(asked.at(-1)?.['options'], ['No', SHOWN_COMMAND]);
    assert.equal(answered({ title: 'Which?', dialog }, 'No'), 'No');
  });
});
