import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/support/paths.ts';
import { OTHER_TEXTS } from './support/other-texts';
import { ENGLISH_IS_FOR_OTHERS, messagesIn, productTexts } from './support/product-messages';

const PRODUCT = productTexts();
const PAGE = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');

/** The messages of the page, as they stand in the first column of its tables; messages of one cause share a row. */
function listed(): readonly string[] {
  const cells = [...PAGE.matchAll(/^\| (`[^|]+) +\|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message));
}

/** Matches a message whose variable parts are what a listed one leaves open. */
function patternOf(message: string): RegExp {
  const parts = message.split('…').map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(String.raw`[\s\S]*`)}$`, 'u');
}

/** Something stands in it beside what is left open; a row that fits everything would explain nothing. */
function saysSomething(message: string): boolean {
  return /\p{L}{3}/u.test(message.replaceAll('…', ''));
}

describe('docs/troubleshooting.md', () => {
  const { messages, all } = PRODUCT;
  const rows = listed();
  const patterns = rows.map(patternOf);

  it('explains every message that a person can meet', () => {
    assert.ok(messages.length > 900, `only ${messages.length} messages were found in src`);
    const missing = messages.filter(({ text }) => saysSomething(text) && !patterns.some(each => each.test(text)));
    assert.deepEqual(
      missing.map(({ text, file }) => `${file}: ${text}`),
      [],
    );
  });

  it('lists no message that is not there any more, and none twice', () => {
    const stale = rows.filter((_row, at) => ![...all].some(text => patterns[at]?.test(text)));
    assert.deepEqual(stale, []);
    assert.equal(new Set(rows).size, rows.length);
    assert.deepEqual(
      rows.filter(row => !saysSomething(row)),
      [],
    );
  });

  it('explains each row', () => {
    const tables = PAGE.split('\n').filter(line => line.startsWith('| `'));
    for (const line of tables) {
      const [, , why = '', cure = ''] = line.split('|').map(cell => cell.trim());
      assert.ok(why !== '' && cure !== '', line);
    }
    assert.ok(tables.length > 500, `only ${tables.length} rows`);
  });

  it('names each subject at its top', () => {
    const [top = '', ...subjects] = PAGE.split(/^## /m);
    const heads = subjects.map(subject => subject.split('\n')[0]);
    assert.deepEqual(
      [...top.matchAll(/^- \[([^\]]+)\]\(#/gm)].map(([, name]) => name),
      heads,
    );
  });
});

describe('the list of the messages that a person can meet', () => {
  const KINDS: Readonly<Record<string, string>> = {
    'an error': "throw new Error('The moon is gone')",
    'a failure of another class': "throw new InstallFailure('The moon is gone')",
    'an error that says what it is': "class MoonError extends Error { constructor() { super('The moon is gone') } }",
    'a problem': "report({ file, message: 'The moon is gone' })",
    'an error notification': "void vscode.window.showErrorMessage('The moon is gone')",
    'a warning notification': "void vscode.window.showWarningMessage('The moon is gone', 'Open')",
    'another notification': "void vscode.window.showInformationMessage('The moon is gone')",
    'a notice in the chat': "this.parts.chat.notice('warning', 'The moon is gone', { canContinue: true })",
    'one of two texts': "throw new Error(isNight ? 'The moon is gone' : why)",
    'a translated text': "item.tooltip = vscode.l10n.t('The moon cannot be seen')",
    'a translated sentence': "html`<p>${l10n.t('The moon went home.')}</p>`",
    'a text that is not translated': "const why = 'The moon cannot be seen'",
    'a line of the log': 'this.parts.log.warn(`The moon is gone: ${reason}`)',
    'a line of the command line': "printError('Warning: the moon is gone')",
    'a reason in other words': "return { why: l10n.t('no moon for {0}', name) }",
  };

  for (const [kind, code] of Object.entries(KINDS)) {
    it(`has ${kind}`, () => {
      assert.deepEqual(
        messagesIn(code, { isEnglishRead: true }).map(text => /\bmoon\b/.test(text)),
        [true],
      );
    });
  }

  it('has what differs from case to case as a gap', () => {
    assert.deepEqual(messagesIn('throw new Error(`The moon of ${planet} is gone`)', { isEnglishRead: true }), [
      'The moon of … is gone',
    ]);
    assert.deepEqual(messagesIn("l10n.t('No moon of {0} fits {1}', a, b)", { isEnglishRead: true }), [
      'No moon of … fits …',
    ]);
  });

  it('has no label, no question, no name of a state, no path and no page', () => {
    const code = [
      "l10n.t('Open the moon'); l10n.t('Is the moon not there?'); l10n.t('not there'); look('The moon is round')",
      "import { moon } from './no/such/moon'; const page = `No moon.\\nNo sun.`",
    ].join('\n');
    assert.deepEqual(messagesIn(code, { isEnglishRead: true }), []);
  });

  it('has only translated texts where English is for others', () => {
    const code = "throw new Error('The moon is gone'); l10n.t('The moon went home.')";
    assert.deepEqual(messagesIn(code, { isEnglishRead: false }), ['The moon went home.']);
  });

  it('leaves out only texts that exist, each once', () => {
    const texts = OTHER_TEXTS.flatMap(group => group.texts);
    const { others } = PRODUCT;
    assert.deepEqual(
      texts.filter(text => !others.has(text)),
      [],
    );
    assert.equal(new Set(texts).size, texts.length);
  });

  it('leaves out English texts only of places that exist', () => {
    const places = Object.keys(ENGLISH_IS_FOR_OTHERS);
    assert.deepEqual(
      places.filter(place => !existsSync(join(ROOT, place))),
      [],
    );
  });
});
