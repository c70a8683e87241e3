import { failed, ok, type Problem, type Result } from '../../base/result';
import { detectDialect, evidenceIn, featuresIn } from '../../hooks/dialects/detect';
import { DIALECTS, isOlderThanExtensions } from '../../hooks/dialects';
import { typeFix } from '../fixes';
import type { DialectId } from '../../hooks/dialects/dialect-id';
import { isTypeScript, type BabelTransform } from '../../hooks/load/compile/compile';
import { parseModule } from '../syntax/parse';
import { Roles } from '../syntax/roles';
import { isFunction, memberName } from '../syntax/syntax-node';
import { convertCommands } from './passes/commands';
import { convertContext } from './passes/context-messages';
import { convertImports } from './passes/imports';
import { leftoversIn, type Leftover } from './leftovers';
import { importsNotConverted } from './passes/imports-not-converted';
import { renameMembers } from './passes/members';
import { AGENT, statementAround, type NeededCode, type Pass, type Source } from './pass';
import { renameEvents } from './passes/rename-events';
import { convertResults } from './passes/results';
import { splitSession } from './passes/split-session';
import { splitDestructuring } from './passes/split-destructuring';

/** A hook to convert. */
export interface ConversionInput {
  /** Absolute path; its extension decides the language. */
  readonly file: string;
  readonly text: string;
  /** The dialect of the file; detected from the text when absent. */
  readonly dialect?: DialectId;
  readonly babel: BabelTransform;
  /** Returns the text of an imported module; undefined if it is not code. Imported modules are not converted. */
  readonly textOf?: (specifier: string) => string | undefined;
}

/** A remark about a conversion, with its place in the new text. */
export interface ConversionRemark extends Required<Pick<Problem, 'message' | 'line' | 'column'>> {
  /** `look`: the user must decide; the new text has a comment there. `note`: the user need not do anything. */
  readonly severity: 'look' | 'note';
}

export interface Conversion {
  readonly text: string;
  readonly from: DialectId;
  /** Remarks about places, in the order of the new text, then remarks about the whole file. */
  readonly remarks: readonly ConversionRemark[];
}

const PASSES: readonly Pass[] = [
  // Must be first: what the next pass writes already has its guards.
  renameEvents,
  splitSession,
  convertCommands,
  splitDestructuring,
  renameMembers,
  convertContext,
  convertResults,
];

/**
 * Rewrites a hook of an older dialect as an extension for today's pi; the file itself does not change. Comments and
 * formatting stay. Code that has no equivalent stays as it is and gets a remark. Fails for text that cannot be parsed
 * and for hooks that are already extensions.
 */
export function convertHook(input: ConversionInput): Result<Conversion> {
  const { file, babel } = input;
  const original = input.text.replaceAll('\r\n', '\n');
  const parsed = parseModule(babel, file, original);
  if (!parsed.ok) return parsed;
  const from = input.dialect ?? dialectOf(original, new Roles(parsed.value));
  if (!isOlderThanExtensions(from)) return failed({ message: 'This hook is an extension already.', file });
  const dialect = DIALECTS[from];
  const { newSessionWord, listsToolNames } = featuresIn(evidenceIn([original]));
  const more = {
    dialect,
    newSessionWord: newSessionWord ?? dialect.newSessionWord,
    listsToolNames,
    listensToSession: new Roles(parsed.value).calls.some(({ names }) => names.includes('session')),
  };
  const needs: NeededCode = { helpers: new Set(), imports: new Map(), wrapsContext: false };
  let text = original;
  for (const pass of PASSES) {
    const source = read(babel, file, text, more);
    if (!source.ok) return source;
    text = pass(source.value, needs);
  }
  const source = read(babel, file, text, more);
  if (!source.ok) return source;
  text = marked(convertImports(source.value, needs, file), file);
  const last = read(babel, file, text, more);
  if (!last.ok) return last;
  const leftovers = [...leftoversIn(last.value.roles, dialect), ...importsNotConverted(last.value.tree, input.textOf)];
  const converted = remarked(last.value, leftovers);
  const remarks = [...converted.remarks, ...generalRemarks(last.value, original)];
  const isWindows = input.text.includes('\r\n');
  return ok({ text: isWindows ? converted.text.replaceAll('\n', '\r\n') : converted.text, from, remarks });
}

function read(babel: BabelTransform, file: string, text: string, more: Omit<Source, 'tree' | 'roles'>): Result<Source> {
  const parsed = parseModule(babel, file, text);
  return parsed.ok ? ok({ tree: parsed.value, roles: new Roles(parsed.value), ...more }) : parsed;
}

/** Detects the dialect from the text alone. */
function dialectOf(text: string, roles: Roles): DialectId {
  const on = roles.calls.filter(({ method }) => method === 'on');
  return detectDialect({
    text: evidenceIn([text]),
    events: new Set(on.flatMap(({ names }) => names)),
    methods: new Set(roles.calls.map(({ method }) => method)),
    group: 'hooks',
  }).id;
}

