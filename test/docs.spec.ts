import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PI_SETTING_NAMES, SETTINGS_WITHOUT_MEANING } from '../src/agent/settings/setting-keys';
import { ABSENT_COMMANDS, BUILT_IN_COMMANDS } from '../src/startup/built-in-commands';
import { readLines } from '../src/hook-insight/recording/log-file';
import { helpText } from '../src/modes/arguments/help';
import { Rig } from './support/conversation-rig';
import { SETTING_DEFAULTS, SETTINGS_SECTION } from '../src/vscode/ids';

const ROOT = join(import.meta.dirname, '..');

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly views: Readonly<Record<string, readonly { readonly name: string }[]>>;
    readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when?: string }[]>>;
  };
}

function read(...path: readonly string[]): string {
  return readFileSync(join(ROOT, ...path), 'utf8');
}

/** What people read: the front page, the changelog, docs and examples. */
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter(name => name.endsWith('.md'))
    .map(name => join('docs', name)),
  join('examples', 'README.md'),
  join('examples', 'workspace', 'README.md'),
];

/** Matches a place in the docs that code names: a page, and perhaps a heading of it, or numbers of rows. */
const REFERENCE = /\bdocs\/([\w-]+\.md)(?:#([\w-]+)|((?:(?:,| and) [CDP]\d+)+))?/g;

/** As GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

describe('the docs', () => {
  const { contributes } = JSON.parse(read('package.json')) as Manifest;
  const texts = JSON.parse(read('package.nls.json')) as Record<string, string>;
  const commands = read('docs', 'commands.md');
  const titles = new Map(
    contributes.commands.map(({ command, title, category }) => [
      command,
      `${category}: ${texts[title.replaceAll('%', '')] ?? ''}`,
    ]),
  );

  it('name for each complaint in acp.md tests that exist', () => {
    const titles = new Set(
      globSync('test/**/*.ts', { cwd: ROOT }).flatMap(file =>
        [...read(file).matchAll(/\b(?:it|describe)\(\s*(['"`])(.*?)\1,/gs)].map(([, , title = '']) =>
          title.replaceAll(/\$\{[^}]*\}/g, '…'),
        ),
      ),
    );
    const rows = [...read('docs', 'acp.md').matchAll(/^\| .+ \| [^|]*#\d[^|]* \| (.*) \|$/gm)];
    assert.equal(rows.length, 17);
    for (const [row, tests = ''] of rows) {
      const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, title = '']) => title);
      assert.ok(named.length > 0, row);
      for (const title of named) assert.ok(titles.has(title), `there is no test "${title}"`);
    }
  });

  it('link only to pages, headings and pictures that exist', () => {
    let links = 0;
    for (const page of PAGES) {
      const text = read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
      for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue;
        links += 1;
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
        assert.ok(existsSync(join(ROOT, target)), `${page}: ${link}`);
        if (anchor !== undefined) assert.ok(anchorsOf(read(target)).has(anchor), `${page}: ${link}`);
      }
    }
    assert.ok(links > 100);
  });

  it('have the pages, headings and rows of dialects.md that comments in the code name', () => {
    const code = ['src', 'webview', 'scripts', 'test'].flatMap(folder =>
      globSync(`${folder}/**/*.{ts,mjs}`, { cwd: ROOT, exclude: ['**/node_modules/**'] }),
    );
    const rows = new Set([...read('docs', 'dialects.md').matchAll(/^\| ([CDP]\d+) /gm)].map(([, row = '']) => row));
    const wrong: string[] = [];
    let references = 0;
    for (const file of code) {
      // A comment may go on in the next line.
      const text = read(file).replaceAll(/\n\s*(?:\*|\/\/) /g, ' ');
      for (const [reference, page = '', anchor, list = ''] of text.matchAll(REFERENCE)) {
        references += 1;
        const path = join('docs', page);
        const isThere = existsSync(join(ROOT, path)) && (anchor === undefined || anchorsOf(read(path)).has(anchor));
        const named = page === 'dialects.md' ? (list.match(/[CDP]\d+/g) ?? []) : [];
        if (!isThere || named.some(row => !rows.has(row))) wrong.push(`${file}: ${reference}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(references > 100 && rows.size > 80);
  });

  it('are all reached from the front page', () => {
    const front = read('README.md');
    for (const page of PAGES.filter(name => name.startsWith('docs'))) {
      assert.ok(front.includes(`(${page.replaceAll('\\', '/')})`), page);
    }
  });

  it('begin with a picture, a hook, three ways in and the comparison', () => {
    const front = read('README.md');
    const begins = ['](docs/images/question.png)', 'pi.on(', 'npm start', 'npm install -g', 'guard add', '## Compared'];
    const places = [...begins, '## Learn more'].map(text => front.indexOf(text));
    assert.ok(places.every(place => place > 0));
    assert.deepEqual(
      places.toSorted((a, b) => a - b),
      places,
    );
    assert.ok(front.slice(0, places.at(-1)).split('\n').length < 75, 'on the first two screens');
  });

  it('list every command that the palette can show, and no other', () => {
    const rows = [...commands.matchAll(/^\| (Hookline: [^|]+?) +\|/gm)].map(([, title = '']) => title);
    const never = new Set(
      (contributes.menus['commandPalette'] ?? []).filter(({ when }) => when === 'false').map(({ command }) => command),
    );
    const shown = [...titles].filter(([command]) => !never.has(command)).map(([, title]) => title);
    assert.deepEqual(rows.toSorted(), shown.toSorted());
  });

  it('name only commands that exist', () => {
    // VS Code has a command of its own for each view.
    const views = Object.values(contributes.views).flat();
    const focus = views.map(({ name }) => `Hookline: Focus on ${texts[name.replaceAll('%', '')] ?? ''} View`);
    const known = [...[...titles.values()].map(title => title.replace(/…$/, '')), ...focus];
    for (const page of PAGES) {
      const named = [...read(page).matchAll(/(?:_|\*\*)(Hookline: [^_*"\n]+?)…?(?:_|\*\*)/g)].map(
        ([, title = '']) => title,
      );
      for (const title of named.filter(name => !name.includes('`'))) {
        assert.ok(
          known.some(each => each === title || each.startsWith(`${title} `)),
          `${page}: ${title}`,
        );
      }
    }
  });

  it('list every setting with its default, and no other', () => {
    const rows = [...commands.matchAll(/^\| `(hookline\.[\w.]+)` +\| ([^|]+?) +\|/gm)].map(
      ([, name = '', value = '']) => [name, value],
    );
    const declared = Object.entries(SETTING_DEFAULTS).map(([name, value]) => [
      `${SETTINGS_SECTION}.${name}`,
      value === '' ? 'empty' : `\`${JSON.stringify(value)}\``,
    ]);
    assert.deepEqual(rows.toSorted(), declared.toSorted());
    const ours = new Set([...rows.map(([name]) => name), ...titles.keys(), 'hookline.runAgain', 'hookline.commandEnd']);
    for (const page of PAGES) {
      for (const [, name = ''] of read(page).matchAll(/`(hookline\.\w[\w.]*)`/g)) {
        assert.ok(ours.has(name), `${page}: ${name}`);
      }
    }
  });

  it('list every key of settings.json that Hookline uses or ignores, and every built-in command', () => {
    const page = read('docs', 'settings.md');
    const keysOf = (part: string): string[] => {
      const [, after = ''] = page.split(part);
      return [...after.split('\n## ')[0]!.matchAll(/^\| ([^|]+)\|/gm)].flatMap(([, cell = '']) =>
        [...cell.matchAll(/`([$\w]+)`/g)].map(([, name = '']) => name),
      );
    };
    assert.deepEqual(keysOf('that Hookline uses\n').toSorted(), [...PI_SETTING_NAMES].toSorted());
    assert.deepEqual(keysOf('that have no effect here\n').toSorted(), [...SETTINGS_WITHOUT_MEANING].toSorted());
    for (const name of [...BUILT_IN_COMMANDS, ...ABSENT_COMMANDS]) {
      assert.match(commands, new RegExp(`\`/${name}[\` ]`), name);
    }
  });

  it('begin with hooks that do what the text says', async () => {
    const first = (page: string): string => /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const hooks = { 'gate.ts': first(read('README.md')), 'no-force.ts': first(read('docs', 'hooks.md')) };
    const calls = ['rm -rf build', 'git push --force', 'echo fine'].map((command, index) => ({
      calls: [{ id: String(index), name: 'bash', args: { command } }],
    }));
    const rig = await Rig.open([...calls, { text: 'done' }], { hooks });
    try {
      assert.ok(rig.host.infos().every(({ state, dialect }) => state.type === 'live' && dialect?.id === 'pi'));
      rig.dialogs.addView({
        show: (_question, reply) => {
          queueMicrotask(() => reply('No'));
          return { dispose: () => undefined };
        },
      });
      await rig.chat.submit('go');
      assert.deepEqual(
        rig.items('tool').map(({ state }) => (state.type === 'blocked' ? state.reason : state.type)),
        ['Blocked by user', 'No force pushes here.', 'done'],
      );
    } finally {
      await rig.close();
    }
  });

  it('show a record of the log that the replay can read', () => {
    const blocks = [...read('docs', 'hooks-in-vscode.md').matchAll(/```json\n([\s\S]*?)```/g)];
    const line = JSON.stringify(JSON.parse(blocks[0]?.[1] ?? ''));
    const { entries, unreadable } = readLines(line);
    assert.deepEqual([blocks.length, entries.length, unreadable], [1, 1, 0]);
  });

  it('list every option of the command line that its help lists', () => {
    const page = read('docs', 'cli.md');
    const options = [...helpText().matchAll(/(?<![\w-])--?[a-z][\w-]*/g)].map(([option]) => option);
    assert.ok(options.length > 25);
    for (const option of new Set(options)) assert.match(page, new RegExp(`(?<![\\w-])${option}(?![\\w-])`), option);
  });
});
