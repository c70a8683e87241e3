import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { itOnLinux } from '../support/platform';
import { tried } from '../support/tried';
import { ended, type Ended } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';
import { TERMINAL } from './support/terminal-program';

const OLD = 'what was there before\n';

/** Ends the process as the system does, in the middle of the next write to a file that is there. */
const KILLER = `
import { spawnSync } from 'node:child_process';
import { open } from 'node:fs/promises';
export default pi => {
  pi.on('tool_call', async () => {
    const handle = await open(import.meta.filename);
    const prototype = Object.getPrototypeOf(handle);
    await handle.close();
    prototype.writeFile = async function (content) {
      await this.write(content.subarray(0, 4));
      spawnSync('kill', ['-9', String(process.pid)]);
      await new Promise(() => {});
    };
  });
};
`;

describe('a file that was being written when the process was killed', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  beforeEach(() => llm.otherwise(() => ({ text: 'an answer' })));

  const file = (): string => join(place.cwd, 'f');
  const text = (): string => readFileSync(file(), 'utf8');
  const records = (): string[] => readdirSync(join(place.root, '.local', 'state', 'hookline', 'unfinished-writes'));
  const inTerminal = (line: string, answer: string): Promise<Ended> => {
    const command = JSON.stringify([process.execPath, place.cliPath, ...line.split(' ')]);
    return ended(place.start(['-e', TERMINAL, command, answer], { cli: '--no-warnings' }));
  };
  /** Leaves a file of which only the first bytes are new. */
  const cut = async (): Promise<void> => {
    writeFileSync(file(), OLD);
    const { ino } = statSync(file());
    const hook = place.file('killer.ts', KILLER);
    llm.reply({ toolCalls: [{ name: 'write', arguments: { path: 'f', content: 'NEW text' } }] });
    const { code, stderr } = await place.run(['-p', '-e', hook, 'go']);
    assert.equal(code, null, stderr);
    assert.equal(text(), `NEW ${OLD.slice(4)}`, 'it was cut');
    assert.equal(statSync(file()).ino, ino);
    assert.equal(records().length, 1);
  };

  itOnLinux('is named at the next start, in each mode, and put back by a person only', async function () {
    await cut();
    const told = `Warning: Hookline ended while it wrote this file, which holds only a part of the new text. (${file()}) See "hookline writes".`;
    for (const args of [['-p', 'go'], ['--mode', 'json', 'go'], ['--list-models']]) {
      assert.ok((await place.run(args)).stderr.includes(told), args.join(' '));
      tried();
    }
    const { stderr } = await RpcHost.start(place).close();
    assert.ok(stderr.includes(told), stderr);
    const listed = await place.run(['writes']);
    assert.equal(listed.code, 1);
    assert.ok(listed.stdout.includes(`-NEW ${OLD.slice(4)}+${OLD}`), listed.stdout);
    for (const word of ['put-back', 'keep']) {
      const asAgent = await place.run(['writes', word], { env: { PI_CODING_AGENT: 'true' } });
      assert.match(asAgent.stderr, /only you can (put files back|give up the earlier content of files)/);
      assert.match((await place.run(['writes', word])).stderr, /needs a terminal to ask in/);
      tried(2);
    }
    assert.equal((await inTerminal('writes put-back', 'no')).code, 1);
    assert.equal(text(), `NEW ${OLD.slice(4)}`);
    assert.equal((await inTerminal('writes put-back f', 'yes')).code, 0);
    assert.deepEqual([text(), records()], [OLD, []]);
    assert.equal((await place.run(['writes'])).stdout, 'No file was left unfinished.\n');
  });

  itOnLinux('is marked when a person changed it since, and can be kept', async function () {
    await cut();
    writeFileSync(file(), 'mended by hand\n');
    const { stderr } = await place.run(['-p', 'go']);
    assert.match(stderr, /Hookline ended while it wrote this file, and the file was changed or removed since\. \(/);
    assert.equal((await inTerminal('writes keep', 'yes')).code, 0);
    assert.deepEqual([text(), records()], ['mended by hand\n', []]);
    assert.doesNotMatch((await place.run(['-p', 'go'])).stderr, /while it wrote/);
  });

  it('is told from what the command does not know', async () => {
    assert.match((await place.run(['writes', 'elsewhere'])).stderr, /There is no command "writes elsewhere"/);
    assert.match((await place.run(['writes', 'keep', 'a', 'b'])).stderr, /There is no command "writes keep a b"/);
    assert.match((await place.run(['writes', 'list', 'x'])).stderr, /Hookline did not end while it wrote x/);
    assert.match((await place.run(['writes', '--help'])).stdout, /hookline writes put-back \[path\]/);
  });
});
