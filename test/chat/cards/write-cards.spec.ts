import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../../../src/session/ports/dialogs';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';

const FILES = { 'a.txt': 'one\ntwo\n', 'b.bin': 'a\0b', 'large.txt': '' };
const asking = (more = ''): RigOptions['hooks'] => ({
  'asks.ts': `export default pi => {
    pi.on('tool_call', async (event, ctx) => {
      await ctx.ui.confirm('May it?', 'a.txt');
    });
    ${more}
  };`,
});
/** A tool of a hook that takes the place of ours, and writes elsewhere. */
const OWN_WRITE = `pi.registerTool({
  name: 'write', label: 'write', description: 'writes to another machine',
  parameters: { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } },
  execute: async () => ({ content: [{ type: 'text', text: 'sent' }], details: {} }),
});`;

describe('the card of a question about a write', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** Runs a call up to its first question. Resolves with the question, and with what answers it. */
  async function asked(name: string, args: Record<string, unknown>, options: RigOptions) {
    const opened = await Rig.open([{ calls: [{ id: 'c', name, args }] }, { text: 'done' }], {
      files: FILES,
      ...options,
    });
    rig = opened;
    truncateSync(join(opened.cwd, 'large.txt'), 21 * 1024 * 1024);
    let answer: (value: boolean | string) => void = () => undefined;
    let question: Question | undefined;
    opened.dialogs.addView({
      show: (shown, reply) => {
        question ??= shown;
        answer = reply;
        return { dispose: () => undefined };
      },
    });
    /** What each drawing of the open card says of the diff. */
    const drawn: unknown[] = [];
    opened.chat.model.onDidChange(change => {
      if (change.type !== 'item' || change.item.kind !== 'gate' || change.item.state.type !== 'open') return;
      drawn.push(change.item.opensDiff);
    });
    const over = opened.chat.submit('go');
    const first = await until(() => question, 'the question');
    const end = async (): Promise<void> => {
      answer('Deny');
      await opened.chat.conversation.run.stop();
      await over;
    };
    return { question: first, drawn, end };
  }

  const GATE: RigOptions = { approvals: { mode: 'ask' } };
  for (const [what, args, options] of [
    ['of the gate', { path: 'a.txt', content: 'x' }, GATE],
    ['of the gate about a new file', { path: 'new.txt', content: 'x' }, GATE],
    ['of a hook', { path: 'a.txt', content: 'x' }, { hooks: asking() }],
  ] as const) {
    it(`${what} gets a button for the diff, whose place is kept from the start`, async () => {
      const { drawn, end } = await asked('write', args, options);
      await until(() => drawn[1], 'the button');
      await end();
      assert.deepEqual(drawn, [false, true]);
    });
  }

  for (const [what, name, args, options] of [
    ['about a file that is no text', 'write', { path: 'b.bin', content: 'x' }, GATE],
    ['about a file of more than 20 MB', 'write', { path: 'large.txt', content: 'x' }, GATE],
    ['about an edit that does not fit', 'edit', { path: 'a.txt', edits: [{ oldText: 'x', newText: 'y' }] }, GATE],
    [
      'of a hook about an edit that does not fit',
      'edit',
      { path: 'a.txt', edits: [{ oldText: 'x', newText: 'y' }] },
      { hooks: asking() },
    ],
  ] as const) {
    it(`${what} loses the place of the button`, async () => {
      const { drawn, end } = await asked(name, args, options);
      await until(() => (drawn.length > 1 ? true : undefined), 'the place to be gone');
      await end();
      assert.deepEqual(drawn, [false, undefined]);
    });
  }

  for (const [what, name, args, hooks] of [
    ['reads a file', 'read', { path: 'a.txt' }, asking()],
    ['runs a command', 'bash', { command: 'true' }, asking()],
    ['is one of a hook’s own tool named write', 'write', { path: 'a.txt', content: 'x' }, asking(OWN_WRITE)],
  ] as const) {
    it(`has no such button if the call ${what}`, async () => {
      const { question, drawn, end } = await asked(name, args, { hooks });
      assert.equal(question.call, undefined);
      await end();
      assert.deepEqual(drawn, [undefined]);
    });
  }

  it('about a rule, which follows the one about the call, has none', async () => {
    const { question } = await asked('write', { path: 'a.txt', content: 'x' }, GATE);
    const shown: Question[] = [];
    rig?.dialogs.addView({
      show: (next, reply) => {
        shown.push(next);
        reply(undefined);
        return { dispose: () => undefined };
      },
    });
    assert.equal(rig?.dialogs.answer(question.id, 'Allow always here…'), true);
    const rule = await until(() => shown[0], 'the question about the rule');
    assert.deepEqual([rule.subject, rule.call], [undefined, undefined]);
    await rig.chat.conversation.run.stop();
  });
});
