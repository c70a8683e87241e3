import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningRow } from '../../../src/protocol/panels/running-commands';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

/** Prints, waits until the file `go` exists, and writes a file. */
const WAITS = 'echo before; while [ ! -e go ]; do sleep 0.02; done; echo made > made.txt; exit 3';
const SCRIPT: readonly Script[] = [
  { calls: [{ id: 'c', name: 'bash', args: { command: WAITS } }] },
  { text: 'done' },
  { text: 'done' },
];
const ID = 'tool:c';

describe('the card and the row of a command that runs on', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  const open = async (options: RigOptions = {}, script = SCRIPT): Promise<void> => {
    rig = await Rig.open(script, { keepsCommands: true, ...options });
  };
  const card = () => {
    const item = rig.chat.model.get(ID);
    assert.ok(item?.kind === 'tool');
    return item;
  };
  const isState = (type: string): Promise<true> =>
    until(
      () => (rig.chat.model.get(ID) !== undefined && card().command?.type === type) || undefined,
      `the state ${type}`,
    );
  const runOn = async (page: ReturnType<Rig['page']>): Promise<void> => {
    const sent = rig.chat.submit('go');
    await isState('waitedFor');
    await until(() => card().output.includes('before') || undefined, 'the output');
    page.send({ type: 'runCommandOn', id: ID });
    await sent;
  };
  const go = (): void => writeFileSync(join(rig.cwd, 'go'), '');
  const notices = (): string[] => rig.items('notice').map(({ text }) => text);

  it('follow the command from its beginning to its end, with the files that it changed', async () => {
    await open({ files: { 'a.txt': '' } });
    execFileSync('git', ['init', '-q'], { cwd: rig.cwd });
    const page = rig.page();
    await runOn(page);
    assert.deepEqual([card().state.type, card().command?.type], ['done', 'runningOn']);
    assert.equal(card().output, 'before\n', 'the note for the model is not shown');
    const rows = (): readonly RunningRow[] | undefined =>
      page.got.findLast(message => message.type === 'runningCommands')?.running;
    const [row] = await until(() => (rows()?.length === 0 ? undefined : rows()), 'the list');
    assert.deepEqual([row?.id, row?.command, row?.state], [ID, WAITS, 'runningOn']);
    page.send({ type: 'showCommand', id: ID });
    assert.deepEqual(
      rig.editorCalls.filter(call => call.startsWith('showCommand')),
      ['showCommand c'],
    );
    const late = rig.page();
    const snapshot = late.got.find(message => message.type === 'snapshot');
    assert.deepEqual(
      snapshot?.running?.map(({ id }) => id),
      [ID],
      'a page that comes later has the list',
    );
    assert.equal(card().touched, undefined);
    go();
    await isState('ended');
    assert.deepEqual(card().command, { type: 'ended', exitCode: 3 });
    assert.deepEqual(
      card()
        .touched?.map(({ displayPath }) => displayPath)
        .includes('made.txt'),
      true,
    );
    await until(() => rows()?.length === 0 || undefined, 'the empty list');
    assert.match(notices().join('\n'), /^“echo before; .*” has ended with exit code 3\.$/m);
    page.dispose();
    late.dispose();
  });

  it('are stopped from a page, and ignore what a page says of others', async () => {
    await open();
    const page = rig.page();
    await runOn(page);
    for (const id of ['tool:none', 'user:1', 'c']) page.send({ type: 'stopCommand', id });
    page.send({ type: 'runCommandOn', id: ID });
    assert.equal(card().command?.type, 'runningOn');
    page.send({ type: 'stopCommand', id: ID });
    await isState('stopped');
    for (const type of ['stopCommand', 'runCommandOn', 'showCommand']) page.send({ type, id: ID });
    assert.equal(card().command?.type, 'stopped');
    assert.equal(
      rig.editorCalls.some(call => call.startsWith('showCommand')),
      false,
    );
    page.dispose();
  });

  it('are as recorded when the session is drawn again, also while the command runs', async () => {
    await open();
    const page = rig.page();
    await runOn(page);
    await rig.conversation.open();
    assert.deepEqual([card().command?.type, card().output], ['runningOn', 'before\n']);
    go();
    await isState('ended');
    await rig.conversation.open();
    assert.deepEqual([card().command, card().output], [{ type: 'ended', exitCode: 3 }, 'before\n']);
    assert.equal(notices().filter(text => text.includes('exit code 3')).length, 1);
    page.dispose();
  });

  it('say after a crash that the command ended with its window: nobody has seen its end', async () => {
    await open();
    const page = rig.page();
    await runOn(page);
    const { root } = rig;
    const file = rig.conversation.store.getSessionFile() ?? '';
    assert.equal(existsSync(file), true);
    // What the process had written when it was killed.
    const copy = join(root, 'copy.jsonl');
    execFileSync('cp', [file, copy]);
    page.dispose();
    await rig.close(true);
    execFileSync('cp', [copy, file]);
    await open({ root, resume: true }, []);
    assert.deepEqual([card().command, rig.chat.running], [{ type: 'left' }, []]);
    assert.deepEqual(
      notices().filter(text => text.includes('echo before')),
      [],
    );
  });

  it('keep their conversation: a new session opens beside it, and closing it asks', async () => {
    await open();
    const page = rig.page();
    await runOn(page);
    const { id } = rig.conversation;
    assert.equal(rig.conversation.run.isIdle, true);
    await rig.conversations.newSession();
    assert.notEqual(rig.conversation.id, id);
    assert.equal(rig.conversations.find(id)?.running.length, 1);
    assert.equal(await rig.conversations.mayEnd(id, 'close'), false, 'the answer is no');
    assert.match(rig.editorCalls.join('\n'), /still running\. Stop and close it\?/);
    await rig.conversations.close(id);
    assert.equal(rig.conversations.find(id), undefined);
    page.dispose();
  });
});
