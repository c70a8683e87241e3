import assert from 'node:assert/strict';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../../../src/session/ports/dialogs';
import type { ApprovalRule } from '../../../src/hook-contract/approvals/approval-rule';
import { Rig, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const ALL: ApprovalRule = { tool: 'files', match: { type: 'path', pattern: '**' } };
const FILES = { 'sub/a.txt': 'old text' };
const OUTSIDE = 'outside text';

const call = (name: string, args: Readonly<Record<string, unknown>>, id = name): Script => ({
  calls: [{ id, name, args }],
});
const CHANGES = {
  write: call('write', { path: 'sub/a.txt', content: 'new text' }),
  edit: call('edit', { path: 'sub/a.txt', edits: [{ oldText: 'old text', newText: 'new text' }] }),
};

/** What another program does between the question and the answer; `out` is a folder outside of the workspace. */
const SWAPS: Readonly<Record<string, (cwd: string, out: string) => void>> = {
  'the file becomes a link': (cwd, out) => {
    rmSync(join(cwd, 'sub/a.txt'));
    symlinkSync(join(out, 'a.txt'), join(cwd, 'sub/a.txt'));
  },
  'its folder becomes a link': (cwd, out) => {
    rmSync(join(cwd, 'sub'), { recursive: true });
    symlinkSync(out, join(cwd, 'sub'));
  },
  'its folder becomes another folder': (cwd, out) => {
    renameSync(join(cwd, 'sub'), join(cwd, 'before'));
    renameSync(out, join(cwd, 'sub'));
  },
  'the file becomes another file': (cwd, out) => renameSync(join(out, 'a.txt'), join(cwd, 'sub/a.txt')),
  'the file becomes a hard link': (cwd, out) => {
    rmSync(join(cwd, 'sub/a.txt'));
    linkSync(join(out, 'a.txt'), join(cwd, 'sub/a.txt'));
  },
  'the file gets another name': (cwd, out) => linkSync(join(cwd, 'sub/a.txt'), join(out, 'b.txt')),
};

describe('a file that is swapped between the question and the answer', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** Runs `scripts` in a folder with {@link FILES}; before each question is answered with yes, `swap` runs. */
  async function run(scripts: readonly Script[], options: RigOptions, swap?: (cwd: string, out: string) => void) {
    const opened = await Rig.open([...scripts, { text: 'done' }], { files: FILES, ...options });
    rig = opened;
    const out = join(opened.root, 'out');
    mkdirSync(out);
    writeFileSync(join(out, 'a.txt'), OUTSIDE);
    const asked: Question[] = [];
    opened.dialogs.addView({
      show: ({ dialog, ...question }, reply) => {
        asked.push({ dialog, ...question });
        swap?.(opened.cwd, out);
        queueMicrotask(() => reply(dialog.type === 'select' ? dialog.options[0] : true));
        return { dispose: () => undefined };
      },
    });
    return { opened, out, asked };
  }

  const resultsOf = (of: Rig): readonly string[] => of.items('tool').map(item => JSON.stringify(item));

  /** Whether a file outside of the workspace was written, also one that was moved or linked into it. */
  function isWritten(cwd: string, out: string): boolean {
    return ['sub/a.txt', 'before/a.txt']
      .map(name => join(cwd, name))
      .concat(join(out, 'a.txt'), join(out, 'b.txt'))
      .some(path => existsSync(path) && readFileSync(path, 'utf8').includes('new text'));
  }

  for (const [tool, script] of Object.entries(CHANGES)) {
    for (const [what, swap] of Object.entries(SWAPS)) {
      it(`is not written: ${tool}, ${what}`, async () => {
        const { opened, out, asked } = await run([script], { approvals: { mode: 'ask' } }, swap);
        await opened.chat.submit('go');
        assert.equal(asked.length, 1);
        assert.equal(isWritten(opened.cwd, out), false);
        assert.match(resultsOf(opened).join(''), /sub\/a\.txt was not used: .* since the call was approved/);
      });
    }

    it(`is not written if a hook asked the question: ${tool}`, async () => {
      const hooks = {
        'asks.ts': `export default pi => { pi.on('tool_call', async (event, ctx) =>
          (await ctx.ui.confirm('Change it?', event.input.path)) ? undefined : { block: true }); };`,
      };
      const swap = SWAPS['its folder becomes a link'];
      const { opened, out, asked } = await run([script], { hooks, approvals: { mode: 'auto' } }, swap);
      await opened.chat.submit('go');
      assert.equal(asked.length, 1);
      assert.equal(isWritten(opened.cwd, out), false);
    });

    it(`is written if nothing was swapped: ${tool}`, async () => {
      const { opened } = await run([script], { approvals: { mode: 'ask' } });
      await opened.chat.submit('go');
      assert.equal(readFileSync(join(opened.cwd, 'sub/a.txt'), 'utf8'), 'new text');
    });
  }

  it('is not made where a folder above it became a link', async () => {
    const script = call('write', { path: 'new/deep/a.txt', content: 'new text' });
    const { opened, out } = await run([script], { approvals: { mode: 'ask' } }, (cwd, out) =>
      symlinkSync(out, join(cwd, 'new')),
    );
    await opened.chat.submit('go');
    assert.equal(existsSync(join(out, 'deep')), false);
    assert.match(resultsOf(opened).join(''), /new\/deep\/a\.txt was not used/);
  });

  it('is not overwritten where there was none', async () => {
    const script = call('write', { path: 'new.txt', content: 'new text' });
    const { opened } = await run([script], { approvals: { mode: 'ask' } }, cwd =>
      writeFileSync(join(cwd, 'new.txt'), 'of the user'),
    );
    await opened.chat.submit('go');
    assert.equal(readFileSync(join(opened.cwd, 'new.txt'), 'utf8'), 'of the user');
  });

  it('is the same file after another call of the answer wrote it', async () => {
    const edit = (oldText: string, newText: string) => ({
      ...{ id: newText, name: 'edit' },
      args: { path: 'sub/a.txt', edits: [{ oldText, newText }] },
    });
    const script: Script = { calls: [edit('old', 'older'), edit('text', 'words')] };
    const { opened, asked } = await run([script], { approvals: { mode: 'ask' } });
    await opened.chat.submit('go');
    assert.equal(asked.length, 2);
    assert.equal(readFileSync(join(opened.cwd, 'sub/a.txt'), 'utf8'), 'older words');
  });

  for (const [tool, args] of [
    ['read', { path: '../there/a.txt' }],
    ['ls', { path: '../there' }],
    ['grep', { pattern: 'text', path: '../there' }],
    ['find', { pattern: '*', path: '../there' }],
  ] as const) {
    it(`is not read: ${tool}`, async () => {
      const { opened } = await run([call(tool, args)], { approvals: { mode: 'ask' } }, (cwd, out) => {
        rmSync(join(cwd, '../there'), { recursive: true });
        symlinkSync(out, join(cwd, '../there'));
      });
      mkdirSync(join(opened.root, 'there'));
      writeFileSync(join(opened.root, 'there', 'a.txt'), 'harmless');
      await opened.chat.submit('go');
      const results = resultsOf(opened).join('');
      assert.match(results, /was not used/);
      assert.doesNotMatch(results, /outside text/);
    });
  }
});

describe('a file with more than one name', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  for (const [tool, script] of Object.entries(CHANGES)) {
    for (const mode of ['ask', 'auto'] as const) {
      it(`is asked about under a rule for all files: ${tool}, ${mode}`, async () => {
        const opened = await Rig.open([script, { text: 'done' }], { approvals: { mode, rules: [ALL] } });
        rig = opened;
        const profile = join(opened.root, '.bashrc');
        writeFileSync(profile, 'old text');
        mkdirSync(join(opened.cwd, 'sub'));
        linkSync(profile, join(opened.cwd, 'sub/a.txt'));
        const asked: Question[] = [];
        opened.dialogs.addView({
          show: (question, reply) => {
            asked.push(question);
            queueMicrotask(() => reply('Deny'));
            return { dispose: () => undefined };
          },
        });
        await opened.chat.submit('go');
        assert.match(asked[0]?.message ?? '', /^This file has another name \(a hard link\)/);
        assert.deepEqual(asked[0]?.dialog, {
          type: 'select',
          options: ['Allow once', 'Deny'],
          meanings: ['allowOnce', 'refuse'],
          cancels: 'Deny',
        });
        assert.equal(readFileSync(profile, 'utf8'), 'old text');
      });
    }
  }
});