/** Makes sure that the file is detected as the newest dialect, by the type of its factory or by a comment. */
function marked(text: string, file: string): string {
  const renamed = text.replace(/(\/[/*]+\s*@pi-dialect\s+)[\w-]+/, '$1pi');
  if (renamed !== text) return renamed;
  // The file uses the type without importing it, which its editor reports: use the new type, with an import.
  const unimported = /(\(\s*\w+\s*:\s*)HookAPI\b/;
  if (unimported.test(text)) {
    return withFirstLine(text.replace(unimported, '$1ExtensionAPI'), `import type { ExtensionAPI } from '${AGENT}';`);
  }
  const isTold = evidenceIn([text]).specifiers.some(name => name.startsWith('@earendil-works/'));
  if (isTold && /\bExtension(?:API|Context|CommandContext|Factory)\b/.test(text)) return text;
  const fix = isTypeScript(file) ? typeFix(text, 'pi') : undefined;
  if (fix === undefined) return isTold ? text : withFirstLine(text, '// @pi-dialect pi');
  const lines = text.split('\n');
  // Apply the last fix first, so that the places of the others stay valid.
  for (const { line, start, end, text: put } of [...fix.fixes].reverse()) {
    const own = lines[line] ?? '';
    lines[line] = own.slice(0, start) + put + own.slice(end);
  }
  return lines.join('\n');
}

/** Adds a line at the beginning, but after a line that names the program to run the file with. */
function withFirstLine(text: string, line: string): string {
  return text.replace(/^(?:#![^\n]*\n)?/, start => `${start}${line}\n`);
}

/** Puts a comment above each place that the user must look at, and makes the remarks. */
function remarked({ tree }: Source, leftovers: readonly Leftover[]): Pick<Conversion, 'text' | 'remarks'> {
  const comments = new Map<number, string[]>();
  const once = leftovers.filter(
    (each, index) =>
      leftovers.findIndex(
        other => other.message === each.message && tree.lineAt(other.node.start) === tree.lineAt(each.node.start),
      ) === index,
  );
  for (const { node, message, severity } of once) {
    if (severity !== 'look') continue;
    const line = tree.lineAt(statementAround(tree, node).start);
    comments.set(line, [...new Set([...(comments.get(line) ?? []), message])]);
  }
  const result: string[] = [];
  const moved = new Map<number, number>();
  tree.text.split('\n').forEach((text, index) => {
    const indent = /^[ \t]*/.exec(text)?.[0] ?? '';
    for (const message of comments.get(index + 1) ?? []) result.push(`${indent}// Needs a look: ${message}`);
    result.push(text);
    moved.set(index + 1, result.length);
  });
  const remarks = once.map(({ node, message, severity }) => ({
    message,
    severity,
    line: moved.get(tree.lineAt(node.start)) ?? 1,
    column: node.start - tree.lineStart(node.start) + 1,
  }));
  return { text: result.join('\n'), remarks };
}

/** Remarks about differences that cannot be assigned to one place of the file. */
function generalRemarks({ roles, tree, dialect }: Source, original: string): readonly ConversionRemark[] {
  const remarks: string[] = [];
  const events = new Set(roles.calls.filter(({ method }) => method === 'on').flatMap(({ names }) => names));
  const isAsync = tree.nodes.some(node => isFunction(node) && node['async'] === true);
  if (isAsync && dialect.timed('default')) {
    remarks.push('Handlers have no time limit now: hookTimeout does not apply to the newest dialect.');
  }
  if (events.has('before_agent_start') && dialect.injects === 'first') {
    remarks.push('The messages of all before_agent_start handlers are added now. Before, only the first one was.');
  }
  if (/\bpi\.send\s*\(/.test(original)) {
    remarks.push('pi.sendUserMessage does not expand slash commands, as pi.send did.');
  }
  if (events.has('tool_call') || events.has('tool_result')) {
    remarks.push(
      'The calls of one answer run in parallel now, after all verdicts. Before, they ran one after the other.',
    );
  }
  if (events.has('session_before_compact')) {
    remarks.push('Handlers no longer get events for a compaction that has nothing to summarize.');
  }
  const members = new Set(tree.nodes.map(memberName));
  if (events.has('agent_end') && (members.has('sendMessage') || members.has('sendUserMessage'))) {
    remarks.push('A message sent at agent_end joins the run that ends. Before, it started another run.');
  }
  if (['getBranch', 'getEntries', 'getLeafEntry', 'getLeafId', 'getTree'].some(name => members.has(name))) {
    remarks.push(
      'Handlers also get entries about the prompt and its cost now: system messages, context_edit and usage.',
    );
  }
  if (members.has('navigateTree') || members.has('reload')) {
    remarks.push('navigateTree and reload reject while the agent works: await ctx.waitForIdle() first.');
  }
  return remarks.map(message => ({ message, severity: 'note', line: 1, column: 1 }));
}
