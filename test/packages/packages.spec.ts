import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Emitter } from '../../src/base/event';
import { PackageBox } from './support';

const CODE = 'export default () => undefined;\n';
const PROMPT = 'Do it.\n';
const SKILL = '---\nname: s\ndescription: x\n---\nDo it.\n';
const MINE = 'home/.pi/agent/mine';

describe('packages', () => {
  let box: PackageBox;
  beforeEach(() => (box = new PackageBox()));
  afterEach(() => box.remove());

  /** A package with two files of each kind, in folders that are named for their kinds. */
  const conventional = (folder: string): void =>
    box.write({
      [`${folder}/package.json`]: { name: 'mine', version: '1.2.0' },
      [`${folder}/extensions/a.ts`]: CODE,
      [`${folder}/extensions/b/index.ts`]: CODE,
      [`${folder}/extensions/b/part.ts`]: CODE,
      [`${folder}/skills/s/SKILL.md`]: SKILL,
      [`${folder}/prompts/p.md`]: PROMPT,
      [`${folder}/prompts/deep/q.md`]: PROMPT,
      [`${folder}/themes/t.json`]: '{}',
    });
  const ALL = 'extensions/a.ts extensions/b/index.ts skills/s/SKILL.md prompts/deep/q.md prompts/p.md themes/t.json';

  describe('are read from the folders', () => {
    it('that are named for their kinds, where the manifest lists nothing', async () => {
      conventional(MINE);
      box.declare(['mine']);
      assert.equal(await box.parts(MINE), ALL);
      const [only] = (await box.overview()).packages;
      assert.ok(only?.state === 'runs');
      assert.equal(`${only.installed.name} ${only.installed.version}`, 'mine 1.2.0');
      assert.deepEqual(await box.problems(), []);
    });

    it('of npm and git, for the person, the project and one run', async () => {
      for (const folder of [
        'home/.pi/agent/npm/node_modules/@a/n',
        'home/.pi/agent/git/github.com/o/r',
        'work/.pi/npm/node_modules/n',
        'work/.pi/git/h.org/a/b/c',
        'home/.pi/agent/tmp/extensions/npm/f35b2129/node_modules/t',
      ]) {
        box.write({ [`${folder}/extensions/x.ts`]: CODE });
      }
      box.declare(['npm:@a/n@1', 'git:github.com/o/r@v1'], ['npm:n', 'git:h.org/a/b/c']);
      box.temporary = ['npm:t'];
      const { packages, problems } = await box.overview();
      assert.deepEqual(
        packages.map(({ state, declared }) => `${state} ${declared.scope} ${declared.identity}`),
        [
          'runs project npm:n',
          'runs project git:h.org/a/b/c',
          'runs user npm:@a/n',
          'runs user git:github.com/o/r',
          'runs temporary npm:t',
        ],
      );
      assert.deepEqual(problems, []);
    });

    it('a file is one extension, and a folder without parts is one with its index', async () => {
      box.write({
        'home/.pi/agent/one.ts': CODE,
        'home/.pi/agent/two/index.ts': CODE,
        'home/.pi/agent/two/x.ts': CODE,
      });
      box.declare(['./one.ts', './two']);
      assert.equal(await box.parts('home/.pi/agent'), 'one.ts two/index.ts');
    });

    it('hidden files, node_modules, declarations and what ignore files name are left out', async () => {
      conventional(MINE);
      box.write({
        [`${MINE}/extensions/.hidden.ts`]: CODE,
        [`${MINE}/extensions/types.d.ts`]: CODE,
        [`${MINE}/extensions/node_modules/index.ts`]: CODE,
        [`${MINE}/extensions/.gitignore`]: 'a.ts\n',
        [`${MINE}/prompts/node_modules/x.md`]: PROMPT,
      });
      box.declare(['mine']);
      assert.equal(await box.parts(MINE, 'extensions'), 'extensions/b/index.ts');
      assert.equal(await box.parts(MINE, 'prompts'), 'prompts/deep/q.md prompts/p.md');
    });

    it('the changelog is the one that the manifest names, if it lies in the package', async () => {
      const changelog = async (manifest: object): Promise<string | undefined> => {
        box.write({
          [`${MINE}/package.json`]: manifest,
          [`${MINE}/CHANGELOG.md`]: '',
          [`${MINE}/x.md`]: '',
          'home/y.md': '',
        });
        box.declare(['mine']);
        const [only] = (await box.overview()).packages;
        return only?.state === 'runs' ? only.installed.changelog?.slice(join(box.root, MINE).length + 1) : 'none';
      };
      assert.equal(await changelog({}), 'CHANGELOG.md');
      assert.equal(await changelog({ pi: { changelogPath: './x.md' } }), 'x.md');
      assert.equal(await changelog({ pi: { changelogPath: '' } }), undefined);
      assert.equal(await changelog({ pi: { changelogPath: '../../../y.md' } }), undefined);
    });
  });

  describe('are read by their manifest:', () => {
    for (const [pi, expected] of [
      [{ extensions: ['./extensions/a.ts'] }, 'extensions/a.ts'],
      [{ extensions: ['extensions'] }, 'extensions/a.ts extensions/b/index.ts'],
      [{ extensions: ['extensions/*.ts', 'extensions/b'] }, 'extensions/a.ts extensions/b/index.ts'],
      [{ extensions: ['**/*.ts', '!extensions/b/*'] }, 'extensions/a.ts'],
      [{ extensions: ['*.ts', 'extensions/a.ts'] }, 'extensions/a.ts'],
      [{ extensions: ['extensions', '-extensions/a.ts'] }, 'extensions/b/index.ts'],
      [{ extensions: ['extensions', '!**', '+extensions/a.ts'] }, 'extensions/a.ts'],
      [{ skills: ['./skills'], prompts: ['prompts/*.md'] }, 'skills/s/SKILL.md prompts/p.md'],
      [{ skills: ['skills/s/SKILL.md'], themes: ['themes'] }, 'skills/s/SKILL.md themes/t.json'],
      [{ extensions: [] }, ''],
      [{ image: 'https://x.org/a.png' }, ALL],
    ] as const) {
      it(JSON.stringify(pi), async () => {
        conventional(MINE);
        box.write({ [`${MINE}/package.json`]: { pi } });
        box.declare(['mine']);
        assert.equal(await box.parts(MINE), expected);
      });
    }

    it('parts of a package that lies in node_modules are named by their path', async () => {
      box.write({
        [`${MINE}/package.json`]: { pi: { skills: ['node_modules/dep/skills/*'] } },
        [`${MINE}/node_modules/dep/skills/s/SKILL.md`]: SKILL,
      });
      box.declare(['mine']);
      assert.equal(await box.parts(MINE), 'node_modules/dep/skills/s/SKILL.md');
    });
  });

  describe('are narrowed by the settings:', () => {
    const GIVEN = 'extensions/a.ts extensions/b/index.ts extensions/c.ts';
    for (const [filter, expected] of [
      [undefined, GIVEN],
      [[], '-extensions/a.ts -extensions/b/index.ts -extensions/c.ts'],
      [['extensions/*.ts'], 'extensions/a.ts -extensions/b/index.ts extensions/c.ts'],
      [['extensions/*.ts', '!extensions/c.ts'], 'extensions/a.ts -extensions/b/index.ts -extensions/c.ts'],
      [['a.ts'], 'extensions/a.ts -extensions/b/index.ts -extensions/c.ts'],
      [['extensions/{a,c}.ts'], 'extensions/a.ts -extensions/b/index.ts extensions/c.ts'],
      [['!a.ts'], '-extensions/a.ts extensions/b/index.ts extensions/c.ts'],
      [['!**', '+extensions/a.ts'], 'extensions/a.ts -extensions/b/index.ts -extensions/c.ts'],
      [['+extensions/a.ts'], GIVEN],
      [['-extensions/a.ts', '+extensions/a.ts'], '-extensions/a.ts extensions/b/index.ts extensions/c.ts'],
      [['+not-offered.ts', 'not-offered.ts'], '-extensions/a.ts -extensions/b/index.ts -extensions/c.ts'],
    ] as const) {
      it(JSON.stringify(filter ?? 'absent'), async () => {
        conventional(MINE);
        box.write({ [`${MINE}/extensions/c.ts`]: CODE, [`${MINE}/not-offered.ts`]: CODE });
        box.declare([{ source: 'mine', ...(filter === undefined ? {} : { extensions: filter }) }]);
        assert.equal(await box.parts(MINE, 'extensions'), expected);
        assert.equal(await box.parts(MINE, 'prompts'), 'prompts/deep/q.md prompts/p.md');
      });
    }

    it('a filter does not widen what the manifest lists', async () => {
      conventional(MINE);
      box.write({ [`${MINE}/package.json`]: { pi: { extensions: ['extensions/a.ts'] } } });
      box.declare([{ source: 'mine', extensions: ['**/*.ts'], prompts: ['prompts/p.md'] }]);
      assert.equal(await box.parts(MINE), 'extensions/a.ts');
    });

    it('a skill is also known by its folder', async () => {
      conventional(MINE);
      box.declare([{ source: 'mine', skills: ['!s'] }]);
      assert.equal(await box.parts(MINE, 'skills'), '-skills/s/SKILL.md');
    });
  });

  describe('of both settings files', () => {
    const NPM = 'home/.pi/agent/npm/node_modules/n';
    it('the project takes the place of the person for the same package, and comes first', async () => {
      conventional(MINE);
      box.write({ [`${NPM}/extensions/x.ts`]: CODE, 'work/.pi/npm/node_modules/n/extensions/y.ts': CODE });
      box.declare(['npm:n@1', 'mine'], ['npm:n@2']);
      const { packages, parts } = await box.overview();
      assert.deepEqual(
        packages.map(({ declared }) => `${declared.scope} ${declared.written}`),
        ['project npm:n@2', 'user mine'],
      );
      assert.equal(parts[0]?.path, join(box.cwd, '.pi/npm/node_modules/n/extensions/y.ts'));
    });

    it('an entry with "autoload": false changes the package of the person part by part', async () => {
      conventional(NPM);
      box.declare(
        [{ source: 'npm:n', prompts: [] }],
        [{ source: 'npm:n', autoload: false, extensions: ['-extensions/a.ts'], prompts: ['prompts/p.md'] }],
      );
      const { packages, parts } = await box.overview();
      assert.equal(packages.length, 1);
      assert.equal(packages[0]?.delta?.scope, 'project');
      const told = parts.map(
        ({ path, isOn, by }) => `${isOn ? '' : '-'}${path.split('/').slice(-2).join('/')} ${by.scope}`,
      );
      assert.deepEqual(told, [
        '-extensions/a.ts project',
        'prompts/p.md project',
        'b/index.ts user',
        's/SKILL.md user',
        '-deep/q.md user',
        'themes/t.json user',
      ]);
    });

    it('an entry with "autoload": false alone takes only what it names', async () => {
      conventional(MINE);
      box.declare([{ source: 'mine', autoload: false, extensions: ['extensions/a.ts'] }]);
      assert.equal(await box.parts(MINE), 'extensions/a.ts');
    });

    it('the same file of two packages counts once', async () => {
      conventional(MINE);
      box.declare(['mine', 'mine/extensions/a.ts', '~/.pi/agent/mine']);
      assert.equal(await box.parts(MINE, 'extensions'), 'extensions/a.ts extensions/b/index.ts');
    });
  });

  describe('of a folder that is not trusted', () => {
    beforeEach(() => (box.trusted = false));

    it('are held back, and those of the person run', async () => {
      conventional(MINE);
      conventional('work/theirs');
      box.declare(['mine'], ['../theirs', '../nowhere']);
      const packages = await box.open();
      assert.deepEqual(
        packages.current.packages.map(({ state, declared }) => `${state} ${declared.written}`),
        ['runs mine', 'untrusted ../theirs'],
      );
      assert.equal(packages.files('extensions').length, 2);
      assert.deepEqual(
        packages.filesToLoad('extensions').map(({ needsTrust }) => needsTrust),
        [false, false, true, true],
      );
      assert.deepEqual(await box.problems(), []);
    });

    it('cannot take the place of a package of the person, nor turn parts of it off', async () => {
      conventional('home/.pi/agent/npm/node_modules/n');
      box.declare(['npm:n'], [{ source: 'npm:n', extensions: [] }]);
      assert.equal((await box.open()).files('extensions').length, 2);
      box.declare(['npm:n'], [{ source: 'npm:n', autoload: false, extensions: ['-extensions/a.ts'] }]);
      assert.equal((await box.open()).files('extensions').length, 2);
    });

    it('are held back too where settings of the person lead into the folder', async () => {
      conventional('work/theirs');
      box.declare([join(box.cwd, 'theirs')]);
      assert.deepEqual((await box.open()).files('extensions'), []);
    });
  });

  it('are told of when a reading finds something else, and only then', async () => {
    conventional(MINE);
    box.declare(['mine']);
    const packages = await box.open();
    let changes = 0;
    packages.onDidChange(() => changes++);
    await packages.reload();
    assert.equal(changes, 0);
    box.write({ [`${MINE}/prompts/more.md`]: PROMPT });
    await packages.reload();
    await packages.reload();
    assert.equal(changes, 1);
    assert.equal(packages.files('prompts').length, 3);
  });

  it('run only when the gate says so', async () => {
    conventional(MINE);
    conventional('home/.pi/agent/npm/node_modules/n');
    box.declare(['mine', 'npm:n']);
    const asked: string[] = [];
    box.gate = {
      verdictOn: ({ declared }) => {
        asked.push(declared.identity);
        return Promise.resolve(
          declared.source.type === 'npm' ? { type: 'held', reason: 'new', why: 'not approved' } : { type: 'runs' },
        );
      },
      gatesTools: () => Promise.resolve(false),
      onDidChange: new Emitter<void>().event,
    };
    const packages = await box.open();
    assert.equal(asked.length, 2);
    assert.deepEqual(
      packages.files('extensions').map(file => file.package.source),
      ['mine', 'mine'],
    );
    const held = packages.current.packages[1];
    assert.ok(held?.state === 'held');
    assert.equal(held.why, 'not approved');
  });

  describe('that are no good are problems:', () => {
    const NOT_THERE = (written: string, more = '') =>
      `home/.pi/agent/settings.json: Package "${written}" cannot be used: it is not installed. Run "hookline install ${written}${more}".`;

    it('missing ones, with how to get them', async () => {
      box.declare(['npm:n@1.0.0', 'git:h.org/o/r', './gone'], ['npm:p']);
      assert.deepEqual(await box.problems(), [
        `work/.pi/settings.json: Package "npm:p" cannot be used: it is not installed. Run "hookline install npm:p --local".`,
        NOT_THERE('npm:n@1.0.0'),
        NOT_THERE('git:h.org/o/r'),
        'home/.pi/agent/settings.json: Package "./gone" cannot be used: home/.pi/agent/gone does not exist.',
      ]);
      assert.deepEqual(
        (await box.overview()).packages.map(({ state }) => state),
        Array.from({ length: 4 }, () => 'missing'),
      );
    });

    it('entries that are none, by their place in the settings', async () => {
      box.declare(['npm:../x', { extensions: [] }]);
      assert.deepEqual(await box.problems(), [
        'home/.pi/agent/settings.json: Setting "packages[0]": Package source "npm:../x": "../x" is not the name of an npm package.',
        'home/.pi/agent/settings.json: Setting "packages[1]": "source" is missing.',
      ]);
    });

    it('a manifest that leads outside, to nothing, or is none', async () => {
      box.write({
        'home/secret.ts': CODE,
        [`${MINE}/package.json`]: {
          pi: { extensions: ['../../../secret.ts', '../*/x.ts', 'gone.ts', 'x/*.ts'], skills: 'all' },
        },
      });
      box.declare(['mine']);
      assert.deepEqual(await box.problems(), [
        `${MINE}/package.json: "pi.skills" is not used; it must be a list of texts.`,
        `${MINE}/package.json: "pi.extensions" names a path outside of the package: ../../../secret.ts`,
        `${MINE}/package.json: "pi.extensions" names a path outside of the package: ../*/x.ts`,
        `${MINE}/package.json: "pi.extensions" names a path that does not exist: gone.ts`,
        `${MINE}/package.json: "pi.extensions" matches nothing: x/*.ts`,
      ]);
      assert.equal(await box.parts(MINE), '');
      box.write({ [`${MINE}/package.json`]: '{ "pi": ' });
      const [broken] = await box.problems();
      assert.match(broken ?? '', /package\.json: package\.json cannot be read: /);
    });

    it('links that lead out of what was downloaded, or in circles', async () => {
      const npm = 'home/.pi/agent/npm/node_modules/n';
      box.write({ 'home/secret/x.ts': CODE, [`${npm}/package.json`]: { pi: { extensions: ['out/x.ts', '**/y.ts'] } } });
      symlinkSync(join(box.home, 'secret'), join(box.root, npm, 'out'));
      mkdirSync(join(box.root, npm, 'deep'));
      box.write({ [`${npm}/deep/y.ts`]: CODE });
      symlinkSync(join(box.root, npm), join(box.root, npm, 'deep', 'again'));
      symlinkSync('self', join(box.root, npm, 'self'));
      symlinkSync('loop', join(box.agentDir, 'loop'));
      box.declare(['npm:n', 'loop']);
      assert.equal(await box.parts(npm), 'deep/y.ts');
      assert.deepEqual(await box.problems(), [
        `${npm}/package.json: "pi.extensions" leads out of the package through a link: out/x.ts`,
        'home/.pi/agent/settings.json: Package "loop" cannot be used: home/.pi/agent/loop is a link whose target does not exist.',
      ]);
    });

    it('patterns of a filter that cannot be used', async () => {
      conventional(MINE);
      box.declare([{ source: 'mine', extensions: ['extensions/[a.ts'] }]);
      assert.equal(await box.parts(MINE, 'extensions'), '-extensions/a.ts -extensions/b/index.ts');
      assert.deepEqual(await box.problems(), [
        `home/.pi/agent/settings.json: "extensions" of "mine": Invalid glob pattern 'extensions/[a.ts': a bracket is not closed`,
      ]);
    });
  });
});
