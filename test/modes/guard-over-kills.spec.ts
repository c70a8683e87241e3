import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { visibleText } from '../../src/base/text/visible-text';
import { rounds as roundsFor } from '../support/long-run';
import { WITHOUT_PARENTS } from '../support/as-person';
import { tried } from '../support/tried';
import { HIDING_COMMAND, SHOWN_COMMAND } from '../support/hidden-text';
import { ended, until, type CliPlace, type Ended } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { TERMINAL } from './support/terminal-program';
import { itOnLinux } from '../support/platform';

const GATE = `export default pi => {
  pi.on('tool_call', e => (e.toolName === 'bash' && e.input.command === 'touch ran' ? { block: true, reason: 'guarded' } : undefined));
};\n`;
const OPEN = 'export default () => {};\n';
/** Leaves a process of its own running with each call. */
const WORKER = `export default pi => {
  pi.on('tool_call', () => { void pi.exec('sleep', ['600']); });
};\n`;
const bash = (command: string) => ({ toolCalls: [{ name: 'bash', arguments: { command } }] });
const OVERWRITE = `echo 'export default () => {}' > .pi/hooks/gate.ts`;

describe('the guard of the command line, over kills', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();
  beforeEach(() => llm.otherwise(() => ({ text: 'an answer' })));

  const ran = (): boolean => existsSync(join(place.cwd, 'ran'));
  const gate = (): string => join(place.cwd, '.pi', 'hooks', 'gate.ts');
  const state = (): string => join(place.root, '.local', 'state', 'hookline', 'approved-hooks');
  const start = (...args: readonly string[]): Promise<Ended> => place.run(['-p', ...args, 'go']);
  /** A run in which the forbidden command is tried; gives what was said on stderr. */
  const tries = async (...args: readonly string[]): Promise<string> => {
    llm.reply(bash('touch ran'), { text: 'done' });
    return (await start(...args)).stderr;
  };

  for (const [how, command, told] of [
    ['overwrites the gate and kills it', `${OVERWRITE}; kill -9 $PPID`, 'A tool changed this hook'],
    ['removes the gate and kills it', 'rm .pi/hooks/gate.ts; kill -9 $PPID', 'A tool removed this hook'],
    ['removes all of .pi and kills it', 'rm -r .pi; kill -9 $PPID', 'A tool removed this hook'],
    [
      'takes it out of the list and kills it',
      `echo '{}' > .pi/settings.json; kill -9 $PPID`,
      'A tool, or a program that it left running, may have changed this file',
    ],
    [
      'leaves it out by a pattern and kills it',
      `echo '{"extensions":["named.ts","-extensions/gate.ts"]}' > .pi/settings.json; kill -9 $PPID`,
      'A tool, or a program that it left running, may have changed this file',
    ],
    [
      'breaks the settings that name it and kills it',
      `echo '{' > .pi/settings.json; kill -9 $PPID`,
      'A tool, or a program that it left running, may have changed this file',
    ],
    [
      'kills it from a process of its own',
      `setsid sh -c "sleep 0.2; ${OVERWRITE.replaceAll('"', '\\"')}; kill -9 $PPID" & sleep 5`,
      'A tool changed this hook',
    ],
  ] as const) {
    it(`is in force, and says so, after the agent ${how}`, async function () {
      if (process.platform === 'win32') this.skip();
      const isListed = /list|settings/.test(how);
      const isPattern = how.includes('pattern');
      if (isListed) {
        place.file('work/named.ts', GATE);
        place.file('work/.pi/settings.json', JSON.stringify({ extensions: ['../named.ts'] }));
      } else if (isPattern) {
        place.file('work/.pi/extensions/gate.ts', GATE);
      } else place.hook('gate.ts', GATE);
      llm.reply(bash(command));
      assert.equal((await start()).code, null);
      for (const round of [1, 2, 3]) {
        const said = await tries();
        assert.equal(ran(), false, `start ${round}: ${said}`);
        assert.ok(said.includes(`Warning: ${told}`), said);
      }
    });
  }

  it('is in force over the end of a run in order, and where it is started in another folder', async () => {
    const global = place.file('agent/hooks/gate.ts', GATE);
    await start();
    llm.reply(bash(`echo 'export default () => {}' > ${JSON.stringify(global)}`), { text: 'done' });
    await start();
    assert.match(await tries(), /A tool changed this hook; the earlier version keeps running\./);
    const other = join(place.file('other/notes.txt', ''), '..');
    llm.reply(bash('touch ran'), { text: 'done' });
    const { stderr } = await place.run(['-p', 'go'], { cwd: other });
    assert.match(stderr, /A tool changed this hook/);
    assert.equal(existsSync(join(other, 'ran')), false);
  });

  it('refuses what a gate would judge when nobody knows any more what was approved', async () => {
    place.hook('gate.ts', GATE);
    await start();
    llm.reply(bash(`rm -r ${JSON.stringify(state())}; ${OVERWRITE}; kill -9 $PPID`));
    await start();
    for (let round = 1; round <= 2; round++) {
      assert.match(await tries(), /The record of what was approved of this hook is missing/);
    }
    writeFileSync(gate(), GATE);
    assert.match(await tries(), /The record of what was approved of this hook is missing/);
    assert.equal(ran(), false);
    const asked = JSON.stringify(llm.requests.at(-1)?.body['messages']);
    assert.ok(asked.includes('checks tool calls, but waits for approval, and the call was not confirmed'), asked);
    assert.ok(asked.includes('hookline hooks approve'), 'a person is told how to approve it');
  });

  for (const [what, removed] of [
    ['the record and all beside it', ['.local']],
    ['the record and what the agent folder notes', ['.local/state/hookline', 'agent/hookline']],
  ] as const) {
    it(`knows that a folder was used before when the agent removes ${what}`, async function () {
      if (process.platform === 'win32') this.skip();
      place.hook('gate.ts', GATE);
      await start();
      const paths = removed.map(path => JSON.stringify(join(place.root, path))).join(' ');
      llm.reply(bash(`rm -r ${paths}; ${OVERWRITE}; kill -9 $PPID`));
      await start();
      // The decision to trust the folder has no record either.
      assert.match(await tries(), /may have changed this file; .*trust\.json/);
      assert.match(await tries('--approve'), /The record of what was approved of this hook is missing/);
      assert.equal(ran(), false);
    });
  }

  it('runs at the first start in a folder in which pi was used', async () => {
    const session = `${JSON.stringify({ type: 'session', version: 3, id: 'one', timestamp: new Date().toISOString(), cwd: place.cwd })}\n`;
    place.file('agent/sessions/--work--/one.jsonl', session);
    place.hook('gate.ts', GATE);
    const said = await tries();
    assert.doesNotMatch(said, /missing/);
    assert.equal(ran(), false);
  });

  it('counts a damaged record as a lost one, and marks that are removed as calls', async () => {
    place.hook('gate.ts', GATE);
    await start();
    llm.reply(bash(`rm -r ${JSON.stringify(join(state(), 'runs'))}; ${OVERWRITE}; kill -9 $PPID`));
    await start();
    assert.match(await tries(), /A tool changed this hook/);
    for (const name of readdirSync(state()).filter(each => each.startsWith('folder-'))) {
      for (const file of readdirSync(join(state(), name)).filter(each => each.startsWith('record-'))) {
        writeFileSync(join(state(), name, file), '{');
      }
    }
    assert.match(await tries(), /is missing/);
    assert.equal(ran(), false);
  });

  it('says what was changed by nobody’s tools, and takes it', async () => {
    place.hook('gate.ts', GATE);
    await start();
    place.hook('gate.ts', OPEN);
    place.hook('new.ts', OPEN);
    const said = await tries();
    assert.match(
      said,
      /Note: since the last run here, this hook was changed; the current version runs\. \(.*gate\.ts\)/,
    );
    assert.match(said, /Note: since the last run here, this hook was added; it runs\. \(.*new\.ts\)/);
    assert.equal(ran(), true);
    rmSync(join(place.cwd, 'ran'));
    assert.equal(await tries(), '');
  });

  it('holds what changes in a second process while a call runs in the first', async () => {
    place.hook('gate.ts', GATE);
    await start();
    llm.reply(bash(`${OVERWRITE}; touch written; until [ -e go ]; do sleep 0.05; done`), { text: 'done' });
    const first = place.start(['-p', 'go']);
    first.stdin.end();
    const over = ended(first);
    await until(() => existsSync(join(place.cwd, 'written')), 'the call runs');
    assert.match(await tries(), /A tool changed this hook/);
    assert.equal(ran(), false);
    writeFileSync(join(place.cwd, 'go'), '');
    await over;
    assert.match(await tries(), /A tool changed this hook/);
    assert.equal(ran(), false);
  });

  const rounds = roundsFor(4, 500);
  it(`is in force at each of ${rounds} starts after kills at any moment of a call that changes it`, async function () {
    if (process.platform === 'win32') this.skip();
    this.timeout(rounds * 20_000);
    let seed = 12;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    place.hook('gate.ts', GATE);
    place.hook('worker.ts', WORKER);
    await start();
    for (let round = 1; round <= rounds; round++) {
      rmSync(join(place.cwd, 'begun'), { force: true });
      llm.reply(bash(`touch begun; while :; do ${OVERWRITE}; rm .pi/hooks/gate.ts; done`));
      const child = place.start(['-p', `round ${round}`]);
      child.stdin.end();
      const over = ended(child);
      await until(() => existsSync(join(place.cwd, 'begun')), 'the call runs');
      await new Promise(resolve => setTimeout(resolve, random() * 120));
      child.kill('SIGKILL');
      await over;
      assert.ok((await place.endLeft()) > 0, 'the command of the call was found');
      assert.deepEqual(
        saidIn(place, `round ${round}`),
        ['system', 'user', 'assistant'],
        'the session holds all up to the call',
      );
      const said = await tries();
      assert.equal(ran(), false, `round ${round} of seed 12: ${said}`);
      tried();
      if (round % 2 === 0) place.hook('gate.ts', GATE);
    }
  });
});

