import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../src/base/log';
import { ProjectTrust, type TrustDecision, type TrustParts } from '../../src/startup/trust/project-trust';
import { TrustFile } from '../../src/agent/settings/trust-file';
import { hook, hostWith, type InlineHook } from '../support/hook-host';
import { itWith } from '../support/platform';

interface Listening {
  on(event: string, handler: (event: unknown, ctx: Ctx) => unknown): void;
}
interface Ctx {
  readonly cwd: string;
  readonly hasUI: boolean;
  isProjectTrusted(): boolean;
}

let hooks = 0;
const says = (answer: unknown): InlineHook =>
  hook('pi', (pi: Listening) => pi.on('project_trust', () => answer), `/agent/extensions/policy-${++hooks}.ts`);

describe('trust in a folder', () => {
  let root: string;
  let agentDir: string;
  let cwd: string;
  let trustJson: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-trust-')));
    agentDir = join(root, 'agent');
    cwd = join(root, 'up', 'work');
    trustJson = join(agentDir, 'trust.json');
    for (const folder of [agentDir, join(cwd, '.pi', 'extensions')]) mkdirSync(folder, { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  interface Case {
    readonly saved?: Readonly<Record<string, unknown>> | string;
    readonly hooks?: readonly InlineHook[];
    readonly defaultTrust?: 'ask' | 'always' | 'never';
    readonly more?: Partial<TrustParts>;
  }

  async function decided({ saved, hooks = [], defaultTrust = 'ask', more = {} }: Case): Promise<TrustDecision> {
    if (saved !== undefined) writeFileSync(trustJson, typeof saved === 'string' ? saved : JSON.stringify(saved));
    const { host } = await hostWith(hooks);
    const trust = new ProjectTrust({ agentDir, cwd, env: {}, log: silentLog, ...more });
    assert.equal(trust.isTrusted, false, 'nothing counts before it is decided');
    await trust.decide(host.runner, defaultTrust);
    assert.equal(trust.isTrusted, trust.current.trusted);
    return trust.current;
  }

  const at = (trusted: boolean, by: TrustDecision['reason']['by']) => ({ trusted, by });
  const yes = { trusted: 'yes' };
  const no = { trusted: 'no' };
  const editor = (trusts: boolean): Partial<TrustParts> => ({ editorTrusts: () => trusts });

  const table: readonly (readonly [what: string, () => Case, { trusted: boolean; by: string }])[] = [
    ['nobody says anything', () => ({}), at(false, 'nobody')],
    ['--no-approve', () => ({ more: { flag: false }, saved: { [cwd]: true }, hooks: [says(yes)] }), at(false, 'flag')],
    ['--approve', () => ({ more: { flag: true }, saved: { [cwd]: false }, hooks: [says(no)] }), at(true, 'flag')],
    ['a saved no', () => ({ saved: { [cwd]: false } }), at(false, 'file')],
    ['a saved yes', () => ({ saved: { [cwd]: true } }), at(true, 'file')],
    ['a saved no above', () => ({ saved: { [join(root, 'up')]: false } }), at(false, 'file')],
    ['the nearest counts', () => ({ saved: { [root]: false, [join(root, 'up')]: true } }), at(true, 'file')],
    ['null says nothing', () => ({ saved: { [cwd]: null, [root]: false } }), at(false, 'file')],
    ['another folder', () => ({ saved: { [join(root, 'up', 'work-2')]: false } }), at(false, 'nobody')],
    ['never', () => ({ defaultTrust: 'never' as const }), at(false, 'setting')],
    ['never, but saved', () => ({ defaultTrust: 'never' as const, saved: { [cwd]: true } }), at(true, 'file')],
    ['never, but a hook says yes', () => ({ defaultTrust: 'never' as const, hooks: [says(yes)] }), at(true, 'hook')],
    ['always', () => ({ defaultTrust: 'always' as const }), at(true, 'setting')],
    ['always, but saved', () => ({ defaultTrust: 'always' as const, saved: { [cwd]: false } }), at(false, 'file')],
    ['a hook says no', () => ({ hooks: [says(no)], saved: { [cwd]: true } }), at(false, 'hook')],
    ['a hook says yes to a saved no', () => ({ hooks: [says(yes)], saved: { [cwd]: false } }), at(false, 'file')],
    [
      'the first that decides',
      () => ({ hooks: [says({ trusted: 'undecided' }), says(no), says(yes)] }),
      at(false, 'hook'),
    ],
    ['a word that is neither', () => ({ hooks: [says({ trusted: 'perhaps' })] }), at(false, 'hook')],
    ['no answer', () => ({ hooks: [says(undefined), says({})] }), at(false, 'nobody')],
    ['no decision that we know', () => ({ saved: { [cwd]: 7, [root]: true } }), at(false, 'unreadable')],
    ['no decision that we know, above', () => ({ saved: { [root]: { trusted: true } } }), at(false, 'unreadable')],
    ['no decision that we know, elsewhere', () => ({ saved: { x: 7, [cwd]: true } }), at(true, 'file')],
    ['rubbish', () => ({ saved: 'rubbish' }), at(false, 'unreadable')],
    [
      'the editor says no',
      () => ({ more: editor(false), saved: { [cwd]: true }, hooks: [says(yes)] }),
      at(false, 'editor'),
    ],
    ['the editor says yes', () => ({ more: editor(true), defaultTrust: 'never' as const }), at(true, 'editor')],
    ['the editor yes, the file no', () => ({ more: editor(true), saved: { [cwd]: false } }), at(false, 'file')],
    ['the editor yes, a hook no', () => ({ more: editor(true), hooks: [says(no)] }), at(false, 'hook')],
    ['told by the parent', () => ({ more: { env: { HOOKLINE_PROJECT_TRUST: `no:${root}` } } }), at(false, 'parent')],
    [
      'told by the parent, which has another name of the folder',
      () => {
        symlinkSync(join(root, 'up'), join(root, 'link'));
        return { more: { env: { HOOKLINE_PROJECT_TRUST: `no:${join(root, 'link', 'work')}` } } };
      },
      at(false, 'parent'),
    ],
    [
      'told by the parent about the folder of one whose name begins with two dots',
      () => ({ more: { cwd: join(cwd, '..more'), env: { HOOKLINE_PROJECT_TRUST: `no:${cwd}` } } }),
      at(false, 'parent'),
    ],
    [
      'told of another folder',
      () => ({ more: { env: { HOOKLINE_PROJECT_TRUST: `no:${cwd}-2` } } }),
      at(false, 'nobody'),
    ],
    [
      'told yes by the parent',
      () => ({ more: { env: { HOOKLINE_PROJECT_TRUST: `yes:${root}` } } }),
      at(true, 'parent'),
    ],
    [
      'told yes by the parent, a saved no about the same folder',
      () => ({ more: { env: { HOOKLINE_PROJECT_TRUST: `yes:${cwd}` } }, saved: { [cwd]: false, [root]: false } }),
      at(true, 'parent'),
    ],
    [
      'told yes by the parent, a saved no about a folder below its folder',
      () => ({ more: { env: { HOOKLINE_PROJECT_TRUST: `yes:${root}` } }, saved: { [cwd]: false } }),
      at(false, 'file'),
    ],
  ];
  for (const [what, given, expected] of table) {
    const need = what === 'told by the parent, which has another name of the folder' ? 'links' : undefined;
    const itHere = need === undefined ? it : (title: string, test: () => Promise<void>) => itWith(need, title, test);
    itHere(`${what}: ${expected.trusted ? 'trusted' : 'not trusted'}`, async () => {
      const { trusted, reason } = await decided(given());
      assert.deepEqual({ trusted, by: reason.by }, expected);
    });
  }

  it('asks no hook, and no setting counts, where nothing waits for a decision', async () => {
    rmSync(join(cwd, '.pi'), { recursive: true });
    const { trusted, reason } = await decided({ hooks: [says(no)], defaultTrust: 'never' });
    assert.deepEqual({ trusted, by: reason.by }, at(true, 'nothing'));
    assert.equal((await decided({ saved: { [cwd]: false } })).trusted, false, 'what is saved counts all the same');
  });

  it('hands the handler the folder and a ctx, though no conversation is open', async () => {
    const seen: unknown[] = [];
    const asking = hook('pi', (pi: Listening) =>
      pi.on('project_trust', (event, ctx) => {
        seen.push(event, ctx.cwd, ctx.hasUI, ctx.isProjectTrusted());
      }),
    );
    const host = await hostWith([asking], { cwd, isProjectTrusted: () => false });
    host.host.setActive(host.conversation);
    await new ProjectTrust({ agentDir, cwd, env: {}, log: silentLog }).decide(host.runner, 'ask');
    assert.deepEqual(seen.slice(0, 1), [{ type: 'project_trust', cwd }]);
    assert.equal(seen[3], false);
  });

  it('a hook that never answers is named, and the others decide', async () => {
    const hangs: InlineHook = hook('pi', (pi: Listening) => pi.on('project_trust', () => new Promise(() => undefined)));
    const { host, settings, errors } = await hostWith([{ ...hangs, path: '/agent/extensions/hangs.ts' }, says(no)]);
    settings.hookTimeout = 20;
    const trust = new ProjectTrust({ agentDir, cwd, env: {}, log: silentLog });
    await trust.decide(host.runner, 'ask');
    assert.deepEqual({ trusted: trust.isTrusted, by: trust.current.reason.by }, at(false, 'hook'));
    assert.deepEqual(
      errors.map(({ hookPath, event, message, kind }) => [hookPath, event, message, kind]),
      [['/agent/extensions/hangs.ts', 'project_trust', 'Hook timed out after 20ms', 'late']],
    );
  });

  it('a hook that never answers counts as undecided', async () => {
    const hangs = hook('pi', (pi: Listening) => pi.on('project_trust', () => new Promise(() => undefined)));
    const { host, settings } = await hostWith([hangs]);
    settings.hookTimeout = 20;
    const trust = new ProjectTrust({ agentDir, cwd, env: {}, log: silentLog });
    await trust.decide(host.runner, 'ask');
    assert.deepEqual({ trusted: trust.isTrusted, by: trust.current.reason.by }, at(false, 'nobody'));
  });

  for (const part of [
    ...['settings.json', 'mcp.json', 'extensions', 'hooks', 'rules', 'skills', 'prompts', 'commands', 'themes'],
    ...['SYSTEM.md', 'APPEND_SYSTEM.md', '../.omp/hooks', '../.omp/rules', '../.claude/hooks', '../.claude/skills'],
    ...['../.agents/skills', '../../.agents/skills', '../named.ts'],
  ]) {
    it(`a folder that had nothing is not trusted any more once it has ${part}`, async () => {
      rmSync(join(cwd, '.pi'), { recursive: true });
      const trust = new ProjectTrust({ agentDir, cwd, env: {}, log: silentLog, named: () => ['named.ts'] });
      await trust.decide(undefined, 'ask');
      assert.equal(trust.isTrusted, true);
      mkdirSync(join(cwd, '.pi', part), { recursive: true });
      assert.deepEqual({ ...trust.current }, { trusted: false, reason: { by: 'nobody' } });
      assert.deepEqual(trust.protectedParts, [join('.pi', part)]);
    });
  }

  it('is told to processes that are started for the folder, unless nobody has decided', async () => {
    const env: NodeJS.ProcessEnv = {};
    const variablesWith = async (more: Partial<TrustParts>): Promise<unknown> => {
      const trust = new ProjectTrust({ agentDir, cwd, env, log: silentLog, ...more });
      await trust.decide(undefined, 'ask');
      return trust.variables;
    };
    assert.deepEqual(await variablesWith({}), {});
    assert.deepEqual(await variablesWith({ flag: false }), { HOOKLINE_PROJECT_TRUST: `no:${cwd}` });
    assert.deepEqual(await variablesWith({ flag: true }), { HOOKLINE_PROJECT_TRUST: `yes:${cwd}` });
    assert.deepEqual(env, {}, 'nobody else is told');
  });

  it('writes trust.json only when a hook says so, and keeps what is there', async () => {
    await decided({ hooks: [says(no)] });
    assert.equal(existsSync(trustJson), false);
    const others = { '/other': true, '/z': null, '/newer': { trusted: true, since: 1 }, version: 2 };
    await decided({ saved: others, hooks: [says({ trusted: 'no', remember: true })] });
    assert.equal(
      readFileSync(trustJson, 'utf8'),
      `${JSON.stringify(Object.fromEntries(Object.entries({ ...others, [cwd]: false }).sort()), null, 2)}\n`,
    );
    assert.equal(existsSync(`${trustJson}.lock`), false);
  });

  itWith('links', 'is saved and found by the path without links', async () => {
    const link = join(root, 'link');
    symlinkSync(cwd, link);
    const file = new TrustFile(agentDir);
    await file.save(link, true);
    assert.deepEqual(JSON.parse(readFileSync(trustJson, 'utf8')), { [cwd]: true });
    assert.deepEqual(await file.nearest(join(link, 'deep')), undefined, 'a folder that is not there has no other name');
    mkdirSync(join(cwd, 'deep'));
    assert.deepEqual(await file.nearest(join(link, 'deep')), { trusted: true, folder: cwd });
  });
});
