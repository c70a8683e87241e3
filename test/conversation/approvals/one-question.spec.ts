import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../../../src/conversation/questions/dialogs';
import type { ApprovalMode } from '../../../src/hooks/built-in-gate/approval-mode';
import type { ApprovalGround } from '../../../src/hooks/built-in-gate/built-in-gate';
import type { Answer } from '../../../src/hooks/api/ui/ui';
import { Rig } from '../../support/conversation-rig';

const GATE = 'built-in-gate.ts';

const hook = (body: string): string =>
  `export default function (pi) { pi.on('tool_call', async (event, ctx) => { ${body} }); }`;

/** What hooks may do with a call, by the question that is asked because of it. */
const HOOKS = {
  none: {},
  silent: { 'a.ts': hook('') },
  blocks: { 'a.ts': hook(`return { block: true, reason: 'no' };`) },
  throws: { 'a.ts': hook(`throw new Error('broken');`) },
  confirms: { 'a.ts': hook(`if (!(await ctx.ui.confirm('Sure?', ''))) return { block: true };`) },
  selects: { 'a.ts': hook(`if ((await ctx.ui.select('Sure?', ['Go', 'Stay'])) !== 'Go') return { block: true };`) },
  'asks, and does not listen': { 'a.ts': hook(`await ctx.ui.confirm('Sure?', '');`) },
  'asks for a text': { 'a.ts': hook(`await ctx.ui.input('Why?');`) },
  'confirms, then changes': {
    'a.ts': hook(`await ctx.ui.confirm('Sure?', ''); event.input.command = 'touch other';`),
  },
  'changes, then confirms': {
    'a.ts': hook(`event.input.command = 'touch other'; await ctx.ui.confirm('Sure?', '');`),
  },
  'one confirms, another changes': {
    'a.ts': hook(`await ctx.ui.confirm('Sure?', '');`),
    'b.ts': hook(`event.input.command = 'touch other';`),
  },
  'one confirms, another is silent': { 'a.ts': hook(`await ctx.ui.confirm('Sure?', '');`), 'b.ts': hook('') },
  'one confirms, another blocks': {
    'a.ts': hook(`await ctx.ui.confirm('Sure?', '');`),
    'b.ts': hook(`return { block: true, reason: 'no' };`),
  },
} as const;

const RULES = {
  none: [],
  fits: [{ tool: 'bash', match: { type: 'prefix' as const, words: ['touch'] } }],
  'fits another': [{ tool: 'bash', match: { type: 'prefix' as const, words: ['git', 'status'] } }],
};

type Row = readonly [
  mode: ApprovalMode,
  hooks: keyof typeof HOOKS,
  rules: keyof typeof RULES,
  /** Who asks, in order. */
  asked: readonly string[],
  /** Why the gate let the call pass or not; undefined: it was not asked. */
  ground: ApprovalGround['by'] | undefined,
  /** What ran. */
  ran: 'made' | 'other' | undefined,
];

