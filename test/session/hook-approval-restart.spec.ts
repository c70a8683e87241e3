import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Rig, until, type RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';
import { itOnLinux } from '../support/platform';

const GATE = `export default function (pi) {
  pi.on("tool_call", async e => (e.toolName === "bash" && e.input.command === "touch ran" ? { block: true, reason: "no" } : undefined));
}\n`;
const OPEN = 'export default () => {};\n';
const IMPORTING = 'import { rule } from "./lib/rule";\nexport default pi => { pi.on("tool_call", rule); };\n';
const RULE = 'export const rule = e => (e.input.command === "touch ran" ? { block: true } : undefined);\n';
const NO_RULE = 'export const rule = () => undefined;\n';
const FORBIDDEN: Script = { calls: [{ id: 'forbidden', name: 'bash', args: { command: 'touch ran' } }] };
const DONE: Script = { text: 'done' };

const call = (name: string, args: Readonly<Record<string, unknown>>): Script => ({
  calls: [{ id: 'tampers', name, args }],
});
const bash = (command: string): Script => call('bash', { command });
const write = (path: string, content: string): Script => call('write', { path, content });
const edit = (path: string, oldText: string, newText: string): Script => call('edit', { path, oldText, newText });

type Gate = 'plain' | 'importing' | 'linked' | 'extension' | 'global' | Indirect;
/** How a gate asks for its rule other than by a path. */
type Indirect =
  'named' | 'far named' | 'self-named' | 'main' | 'computed' | 'computed later' | 'package' | 'linked package';

const asking = (specifier: string): string =>
  `import { rule } from "${specifier}";\nexport default pi => { pi.on("tool_call", rule); };\n`;
const NAMES = '{"name":"gates","imports":{"#policy":"./lib/rule.ts"},"exports":{"./policy":"./lib/rule.ts"}}';
const NAMES_OPEN = NAMES.replaceAll('rule.ts', 'open.ts');

/** One way to get rid of a gate, or to get a hook of its own to run. */
interface Way {
  readonly how: string;
  readonly step: Script;
  /** How the hooks stand after it, over any number of starts. */
  readonly states: readonly string[];
  readonly gate?: Gate;
  /** Where `bash` is not what writes: nothing of a shell is needed. */
  readonly posix?: true;
  /** What is left there cannot be loaded: it is not approved here. */
  readonly broken?: true;
  /** What was there before is not known, or what now leads elsewhere may be older: a person puts it back. */
  readonly unmended?: true;
}

const CHANGED = ['waiting changed'];
const VANISHED = ['waiting vanished'];
const GATE_FILE = '.pi/hooks/gate.ts';
const RULE_FILE = '.pi/hooks/lib/rule.ts';

