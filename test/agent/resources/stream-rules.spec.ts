import assert from 'node:assert/strict';
import { Place } from './support';

describe('rules that interrupt answers', () => {
  let place: Place;
  beforeEach(() => (place = new Place()));
  afterEach(() => place.remove());

  it('are read from the agent folder and, when it is trusted, from the project', async () => {
    place.write({
      'home/.pi/agent/rules/a.md': '---\nttsr_trigger: "as any"\ndescription: no any\n---\nUse types.',
      'work/.pi/rules/b.md': '---\nttsrTrigger: [x, "y+"]\n---\nB',
      'work/.omp/rules/c.mdc': "---\ntrigger: '(?i)todo'\n---\nC",
      'work/.omp/rules/always.md': '---\nalwaysApply: true\n---\nAnother kind of rule.',
    });
    const { rules, problems } = await place.load();
    assert.deepEqual(
      rules.map(({ rule, patterns }) => [rule, patterns.map(String)]),
      [
        [
          { name: 'b', path: place.path('work/.pi/rules/b.md'), content: 'B', ttsrTrigger: 'x\ny+', level: 'project' },
          ['/x/g', '/y+/g'],
        ],
        [
          {
            name: 'c',
            path: place.path('work/.omp/rules/c.mdc'),
            content: 'C',
            ttsrTrigger: '(?i)todo',
            level: 'project',
          },
          ['/todo/gi'],
        ],
        [
          {
            name: 'a',
            path: place.path('home/.pi/agent/rules/a.md'),
            content: 'Use types.',
            description: 'no any',
            ttsrTrigger: 'as any',
            level: 'user',
          },
          ['/as any/g'],
        ],
      ],
    );
    assert.deepEqual(problems, []);
    const held = await place.load({ includeProject: false });
    assert.deepEqual(
      held.rules.map(({ rule }) => rule.name),
      ['a'],
    );
  });

  it('with a bad pattern are told by file and line and left out', async () => {
    place.write({
      'work/.pi/rules/a.md': '---\ndescription: x\nttsr_trigger: "(oops"\n---\nA',
      'work/.pi/rules/b.md': '---\nttsr_trigger: x*\n---\nB',
      'work/.pi/rules/c.md': '---\nttsr_trigger:\n  deep: 1\n---\nC',
    });
    const { rules, problems } = await place.load();
    assert.deepEqual(rules, []);
    assert.deepEqual(
      problems.map(({ file, line }) => [file?.slice(-4), line]),
      [
        ['a.md', 3],
        ['b.md', 2],
        ['c.md', 2],
      ],
    );
    assert.match(problems[0]?.message ?? '', /^"ttsr_trigger" of this rule cannot be used: Invalid regular expression/);
    assert.match(problems[1]?.message ?? '', /"x\*" matches an empty text/);
    assert.match(problems[2]?.message ?? '', /it must be a pattern or a list of patterns/);
  });
});