const TABLE: readonly Row[] = [
  ['ask', 'none', 'none', [GATE], 'person', 'made'],
  ['ask', 'none', 'fits', [], 'rule', 'made'],
  ['ask', 'none', 'fits another', [GATE], 'person', 'made'],
  ['ask', 'silent', 'none', [GATE], 'person', 'made'],
  ['ask', 'silent', 'fits', [], 'rule', 'made'],
  ['ask', 'blocks', 'none', [], undefined, undefined],
  ['ask', 'blocks', 'fits', [], undefined, undefined],
  ['ask', 'throws', 'none', [], undefined, undefined],
  ['ask', 'throws', 'fits', [], undefined, undefined],
  ['ask', 'confirms', 'none', ['a.ts'], 'hook', 'made'],
  ['ask', 'confirms', 'fits', ['a.ts'], 'hook', 'made'],
  ['ask', 'selects', 'none', ['a.ts'], 'hook', 'made'],
  ['ask', 'asks, and does not listen', 'none', ['a.ts'], 'hook', 'made'],
  ['ask', 'asks for a text', 'none', ['a.ts', GATE], 'person', 'made'],
  ['ask', 'confirms, then changes', 'none', ['a.ts', GATE], 'person', 'other'],
  ['ask', 'confirms, then changes', 'fits', ['a.ts'], 'rule', 'other'],
  ['ask', 'changes, then confirms', 'none', ['a.ts'], 'hook', 'other'],
  ['ask', 'one confirms, another changes', 'none', ['a.ts', GATE], 'person', 'other'],
  ['ask', 'one confirms, another is silent', 'none', ['a.ts'], 'hook', 'made'],
  ['ask', 'one confirms, another blocks', 'none', ['a.ts'], undefined, undefined],
  ['auto', 'none', 'none', [], 'auto', 'made'],
  ['auto', 'none', 'fits', [], 'rule', 'made'],
  ['auto', 'silent', 'none', [], 'auto', 'made'],
  ['auto', 'blocks', 'none', [], undefined, undefined],
  ['auto', 'throws', 'none', [], undefined, undefined],
  ['auto', 'confirms', 'none', ['a.ts'], 'hook', 'made'],
  ['auto', 'selects', 'fits', ['a.ts'], 'hook', 'made'],
  ['auto', 'confirms, then changes', 'none', ['a.ts'], 'auto', 'other'],
  ['auto', 'one confirms, another blocks', 'none', ['a.ts'], undefined, undefined],
];

describe('a tool call is asked about once', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  async function run(
    [mode, hooks, rules]: readonly [Row[0], Row[1], Row[2]],
    answer: (question: Question) => Answer = yes,
  ): Promise<{ asked: readonly Question[]; rig: Rig }> {
    const call = { calls: [{ id: 'c', name: 'bash', args: { command: 'touch made' } }] };
    const approvals = { mode, rules: RULES[rules] };
    const opened = await Rig.open([call, { text: 'done' }], { hooks: HOOKS[hooks], approvals });
    rig = opened;
    const asked: Question[] = [];
    opened.dialogs.addView({
      show: (question, reply) => {
        asked.push(question);
        queueMicrotask(() => reply(answer(question)));
        return { dispose: () => undefined };
      },
    });
    await opened.chat.inbox.submit('go');
    return { asked, rig: opened };
  }

  for (const [mode, hooks, rules, by, ground, ran] of TABLE) {
    const asks = by.length === 0 ? 'nobody asks' : `${by.join(' and ')} ask`;
    it(`mode ${mode}, hook ${hooks}, rule ${rules}: ${asks}`, async () => {
      const { asked, rig: opened } = await run([mode, hooks, rules]);
      assert.deepEqual(
        asked.map(({ hook: { name } }) => name),
        by,
      );
      const [card] = opened.items('tool');
      assert.equal(card?.verdicts.find(verdict => verdict.hook.name === GATE)?.ground?.by, ground);
      const found = ['made', 'other'].filter(name => existsSync(join(opened.cwd, name)));
      assert.deepEqual(found, ran === undefined ? [] : [ran]);
      assert.equal(card?.state.type, ran === undefined ? 'blocked' : 'done');
    });
  }

  it('and denied: it does not run, and the model learns why', async () => {
    const { rig: opened } = await run(['ask', 'none', 'none'], () => ({ denied: 'use a file tool' }));
    const [card] = opened.items('tool');
    assert.equal(existsSync(join(opened.cwd, 'made')), false);
    assert.equal(card?.state.type === 'blocked' && card.state.by?.name, GATE);
    assert.match(JSON.stringify(opened.model.requests.at(-1)), /The user did not allow this call.*use a file tool/s);
  });

  it('and not answered: it does not run', async () => {
    const { rig: opened } = await run(['ask', 'none', 'none'], () => undefined);
    assert.equal(opened.items('tool')[0]?.state.type, 'blocked');
    assert.equal(existsSync(join(opened.cwd, 'made')), false);
  });
});

function yes({ dialog }: Question): Answer {
  if (dialog.type === 'confirm') return true;
  return dialog.type === 'select' ? dialog.options[0] : 'because';
}