const WAYS: readonly Way[] = [
  { how: 'writes over it', step: write(GATE_FILE, OPEN), states: CHANGED },
  { how: 'empties it', broken: true, step: write(GATE_FILE, ''), states: CHANGED },
  { how: 'breaks it', broken: true, step: write(GATE_FILE, 'export default () => {'), states: CHANGED },
  { how: 'edits it', step: edit(GATE_FILE, 'touch ran', 'touch other'), states: CHANGED },
  {
    how: 'edits it with sed',
    step: bash(`sed -i 's/touch ran/touch other/' ${GATE_FILE}`),
    states: CHANGED,
    posix: true,
  },
  { how: 'overwrites it in a shell', step: bash(`echo 'export default () => {}' > ${GATE_FILE}`), states: CHANGED },
  { how: 'appends to it', step: bash(`echo 'export const more = 1;' >> ${GATE_FILE}`), states: CHANGED },
  {
    how: 'moves another file over it',
    step: bash(`echo 'export default () => {}' > x; mv x ${GATE_FILE}`),
    states: CHANGED,
    posix: true,
  },
  { how: 'removes it', step: bash(`rm ${GATE_FILE}`), states: VANISHED },
  { how: 'removes its folder', step: bash('rm -r .pi/hooks'), states: VANISHED },
  { how: 'removes all of .pi', step: bash('rm -r .pi'), states: VANISHED },
  { how: 'renames it', step: bash(`mv ${GATE_FILE} .pi/hooks/gate.txt`), states: VANISHED },
  {
    how: 'renames it to another hook',
    step: bash(`mv ${GATE_FILE} .pi/hooks/other.ts`),
    states: ['waiting vanished', 'waiting appeared'],
  },
  { how: 'renames its folder', step: bash('mv .pi/hooks .pi/other'), states: VANISHED },
  { how: 'turns it into a folder', step: bash(`rm ${GATE_FILE}; mkdir ${GATE_FILE}`), states: VANISHED },
  {
    how: 'turns it into a pipe',
    step: bash(`rm ${GATE_FILE}; mkfifo ${GATE_FILE}`),
    states: CHANGED,
    broken: true,
    posix: true,
  },
  {
    how: 'turns it into a link to nothing',
    step: bash(`rm ${GATE_FILE}; ln -s nowhere ${GATE_FILE}`),
    states: VANISHED,
    posix: true,
  },
  {
    how: 'turns it into a link to an open one',
    step: bash(`echo 'export default () => {}' > open.ts; ln -sf ../../open.ts ${GATE_FILE}`),
    states: ['waiting vanished', 'waiting appeared'],
    posix: true,
  },
  {
    how: 'turns it into a link to a device',
    step: bash(`ln -sf /dev/null ${GATE_FILE}`),
    states: ['waiting vanished', 'waiting appeared'],
    posix: true,
  },
  {
    how: 'empties it and makes it read-only',
    broken: true,
    step: bash(`echo > ${GATE_FILE}; chmod 444 ${GATE_FILE}`),
    states: CHANGED,
    posix: true,
  },
  {
    how: 'makes it unreadable',
    broken: true,
    step: bash(`echo > ${GATE_FILE}; chmod 000 ${GATE_FILE}`),
    states: CHANGED,
    posix: true,
  },
  {
    how: 'changes what the link to it means',
    gate: 'linked',
    step: bash(`echo 'export default () => {}' > open.ts; ln -sf ../../open.ts ${GATE_FILE}`),
    states: ['waiting vanished', 'waiting appeared'],
    posix: true,
  },
  {
    how: 'changes the file behind the link to it',
    gate: 'linked',
    step: write('shared/gate.ts', OPEN),
    states: CHANGED,
    posix: true,
  },
  { how: 'removes the link to it', gate: 'linked', step: bash(`rm ${GATE_FILE}`), states: VANISHED, posix: true },
  { how: 'writes over what it imports', gate: 'importing', step: write(RULE_FILE, NO_RULE), states: CHANGED },
  { how: 'removes what it imports', broken: true, gate: 'importing', step: bash(`rm ${RULE_FILE}`), states: CHANGED },
  {
    how: 'turns what it imports into a pipe',
    broken: true,
    gate: 'importing',
    step: bash(`rm ${RULE_FILE}; mkfifo ${RULE_FILE}`),
    states: CHANGED,
    posix: true,
  },
  {
    how: 'turns what it imports into a link',
    gate: 'importing',
    step: bash(`echo '${NO_RULE.trim()}' > r.ts; ln -sf ../../../r.ts ${RULE_FILE}`),
    states: CHANGED,
    posix: true,
  },
  {
    how: 'plants a file that its import finds first',
    gate: 'importing',
    step: write('.pi/hooks/lib/rule.js', NO_RULE),
    states: CHANGED,
  },
  {
    how: 'writes over an extension',
    gate: 'extension',
    step: write('.pi/extensions/gate/main.ts', OPEN),
    states: CHANGED,
  },
  {
    how: 'names another file in its manifest',
    gate: 'extension',
    step: write('.pi/extensions/gate/package.json', '{"pi":{"extensions":["./open.ts"]}}'),
    states: ['waiting vanished', 'waiting appeared'],
    unmended: true,
  },
  {
    how: 'writes over one of the agent folder',
    gate: 'global',
    step: bash(`echo 'export default () => {}' > ../home/.pi/agent/hooks/gate.ts`),
    states: CHANGED,
  },
  {
    how: 'removes one of the agent folder',
    gate: 'global',
    step: bash('rm ../home/.pi/agent/hooks/gate.ts'),
    states: VANISHED,
  },
  { how: 'writes over what it imports as #policy', gate: 'named', step: write(RULE_FILE, NO_RULE), states: CHANGED },
  {
    how: 'lets #policy name another file',
    gate: 'named',
    step: write('.pi/hooks/package.json', NAMES_OPEN),
    states: CHANGED,
  },
  {
    how: 'removes what names #policy',
    gate: 'named',
    broken: true,
    step: bash('rm .pi/hooks/package.json'),
    states: CHANGED,
  },
  {
    how: 'plants a nearer package.json with a #policy',
    gate: 'far named',
    unmended: true,
    step: write('.pi/hooks/package.json', NAMES_OPEN),
    states: CHANGED,
  },
  {
    how: 'writes over what it imports by the name of its own package',
    gate: 'self-named',
    step: write(RULE_FILE, NO_RULE),
    states: CHANGED,
  },
  {
    how: 'lets the name of its own package lead to another file',
    gate: 'self-named',
    step: write('.pi/hooks/package.json', NAMES_OPEN),
    states: CHANGED,
  },
  { how: 'writes over the main file of a folder', gate: 'main', step: write(RULE_FILE, NO_RULE), states: CHANGED },
  {
    how: 'names another main file',
    gate: 'main',
    step: write('.pi/hooks/lib/package.json', '{"main":"./open.ts"}'),
    states: CHANGED,
  },
  {
    how: 'plants an index beside the main file',
    gate: 'main',
    step: write('.pi/hooks/lib/index.ts', NO_RULE),
    states: CHANGED,
  },
  { how: 'writes over what a handler computed', gate: 'computed', step: write(RULE_FILE, NO_RULE), states: CHANGED },
  {
    how: 'writes over what a handler will compute',
    gate: 'computed later',
    unmended: true,
    step: write(RULE_FILE, NO_RULE),
    states: CHANGED,
  },
  {
    how: 'writes over a package that it imports',
    gate: 'package',
    step: write('.pi/hooks/node_modules/policy/index.js', NO_RULE),
    states: CHANGED,
  },
  {
    how: 'writes over what a package requires',
    gate: 'package',
    step: write('.pi/hooks/node_modules/inner/a.js', NO_RULE),
    states: CHANGED,
  },
  {
    how: 'names another file in the manifest of a package',
    gate: 'package',
    step: write('.pi/hooks/node_modules/policy/package.json', '{"type":"module","exports":"./other.js"}'),
    states: CHANGED,
  },
  {
    how: 'writes over a linked package',
    gate: 'linked package',
    posix: true,
    step: write('shared/index.ts', NO_RULE),
    states: CHANGED,
  },
  { how: 'plants a hook beside it', step: write('.pi/hooks/planted.ts', OPEN), states: ['live', 'waiting appeared'] },
  {
    how: 'plants a hook in a shell',
    step: bash('cp .pi/hooks/gate.ts .pi/hooks/copy.ts'),
    states: ['waiting appeared', 'live'],
  },
  { how: 'plants an extension', step: write('.pi/extensions/planted.ts', OPEN), states: ['live', 'waiting appeared'] },
];

