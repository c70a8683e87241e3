import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../scripts/support/paths.ts';
import { OTHER_TEXTS } from './other-texts.ts';

/** A text that tells a person that something went wrong; `…` stands for what differs from case to case. */
export interface ProductMessage {
  readonly text: string;
  /** Where it is written, from the root, with `/`. */
  readonly file: string;
}

/** Where only translated texts are for the person in front of Hookline, and what the English ones are instead. */
export const ENGLISH_IS_FOR_OTHERS: Readonly<Record<string, string>> = {
  'src/agent/agent.ts': 'a mistake in our own code',
  'src/agent/demo/': 'an answer of the demo model',
  'src/agent/session/appendable-session.ts': 'a wrong call of a hook',
  'src/agent/session/file/entry-reader.ts': 'a mistake in our own code',
  'src/agent/system-prompt.ts': 'a text for the model, or a wrong call of a hook',
  'src/agent/tools/': 'an answer to the model',
  'src/conversation/child-session/agent-session.ts': 'a wrong call of a hook',
  'src/conversation/composer/completion/': 'a wrong answer of a hook',
  'src/conversation/session/boundary-entries.ts': 'a wrong answer of a hook',
  'src/conversation/terminal/': 'a wrong answer of a hook',
  'src/hook-authoring/convert/': 'a comment in a converted hook, or a note about it',
  'src/hook-authoring/example-hooks.ts': 'a mistake in our own code',
  'src/hook-authoring/templates/dialect-shape.ts': 'the description of a choice',
  'src/hook-authoring/templates/permission-gate.ts': 'the description of a choice',
  'src/hook-authoring/templates/template.ts': 'a mistake in our own code',
  'src/hooks/api/': 'a wrong call of a hook',
  'src/hooks/events/': 'a wrong answer of a hook, or a sample',
  'src/hooks/load/modules/': 'a wrong call of a hook',
  'src/mcp/tools/resource-tools.ts': 'an answer to the model',
  'src/mcp/tools/tool-search.ts': 'an answer to the model',
  'src/modes/rpc/': 'an answer to a program',
  'src/package-preview/compatibility.ts': 'an error that the same file catches',
  'src/protocol/': 'a wrong message between host and page',
  'src/typescript-plugin/': 'the log of the TypeScript server',
  'webview/': 'a mistake in our own code',
};

/** What is called with a text that somebody must read, whatever its words; so are errors, and properties named `message`. */
const TELLING_CALL = /(^|\.)(show\w+Message|notice|notify|report|printError|warn|error)$/;

/** A text with one of these words tells that something is not as it should be. */
const FAILURE =
  /\b(not|no|nothing|nobody|none|never|cannot|could|fail(s|ed|ure|ures)?|stopped|blocked|refuse[sd]?|errors?|broken|damaged|invalid|missing|unknown|longer|lost|held|skipped|too|late|wrong|needs?|interrupted|denied|canceled)\b/i;

export interface ProductTexts {
  /** The texts of all failures, warnings and notices in `src` and `webview` that a person can meet. */
  readonly messages: readonly ProductMessage[];
  /** What would be among them, but is known to be no message. */
  readonly others: ReadonlySet<string>;
  /** All of these, and all other translated texts. */
  readonly all: ReadonlySet<string>;
}

export function productTexts(): ProductTexts {
  const known = new Set(OTHER_TEXTS.flatMap(({ texts }) => texts));
  const messages: ProductMessage[] = [];
  const others = new Set<string>();
  const all = new Set<string>();
  for (const file of codeFiles()) {
    const nodes = nodesOf(readFileSync(join(ROOT, file), 'utf8'));
    const isEnglishRead = !Object.keys(ENGLISH_IS_FOR_OTHERS).some(place => file.startsWith(place));
    const found = messagesAmong(nodes, isEnglishRead);
    for (const text of found.filter(each => known.has(each))) others.add(text);
    messages.push(...found.filter(text => !known.has(text)).map(text => ({ text, file })));
    for (const text of [...found, ...nodes.flatMap(node => translatedText(node) ?? [])]) all.add(text);
  }
  return { messages, others, all };
}

