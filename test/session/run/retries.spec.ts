import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { RunPhase } from '../../../src/session/run/run-phases';
import { SILENT_MS } from '../../../src/session/run/request/silent-stream';
import { Stage } from '../../conformance/support';
import { Rig, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const AT_ONCE: RigOptions = {
  settings: { retry: { enabled: true, maxRetries: 2, baseDelayMs: 0, maxAgentDelayMs: 0 } },
};
const NEVER: RigOptions = {
  settings: { retry: { enabled: false, maxRetries: 0, baseDelayMs: 0, maxAgentDelayMs: 0 } },
};
const failing = (errorMessage: string): Script => ({ stopReason: 'error', errorMessage });

describe('answers that are asked for again', () => {
  /** Lets what is ready happen, and the clock go on. */
  async function breath(ms = 0): Promise<void> {
    await new Promise(resolve => setImmediate(resolve));
    if (ms > 0) mock.timers.tick(ms);
  }

  /** What stands in the chat after the first question. */
  function shown(rig: Rig): readonly string[] {
    return rig.chat.model.items.slice(1).map(item => {
      if (item.kind === 'notice') return `${item.text}${item.detail === undefined ? '' : `\n${item.detail}`}`;
      return item.kind === 'assistant' ? `${item.state}: ${item.error ?? item.blocks[0]?.text ?? ''}` : item.kind;
    });
  }

  for (const [name, script, expected] of [
    [
      'that come at last',
      [failing('503 overloaded'), failing('fetch failed'), { text: 'here' }],
      ['Retried after 2 failures: fetch failed\n1. 503 overloaded\n2. fetch failed', 'done: here'],
    ],
    [
      'that fail for good',
      [failing('503 one'), failing('503 two'), failing('503 three')],
      ['Retried after 2 failures: 503 two\n1. 503 one\n2. 503 two', 'error: 503 three'],
    ],
    [
      'whose failure had a text already',
      [{ text: 'half', stopReason: 'error', errorMessage: '503' }, { text: 'whole' }],
      ['Retried after a failure: 503', 'done: whole'],
    ],
  ] as const satisfies readonly (readonly [string, readonly Script[], readonly string[]])[]) {
    it(`${name} leave one notice, and the same one after a resume`, async () => {
      const stage = await Stage.open(script, AT_ONCE);
      await stage.chat.submit('hello');
      assert.deepEqual(shown(stage.rig), expected);
      await stage.end(true);
      const again = await Rig.open([], { ...AT_ONCE, root: stage.rig.root, resume: true });
      assert.deepEqual(shown(again), expected);
      await again.close();
    });
  }

  it('are asked for at once where the person gives up a silent model, whatever the settings say', async () => {
    const stage = await Stage.open(['hang', { text: 'here' }], NEVER);
    const phases: RunPhase[] = [];
    stage.chat.conversation.run.onDidChangePhase(phase => phases.push(phase));
    const isSilent = (): boolean => phases.some(phase => phase.type === 'running' && phase.silentSince !== undefined);
    const { requests } = stage.rig.model;
    mock.timers.enable({ apis: ['setTimeout', 'Date'] });
    try {
      const asked = stage.chat.submit('hello');
      while (requests.length < 1) await breath();
      while (!isSilent()) await breath(SILENT_MS);
      const page = stage.rig.page();
      page.send({ type: 'askAgain' });
      page.dispose();
      while (requests.length < 2) await breath(1);
      mock.timers.reset();
      await asked;
    } finally {
      mock.timers.reset();
    }
    assert.match(shown(stage.rig).join('\n'), /^Retried after a failure: The model said nothing.*\ndone: here$/);
    assert.equal(phases.at(-1)?.type, 'idle');
    await stage.end();
  });
});
