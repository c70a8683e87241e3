import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Ended } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

interface Header {
  readonly id: string;
  readonly cwd: string;
  readonly parentSession?: string;
}

describe('the session of the command line', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  beforeEach(() => llm.reply({ text: 'first answer' }, { text: 'second answer' }, { text: 'third answer' }));

  const lines = (file: string): Record<string, unknown>[] =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>);
  const header = (file: string): Header => lines(file)[0] as unknown as Header;
  const asked = (request: number): string => JSON.stringify(llm.requests[request]?.body['messages']);
  const fine = (ended: Ended): Ended => {
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  const newest = (before: readonly string[]): string => {
    const [file, ...others] = place.sessionFiles().filter(name => !before.includes(name));
    assert.deepEqual(others, []);
    return file ?? '';
  };

  it('is named by --name', async () => {
    fine(await place.run(['-n', ' My work ', '-p', 'x']));
    assert.equal(place.entries().find(({ type }) => type === 'session_info')?.['name'], 'My work');
  });

  it('is begun, then continued, with the id of --session-id', async () => {
    const begun = fine(await place.run(['--session-id', 'my-id', '-p', 'one']));
    assert.match(begun.stderr, /^Warning: no session of this folder has the id "my-id"; a new session gets this id/m);
    const [file = ''] = place.sessionFiles();
    assert.equal(header(file).id, 'my-id');
    assert.match(file, /_my-id\.jsonl$/);
    const continued = fine(await place.run(['--session-id', 'my-id', '-p', 'two']));
    assert.equal(continued.stderr, '');
    assert.match(asked(1), /one.*first answer.*two/);
    assert.equal(place.sessionFiles().length, 1);
  });

  it('says once that its model could not be restored, in every mode and after a switch', async () => {
    fine(await place.run(['-p', 'one']));
    const [file = ''] = place.sessionFiles();
    place.useLlm(llm, { defaultModel: 'two' }, [{ id: 'two' }]);
    const said = 'Warning: Could not restore model scripted/one. Using scripted/two.\n';
    for (const [flags, stderr] of [
      [['--model', 'scripted/two'], ''],
      [[], said],
    ] as const) {
      assert.equal(fine(await place.run(['--fork', file, ...flags, '-p', 'next'])).stderr, stderr);
      rmSync(newest([file]));
    }
    const host = RpcHost.start(place);
    await host.data('switch_session', { sessionPath: file });
    const { messages } = await host.data<{ messages: readonly { entryId: string }[] }>('get_fork_messages');
    await host.data('fork', { entryId: messages[0]?.entryId });
    await host.data('switch_session', { sessionPath: file });
    assert.equal((await host.close()).stderr, said);
    llm.reply({ text: 'fourth answer' });
    const json = fine(await place.run(['--mode', 'json', '-c', '-p', 'three']));
    assert.equal(json.stderr, said);
    assert.ok(!json.stdout.includes('Could not restore'));
  });

  it('is copied by --fork, from a file or an id, with every entry and the name of the original', async () => {
    fine(await place.run(['-p', 'one', '-n', 'Original']));
    const [file = ''] = place.sessionFiles();
    fine(await place.run(['--fork', header(file).id.slice(0, 20), '--session-id', 'copy', '-p', 'two']));
    assert.match(asked(1), /one.*first answer.*two/);
    const copy = newest([file]);
    assert.deepEqual([header(copy).id, header(copy).parentSession], ['copy', file]);
    const original = lines(file).slice(1);
    assert.deepEqual(lines(copy).slice(1, original.length + 1), original);
    const taken = await place.run(['--fork', file, '--session-id', 'copy', '-p', 'three']);
    assert.deepEqual([taken.code, llm.requests.length], [1, 2]);
    assert.match(taken.stderr, /a session with the id "copy" already exists/);
  });

  it('of another folder is copied only when somebody says so, and is worked on in its folder when its file is named', async () => {
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    fine(await place.run(['-p', 'one', '--session-id', 'far']));
    const [file = ''] = place.sessionFiles();
    const there = { cwd: elsewhere };
    const refused = await place.run(['--session', 'far', '-p', 'two'], there);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /belongs to another folder: .*work; use --fork far/);
    fine(await place.run(['--fork', 'far', '-p', 'two'], there));
    assert.equal(header(newest([file])).cwd, elsewhere);
    const before = place.sessionFiles();
    fine(await place.run(['--session', file, '-p', 'three'], there));
    assert.match(JSON.stringify(llm.requests[2]?.body['system']), new RegExp(`${place.cwd}[^/]`));
    assert.deepEqual(place.sessionFiles(), before);
  });

  it('whose folder is gone is refused as by pi, and can be copied', async () => {
    fine(await place.run(['-p', 'one']));
    const [file = ''] = place.sessionFiles();
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    rmSync(place.cwd, { recursive: true });
    const refused = await place.run(['--session', file, '-p', 'two'], { cwd: elsewhere });
    assert.equal(refused.code, 1);
    assert.ok(
      refused.stderr.includes(
        `Stored session working directory does not exist: ${place.cwd}\nSession file: ${file}\nCurrent working directory: ${elsewhere}`,
      ),
      refused.stderr,
    );
    fine(await place.run(['--fork', file, '-p', 'two'], { cwd: elsewhere }));
    assert.match(asked(1), /one.*first answer.*two/);
  });

  it('is found by a path from the folder in which the program starts, although it belongs to another', async () => {
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    fine(await place.run(['-p', 'one', '--session-dir', elsewhere]));
    const [name = ''] = readdirSync(elsewhere);
    fine(await place.run(['--session', `./${name}`, '-p', 'two'], { cwd: elsewhere }));
    assert.match(asked(1), /one.*first answer.*two/);
    assert.deepEqual([readdirSync(place.cwd), readdirSync(elsewhere)], [[], [name]]);
  });

  it('is refused by the name of its file when that holds no session, and the file stays as it is', async () => {
    for (const text of ['a note\nof two lines\n', '{"a":1}\n']) {
      const file = place.file('work/note.jsonl', text);
      for (const mode of [
        ['-p', 'one'],
        ['--mode', 'rpc'],
        ['--mode', 'json', 'one'],
      ]) {
        const ended = await place.run(['--session', 'note.jsonl', ...mode]);
        assert.deepEqual([ended.code, ended.stdout], [1, '']);
        assert.match(ended.stderr, /^hookline: --session: .*note\.jsonl contains no readable session\.\n$/);
      }
      assert.equal(readFileSync(file, 'utf8'), text);
      assert.deepEqual(readdirSync(place.cwd), ['note.jsonl']);
    }
    assert.equal(llm.requests.length, 0);
  });

  it('is not continued from a file that holds none', async () => {
    fine(await place.run(['-p', 'one']));
    const [file = ''] = place.sessionFiles();
    writeFileSync(join(dirname(file), '2099-01-01_damaged.jsonl'), 'no session\n');
    fine(await place.run(['-c', '-p', 'two']));
    assert.match(asked(1), /one.*first answer.*two/);
  });

  it('is looked for in a folder that is a file: one line says so', async () => {
    const { code, stderr } = await place.run(['-c', '-p', 'one', '--session-dir', place.file('work/note.txt', 'x')]);
    assert.equal(code, 1);
    assert.match(stderr, /^hookline: the sessions in .*note\.txt cannot be listed: ENOTDIR.*\n$/);
  });

  it('cannot begin in a folder that was deleted: one line says so', function () {
    if (process.platform === 'win32') return this.skip(); // Windows deletes no folder in which a process works.
    const script = 'rmdir "$PWD"; exec "$0" "$1" -p one';
    const gone = join(place.root, 'gone');
    mkdirSync(gone);
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, place.cliPath], {
      cwd: gone,
      env: place.env,
      encoding: 'utf8',
    });
    assert.equal(status, 1);
    assert.match(stderr, /^hookline: the folder in which it was started does not exist any more\.\n$/);
  });

  it('lies where the flag or the environment says, and of a shared place only those of this folder are continued', async () => {
    const shared = join(place.root, 'shared');
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    const env = { PI_CODING_AGENT_SESSION_DIR: '~/shared' };
    fine(await place.run(['-p', 'one'], { env }));
    fine(await place.run(['-c', '-p', 'two', '--session-dir', shared], { cwd: elsewhere }));
    assert.doesNotMatch(asked(1), /first answer/);
    fine(await place.run(['-c', '-p', 'three'], { env }));
    assert.match(asked(2), /one.*first answer.*three/);
    assert.deepEqual(place.sessionFiles(), []);
  });

  it('is found below the home folder when no shell has replaced its ~, as by pi', async () => {
    const file = join(place.root, 'own.jsonl');
    fine(await place.run(['--session=~/own.jsonl', '-p', 'one']));
    fine(await place.run(['--fork', '~/own.jsonl', '--session-dir', '~/forks', '-p', 'two']));
    assert.match(asked(1), /one.*first answer.*two/);
    fine(await place.run(['--export', '~/own.jsonl', '~/own.html']));
    assert.match(readFileSync(join(place.root, 'own.html'), 'utf8'), /first answer/);
    const host = RpcHost.start(place, ['--no-session']);
    assert.deepEqual(await host.data('switch_session', { sessionPath: '~/own.jsonl' }), { cancelled: false });
    assert.equal((await host.data<{ sessionFile: string }>('get_state')).sessionFile, file);
    await host.close();
    assert.deepEqual(readdirSync(place.cwd), []);
    assert.equal(readdirSync(join(place.root, 'forks')).length, 1);
  });

  it('is chosen from a list only where there is a terminal', async () => {
    fine(await place.run(['-p', 'one', '--session-id', 'the-one']));
    const { code, stdout, stderr } = await place.run(['-r', '-p', 'two']);
    assert.deepEqual([code, stdout, llm.requests.length], [1, '', 1]);
    assert.match(stderr, /--resume needs a terminal to choose in; use --session with an id, such as the-one\./);
  });
});