function codeFiles(): readonly string[] {
  return ['src', 'webview'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => `${folder}/${name.split(sep).join('/')}`)
      .sort(),
  );
}

/** The messages in the text of a TypeScript file; without `isEnglishRead` only the translated ones. */
export function messagesIn(code: string, { isEnglishRead }: { readonly isEnglishRead: boolean }): readonly string[] {
  return messagesAmong(nodesOf(code), isEnglishRead);
}

function messagesAmong(nodes: readonly ts.Node[], isEnglishRead: boolean): readonly string[] {
  const translated = nodes.flatMap(node => translatedText(node) ?? []).filter(tellsOfFailure);
  const english = isEnglishRead ? nodes.flatMap(englishText).filter(tellsOfFailure) : [];
  const told = isEnglishRead ? nodes.flatMap(toldBy).flatMap(textsOf) : [];
  return [...new Set([...translated, ...english, ...told.filter(text => /[a-z]{3}/.test(text))])];
}

function nodesOf(code: string): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true));
  return nodes;
}

/** A sentence, or a text with a word of failure; not a question, and not a name of one or two words. A gap is a word. */
function tellsOfFailure(text: string): boolean {
  const words = text.match(/\p{L}{2,}|…/gu) ?? [];
  return words.length > 2 && !text.endsWith('?') && (text.endsWith('.') || FAILURE.test(text));
}

/** What a node says to a person, if it does: an error, a problem, a notification. */
function toldBy(node: ts.Node): readonly ts.Expression[] {
  if (ts.isNewExpression(node)) return isError(node.expression.getText()) ? (node.arguments?.slice(0, 1) ?? []) : [];
  if (ts.isCallExpression(node)) return toldByCall(node);
  if (!ts.isPropertyAssignment(node) || node.name.getText() !== 'message') return [];
  const isProgress = node.parent.properties.some(property => property.getText() === "type: 'running'");
  return isProgress ? [] : [node.initializer];
}

function toldByCall(call: ts.CallExpression): readonly ts.Expression[] {
  if (call.expression.kind === ts.SyntaxKind.SuperKeyword) return isInError(call) ? call.arguments.slice(0, 1) : [];
  if (!TELLING_CALL.test(call.expression.getText())) return [];
  return call.arguments.filter(argument => textsOf(argument).some(text => /\S\s+\S/.test(text)));
}

/** Whether a class is one of errors: all that this product makes are named for what happened. */
function isError(className: string): boolean {
  return /(Error|Failure|Refused|Problem|Stopped|NotFound|NotRun|Needed|Cancelled|Blocked)$/.test(className);
}

function isInError(node: ts.Node): boolean {
  const around = ts.findAncestor(node, ts.isClassLike);
  return around?.name !== undefined && isError(around.name.text);
}

/** The texts that an expression can have; none for what is made elsewhere. */
function textsOf(node: ts.Expression): readonly string[] {
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression);
  const text = translatedText(node) ?? writtenText(node);
  return text === undefined ? [] : [text];
}

/** A text of one line that is not translated. Longer ones are pages, styles, code and instructions for the model. */
function englishText(node: ts.Node): readonly string[] {
  const text = writtenText(node);
  if (text === undefined || text.includes('\n') || !text.includes(' ')) return [];
  return translatedText(node.parent) === undefined ? [text] : [];
}

function writtenText(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text.trim();
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…').trim();
}

function translatedText(node: ts.Node): string | undefined {
  const [key] = ts.isCallExpression(node) && /(^|\.)l10n\.t$/.test(node.expression.getText()) ? node.arguments : [];
  return key !== undefined && ts.isStringLiteralLike(key) ? key.text.replaceAll(/\{\d+\}/g, '…') : undefined;
}
