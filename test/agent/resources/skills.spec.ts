import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, sep } from 'node:path';
import { invokeSkill, typedSkill } from '../../../src/agent/resources/skill';
import { Place } from './support';
import { itWith } from '../../support/platform';

const skill = (description: string, more = ''): string => `---\ndescription: ${description}\n${more}---\nDo it.\n`;

describe('skills', () => {
  let place: Place;
  beforeEach(() => (place = new Place()));
  afterEach(() => place.remove());

  const told = async (more?: Parameters<Place['load']>[0]): Promise<string[]> =>
    (await place.load(more)).skills.map(({ name, location }) => `${name} ${location}`);

  it('are found where pi looks for them', async () => {
    place.write({
      'home/.pi/agent/skills/a/SKILL.md': skill('A'),
      'home/.pi/agent/skills/group/b/SKILL.md': skill('B'),
      'home/.pi/agent/skills/one.md': skill('S', 'name: single\n'),
      'home/.pi/agent/skills/README.md': '# Mine',
      'home/.pi/agent/skills/node_modules/x/SKILL.md': skill('X'),
      'home/.pi/agent/skills/.hidden/SKILL.md': skill('X'),
      'home/.agents/skills/c/SKILL.md': skill('C'),
      'work/.pi/skills/d/SKILL.md': skill('D'),
      'work/.agents/skills/e/SKILL.md': skill('E'),
      'home/.claude/skills/f/SKILL.md': skill('F'),
      'hook/g/SKILL.md': skill('G'),
      'hook/g/extra.md': 'more',
    });
    const extra = { promptPaths: [], skillPaths: [place.path('hook/g')] };
    assert.deepEqual(await told({ extra }), [
      'd project',
      'e project',
      'a user',
      'b user',
      'single user',
      'c user',
      'g path',
    ]);
    assert.deepEqual((await place.load({ extra })).problems, []);
    assert.deepEqual(await told({ includeProject: false }), ['a user', 'b user', 'single user', 'c user']);
  });

  itWith('links', 'beside a link that leads to itself are kept, and a warning names the link', async () => {
    place.write({
      'home/.pi/agent/skills/a/SKILL.md': skill('A'),
      'home/.pi/agent/prompts/.gitignore': 'mine',
    });
    const links = ['skills/.hidden', 'skills/a/x.md', 'skills/loop', 'prompts/loop.md', 'prompts/loop', 'prompts/mine'];
    for (const link of links) symlinkSync(basename(link), place.path(`home/.pi/agent/${link}`));
    assert.deepEqual(await told(), ['a user']);
    const { problems } = await place.load();
    assert.deepEqual(
      problems.map(({ file }) => file),
      [place.path('home/.pi/agent/prompts/loop.md'), place.path('home/.pi/agent/skills/loop')],
    );
    for (const { message } of problems) assert.match(message, /^This path is skipped, because .*ELOOP/);
  });

  it('of other programs are read as the older form of the setting says', async () => {
    place.write({
      'home/.claude/skills/a/SKILL.md': skill('A'),
      'home/.claude/skills/deep/er/SKILL.md': skill('X'),
      'home/.codex/skills/deep/b/SKILL.md': skill('B'),
      'work/.claude/skills/c/SKILL.md': skill('C'),
      'home/own/d/SKILL.md': skill('D'),
      'home/.pi/agent/skills/old-e/SKILL.md': skill('E'),
      'home/.pi/agent/settings.json': '{"skills": {"customDirectories": ["~/own"], "ignoredSkills": ["old-*"]}}',
    });
    assert.deepEqual(await told(), ['c project', 'd path', 'a user', 'b user']);
    assert.deepEqual(await told({ includeProject: false }), ['d path', 'a user', 'b user']);
    place.write({
      'home/.pi/agent/settings.json': '{"skills": {"enableClaudeUser": false, "includeSkills": ["[ab]"]}}',
    });
    assert.deepEqual(await told(), ['b user']);
    place.write({ 'home/.pi/agent/settings.json': '{"skills": {"enabled": false}}' });
    assert.deepEqual(await told(), []);
    place.write({ 'home/.pi/agent/settings.json': '{"skills": ["~/own"]}' });
    assert.deepEqual(await told(), ['d path', 'old-e user']);
  });

  it('are told when something is wrong with them, by file and line', async () => {
    place.write({
      'work/.pi/skills/none/SKILL.md': '# no head',
      'work/.pi/skills/broken/SKILL.md': '---\nname: x\n  odd: y\n---\n',
      'work/.pi/skills/odd/SKILL.md': skill('O', 'name: Odd Name\n'),
      'work/.pi/settings.json': '{"skills": {"includeSkills": ["[", "*"], "customDirectories": ["nowhere"]}}',
    });
    const { skills, problems } = await place.load();
    assert.deepEqual(
      skills.map(({ name }) => name),
      ['Odd Name'],
    );
    assert.deepEqual(
      problems.map(({ file, line, message }) => [
        file?.slice(place.root.length + 1).replaceAll(sep, '/'),
        line,
        message,
      ]),
      [
        [undefined, undefined, `Setting "skills.includeSkills": Invalid glob pattern '[': a bracket is not closed`],
        ['work/.pi/settings.json', undefined, 'Setting "skills": "nowhere" does not exist.'],
        [
          'work/.pi/skills/broken/SKILL.md',
          2,
          'The frontmatter of this file cannot be read: Nested mappings are not allowed in compact mappings',
        ],
        ['work/.pi/skills/none/SKILL.md', 1, 'The skill has no "description" in its frontmatter and was not loaded.'],
        [
          'work/.pi/skills/odd/SKILL.md',
          1,
          'Skill name "Odd Name" should be at most 64 of a-z, 0-9 and single hyphens between them.',
        ],
      ],
    );
  });

  it('survive links that go in circles and settings of the wrong shape', async () => {
    mkdirSync(place.path('work/.pi/skills/a'), { recursive: true });
    symlinkSync(place.path('work/.pi/skills'), place.path('work/.pi/skills/a/loop'));
    place.write({ 'work/.pi/skills/a/b/SKILL.md': skill('B'), 'work/.pi/settings.json': '{"skills": 3}' });
    const { skills, problems } = await place.load();
    assert.deepEqual(
      skills.map(({ name }) => name),
      ['b'],
    );
    assert.match(problems[0]?.message ?? '', /^Setting "skills": /);
    assert.equal(problems.length, 1);
  });

  it('are invoked with their text, where it belongs, and the arguments; and drawn as they were typed', async () => {
    place.write({ 'work/.pi/skills/a/SKILL.md': skill('A', 'disable-model-invocation: true\n') });
    const [found] = (await place.load()).skills;
    assert.equal(found?.hidden, true);
    const text = await invokeSkill(found, ' now please ');
    const dir = place.path('work/.pi/skills/a');
    assert.equal(
      text,
      `<skill name="a" location="${dir}${sep}SKILL.md">\nReferences are relative to ${dir}.\n\nDo it.\n</skill>\n\nnow please`,
    );
    assert.equal(typedSkill(text), '/skill:a now please');
    assert.equal(typedSkill(await invokeSkill(found, '')), '/skill:a');
    assert.equal(typedSkill('hello'), undefined);
  });
});
