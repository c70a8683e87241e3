import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { conversionPrompt, convertedText, withoutPadding } from '../../src/hook-authoring/conversion';

describe('the prompt that converts a hook', () => {
  const prompt = conversionPrompt({ path: '.pi/hooks/greeter.ts', dialect: 'v1', typings: '/ext/dist/typings' });

  it('names the hook, its dialect and the place of the types, and forbids changes', () => {
    assert.match(prompt, /^Convert the hook \.pi\/hooks\/greeter\.ts from the dialect v1 to today's pi \(dialect pi\)/);
    assert.match(prompt, /\/ext\/dist\/typings\/hookline; begin with modules\/pi-coding-agent\.d\.ts/);
    assert.match(prompt, /Change no file\. Answer with the complete new text of the hook, in one block of code/);
  });

  it('names no dialect when the hook does not load', () =>
    assert.match(
      conversionPrompt({ path: 'a.ts', dialect: undefined, typings: '/t' }),
      /^Convert the hook a\.ts to today's pi/,
    ));

  it('comes with the page about dialects, which loses only the blanks that align its tables', () => {
    const page = readFileSync('docs/dialects.md', 'utf8');
    const slim = withoutPadding(page);
    assert.ok(slim.length < 0.6 * page.length, `${slim.length} of ${page.length} characters`);
    const words = (text: string): readonly string[] => text.split(/\s+/).filter(word => !/^-+$/.test(word));
    assert.deepEqual(words(slim), words(page));
    assert.equal(withoutPadding('| a   | b |\n| ----- | - |\n  - `x`  y\n'), '| a | b |\n| --- | - |\n  - `x` y\n');
  });
});

describe('the converted text in an answer', () => {
  it('is the content of its only block of code, with blocks inside of it', () => {
    assert.equal(
      convertedText('Here:\n\n````ts\nconst a = `\n```\n`;\n````\n\nNeeds a look: none.'),
      'const a = `\n```\n`;\n',
    );
    assert.equal(convertedText('```typescript\r\na;\r\nb;\r\n```'), 'a;\nb;\n');
    assert.equal(convertedText('~~~\na;\n~~~'), 'a;\n');
  });

  for (const [what, answer] of [
    ['an answer without a block', 'It is an extension already. `pi.on` stays.'],
    ['several blocks', '```ts\na;\n```\nor\n```ts\nb;\n```'],
    ['a block that a fence in the text ends early', '```ts\nconst a = `\n```\n`;\n```\n'],
    ['a block without an end', '```ts\na;\n'],
    ['a diff', '```diff\n-a;\n+b;\n```'],
  ] as const) {
    it(`is absent from ${what}`, () => assert.equal(convertedText(answer), undefined));
  }
});
