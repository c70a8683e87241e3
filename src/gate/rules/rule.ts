import { isAbsolute, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { compileWhole } from '../../agent/tools/search/glob';
import { defined } from '../../base/defined';
import { slashed } from '../../base/files/slashed';
import { namesBuildPlace } from '../calls/build-places';
import { isShared } from '../calls/call-details';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import { riskyArguments } from '../commands/risky-arguments';
import { simpleCommands, type SimpleCommand } from '../commands/shell-words';
import type { ApprovalRule } from '../../hook-contract/approvals/approval-rule';

/** The tool name in rules that apply to all of Hookline's file tools. */
export const FILE_TOOLS = 'files';

/** The tool whose rules are about commands, also when the text of a rule for files is changed into one. */
const COMMAND_TOOL = 'bash';

/** A rule as one line, which {@link readRuleText} can read: `bash: git status`, `files: src/**`, `mcp__x`. */
export function ruleText({ tool, match }: Pick<ApprovalRule, 'tool' | 'match'>): string {
  switch (match.type) {
    case 'any':
      return tool;
    case 'prefix':
      return `${tool}: ${match.words.map(quoted).join(' ')} …`;
    case 'exact':
      return `${tool}: ${match.command}`;
    case 'path':
      return `${tool}: ${match.pattern}`;
  }
}

/** The rule with the tool and match that the user wrote as its new text; undefined when the text is not valid. */
export function readRuleText(rule: ApprovalRule, text: string): ApprovalRule | undefined {
  const colon = text.indexOf(':');
  const tool = (colon < 0 ? text : text.slice(0, colon)).trim();
  const rest = colon < 0 ? '' : text.slice(colon + 1).trim();
  if (tool === '') return undefined;
  if (rest === '') {
    const isSame = rule.match.type === 'any' && tool === rule.tool;
    return isSame ? rule : { ...rule, tool, match: { type: 'any' } };
  }
  if (tool === FILE_TOOLS || (rule.match.type === 'path' && tool !== COMMAND_TOOL)) {
    const code = rule.match.type === 'path' && rule.match.code === true ? { code: true as const } : {};
    return matcherOf(rest) === undefined
      ? undefined
      : { ...rule, tool, match: { type: 'path', pattern: rest, ...code } };
  }
  if (!rest.endsWith('…')) return { ...rule, tool, match: { type: 'exact', command: rest } };
  const [words, second] = simpleCommands(rest.slice(0, -1)) ?? [];
  if (words === undefined || second !== undefined) return undefined;
  return { ...rule, tool, match: { type: 'prefix', words: [...words] } };
}

/** The rule that allows a call, or the first of several rules that together allow it; undefined when none do. */
export function ruleFor(facts: CallDetails, rules: readonly ApprovalRule[]): ApprovalRule | undefined {
  const isFile = facts.kind === 'writes' || facts.kind === 'reads';
  const here = rules.filter(
    ({ tool, folder }) =>
      (tool === facts.toolName || (tool === FILE_TOOLS && isFile)) && (folder === undefined || folder === facts.cwd),
  );
  return here.find(rule => allows(rule, facts)) ?? prefixesFor(facts, here);
}

/** Whether one of the rules would allow the call if the server had not changed what it says about the tool. */
export function wasChangedSince(facts: CallDetails, rules: readonly ApprovalRule[]): boolean {
  const unbound = rules.map((rule): ApprovalRule =>
    rule.match.type === 'any' ? { ...rule, match: { type: 'any' } } : rule,
  );
  return ruleFor(facts, rules) === undefined && ruleFor(facts, unbound) !== undefined;
}

/** Whether a rule takes the place of another one: it is the same, or about the same tool, which changed meanwhile. */
export function takesPlaceOf(rule: ApprovalRule, known: ApprovalRule): boolean {
  const plain = ({ tool, folder, match }: ApprovalRule): unknown => [
    tool,
    folder,
    match.type === 'any' && match.definition !== undefined ? 'defined' : match,
  ];
  return isDeepStrictEqual(plain(rule), plain(known));
}

function allows({ match, folder }: ApprovalRule, { file, command, cwd, definition }: CallDetails): boolean {
  switch (match.type) {
    case 'any':
      if (match.definition !== undefined && match.definition !== definition) return false;
      return file === undefined || ((file.place === 'workspace' || file.place === 'temporary') && !isShared(file));
    case 'exact':
      return command?.line === match.command;
    case 'path':
      if (file === undefined || file.place === 'unclear') return false;
      if (match.code !== true) {
        if (file.place === 'code' || isShared(file)) return false;
        if (file.place === 'build' && file.use === 'write' && !namesBuildPlace(match.pattern)) return false;
      }
      return isIn(file.real, match.pattern, folder ?? cwd);
    case 'prefix':
      return false;
  }
}

/** Each simple command of the line must match a rule, since all of them run. The line is read only if there is a rule. */
function prefixesFor({ command }: CallDetails, rules: readonly ApprovalRule[]): ApprovalRule | undefined {
  const prefixes = rules.filter(({ match }) => match.type === 'prefix');
  if (prefixes.length === 0 || command?.isPosix !== true) return undefined;
  const found = simpleCommands(command.line)?.map(words => prefixes.find(rule => covers(rule, words)));
  return found === undefined || found.includes(undefined) ? undefined : found[0];
}

/** Whether a rule for a beginning covers a command. The user wrote the words of the rule, but not those after them. */
function covers({ match }: ApprovalRule, words: SimpleCommand): boolean {
  if (match.type !== 'prefix' || !match.words.every((word, index) => words[index] === word)) return false;
  return riskyArguments(words, match.words.length).length === 0;
}

/** Arguments that no rule for a beginning covers. */
export function uncoveredArguments({ command }: CallDetails): readonly string[] {
  const commands = command?.isPosix === true ? simpleCommands(command.line) : undefined;
  return commands?.flatMap(words => riskyArguments(words)) ?? [];
}

/** The rules that the user may make for calls like this one, in the order in which they are offered: for a command, itself first. */
export function offersFor(facts: CallDetails): readonly ApprovalRule[] {
  const { toolName: tool, cwd: folder, file, command, kind } = facts;
  if (file !== undefined && kind !== 'foreign') return fileOffers(facts, file);
  if (command !== undefined) {
    const exact: ApprovalRule = { tool, folder, match: { type: 'exact', command: command.line } };
    const commands = command.isPosix ? simpleCommands(command.line) : undefined;
    const [words, second] = commands ?? [];
    if (words === undefined || second !== undefined) return [exact];
    const prefix = prefixOf(words);
    if (prefix === undefined || riskyArguments(words, prefix.length).length > 0) return [exact];
    return [exact, { tool, folder, match: { type: 'prefix', words: [...prefix] } }];
  }
  return [{ tool, folder, match: { type: 'any', ...defined({ definition: facts.definition }) } }];
}

function fileOffers({ cwd: folder }: CallDetails, file: NonNullable<CallDetails['file']>): readonly ApprovalRule[] {
  const { place, real } = file;
  if (place === 'unclear' || isShared(file)) return [];
  const pattern = escapeGlob(place === 'outside' || place === 'temporary' ? slashed(real) : inFolder(real, folder));
  const code = place === 'code' ? { code: true as const } : {};
  const single: ApprovalRule = { tool: FILE_TOOLS, folder, match: { type: 'path', pattern, ...code } };
  // In a further folder of the workspace, a rule for all files of this one would not apply.
  if (place !== 'workspace' || pattern === escapeGlob(slashed(real))) return [single];
  return [{ tool: FILE_TOOLS, folder, match: { type: 'path', pattern: '**' } }, single];
}

/** Programs whose first argument says what they do. */
const WITH_VERBS = new Set([
  ...['git', 'npm', 'pnpm', 'yarn', 'bun', 'deno', 'cargo', 'go', 'make', 'docker', 'kubectl', 'dotnet', 'gradle'],
  ...['mvn', 'pip', 'poetry', 'uv', 'gh', 'terraform', 'bundle', 'rake', 'composer', 'swift', 'just'],
]);

/** The words of a prefix rule: the program with its verb. Undefined for programs that have no verbs. */
function prefixOf(words: SimpleCommand): SimpleCommand | undefined {
  const [program = '', verb = '', third = ''] = words;
  if (!WITH_VERBS.has(program) || !/^[a-z][\w:-]*$/.test(verb)) return undefined;
  return verb === 'run' && third !== '' && !third.startsWith('-') ? [program, verb, third] : [program, verb];
}

function isIn(real: string, pattern: string, folder: string): boolean {
  const matches = matcherOf(pattern);
  if (matches === undefined) return false;
  const isWhole = pattern.startsWith('/') || /^[a-zA-Z]:\//.test(pattern);
  const within = inFolder(real, folder);
  return isWhole ? matches(slashed(real)) : within !== slashed(real) && matches(within);
}

function matcherOf(pattern: string): ((path: string) => boolean) | undefined {
  try {
    return compileWhole(pattern);
  } catch {
    return undefined; // An invalid pattern allows nothing.
  }
}

/** The path from the folder, with `/`; the absolute path when it is not inside of the folder. */
function inFolder(path: string, folder: string): string {
  const inside = relative(folder, path);
  const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return slashed(isOutside ? path : inside);
}

function escapeGlob(path: string): string {
  return path.replace(/[*?[\]{}\\]/g, sign => `\\${sign}`);
}

function quoted(word: string): string {
  return /^[\p{L}\p{N}_.,/:=@%+^~-]+$/u.test(word) ? word : `'${word}'`;
}
