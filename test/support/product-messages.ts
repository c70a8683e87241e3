import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../scripts/support/paths.ts';

/** A text that tells a person that something went wrong; `…` stands for what differs from case to case. */
export interface ProductMessage {
  readonly text: string;
  /** Where it is written, from the root, with `/`. */
  readonly file: string;
}

/**
 * Where messages are not for the person in front of Hookline: answers to the model or to a program, and what a hook's
 * author gets who calls the API wrongly, which names hook, file and line.
 */
const NOT_FOR_THE_PERSON = [
  'agent/agent.ts',
  'agent/changes/',
  'agent/session/appendable-session.ts',
  'agent/session/file/entry-reader.ts',
  'agent/system-prompt.ts',
  'agent/tools/',
  'base/',
  'conversation/child-session/agent-session.ts',
  'conversation/composer/completion/',
  'conversation/session/boundary-entries.ts',
  'conversation/terminal/',
  'hook-authoring/',
  'hook-insight/',
  'hook-typings/',
  'hooks/api/',
  'hooks/dialects/',
  'hooks/dispatch/',
  'hooks/events/',
  'hooks/load/modules/',
  'hooks/shell/',
  'mcp/tools/resource-tools.ts',
  'mcp/tools/tool-search.ts',
  'modes/rpc/',
  'package-preview/',
  'protocol/',
  'typescript-plugin/',
];

/** The texts of all errors, problems, and error and warning notifications in `src` that a person can meet. */
export function productMessages(): readonly ProductMessage[] {
  const src = join(ROOT, 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map(name => name.split(sep).join('/'))
    .filter(name => name.endsWith('.ts') && !NOT_FOR_THE_PERSON.some(place => name.startsWith(place)))
    .sort();
  return files.flatMap(name => messagesIn(join(src, name)));
}

function messagesIn(path: string): readonly ProductMessage[] {
  const file = relative(ROOT, path).split(sep).join('/');
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    for (const expression of toldBy(node)) {
      const text = textOf(expression);
      if (text !== undefined && /[a-z]{3}/.test(text)) found.add(text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found].map(text => ({ text, file }));
}

/** What a node says to a person, if it does: an error, a problem, a notification. */
function toldBy(node: ts.Node): readonly ts.Expression[] {
  if (ts.isNewExpression(node) && node.expression.getText().endsWith('Error')) return node.arguments?.slice(0, 1) ?? [];
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'message') {
    const isProgress = node.parent.properties.some(property => property.getText() === "type: 'running'");
    return isProgress ? [] : [node.initializer];
  }
  if (ts.isCallExpression(node) && /show(Error|Warning)Message$/.test(node.expression.getText())) {
    return node.arguments.slice(0, 1);
  }
  return [];
}

function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text.trim();
  if (ts.isTemplateExpression(node)) {
    return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…').trim();
  }
  const [key] = ts.isCallExpression(node) && node.expression.getText().endsWith('l10n.t') ? node.arguments : [];
  return key !== undefined && ts.isStringLiteralLike(key) ? key.text.replaceAll(/\{\d+\}/g, '…') : undefined;
}