const LIB = { 'lib/rule.ts': RULE, 'lib/open.ts': NO_RULE };
const COMPUTED = '(await import(["./lib", "rule.ts"].join("/"))).rule(e)';

const WHOLE: Readonly<Record<Gate, RigOptions>> = {
  named: { hooks: { 'gate.ts': asking('#policy'), 'package.json': NAMES, ...LIB } },
  'far named': {
    hooks: { 'gate.ts': asking('#policy'), ...LIB },
    files: { 'package.json': NAMES.replaceAll('./lib', './.pi/hooks/lib') },
  },
  'self-named': { hooks: { 'gate.ts': asking('gates/policy'), 'package.json': NAMES, ...LIB } },
  main: { hooks: { 'gate.ts': asking('./lib'), 'lib/package.json': '{"main":"./rule.ts"}', ...LIB } },
  computed: {
    hooks: { 'gate.ts': `export default pi => { pi.on("tool_call", async e => ${COMPUTED}); };\n`, ...LIB },
  },
  'computed later': {
    hooks: {
      'gate.ts': `export default pi => {
        pi.on("tool_call", async e => (e.toolName === "bash" ? ${COMPUTED} : undefined));
      };\n`,
      ...LIB,
    },
  },
  package: {
    hooks: {
      'gate.ts': asking('policy'),
      'node_modules/policy/package.json': '{"type":"module","exports":"./index.js"}',
      'node_modules/policy/index.js': 'export { rule } from "inner";',
      'node_modules/policy/other.js': NO_RULE,
      'node_modules/inner/package.json': '{"type":"module","main":"a.js"}',
      'node_modules/inner/a.js': RULE,
    },
  },
  'linked package': { files: { 'shared/index.ts': RULE, 'shared/package.json': '{"exports":"./index.ts"}' } },
  plain: { hooks: { 'gate.ts': GATE } },
  importing: { hooks: { 'gate.ts': IMPORTING, 'lib/rule.ts': RULE } },
  linked: { files: { 'shared/gate.ts': GATE } },
  extension: {
    extensions: {
      'gate/package.json': '{"pi":{"extensions":["./main.ts"]}}',
      'gate/main.ts': GATE,
      'gate/open.ts': OPEN,
    },
  },
  global: { globalHooks: { 'gate.ts': GATE } },
};

