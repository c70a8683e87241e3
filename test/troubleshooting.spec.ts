import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../scripts/support/paths.ts';

const MOST_BYTES = 60_000;
const PAGE = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');

/** One entry of the page: messages of one cause, and the text below them. */
interface Entry {
  readonly messages: readonly string[];
  readonly text: string;
}

function entriesOf(page: string): readonly Entry[] {
  const blocks = page.split(/\n(?=[-#\n])/).filter(block => block.startsWith('- `'));
  return blocks.map(block => {
    const lines = block.slice(2).trim().split(/\n */);
    const messages = lines.flatMap(line => /^`([^`]+)`\\$/.exec(line)?.[1] ?? []);
    return { messages, text: lines.slice(messages.length).join(' ') };
  });
}

/** The texts in the code of the product, each once; `…` stands for what differs from case to case. */
function textsInCode(): readonly string[] {
  const files = globSync(['src/**/*.ts', 'webview/**/*.ts'], { cwd: ROOT });
  return [...new Set(files.flatMap(file => textsIn(readFileSync(join(ROOT, file), 'utf8'))))];
}

function textsIn(code: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined) texts.push(text.trim());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest));
  return texts;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text.replaceAll(/\{\d+\}/g, '…');
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined && right === undefined ? undefined : (left ?? '…') + (right ?? '…');
}

/** Matches the texts of which `message` tells the fixed parts. */
function patternOf(message: string): RegExp {
  const parts = message.split('…').map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(String.raw`[\s\S]*`)}$`, 'u');
}

describe('docs/troubleshooting.md', () => {
  const entries = entriesOf(PAGE);
  const messages = entries.flatMap(entry => entry.messages);

  it('names only messages that the product has, each once', () => {
    const texts = textsInCode();
    const unknown = messages.filter(message => {
      const pattern = patternOf(message);
      return !texts.some(text => pattern.test(text));
    });
    assert.deepEqual(unknown, []);
    assert.deepEqual(
      messages.filter((message, at) => messages.indexOf(message) !== at),
      [],
    );
  });

  it('finds a message in a text, a template, a translated text and a sum of texts', () => {
    const code = "a('The moon is gone'); b(`No ${moon} here`); t('No {0} there', moon); c('The sun ' + 'and ' + stars)";
    assert.deepEqual(textsIn(code).slice(0, 4), ['The moon is gone', 'No … here', 'No … there', 'The sun and …']);
  });

  it('names no message that fits every text', () => {
    assert.deepEqual(
      messages.filter(message => !/\p{L}{3}/u.test(message)),
      [],
    );
  });

  it('says in each entry what happened and what to do', () => {
    assert.ok(entries.length > 200, `only ${entries.length} entries`);
    for (const { messages: names, text } of entries) {
      assert.ok(names.length > 0 && /[.;:] .*\.$/.test(text), `${names.join(', ')}: ${text}`);
    }
  });

  it('lists its sections at the top', () => {
    const [top = '', ...sections] = PAGE.split(/^## /m);
    assert.deepEqual(
      [...top.matchAll(/^- \[([^\]]+)\]\(#/gm)].map(([, name]) => name),
      sections.map(section => section.split('\n')[0]),
    );
  });

  it(`has at most ${MOST_BYTES} bytes, so that a person can read it`, () => {
    assert.ok(Buffer.byteLength(PAGE) <= MOST_BYTES, `${Buffer.byteLength(PAGE)} bytes`);
  });
});
