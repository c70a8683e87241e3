import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { trustFolder } from '../../scripts/support/test-place.ts';
import { CliPlace } from '../modes/support/cli';
import { RpcHost } from '../modes/support/rpc';

/** What an agent must not write on Windows, however it is spelled, with what the file system would make of it. */
const REFUSED: readonly (readonly [path: string, file: string])[] = [
  ['.pi/hooks/new.ts', '.pi/hooks/new.ts'],
  ['.PI\\HOOKS\\new.ts', '.pi/hooks/new.ts'],
  ['.pi\\hooks.\\new.ts', '.pi/hooks/new.ts'],
  ['.pi \\hooks\\new.ts', '.pi/hooks/new.ts'],
  ['.GIT/hooks/pre-commit', '.git/hooks/pre-commit'],
  ['.git\\HOOKS\\pre-commit', '.git/hooks/pre-commit'],
  ['con', 'con'],
  ['src\\NUL.txt', 'src/NUL.txt'],
  ['com1.log', 'com1.log'],
  ['notes.txt::$DATA', 'notes.txt'],
  ['other.txt:stream', 'other.txt'],
];

/** How the calls of a run in JSON ended: whether they failed, and all that is known of them. */
function results(stdout: string): readonly { readonly isError: boolean; readonly text: string }[] {
  const lines = stdout.trim().split('\n');
  const events = lines.map(line => JSON.parse(line) as { readonly type: string; readonly isError?: boolean });
  const ends = events.filter(({ type }) => type === 'tool_execution_end');
  return ends.map(end => ({ isError: end.isError === true, text: JSON.stringify(end) }));
}

describe('the command line on Windows', function () {
  this.timeout(240_000);
  let place: CliPlace;

  beforeEach(async () => {
    place = await CliPlace.make();
    mkdirSync(join(place.cwd, '.git', 'hooks'), { recursive: true });
    mkdirSync(join(place.cwd, 'src'));
  });
  afterEach(() => place.remove());

  it('prints what a file has, and keeps the session under a drive letter', async () => {
    place.file('work/notes.txt', 'three little\r\nwords\r\n');
    const { code, stdout, stderr } = await place.run(['-p', 'read notes.txt']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^read returned .*three little/s);
    const [file = ''] = place.sessionFiles();
    assert.match(file, /^[A-Z]:\\/);
    const [header = ''] = readFileSync(file, 'utf8').split('\n');
    assert.equal((JSON.parse(header) as { cwd: string }).cwd, place.cwd);
  });

  it('blocks a call by a hook with line ends of Windows that imports another file', async () => {
    place.hook('lib/reason.ts', "export const reason: string = 'not here';\r\n");
    place.hook(
      'gate.ts',
      "import { reason } from './lib/reason';\r\n" +
        'export default (pi) => {\r\n' +
        "  pi.on('tool_call', event => (event.toolName === 'write' ? { block: true, reason } : undefined));\r\n" +
        '};\r\n',
    );
    const { stdout } = await place.run(['-p', 'write a.txt: x']);
    assert.match(stdout, /not here/);
    assert.ok(!existsSync(join(place.cwd, 'a.txt')));
  });

  it('writes, edits, reads, lists and searches in one conversation in RPC mode', async () => {
    place.file('work/lines.txt', 'one\r\ntwo\r\n');
    const host = RpcHost.start(place, ['--approve-tools', 'auto']);
    for (const [request, result] of [
      ['write `src\\new file.txt`: hello', /new file\.txt/],
      ['edit lines.txt: replace two with TWO', /lines\.txt/],
      ['read `.\\src\\NEW FILE.txt`', /hello/],
      ['list src', /new file\.txt/],
      ['find *.txt', /src\/new file\.txt/],
      ['search for TWO', /lines\.txt:2: TWO/],
    ] as const) {
      const from = host.messages.length;
      await host.prompt(request);
      const [end] = host.messages.slice(from).filter(({ type }) => type === 'tool_execution_end');
      assert.equal(end?.['isError'], false, JSON.stringify(end));
      assert.match(JSON.stringify(end), result);
    }
    assert.equal((await host.close()).code, 0);
    assert.equal(readFileSync(join(place.cwd, 'lines.txt'), 'utf8'), 'one\r\nTWO\r\n');
    assert.deepEqual(host.rubbish, []);
  });

  it('writes nothing to hooks, git hooks, devices and streams, in any spelling', async () => {
    place.file('work/notes.txt', 'mine');
    const { stdout } = await place.run(['--mode', 'json', ...REFUSED.map(([path]) => `write \`${path}\`: evil`)]);
    const ends = results(stdout);
    assert.equal(ends.length, REFUSED.length);
    for (const [index, [path, file]] of REFUSED.entries()) {
      assert.ok(ends[index]?.isError, `${path}: ${ends[index]?.text}`);
      const there = join(place.cwd, file);
      if (existsSync(there)) assert.notEqual(readFileSync(there, 'utf8'), 'evil', path);
    }
    assert.equal(readFileSync(join(place.cwd, 'notes.txt'), 'utf8'), 'mine');
    assert.deepEqual(readdirSync(join(place.cwd, '.git', 'hooks')), []);
    assert.ok(!existsSync(join(place.cwd, '.pi', 'hooks', 'new.ts')));
  });

  for (const [what, root] of [
    ['another drive', 'Y:\\'],
    ['a drive that is a folder of another', 'X:\\'],
  ] as const) {
    it(`works in a folder on ${what}, and asks before it writes elsewhere`, async () => {
      const cwd = `${root}work ä`;
      rmSync(cwd, { recursive: true, force: true });
      mkdirSync(join(cwd, '.pi', 'hooks'), { recursive: true });
      trustFolder(place.agentDir, cwd);
      const requests = ['write a.txt: here', 'write `.PI\\hooks\\a.ts`: evil', 'write `C:\\outside.txt`: evil'];
      const { stdout } = await place.run(['--mode', 'json', '--approve-tools', 'edits', ...requests], { cwd });
      assert.deepEqual(
        results(stdout).map(({ isError }) => isError),
        [false, true, true],
        stdout,
      );
      assert.equal(readFileSync(join(cwd, 'a.txt'), 'utf8').trim(), 'here');
      assert.ok(!existsSync(join(cwd, '.pi', 'hooks', 'a.ts')));
      assert.ok(!existsSync('C:\\outside.txt'), 'nobody could be asked');
    });
  }
});
