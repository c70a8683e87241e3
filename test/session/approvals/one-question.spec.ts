import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../../../src/session/ports/dialogs';
import type { ApprovalMode } from '../../../src/hook-contract/approvals/approval-mode';
import type { ApprovalReason } from '../../../src/hook-contract/approvals/approval-reason';
import type { Answer } from '../../../src/hook-contract/ui/ui';
import { Rig } from '../../support/conversation-rig';

const GATE = 'Built-in gate';

const hook = (body: string): string =>
  `export default function (pi) { pi.on('tool_call', async (event, ctx) => { ${body} }); }`;

/** What hooks do with a call. */
interface HookCase {
  readonly files: Readonly<Record<string, string>>;
  /** They ask the person. */
  readonly asks?: true;
  /** They asked with buttons, and named what is then run: that is an answer to the gate's question as well. */
  readonly settles?: true;
  /** What they let run; absent: nothing. */
  readonly lets?: 'made' | 'other';
}

const confirm = `await ctx.ui.confirm('Sure?', event.input.command);`;
const change = `event.input.command = 'touch other';`;
const block = `return { block: true, reason: 'no' };`;

const HOOKS: Readonly<Record<string, HookCase>> = {
  none: { files: {}, lets: 'made' },
  silent: { files: { 'a.ts': hook('') }, lets: 'made' },
  blocks: { files: { 'a.ts': hook(block) } },
  throws: { files: { 'a.ts': hook(`throw new Error('broken');`) } },
  confirms: {
    files: { 'a.ts': hook(`if (!(await ctx.ui.confirm('Sure?', event.input.command))) ${block}`) },
    asks: true,
    settles: true,
    lets: 'made',
  },
  selects: {
    files: { 'a.ts': hook(`if ((await ctx.ui.select(event.input.command + '?', ['Go', 'Stay'])) !== 'Go') ${block}`) },
    asks: true,
    settles: true,
    lets: 'made',
  },
  'asks, and does not listen': { files: { 'a.ts': hook(confirm) }, asks: true, settles: true, lets: 'made' },
  'asks for a text': { files: { 'a.ts': hook(`await ctx.ui.input(event.input.command);`) }, asks: true, lets: 'made' },
  'confirms something else': {
    files: { 'a.ts': hook(`await ctx.ui.confirm('Sure?', 'touch other');`) },
    asks: true,
    lets: 'made',
  },
  'selects a color': {
    files: { 'a.ts': hook(`await ctx.ui.select('Which color?', ['red', 'blue']);`) },
    asks: true,
    lets: 'made',
  },
  changes: { files: { 'a.ts': hook(change) }, lets: 'other' },
  'confirms, then changes': { files: { 'a.ts': hook(confirm + change) }, asks: true, lets: 'other' },
  'changes, then confirms': { files: { 'a.ts': hook(change + confirm) }, asks: true, settles: true, lets: 'other' },
  'one confirms, another changes': {
    files: { 'a.ts': hook(confirm), 'b.ts': hook(change) },
    asks: true,
    lets: 'other',
  },
  'one confirms, another is silent': {
    files: { 'a.ts': hook(confirm), 'b.ts': hook('') },
    asks: true,
    settles: true,
    lets: 'made',
  },
  'one confirms, another blocks': { files: { 'a.ts': hook(confirm), 'b.ts': hook(block) }, asks: true },
};

const RULES = {
  none: [],
  fits: [{ tool: 'bash', match: { type: 'prefix' as const, words: ['touch'] } }],
  'fits another': [{ tool: 'bash', match: { type: 'prefix' as const, words: ['git', 'status'] } }],
};

interface Mixture {
  readonly mode: ApprovalMode;
  readonly hooks: string;
  readonly rules: keyof typeof RULES;
}

const MIXTURES: readonly Mixture[] = (['ask', 'auto', 'plan'] as const).flatMap(mode =>
  Object.keys(HOOKS).flatMap(hooks =>
    (Object.keys(RULES) as (keyof typeof RULES)[]).map(rules => ({ mode, hooks, rules })),
  ),
);

