import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { demoModel } from '../../src/demo-model/demo-model';
import { ModelRegistry } from '../../src/agent/models/registry';
import { noKeys } from '../../src/agent/models/keys/api-key-source';
import { silentLog } from '../../src/base/log';
import { resourceCommands } from '../../src/session/prompts/resource-commands';
import type { HookHost } from '../../src/hook-run/host/host';
import { Packages } from '../../src/packages/packages';
import { createHookHost } from '../../src/startup/hook-setup';
import { LiveResources } from '../../src/startup/resources';
import { LiveSettings } from '../../src/startup/live-settings';
import { ROOT } from '../../scripts/support/paths.ts';
import { PackageBox } from '../packages/support';

const SKILL = '---\nname: s\ndescription: x\n---\nDo it.\n';
const command = (name: string, more = ''): string =>
  `${more}\nexport default (pi) => pi.registerCommand('${name}', { handler: () => undefined });\n`;

interface Opened {
  readonly host: HookHost;
  readonly resources: LiveResources;
  readonly packages: Packages;
  readonly settings: LiveSettings;
  readonly warnings: readonly string[];
}

describe('packages in use', function () {
  this.timeout(30_000);
  let box: PackageBox;
  let closing: (() => Promise<void> | void)[] = [];
  beforeEach(() => (box = new PackageBox()));
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    closing = [];
    box.remove();
  });

  async function open(
    options: { readonly search?: boolean; readonly flags?: readonly string[] } = {},
  ): Promise<Opened> {
    const { agentDir, cwd, home } = box;
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
    const place = { agentDir, cwd, includeProject: () => box.trusted };
    const settings = await LiveSettings.open(place, {
      value: { model: undefined, thinkingLevel: undefined },
      problems: [],
    });
    const packages = new Packages({ place, settings, temporary: options.flags ?? [], home });
    const { host, dependencies } = createHookHost({
      mode: 'print',
      place,
      code: {
        distDir: join(ROOT, 'dist'),
        jitiDir: join(ROOT, 'node_modules/jiti/dist'),
        storageDir: join(box.root, 'storage'),
        stateDir: join(box.root, 'storage'),
        version: '0.0.0',
      },
      settings,
      models: new ModelRegistry({ agentDir, embedded: demoModel(), keys: noKeys }),
      packages,
      hookOptions: () => ({ paths: [], dialects: {}, disabled: [], confirmWithoutGates: true }),
      flagValue: () => undefined,
      ...(options.search === undefined ? {} : { search: options.search }),
      log,
    });
    closing.push(
      () => dependencies.dispose(),
      () => host.dispose(),
    );
    await host.reload();
    const { search = true } = options;
    const named = { skills: { paths: [], search }, prompts: { paths: [], search } };
    const resources = await LiveResources.open({ place, settings, packages, hooks: host.runner, named, log, home });
    closing.push(() => resources.dispose());
    return { host, resources, packages, settings, warnings };
  }

  const states = ({ host }: Opened): readonly string[] =>
    host.infos().map(({ path, state }) => `${state.type} ${path.slice(box.root.length + 1)}`);

  it('their extensions run behind all others, and say where they come from', async () => {
    box.write({
      'home/.pi/agent/extensions/own.ts': command('own'),
      'home/.pi/agent/npm/node_modules/n/package.json': { name: 'n', version: '2.0.0' },
      'home/.pi/agent/npm/node_modules/n/CHANGELOG.md': '## 2.0.0\n',
      'home/.pi/agent/npm/node_modules/n/extensions/x.ts': command('x'),
      'work/.pi/git/h.org/o/r/extensions/y.ts': command('y'),
      'work/tools/one.ts': command('one'),
      'home/.pi/agent/tmp/extensions/npm/f35b2129/node_modules/t/extensions/z.ts': command('z'),
    });
    box.declare(['npm:n@2.0.0'], ['git:h.org/o/r@v1', '../tools/one.ts']);
    const opened = await open({ flags: ['npm:t'] });
    const npm = join(box.agentDir, 'npm/node_modules/n');
    assert.deepEqual(
      opened.host
        .infos()
        .flatMap(info => info.commands)
        .map(({ name, sourceInfo }) => [
          name,
          Object.fromEntries(Object.entries(sourceInfo).filter(([key]) => key !== 'path')),
        ]),
      [
        ['own', { source: 'auto', scope: 'user', origin: 'top-level', baseDir: box.agentDir }],
        [
          'y',
          {
            source: 'git:h.org/o/r@v1',
            scope: 'project',
            origin: 'package',
            baseDir: join(box.cwd, '.pi/git/h.org/o/r'),
          },
        ],
        ['one', { source: '../tools/one.ts', scope: 'project', origin: 'package', baseDir: join(box.cwd, 'tools') }],
        [
          'x',
          {
            ...{ source: 'npm:n@2.0.0', scope: 'user', origin: 'package', baseDir: npm },
            changelogPath: join(npm, 'CHANGELOG.md'),
          },
        ],
        ['z', { source: 'cli', scope: 'temporary', origin: 'top-level' }],
      ],
    );
    const [, , , info] = opened.host.infos();
    assert.equal(`${info?.package?.name} ${info?.package?.version} ${info?.origin}`, 'n 2.0.0 package');
  });

  it('their skills and prompts are offered behind those of the person; their themes are named as not used', async () => {
    box.write({
      'home/.pi/agent/prompts/p.md': 'Mine.',
      'home/.pi/agent/mine/prompts/p.md': 'Theirs.',
      'home/.pi/agent/mine/prompts/deep/q.md': 'Deep.',
      'home/.pi/agent/mine/skills/s/SKILL.md': SKILL,
      'home/.pi/agent/mine/themes/red.json': '{}',
    });
    box.declare(['./mine']);
    const { resources, warnings } = await open();
    const told = resourceCommands(resources.current).map(({ name, location, sourceInfo }) => [
      ...[name, location, sourceInfo.source, sourceInfo.origin],
    ]);
    assert.deepEqual(told, [
      ['p', 'user', 'auto', 'top-level'],
      ['q', 'user', './mine', 'package'],
      ['skill:s', 'user', './mine', 'package'],
    ]);
    assert.deepEqual(
      resources.current.problems.map(({ message }) => message),
      [`/p is not used: ${join(box.agentDir, 'prompts/p.md')} has the same name.`],
    );
    await resources.refresh();
    assert.deepEqual(warnings, [
      `Themes of packages are not used, because VS Code sets the colors: ${join(box.agentDir, 'mine/themes/red.json')}`,
    ]);
  });

  it('each has modules of its own: its dependencies come from its own node_modules, ours stand in for those of pi', async () => {
    const uses = `import { which } from 'dep'; import { Type } from 'typebox'; import { isToolCallEventType } from '@earendil-works/pi-coding-agent';
      import { helper } from '../lib/helper.js';
      if (typeof Type.Object !== 'function' || typeof isToolCallEventType !== 'function') throw new Error('a peer is missing');
      export default (pi) => pi.registerCommand(which + helper, { handler: () => undefined });`;
    for (const name of ['a', 'b']) {
      const folder = `home/.pi/agent/npm/node_modules/${name}`;
      box.write({
        [`${folder}/package.json`]: {
          name,
          pi: { extensions: ['src/index.ts'] },
          dependencies: { dep: '*', typebox: '*' },
        },
        [`${folder}/src/index.ts`]: uses,
        [`${folder}/lib/helper.ts`]: `export const helper: string = '-helper';`,
        [`${folder}/node_modules/dep/package.json`]: { name: 'dep', main: 'index.js' },
        [`${folder}/node_modules/dep/index.js`]: `exports.which = 'dep-of-${name}';`,
        // A copy of what is shipped is passed over: there is one of each.
        [`${folder}/node_modules/typebox/package.json`]: { name: 'typebox', main: 'index.js' },
        [`${folder}/node_modules/typebox/index.js`]: `exports.Type = {};`,
      });
    }
    box.declare(['npm:a', 'npm:b']);
    const { host } = await open();
    assert.deepEqual(
      host.infos().map(({ state }) => ('problems' in state ? state.problems[0]?.message : state.type)),
      ['live', 'live'],
    );
    assert.deepEqual(
      host
        .infos()
        .flatMap(info => info.commands)
        .map(({ name }) => name),
      ['dep-of-a-helper', 'dep-of-b-helper'],
    );
  });

  it('one that throws at start is told with its file and line, and the others run', async () => {
    box.write({
      'home/.pi/agent/npm/node_modules/bad/extensions/x.ts': `export default () => {\n  throw new Error('no');\n};\n`,
      'home/.pi/agent/npm/node_modules/good/extensions/y.ts': command('y'),
    });
    box.declare(['npm:bad', 'npm:good']);
    const { host } = await open();
    const [bad, good] = host.infos();
    assert.ok(bad?.state.type === 'failed');
    const [problem] = bad.state.problems;
    assert.deepEqual([problem?.file, problem?.line], [join(box.agentDir, 'npm/node_modules/bad/extensions/x.ts'), 2]);
    assert.equal(good?.state.type, 'live');
  });

  for (const found of ['globalThis.fetch', 'fetch']) {
    it(`one that wraps ${found} sees the requests of everybody, and is not in their way when it is gone`, async () => {
      const before = globalThis.fetch;
      const server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const ask = async (): Promise<string> => (await fetch(address)).text();
      const seen: string[] = [];
      Reflect.set(globalThis, 'seenByTest', seen);
      box.write({
        'home/.pi/agent/mine/extensions/x.ts': `const found = ${found};
          globalThis.fetch = (...args) => { globalThis.seenByTest.push(String(args[0])); return found(...args); };
          export default async () => { if (await (await fetch(${JSON.stringify(address)})).text() !== 'here') throw new Error('no'); };`,
      });
      box.declare(['./mine']);
      try {
        const { host } = await open();
        assert.equal(host.infos()[0]?.state.type, 'live');
        assert.equal(await ask(), 'here');
        assert.ok(seen.length >= 2);
        await host.dispose();
        assert.equal(await ask(), 'here');
      } finally {
        globalThis.fetch = before;
        Reflect.deleteProperty(globalThis, 'seenByTest');
        server.close().closeAllConnections();
      }
    });
  }

  it('of a folder without trust they are listed as held back, and nothing of them runs', async () => {
    const mark = join(box.root, 'ran');
    box.write({
      'work/theirs/extensions/x.ts': command(
        'x',
        `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, '');`,
      ),
      'work/theirs/prompts/p.md': 'Theirs.',
      'home/.pi/agent/mine/extensions/y.ts': command('y'),
    });
    box.declare(['./mine'], ['../theirs']);
    box.trusted = false;
    const opened = await open();
    assert.deepEqual(states(opened), [
      'live home/.pi/agent/mine/extensions/y.ts',
      'heldBack work/theirs/extensions/x.ts',
    ]);
    assert.deepEqual(opened.resources.current.templates, []);
    box.trusted = true;
    await opened.settings.reload();
    await opened.host.reload();
    await opened.resources.refresh();
    assert.deepEqual(states(opened), ['live work/theirs/extensions/x.ts', 'live home/.pi/agent/mine/extensions/y.ts']);
    assert.deepEqual(
      opened.resources.current.templates.map(({ name }) => name),
      ['p'],
    );
  });

  it('without a search only those that the command line names are left', async () => {
    const t = 'home/.pi/agent/tmp/extensions/npm/f35b2129/node_modules/t';
    box.write({
      'home/.pi/agent/mine/extensions/y.ts': command('y'),
      'home/.pi/agent/mine/prompts/q.md': 'Mine.',
      [`${t}/extensions/z.ts`]: command('z'),
      [`${t}/prompts/p.md`]: 'Theirs.',
    });
    box.declare(['./mine']);
    const opened = await open({ search: false, flags: ['npm:t'] });
    assert.deepEqual(states(opened), [`live ${t}/extensions/z.ts`]);
    assert.deepEqual(
      opened.resources.current.templates.map(({ name }) => name),
      ['p'],
    );
  });

  it('a change of the settings or of a package counts at the next reading', async () => {
    box.write({
      'home/.pi/agent/mine/extensions/a.ts': command('a'),
      'home/.pi/agent/mine/extensions/b.ts': command('b'),
    });
    box.declare(['./mine']);
    const opened = await open();
    const names = async (): Promise<readonly string[]> => {
      await opened.settings.reload();
      await opened.host.reload();
      return opened.host
        .infos()
        .flatMap(info => info.commands)
        .map(({ name }) => name);
    };
    assert.deepEqual(await names(), ['a', 'b']);
    box.declare([{ source: './mine', extensions: ['-extensions/b.ts'] }]);
    assert.deepEqual(await names(), ['a']);
    box.write({ 'home/.pi/agent/mine/extensions/c.ts': command('c') });
    assert.deepEqual(await names(), ['a', 'c']);
    mkdirSync(join(box.agentDir, 'gone'), { recursive: true });
    writeFileSync(join(box.agentDir, 'settings.json'), JSON.stringify({ packages: [] }));
    assert.deepEqual(await names(), []);
    assert.deepEqual(opened.packages.watched.files, []);
  });
});