/** Roles of the messages of the session that began with a prompt; every line must be whole. */
function saidIn(place: CliPlace, prompt: string): readonly string[] {
  const texts = place.sessionFiles().map(file => readFileSync(file, 'utf8'));
  const lines =
    texts
      .find(text => text.includes(`"${prompt}"`))
      ?.trimEnd()
      .split('\n') ?? [];
  const entries = lines.map(line => JSON.parse(line) as { readonly type: string; readonly message?: { role: string } });
  return entries.flatMap(({ type, message }) => (type === 'message' && message !== undefined ? [message.role] : []));
}

describe('hookline hooks', function () {
  this.timeout(60_000);
  const { place, llm } = eachWithModel();
  beforeEach(() => llm.otherwise(() => ({ text: 'an answer' })));

  const gate = (): string => join(place.cwd, '.pi', 'hooks', 'gate.ts');
  const held = async (): Promise<void> => {
    place.hook('gate.ts', GATE);
    llm.reply(bash(OVERWRITE), { text: 'done' });
    await place.run(['-p', 'go']);
  };
  /** In a terminal, where a person types `answers`, one for each question, and `early` before the first. */
  const inTerminal = (line: string, answers: string, early = ''): Promise<Ended> => {
    const command = JSON.stringify([process.execPath, ...WITHOUT_PARENTS, place.cliPath, ...line.split(' ')]);
    return ended(place.start(['-e', TERMINAL, command, answers, early], { cli: '--no-warnings' }));
  };

  it('shows what waits, and says when nothing does', async () => {
    place.hook('gate.ts', GATE);
    const none = await place.run(['hooks', 'diff']);
    assert.deepEqual(none, {
      code: 0,
      stdout: 'No hook and no settings file waits for approval in this folder.\n',
      stderr: '',
    });
    await held();
    const { code, stdout } = await place.run(['hooks', 'diff']);
    assert.equal(code, 1);
    assert.ok(stdout.includes('A tool changed this hook; the earlier version keeps running.'), stdout);
    assert.ok(stdout.includes("-  pi.on('tool_call'") && stdout.includes('+export default () => {}'), stdout);
  });

  itOnLinux('marks what hides in a change, so that nothing of it reaches a terminal', async () => {
    place.hook('gate.ts', GATE);
    place.file('work/hiding', `// ${HIDING_COMMAND}\n${OPEN}`);
    llm.reply(bash('cp hiding .pi/hooks/gate.ts'), { text: 'done' });
    await place.run(['-p', 'go']);
    const shown = [await place.run(['hooks', 'diff']), await inTerminal('hooks approve', 'no')];
    for (const { stdout } of shown) {
      assert.ok(stdout.includes(`+// ${SHOWN_COMMAND}`), stdout);
      // What is left moves the cursor of the line on which the answer is typed.
      const left = stdout.replace(/\r+\n/g, '\n').replace(/\u001b\[\d*[GJ]/g, ''); // eslint-disable-line no-control-regex
      assert.equal(visibleText(left), left);
    }
  });

  itOnLinux('approves and rejects only what a person at a terminal says yes to', async function () {
    await held();
    for (const word of ['approve', 'reject']) {
      assert.match((await place.run(['hooks', word])).stderr, /needs a terminal to ask in/);
      const asAgent = await place.run(['hooks', word], { env: { PI_CODING_AGENT: 'true' } });
      assert.match(
        asAgent.stderr,
        /^hookline: Hookline or pi runs this command \(PI_CODING_AGENT is set\), and only you can/,
      );
      await inTerminal(`hooks ${word}`, 'no');
      assert.match((await place.run(['hooks', 'diff'])).stdout, /A tool changed this hook/);
    }
    await inTerminal('hooks reject', 'yes');
    assert.equal(readFileSync(gate(), 'utf8'), GATE);
    assert.equal((await place.run(['hooks', 'diff'])).code, 0);
    await held();
    await inTerminal('hooks approve gate.ts', 'yes');
    assert.equal((await place.run(['hooks', 'diff'])).code, 0);
    assert.notEqual(readFileSync(gate(), 'utf8'), GATE);
    const { stderr } = await place.run(['-p', 'go']);
    assert.equal(stderr, '');
  });

  itOnLinux(
    'approves nothing by what was typed before the question, nor by less than the whole word',
    async function () {
      await held();
      const waits = async (): Promise<boolean> => (await place.run(['hooks', 'diff'])).code === 1;
      for (const early of ['yes\nyes\nyes\n', 'ye']) {
        const { stdout } = await inTerminal('hooks approve', 's,no', early);
        assert.equal(stdout.split('Approve this?').length, 2, stdout);
        assert.ok(stdout.includes('Please type the whole word.'), stdout);
        assert.ok(await waits(), `approved by "${early}"`);
      }
      await inTerminal('hooks approve', 'y,,ok,no');
      assert.ok(await waits(), 'approved by a part of the word');
      await inTerminal('hooks approve', 'y,Yes', 'no\n');
      assert.equal(await waits(), false);
    },
  );

  const TERMINAL_OF_AGENT = 'node --no-warnings -e "$(cat terminal)" "$(cat command)" yes';
  for (const [how, words, said] of [
    [
      'as a child of the host',
      `exec env -i $KEPT ${TERMINAL_OF_AGENT} > said`,
      /Hookline runs this command \(\S+ \(\d+\), which runs its tools, is above it\)/,
    ],
    [
      'without the two marks of pi',
      `env -u AI_AGENT -u PI_CODING_AGENT setsid ${TERMINAL_OF_AGENT} > said & until [ -e over ]; do sleep 0.05; done`,
      /Hookline or pi runs this command \(HOOKLINE_CALL_\w+ is set\)/,
    ],
    [
      'in the background, with an empty environment, while the call runs',
      `(env -i $KEPT setsid ${TERMINAL_OF_AGENT} > said &) ; until [ -e over ]; do sleep 0.05; done`,
      /started while a tool call was running, and its parent has ended/,
    ],
    [
      'with an empty environment, after it killed the host',
      `(env -i $KEPT setsid sh -c 'while kill -0 '$PPID'; do sleep 0.05; done; ${TERMINAL_OF_AGENT} > said; touch over' 2> /dev/null &) ; sleep 0.2; kill -9 $PPID`,
      /started while a tool call was running, and its parent has ended/,
    ],
  ] as const) {
    itOnLinux(`is refused to an agent that starts it ${how}`, async function () {
      place.hook('gate.ts', GATE);
      place.file('work/terminal', `${TERMINAL}\nprocess.on('exit', () => require('fs').writeFileSync('over', ''));`);
      place.file('work/command', JSON.stringify([process.execPath, place.cliPath, 'hooks', 'approve']));
      const kept = `HOME='${place.root}' PATH="$PATH" PI_CODING_AGENT_DIR='${place.agentDir}'`;
      llm.reply(bash(`${OVERWRITE}; ${words.replace('$KEPT', () => kept)}`), { text: 'done' });
      await place.run(['-p', 'go']);
      await until(() => existsSync(join(place.cwd, 'over')), 'the agent has tried');
      const tried = readFileSync(join(place.cwd, 'said'), 'utf8');
      assert.match(tried, said);
      const { stdout } = await place.run(['hooks', 'diff']);
      assert.match(stdout, /A tool changed this hook/);
    });
  }

  itOnLinux(
    'is refused to a person, too, while a call or what it left runs, and names the processes',
    async function () {
      await held();
      llm.reply(bash('(sleep 600 > /dev/null 2>&1 &); touch begun; until [ -e go ]; do sleep 0.05; done'), {
        text: 'done',
      });
      llm.reply({ text: 'more' });
      const first = place.start(['--mode', 'rpc']);
      const over = ended(first);
      first.stdin.write('{"type":"prompt","message":"go"}\n');
      await until(() => existsSync(join(place.cwd, 'begun')), 'the call runs');
      const during = await inTerminal('hooks approve', 'yes');
      assert.match(
        during.stdout,
        /a tool call of an agent, or what it started, is still running: [^.]*\(\d+\), [^.]*bash \(\d+\)/,
      );
      writeFileSync(join(place.cwd, 'go'), '');
      const left = async (): Promise<boolean> => {
        const { stdout } = await inTerminal('hooks reject', 'yes');
        assert.match(stdout, /is still running: /);
        return !stdout.includes('bash (') && stdout.includes('sleep (');
      };
      await until(left, 'only what the call left runs');
      assert.match((await place.run(['hooks', 'diff'])).stdout, /A tool changed this hook/);
      first.kill('SIGKILL');
      await over;
      assert.match((await inTerminal('hooks approve', 'yes')).stdout, /is still running: sleep \(\d+\)\./);
      await place.endLeft();
      await inTerminal('hooks approve', 'yes');
      assert.equal((await place.run(['hooks', 'diff'])).code, 0);
    },
  );

  itOnLinux(
    'puts back a list of the settings that named the gate, and keeps the file that it named instead',
    async function () {
      place.file('work/named.ts', GATE);
      const other = place.file('work/other.ts', OPEN);
      const list = (name: string): string => JSON.stringify({ theme: 'dark', extensions: [`../${name}.ts`] });
      const settings = place.file('work/.pi/settings.json', list('named'));
      llm.reply(bash(`echo '${list('other')}' > .pi/settings.json`), { text: 'done' });
      await place.run(['-p', 'go']);
      const { stdout } = await place.run(['hooks', 'diff']);
      assert.match(stdout, /settings\.json\nA tool, or a program that it left running, may have changed this file;/);
      assert.ok(stdout.includes(`-${list('named')}`) && stdout.includes(`+${list('other')}`), stdout);
      await inTerminal('hooks reject', 'yes');
      assert.deepEqual(JSON.parse(readFileSync(settings, 'utf8')), JSON.parse(list('named')));
      assert.equal(readFileSync(other, 'utf8'), OPEN);
      assert.equal((await place.run(['hooks', 'diff'])).code, 0);
    },
  );

  it('names what it does not know', async () => {
    assert.match((await place.run(['hooks', 'take'])).stderr, /There is no command "hooks take"/);
    assert.match((await place.run(['hooks', 'diff', 'gone.ts'])).stderr, /No hook named gone\.ts waits for approval/);
    assert.match((await place.run(['hooks'])).stdout, /^Usage:/);
  });
});