/** Why the gate lets a call pass or not that came to it; the first that holds. */
function reasonOf({ settles }: HookCase, { mode, rules }: Mixture): ApprovalReason['by'] {
  if (settles === true) return 'hook';
  if (rules === 'fits') return 'rule';
  return mode === 'auto' ? 'auto' : 'person';
}

describe('a tool call is asked about once', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  async function run(
    { mode, hooks, rules }: Mixture,
    answer: (question: Question) => Answer = yes,
  ): Promise<{ asked: readonly Question[]; rig: Rig }> {
    const call = { calls: [{ id: 'c', name: 'bash', args: { command: 'touch made' } }] };
    const approvals = { mode, rules: RULES[rules] };
    const opened = await Rig.open([call, { text: 'done' }], { hooks: HOOKS[hooks]?.files ?? {}, approvals });
    rig = opened;
    const asked: Question[] = [];
    opened.dialogs.addView({
      show: (question, reply) => {
        asked.push(question);
        queueMicrotask(() => reply(answer(question)));
        return { dispose: () => undefined };
      },
    });
    await opened.chat.submit('go');
    return { asked, rig: opened };
  }

  for (const mixture of MIXTURES) {
    const { mode, hooks, rules } = mixture;
    // Plan mode does not offer the tool: the call reaches nobody.
    const given = mode === 'plan' ? undefined : HOOKS[hooks];
    const approvalReason = given?.lets === undefined ? undefined : reasonOf(given, mixture);
    const by = [...(given?.asks === true ? ['a.ts'] : []), ...(approvalReason === 'person' ? [GATE] : [])];
    const ran = given?.lets;
    const asks = by.length === 0 ? 'nobody asks' : `${by.join(' and ')} ask`;
    it(`mode ${mode}, hook ${hooks}, rule ${rules}: ${asks}`, async () => {
      const { asked, rig: opened } = await run(mixture);
      assert.deepEqual(
        asked.map(({ hook: { name } }) => name),
        by,
      );
      const [card] = opened.items('tool');
      assert.equal(card?.verdicts.find(verdict => verdict.hook.name === GATE)?.approvalReason?.by, approvalReason);
      const found = ['made', 'other'].filter(name => existsSync(join(opened.cwd, name)));
      assert.deepEqual(found, ran === undefined ? [] : [ran]);
      const state = mode === 'plan' ? 'notFound' : ran === undefined ? 'blocked' : 'done';
      assert.equal(card?.state.type, state);
    });
  }

  it('and denied: it does not run, and the model learns why', async () => {
    const { rig: opened } = await run({ mode: 'ask', hooks: 'none', rules: 'none' }, () => ({
      denied: 'use a file tool',
    }));
    const [card] = opened.items('tool');
    assert.equal(existsSync(join(opened.cwd, 'made')), false);
    assert.equal(card?.state.type === 'blocked' && card.state.by?.name, GATE);
    assert.match(JSON.stringify(opened.model.requests.at(-1)), /The user did not allow this call.*use a file tool/s);
  });

  it('that cannot be answered: it does not run, and the model reads that nobody allowed it', async () => {
    const { rig: opened } = await run({ mode: 'ask', hooks: 'none', rules: 'none' }, () => ({
      unanswered: 'the client is gone',
    }));
    const [card] = opened.items('tool');
    assert.equal(existsSync(join(opened.cwd, 'made')), false);
    assert.equal(card?.state.type === 'blocked' && card.state.by?.name, GATE);
    const sent = JSON.stringify(opened.model.requests.at(-1));
    assert.match(
      sent,
      /Nobody allowed this call, because the question about it could not be answered: the client is gone/,
    );
    assert.doesNotMatch(sent, /The user (says|did not allow)/);
  });

  it('and not answered: it does not run', async () => {
    const { rig: opened } = await run({ mode: 'ask', hooks: 'none', rules: 'none' }, () => undefined);
    assert.equal(opened.items('tool')[0]?.state.type, 'blocked');
    assert.equal(existsSync(join(opened.cwd, 'made')), false);
  });
});

function yes({ dialog }: Question): Answer {
  if (dialog.type === 'confirm') return true;
  return dialog.type === 'select' ? dialog.options[0] : 'because';
}
