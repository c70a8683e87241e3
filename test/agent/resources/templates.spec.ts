import assert from 'node:assert/strict';
import { resourceCompletions } from '../../../src/session/prompts/resource-commands';
import { expandTemplate } from '../../../src/agent/resources/template';
import { Place } from './support';

describe('prompt templates', () => {
  let place: Place;
  beforeEach(() => (place = new Place()));
  afterEach(() => place.remove());

  const told = async (more?: Parameters<Place['load']>[0]): Promise<string[]> =>
    (await place.load(more)).templates.map(({ name, location, group }) => `${name} ${location} ${group}`.trim());

  it('are found in the commands and prompts folders of user and project, in settings, and where hooks say', async () => {
    place.write({
      'home/.pi/agent/commands/a.md': 'A',
      'home/.pi/agent/commands/git/deep/b.md': 'B',
      'home/.pi/agent/prompts/c.md': 'C',
      'home/.pi/agent/prompts/nested/ignored.md': '',
      'home/.pi/agent/prompts/notes.txt': '',
      'work/.pi/commands/d.md': 'D',
      'work/.pi/prompts/e.md': 'E',
      'home/.pi/agent/more/deep/f.md': 'F',
      'home/single.md': 'G',
      'hook/h.md': 'H',
      'home/.pi/agent/settings.json': '{"prompts": ["more", "~/single.md"]}',
    });
    assert.deepEqual(await told({ extra: { skillPaths: [], promptPaths: [place.path('hook/h.md')] } }), [
      'e project',
      'd project',
      'f path deep',
      'single path',
      'c user',
      'a user',
      'b user git:deep',
      'h path',
    ]);
  });

  it('of the project are not read in a folder that is not trusted', async () => {
    place.write({ 'home/.pi/agent/commands/a.md': 'A', 'work/.pi/commands/d.md': 'D', 'work/.pi/prompts/e.md': 'E' });
    assert.deepEqual(await told({ includeProject: false }), ['a user']);
  });

  it('are described by their head, else by their first line, cut at 60 characters', async () => {
    const long = 'x'.repeat(61);
    place.write({
      'work/.pi/prompts/a.md': '---\ndescription: "Does: it"\nargument-hint: [file]\n---\nBody $1',
      'work/.pi/prompts/b.md': `\n\n${long}\nmore`,
      'work/.pi/prompts/c.md': '',
    });
    const { templates, problems } = await place.load();
    assert.deepEqual(
      templates.map(template => [template.description, template.body]),
      [
        ['Does: it', 'Body $1'],
        [`${'x'.repeat(60)}...`, `\n\n${long}\nmore`],
        ['', ''],
      ],
    );
    assert.deepEqual(problems, []);
  });

  it('with a head that is not YAML are told by file and line, and not loaded', async () => {
    place.write({ 'work/.pi/prompts/a.md': '---\ndescription: x\nwhat is this\n---\nBody' });
    const { templates, problems } = await place.load();
    assert.deepEqual(templates, []);
    assert.deepEqual(problems, [
      {
        file: place.path('work/.pi/prompts/a.md'),
        line: 3,
        message: 'The frontmatter of this file cannot be read: Implicit map keys need to be followed by map values',
      },
    ]);
  });

  it('may have empty lines in the head, in its lists and in the body', async () => {
    place.write({
      'work/.pi/prompts/a.md': '---\n\ndescription: A\n\nargument-hint: x\n\n---\n\n- one\n\n- two\n',
      'work/.pi/prompts/b.md': '---\ndescription: |\n  one\n\n  two\n---\nB',
      'work/.pi/prompts/c.md': '---\r\ntags:\r\n  - one\r\n\r\n  -\r\n---\r\nC',
    });
    const { templates, problems } = await place.load();
    assert.deepEqual(
      templates.map(({ name, description, body }) => [name, description, body]),
      [
        ['a', 'A', '- one\n\n- two'],
        ['b', 'one\n\ntwo\n', 'B'],
        ['c', 'C', 'C'],
      ],
    );
    assert.deepEqual(problems, []);
  });

  it('with empty lines in front of the head are text, as in pi, and the line is told', async () => {
    place.write({
      'work/.pi/prompts/a.md': '\n\n---\ndescription: A\n---\nBody',
      'work/.pi/prompts/b.md': '\n---\nOnly a rule\n---\n',
    });
    const { templates, problems } = await place.load();
    assert.deepEqual(
      templates.map(({ name, body }) => [name, body]),
      [
        ['a', '\n\n---\ndescription: A\n---\nBody'],
        ['b', '\n---\nOnly a rule\n---\n'],
      ],
    );
    assert.deepEqual(problems, [
      {
        file: place.path('work/.pi/prompts/a.md'),
        line: 3,
        message: 'The frontmatter is sent as text, because it is not on line 1.',
      },
    ]);
  });

  it('of one name: the first counts and the other is told; a file reached twice is no conflict', async () => {
    place.write({
      'home/.pi/agent/commands/a.md': 'user',
      'work/.pi/commands/a.md': 'project',
      'home/.pi/agent/settings.json': '{"prompts": ["commands/a.md"]}',
    });
    const { templates, problems } = await place.load();
    assert.deepEqual(
      templates.map(template => template.body),
      ['project'],
    );
    assert.deepEqual(
      problems.map(problem => problem.message),
      [`/a is not used: ${place.path('work/.pi/commands/a.md')} has the same name.`],
    );
  });

  it('that settings or hooks name in vain are told with who named them', async () => {
    place.write({ 'work/.pi/settings.json': '{"prompts": ["gone.md", "code.ts"]}', 'work/.pi/code.ts': '' });
    const gone = place.path('hook/gone.md');
    const { problems } = await place.load({ extra: { skillPaths: [], promptPaths: [gone] } });
    const settings = place.path('work/.pi/settings.json');
    assert.deepEqual(problems, [
      { file: settings, message: 'Setting "prompts": "gone.md" does not exist.' },
      { file: settings, message: 'Setting "prompts": "code.ts" is not a Markdown file.' },
      { file: gone, message: 'This path, given by a hook in resources_discover, does not exist.' },
    ]);
  });

  it('tell in the completion what they take', async () => {
    place.write({
      'work/.pi/prompts/a.md': '---\ndescription: Look\nargument-hint: "<file> [more]"\n---\nBody',
      'work/.pi/prompts/b.md': '---\nargument-hint: "<x>"\ndescription: ""\n---\n',
      'work/.pi/prompts/c.md': 'Plain',
    });
    const shown = resourceCompletions(await place.load(), [], true).map(({ description }) => description);
    assert.deepEqual(shown, ['<file> [more] — Look', '<x>', 'Plain']);
  });

  const expand = (body: string, args: string): string => expandTemplate({ body }, args);

  it('take arguments by place, all, and by slices', () => {
    assert.equal(expand('$1-$2-$3', 'a "b c" '), 'a-b c-');
    assert.equal(expand('$@|$ARGUMENTS', `a 'b c'`), 'a b c|a b c');
    assert.equal(expand('${@:2}|${@:2:1}|${@:0}|${@:9}', 'a b c'), 'b c|b|a b c|');
    assert.equal(expand('$10 $0 $x ${y} $', 'a b c d e f g h i j'), 'j  $x ${y} $');
    assert.equal(expand('$1', 'a\nb'), 'a');
  });

  for (const [body, args, expected] of [
    ['${1:-d}|${2:-e f}|$2', 'a', 'a|e f|'],
    ['${1:-d}', '""', 'd'],
    ['${@:-all}|${ARGUMENTS:-all}', '', 'all|all'],
    ['${@:-all}', 'a b', 'a b'],
    ['${1:-$2} ${2:-${x}}', '', '$2 ${x}'],
    ['$1|$2', "doesn't work", "doesn't|work"],
    ['$1|$2', `"say \\"hi\\"" x`, 'say "hi"|x'],
    ['$1|$2', `it"s "a b"`, 'it"s|a b'],
    ['$1|$2|$3', `"never closed here`, '"never|closed|here'],
    ['$1|$2', `'a "b' c"d e`, 'a "b|c"d'],
    ['$1|$2', `"a b"c d`, 'a bc|d'],
    ['$1|$2', `'a'"b c"`, `a"b|c"`],
    ['[$1][$2]', `"" x`, '[][x]'],
  ] as const) {
    it(`make of ${body} with ${args}: ${expected}`, () => assert.equal(expand(body, args), expected));
  }

  it('put arguments in once: what looks like a placeholder in them stays', () =>
    assert.equal(expand('$@ / $1 / ${@:2}', '$2 $@ $ARGUMENTS $&'), '$2 $@ $ARGUMENTS $& / $2 / $@ $ARGUMENTS $&'));
});