describe('what the agent does to hooks, after a restart', function () {
  this.timeout(60_000);
  let rig: Rig;
  let root = '';
  const states = (): string[] =>
    rig.host.infos().map(({ state }) => (state.type === 'waiting' ? `${state.type} ${state.change}` : state.type));
  const ran = (): boolean => existsSync(join(rig.cwd, 'ran'));

  /** A first start, at which the gate is approved. */
  const begin = async (script: readonly Script[], options: RigOptions): Promise<void> => {
    rig = await Rig.open(script, options);
    ({ root } = rig);
  };
  /** With what needs a link that no file of the rig can be. */
  const linked = async (script: readonly Script[], gate: 'linked' | 'linked package'): Promise<void> => {
    await begin([], WHOLE[gate]);
    mkdirSync(join(rig.cwd, '.pi', 'hooks', 'node_modules'), { recursive: true });
    if (gate === 'linked') symlinkSync('../../shared/gate.ts', join(rig.cwd, GATE_FILE));
    else {
      symlinkSync('../../../shared', join(rig.cwd, '.pi/hooks/node_modules/policy'));
      writeFileSync(join(rig.cwd, GATE_FILE), asking('policy'));
    }
    await again(script);
  };
  const open = async (script: readonly Script[], gate: Gate): Promise<void> => {
    if (gate === 'linked' || gate === 'linked package') await linked(script, gate);
    else await begin(script, WHOLE[gate]);
  };
  const again = async (script: readonly Script[], options: RigOptions = {}): Promise<void> => {
    await rig.close(true);
    rig = await Rig.open(script, { root, ...options });
  };
  afterEach(async () => {
    await rig.close();
  });

  for (const { how, step, gate = 'plain', states: expected, posix, broken } of WAYS) {
    it(`holds the gate when it ${how}: in the same process, after a restart, and after another`, async function () {
      if (posix === true && process.platform === 'win32') this.skip();
      const script = [step, FORBIDDEN, DONE];
      await open(script, gate);
      await rig.chat.submit('go');
      assert.equal(ran(), false, 'in the same process');
      for (const start of ['first', 'second', 'third']) {
        // Without the approved package the gate cannot run, and then nobody is there to be asked.
        await again([FORBIDDEN, DONE], gate === 'package' ? { hasUI: false } : {});
        assert.deepEqual(states(), expected, `${start} start`);
        await rig.chat.submit('go');
        assert.equal(ran(), false, `${start} start`);
      }
      if (broken === true) return;
      await rig.host.approve();
      assert.ok(!states().some(state => state.startsWith('waiting')));
      const approved = states();
      await again([]);
      assert.deepEqual(states(), approved, 'what is approved stays so');
    });
  }

  for (const { how, step, gate = 'plain', posix } of WAYS.filter(({ unmended }) => unmended !== true)) {
    it(`puts the gate back where the person rejects that it ${how}`, async function () {
      if (posix === true && process.platform === 'win32') this.skip();
      const script = [step, DONE];
      await open(script, gate);
      const paths = (): string[] => rig.host.infos().map(({ path }) => path);
      const approved = paths();
      await rig.chat.submit('go');
      await again([FORBIDDEN, DONE]);
      const waiting = rig.host.infos().filter(({ state }) => state.type === 'waiting');
      assert.notEqual(waiting.length, 0);
      for (const { path } of waiting) await rig.host.reject(path);
      assert.deepEqual([paths(), states()], [approved, approved.map(() => 'live')]);
      for (const path of approved) assert.equal(statSync(path).mode & 0o600, 0o600, 'the person may change it');
      await again([FORBIDDEN, DONE]);
      assert.deepEqual([paths(), states()], [approved, approved.map(() => 'live')], 'after a restart');
      assert.deepEqual(rig.host.differences, []);
      await rig.chat.submit('go');
      assert.equal(ran(), false);
    });
  }

  it('deletes nothing where the person rejects what a manifest names, and says where to put it back', async () => {
    const manifest = '.pi/extensions/gate/package.json';
    await begin([write(manifest, '{"pi":{"extensions":["./open.ts"]}}'), DONE, FORBIDDEN, DONE], WHOLE.extension);
    await rig.chat.submit('go');
    await rig.host.reload();
    const [gate, open] = ['main.ts', 'open.ts'].map(name => join(rig.cwd, '.pi/extensions/gate', name));
    assert.ok(gate !== undefined && open !== undefined);
    await assert.rejects(
      rig.host.reject(open),
      /package\.json names .*open\.ts as an extension\..* no file was deleted/,
    );
    await assert.rejects(rig.host.reject(gate), /main\.ts is as you approved it, but nothing loads it anymore/);
    assert.equal(existsSync(open), true);
    assert.deepEqual(states(), ['waiting vanished', 'waiting appeared']);
    await rig.chat.submit('again');
    assert.equal(ran(), false);
    writeFileSync(join(rig.cwd, manifest), '{"pi":{"extensions":["./main.ts"]}}');
    await rig.host.reload();
    assert.deepEqual(states(), ['live']);
  });

  it('starts, and the gate goes on, where its import finds a link to itself first', async function () {
    if (process.platform === 'win32') this.skip();
    await begin([bash('ln -s rule .pi/hooks/lib/rule'), FORBIDDEN, DONE], WHOLE.importing);
    await rig.chat.submit('go');
    for (const start of ['same process', 'restart']) {
      if (start === 'restart') await again([FORBIDDEN, DONE]);
      await rig.host.reload();
      assert.deepEqual([states(), ran()], [['live'], false], start);
    }
    await rig.chat.submit('go');
    assert.equal(ran(), false);
  });

  it('shows what runs and what waits, as in the same process', async () => {
    await begin([write(RULE_FILE, NO_RULE), DONE], WHOLE.importing);
    await rig.chat.submit('go');
    await again([]);
    const gate = realpathSync(join(rig.cwd, GATE_FILE));
    assert.deepEqual(rig.host.heldSources(gate), [{ path: realpathSync(join(rig.cwd, RULE_FILE)), running: RULE }]);
  });

  it('counts at once when a person did it in another editor, or with git, and is named', async () => {
    await begin([], { hooks: { 'gate.ts': GATE, 'gone.ts': OPEN } });
    assert.deepEqual(rig.host.differences, []);
    await rig.close(true);
    writeFileSync(join(rig.cwd, GATE_FILE), OPEN);
    rmSync(join(rig.cwd, '.pi', 'hooks', 'gone.ts'));
    writeFileSync(join(rig.cwd, '.pi', 'hooks', 'new.ts'), OPEN);
    rig = await Rig.open([FORBIDDEN, DONE], { root });
    assert.deepEqual(states(), ['live', 'live']);
    const named = rig.host.differences.map(({ path, change }) => `${path.split('/').at(-1) ?? ''} ${change}`);
    assert.deepEqual(named.sort(), ['gate.ts changed', 'gone.ts vanished', 'new.ts appeared']);
    await rig.chat.submit('go');
    assert.equal(ran(), true);
    await again([]);
    assert.deepEqual(rig.host.differences, [], 'once');
  });

  it('is over when it is undone, when it is saved in the editor, and for just the text that was approved', async () => {
    await begin([write(GATE_FILE, OPEN), DONE], WHOLE.plain);
    await rig.chat.submit('go');
    const gate = join(rig.cwd, GATE_FILE);
    await again([]);
    assert.deepEqual(states(), CHANGED);
    const approving = rig.host.approve();
    writeFileSync(gate, `${OPEN}// other\n`);
    await approving;
    assert.deepEqual(states(), CHANGED, 'what was approved was another text');
    writeFileSync(gate, GATE);
    await rig.host.reload();
    assert.deepEqual(states(), ['live']);
    await again([write(GATE_FILE, OPEN), DONE]);
    assert.deepEqual(states(), ['live']);
    await rig.chat.submit('go');
    await rig.host.reload();
    assert.deepEqual(states(), CHANGED);
    rig.host.savedInEditor(gate);
    await rig.host.reload();
    assert.deepEqual(states(), ['live']);
    await again([]);
    assert.deepEqual([states(), rig.host.differences], [['live'], []]);
  });

  it('is all that waits, until the person wants to see every change that was not saved in the editor', async () => {
    const files = { 'gate.ts': GATE, 'gone.ts': OPEN };
    await begin([], { hooks: files, approveChanges: 'all' });
    assert.deepEqual(states(), ['live', 'live'], 'the first use approves what is there');
    const gate = join(rig.cwd, GATE_FILE);
    const write = (): void => {
      writeFileSync(gate, OPEN);
      rmSync(join(rig.cwd, '.pi', 'hooks', 'gone.ts'), { force: true });
      writeFileSync(join(rig.cwd, '.pi', 'hooks', 'new.ts'), OPEN);
    };
    const held = ['waiting changed', 'waiting vanished', 'waiting appeared'];
    const isNotSaved = (): boolean[] =>
      rig.host.infos().map(({ state }) => state.type === 'waiting' && state.notSaved === true);
    write();
    await rig.host.reload();
    assert.deepEqual([states(), isNotSaved()], [held, [true, true, true]]);
    // The command line, which has no such setting, goes by what the window said last.
    await again([FORBIDDEN, DONE]);
    assert.deepEqual([states(), isNotSaved(), rig.host.differences], [held, [true, true, true], []]);
    await rig.chat.submit('go');
    assert.equal(ran(), false);
    rig.host.savedInEditor(gate);
    await rig.host.reload();
    assert.deepEqual(states(), ['live', 'waiting vanished', 'waiting appeared']);
    await rig.host.approve();
    assert.deepEqual(states(), ['live', 'live']);
    await again([]);
    assert.deepEqual(states(), ['live', 'live']);
  });

  for (const [mode, expected] of [
    ['all', CHANGED],
    ['agent', ['live']],
  ] as const) {
    it(`with "${mode}": what a git hook that it planted does when the person commits`, async () => {
      const planted = `mkdir -p .git/hooks; printf '#!/bin/sh\\necho "export default () => {}" > ${GATE_FILE}\\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit`;
      await begin([bash(planted), DONE], { hooks: { 'gate.ts': GATE }, approveChanges: mode });
      const git = (...args: string[]): void => {
        const who = ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid'];
        execFileSync('git', [...who, ...args], { cwd: rig.cwd, stdio: 'ignore' });
      };
      git('init', '-q');
      await rig.chat.submit('go');
      await until(() => !rig.host.isGuarding || undefined, 'the call is over');
      git('commit', '--allow-empty', '-qm', 'a commit');
      assert.equal(readFileSync(join(rig.cwd, GATE_FILE), 'utf8'), OPEN.replace(';', ''));
      await rig.host.reload();
      assert.deepEqual(states(), expected, 'in the same process');
      await again([]);
      assert.deepEqual(states(), expected, 'after a restart');
    });
  }

  for (const [how, prefix] of [
    ['in the background', ''],
    ['with nohup', 'nohup '],
    ['in a session of its own', 'setsid '],
    ['without the environment that it got', 'env -i PATH="$PATH" '],
  ] as const) {
    itOnLinux(`holds what a process does ${how} after the restart of the window that started it`, async () => {
      const line = `until [ -e over ]; do sleep 0.05; done; echo 'export default () => {}' > ${GATE_FILE}`;
      await begin([bash(`${prefix}sh -c "${line}" > /dev/null 2>&1 &`), DONE], WHOLE.plain);
      await rig.chat.submit('go');
      await again([FORBIDDEN, DONE]);
      assert.deepEqual([states(), rig.host.isGuarding], [['live'], true]);
      writeFileSync(join(rig.cwd, 'over'), '');
      await until(() => readFileSync(join(rig.cwd, GATE_FILE), 'utf8') !== GATE || undefined, 'it is done');
      await rig.host.reload();
      assert.deepEqual(states(), CHANGED);
      await until(() => !rig.host.isGuarding || undefined, 'nothing runs any more');
      await again([FORBIDDEN, DONE]);
      assert.deepEqual([states(), rig.host.isGuarding], [CHANGED, false]);
      await rig.chat.submit('go');
      assert.equal(ran(), false);
    });
  }
});
