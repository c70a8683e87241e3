import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../../../src/session/ports/dialogs';
import type { Answer } from '../../../src/hook-contract/ui/ui';
import { Rig, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const FILES = { 'a.txt': 'one\r\ntwo\r\nthree\r\n' };
const BEFORE = FILES['a.txt'];

const call = (name: string, args: Record<string, unknown>, id = 'c'): Script => ({ calls: [{ id, name, args }] });
const WRITE = call('write', { path: 'a.txt', content: 'one\nTWO\n' });
const EDIT = call('edit', { path: 'a.txt', edits: [{ oldText: 'two', newText: 'TWO' }] });

/** A hook that notes each text that it sees of a call; `more` can answer or change the input. */
const noting = (more = ''): RigOptions['hooks'] => ({
  'notes.ts': `export default pi => { pi.on('tool_call', async (event, ctx) => {
    (globalThis.seenTexts ??= []).push(event.input.content ?? JSON.stringify(event.input.edits));
    const text = event.input.content ?? '';
    ${more}
  }); }`,
});

describe('a write whose text the user changes in the question of the built-in gate', () => {
  let rig: Rig | undefined;
  const seen = (): readonly string[] => (globalThis as { seenTexts?: string[] }).seenTexts ?? [];

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
    Reflect.deleteProperty(globalThis, 'seenTexts');
  });

  /** Runs a call in Ask mode; the questions get these answers in order. */
  async function run(
    script: Script,
    answers: readonly (Answer | ((question: Question) => Answer))[],
    options: RigOptions = {},
  ) {
    const opened = await Rig.open([script, { text: 'done' }], { files: FILES, approvals: { mode: 'ask' }, ...options });
    rig = opened;
    const asked: Question[] = [];
    opened.dialogs.addView({
      show: (question, reply) => {
        const answer = answers[asked.length];
        asked.push(question);
        queueMicrotask(() => reply(typeof answer === 'function' ? answer(question) : answer));
        return { dispose: () => undefined };
      },
    });
    await opened.chat.submit('go');
    const file = readFileSync(join(opened.cwd, 'a.txt'), 'utf8');
    const told = JSON.stringify(opened.model.requests.at(-1)?.messages.at(-1));
    return { asked, file, told, card: opened.items('tool')[0], gates: opened.items('gate') };
  }

  const edited = (text: string, over: string | null = BEFORE): Answer => ({ edited: text, over });

  it('is written as the user changed it, after all hooks saw that text', async () => {
    const { asked, file, told, card, gates } = await run(WRITE, [edited('one\nzwei\n')], { hooks: noting() });
    assert.equal(file, 'one\nzwei\n');
    assert.deepEqual(seen(), ['one\nTWO\n', 'one\nzwei\n']);
    assert.equal(asked.length, 1);
    assert.match(told, /The user changed the text of this call.*-2 TWO\\n\+2 zwei/);
    const verdict = card?.verdicts.find(({ approvalReason }) => approvalReason !== undefined);
    assert.deepEqual(verdict?.approvalReason, { by: 'person', edited: true });
    assert.equal(verdict.outcome, 'modified');
    assert.match(JSON.stringify(verdict.changes), /zwei/);
    assert.match(card?.args ?? '', /zwei/);
    assert.deepEqual(
      gates.map(({ state }) => state),
      [{ type: 'answered', answer: 'Allowed once, changed by you' }],
    );
  });

  it('keeps the line ends of the file in an edit', async () => {
    const { asked, file, told } = await run(EDIT, [edited('one\nzwei\nthree\nfour\n')]);
    assert.equal(file, 'one\r\nzwei\r\nthree\r\nfour\r\n');
    assert.equal(asked.length, 1);
    assert.match(told, /\+4 four/);
  });

  it('is an ordinary call if the text is that of the call', async () => {
    const { file, told, card } = await run(EDIT, [edited('one\nTWO\nthree\n')], { hooks: noting() });
    assert.equal(file, 'one\r\nTWO\r\nthree\r\n');
    assert.equal(seen().length, 1);
    assert.doesNotMatch(told, /The user changed/);
    assert.deepEqual(card?.verdicts.at(-1)?.approvalReason, { by: 'person' });
  });

  it('is not written if a hook blocks the changed text, and the model learns which text that was', async () => {
    const hooks = noting(`if (text.includes('zwei')) return { block: true, reason: 'no German' };`);
    const { asked, file, told, card } = await run(WRITE, [edited('one\nzwei\n')], { hooks });
    assert.equal(file, BEFORE);
    assert.equal(asked.length, 1);
    assert.match(told, /no German.*the user had changed.*\+2 zwei/);
    assert.equal(card?.state.type, 'blocked');
  });

  for (const [answer, wanted] of [
    ['Allow once', 'one\nzwei\n// checked\n'],
    [undefined, BEFORE],
  ] as const) {
    it(`is asked about again if a hook then changes it, too; answer: ${answer ?? 'none'}`, async () => {
      const hooks = noting(`if (text.includes('zwei')) event.input.content += '// checked\\n';`);
      const { asked, file, told } = await run(WRITE, [edited('one\nzwei\n'), answer], { hooks });
      assert.equal(file, wanted);
      assert.equal(asked.length, 2);
      assert.match(asked[1]?.message ?? '', /checked/);
      if (answer !== undefined) assert.doesNotMatch(told, /The user changed/);
    });
  }

  it('tells the model of the change also if a hook asks the user about the changed text', async () => {
    const hooks = noting(
      `if (text.includes('zwei') && !(await ctx.ui.confirm('Sure?', event.input.path))) return { block: true, reason: 'no' };`,
    );
    const { asked, file, told } = await run(WRITE, [edited('one\nzwei\n'), true], { hooks });
    assert.equal(file, 'one\nzwei\n');
    assert.deepEqual(
      asked.map(({ hook }) => hook.name),
      ['Built-in gate', 'notes.ts'],
    );
    assert.match(told, /The user changed/);
  });

  it('can be changed again in the second question', async () => {
    const hooks = noting(`if (text === 'one\\nzwei\\n') event.input.content += 'drei\\n';`);
    const { file, told } = await run(WRITE, [edited('one\nzwei\n'), edited('one\nZWEI\n')], { hooks });
    assert.equal(file, 'one\nZWEI\n');
    assert.deepEqual(seen(), ['one\nTWO\n', 'one\nzwei\n', 'one\nZWEI\n']);
    assert.match(told, /\+2 ZWEI/);
  });

  it('is asked about again, and not written, if the file was changed meanwhile', async () => {
    const late = (): Answer => {
      writeFileSync(join(rig?.cwd ?? '', 'a.txt'), 'of another program');
      return edited('one\nzwei\n');
    };
    const { asked, file } = await run(WRITE, [late, undefined]);
    assert.equal(file, 'of another program');
    assert.equal(asked.length, 2);
    assert.match(asked[1]?.message ?? '', /was changed while you allowed your text.*of another program/s);
  });

  it('is asked about again if the text is the file as it is', async () => {
    const { asked, file } = await run(EDIT, [edited('one\ntwo\nthree\n'), undefined]);
    assert.equal(file, BEFORE);
    assert.match(asked[1]?.message ?? '', /nothing to write/);
  });

  it('does not allow the next call for the same file', async () => {
    const first = { id: 'c', name: 'write', args: { path: 'a.txt', content: 'x' } };
    const both: Script = { calls: [first, { ...first, id: 'd' }] };
    const { asked, file } = await run(both, [edited('y'), undefined]);
    assert.equal(asked.length, 2);
    assert.equal(file, 'y');
  });

  it('reaches the agent that a hook started, whose hooks see it in their place', async () => {
    const parent = await Rig.open([], { files: FILES, approvals: { mode: 'ask' } });
    try {
      parent.dialogs.addView({
        show: (_question, reply) => {
          queueMicrotask(() => reply(edited('of a subagent')));
          return { dispose: () => undefined };
        },
      });
      const above: NonNullable<RigOptions['approvals']>['above'] = (asked, state) =>
        parent.host.decideForChild(undefined, asked, state, new AbortController().signal);
      const { asked, file, told } = await run(WRITE, [], { hooks: noting(), approvals: { mode: 'ask', above } });
      assert.equal(file, 'of a subagent');
      assert.deepEqual(seen(), ['one\nTWO\n', 'of a subagent']);
      assert.equal(asked.length, 0);
      assert.match(told, /The user changed/);
    } finally {
      await parent.close();
    }
  });
});
