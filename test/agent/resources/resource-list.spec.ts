import assert from 'node:assert/strict';
import { Place } from './support';

const skill = (description: string, more = ''): string => `---\ndescription: ${description}\n${more}---\nDo it.\n`;

describe('lists of resources in settings', () => {
  let place: Place;
  beforeEach(() => (place = new Place()));
  afterEach(() => place.remove());

  const settings = (person: readonly string[], project: readonly string[] = []): void =>
    place.write({
      'home/.pi/agent/settings.json': JSON.stringify({ skills: person, prompts: person }),
      'work/.pi/settings.json': JSON.stringify({ skills: project, prompts: project }),
    });
  const skills = async (): Promise<string> =>
    (await place.load()).skills.map(({ name, location }) => `${name}:${location}`).join(' ');

  const FILES = Object.fromEntries(
    ['home/.pi/agent/skills/a', 'home/.pi/agent/skills/ab', 'home/.pi/agent/mine/c', 'home/.pi/agent/mine/cd'].map(
      path => [`${path}/SKILL.md`, skill('x')],
    ),
  );

  // What today's pi makes of each list, taken from it (test/peers/config.peer.ts runs more of them in both).
  for (const [entries, expected] of [
    [[], 'a:user ab:user'],
    [['mine'], 'c:path cd:path a:user ab:user'],
    [['~/.pi/agent/mine/c'], 'c:path a:user ab:user'],
    [['./mine', '*/c'], 'c:path a:user ab:user'],
    [['mine', '!cd'], 'c:path a:user ab:user'],
    [['mine', '!**/c*'], 'a:user ab:user'],
    [['mine', '!c*', '+mine/c'], 'c:path a:user ab:user'],
    [['mine', '-mine/c/SKILL.md', '+mine/c'], 'cd:path a:user ab:user'],
    [['-skills/a'], 'ab:user'],
    [['-./skills/a', '!a'], 'ab:user'],
    [['-a'], 'a:user ab:user'],
    [['!a*'], ''],
    [['!skills/a*', '+~/.pi/agent/skills/ab/SKILL.md'], 'ab:user'],
    [['skills/*'], 'a:user ab:user'],
    [['mine', '-mine/c', 'mine/c'], 'cd:path a:user ab:user'],
  ] as const) {
    it(`of the person: ${JSON.stringify(entries)}`, async () => {
      place.write(FILES);
      settings(entries);
      assert.equal(await skills(), expected);
    });
  }

  it('belong to the file that holds them: paths start there, and rules leave the other scope alone', async () => {
    place.write({ ...FILES, 'work/.pi/mine/e/SKILL.md': skill('E'), 'work/.pi/skills/f/SKILL.md': skill('F') });
    settings(['mine', '-skills/a', '-skills/f'], ['mine', '-skills/ab', '!f']);
    assert.equal(await skills(), 'e:path c:path cd:path ab:user');
  });

  it('leave a file out for good, though the other scope names it as well', async () => {
    place.write(FILES);
    settings(['mine'], ['~/.pi/agent/mine', '!~/.pi/agent/mine/c']);
    assert.equal(await skills(), 'cd:path a:user ab:user');
  });

  it('reach templates below a folder that they name, and rules the templates of the scope', async () => {
    place.write({
      'home/.pi/agent/mine/deep/a.md': 'A',
      'home/.pi/agent/prompts/b.md': 'B',
      'home/.pi/agent/prompts/c.md': 'C',
    });
    settings(['mine', '-prompts/b.md']);
    const names = (await place.load()).templates.map(({ name }) => name);
    assert.deepEqual(names, ['a', 'c']);
  });

  it('with a pattern that is none are told; the rest of the list counts', async () => {
    place.write(FILES);
    settings(['mine', '!{a', '!cd']);
    assert.equal(await skills(), 'c:path a:user ab:user');
    const { problems } = await place.load();
    assert.equal(problems[0]?.file, place.path('home/.pi/agent/settings.json'));
    assert.match(problems[0].message, /'\{a'/);
  });

  it('and folders pass over what ignore files name, but not what one of them takes back', async () => {
    place.write({
      ...FILES,
      'home/.pi/agent/skills/.gitignore': 'a*/\n',
      'home/.pi/agent/skills/.ignore': '!ab/\n',
      'home/.pi/agent/prompts/.fdignore': 'no.md\n',
      'home/.pi/agent/prompts/no.md': 'N',
      'home/.pi/agent/prompts/yes.md': 'Y',
    });
    assert.equal(await skills(), 'ab:user');
    assert.deepEqual(
      (await place.load()).templates.map(({ name }) => name),
      ['yes'],
    );
  });
});
