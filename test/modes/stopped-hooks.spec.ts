import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WITHOUT_PARENTS } from '../support/as-person';
import { ended, until, type Ended } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { TERMINAL } from './support/terminal-program';
import { itOnLinux } from '../support/platform';

/** Goes on for longer than anybody waits, within one native function. */
const SLOW = `/^(a+)+$/.test('a'.repeat(60) + 'b')`;
/** Never returns, and leaves the processor to the other tests. */
const FOREVER = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';

const gate = (code: string): string => `export default pi => {
  pi.on('tool_call', async event => {
    await null;
    ${code};
    return { block: true, reason: 'guarded' };
  });
};
`;
const bash = { toolCalls: [{ name: 'bash', arguments: { command: 'touch ran' } }] };

describe('a hook that froze or ended a process', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel({ hookLoopLimit: 2_000 });
  beforeEach(() => llm.otherwise(() => ({ text: 'an answer' })));

  const notes = (): string => join(place.root, '.local', 'state', 'hookline', 'stopped-hooks');
  const noted = (): readonly string[] => (existsSync(notes()) ? readdirSync(notes()) : []);
  const note = (): string =>
    noted()
      .map(name => readFileSync(join(notes(), name), 'utf8'))
      .join('\n');
  const ran = (): boolean => existsSync(join(place.cwd, 'ran'));

  /** Starts a run, and ends it as soon as it is written down that it stands still at `what`. */
  const freezes = async (what: string): Promise<void> => {
    llm.reply(bash);
    const child = place.start(['-p', 'go']);
    child.stdin.end();
    const over = ended(child);
    await until(() => note().includes(what), `a note that names ${what}`);
    child.kill('SIGKILL');
    await over;
  };
  /** A run in which the gated command is tried. */
  const tries = async (): Promise<string> => {
    llm.reply(bash, { text: 'done' });
    return (await place.run(['-p', 'go'])).stderr;
  };
  const isBlocked = async (told: RegExp): Promise<void> => {
    for (const start of [1, 2]) {
      assert.match(await tries(), told, `start ${start}`);
      assert.equal(ran(), false);
      assert.match(
        JSON.stringify(llm.requests.at(-1)?.body['messages']),
        /gate\.ts checks tool calls, but does not run/,
      );
    }
  };

  for (const [what, code] of [
    ['a regular expression that backtracks', SLOW],
    ['a native call that never returns', FOREVER],
  ] as const) {
    it(`by ${what}: named with its event, does not run, and blocks until it is changed`, async () => {
      const path = place.hook('gate.ts', gate(code));
      await freezes('"line":4');
      await isBlocked(
        new RegExp(`Stopped: it let nothing else run for \\d+ s in tool_call at .*gate\\.ts:4.*\\(${path}\\)`),
      );
      place.hook('gate.ts', gate('void 0'));
      assert.equal(
        await tries(),
        `Note: since the last run here, this hook was changed; the current version runs. (${path})\n`,
      );
      assert.match(JSON.stringify(llm.requests.at(-1)?.body['messages']), /guarded/);
      assert.deepEqual(noted(), []);
    });
  }

  for (const [where, text] of [
    ['while it loads', `${FOREVER};\n${gate('')}`],
    ['in its factory', gate('').replace('{\n', `{\n  ${FOREVER};\n`)],
    ['in a timer', gate('').replace('{\n', `{\n  setTimeout(() => { ${FOREVER}; }, 0);\n`)],
  ] as const) {
    it(`${where}: it is named, does not run, and blocks`, async () => {
      place.hook('gate.ts', text);
      await freezes('gate.ts');
      await isBlocked(/Stopped: it let nothing else run for \d+ s.*gate\.ts/);
    });
  }

  it('is not blamed where it only waits and another one freezes the process', async () => {
    place.hook('gate.ts', gate('await new Promise(resolve => setTimeout(resolve, 600_000))'));
    place.hook(
      'other.ts',
      `export default pi => {\n  pi.on('tool_call', () => undefined);\n  pi.on('agent_start', () => {\n    setTimeout(() => { ${FOREVER}; }, 1_500);\n  });\n};\n`,
    );
    await freezes('other.ts');
    assert.equal(note().includes('gate.ts'), false);
  });

  it('leaves nothing behind where it goes on after all', async () => {
    place.hook('gate.ts', gate('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6_000)'));
    llm.reply(bash, { text: 'done' });
    const child = place.start(['-p', 'go']);
    child.stdin.end();
    const over = ended(child);
    await until(() => noted().length > 0, 'a note');
    assert.equal((await over).code, 0);
    assert.deepEqual(noted(), []);
  });

  it('is not blamed where the process is killed while it is slow within the limit', async () => {
    place.useLlm(llm, { hookLoopLimit: 600_000 });
    const program = `import { execSync } from 'node:child_process';\n`;
    place.hook('gate.ts', `${program}${gate(`execSync('sleep 4; touch slow; sleep 600')`)}`);
    llm.reply(bash);
    const child = place.start(['-p', 'go']);
    child.stdin.end();
    const over = ended(child);
    await until(() => existsSync(join(place.cwd, 'slow')), 'four seconds of the slow program');
    child.kill('SIGKILL');
    await over;
    assert.deepEqual(noted(), []);
  });

  it('is named with each global that it deleted, and its gate is closed', async () => {
    const names = ['WeakSet', 'queueMicrotask', 'URL', 'fetch', 'structuredClone', 'setTimeout'];
    const text = `for (const name of ${JSON.stringify(names)}) delete globalThis[name]; throw new Error('broken')`;
    place.hook('gate.ts', gate(text));
    const told = await tries();
    assert.equal(ran(), false);
    for (const name of names) {
      assert.match(told, new RegExp(`Hook "gate\\.ts" error in built-ins: replaces ${name}, .* That was undone`));
    }
  });

  it('by a package that ends the process: named with the line that called it', async () => {
    place.file('work/.pi/hooks/node_modules/ender/index.js', 'exports.end = () => process.exit(0);\n');
    place.file('work/.pi/hooks/node_modules/ender/package.json', '{"name":"ender","main":"index.js"}');
    place.hook('gate.ts', `import { end } from 'ender';\n${gate('end()')}`);
    llm.reply(bash);
    await place.run(['-p', 'go']);
    await isBlocked(/Stopped: it ended the process at .*gate\.ts:5/);
  });

  itOnLinux('runs again where a person at a terminal says so', async () => {
    place.hook('gate.ts', gate(FOREVER));
    await freezes('"line":4');
    assert.match((await place.run(['hooks', 'run-again'])).stderr, /hooks run-again needs a terminal to ask in/);
    const inTerminal = (answer: string): Promise<Ended> => {
      const line = JSON.stringify([process.execPath, ...WITHOUT_PARENTS, place.cliPath, 'hooks', 'run-again']);
      return ended(place.start(['-e', TERMINAL, line, answer], { cli: '--no-warnings' }));
    };
    await inTerminal('no');
    assert.equal(noted().length, 1);
    await inTerminal('yes');
    assert.deepEqual(noted(), []);
  });
});
