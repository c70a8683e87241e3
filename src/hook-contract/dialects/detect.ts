import { singleLine } from '../../base/text/single-line';
import { dialectsWith, isOnlyOf } from '../events/event-table';
import type { DialectId, DialectTag } from '../dialect-id';
import type { HookFeatures } from '../dialect';
import { dialectNamed } from './index';

/** Everything by which the dialect of a file can be detected. */
export interface Evidence {
  readonly text: TextEvidence;
  /** Events to which the factory listened and methods that it called; empty before it ran. */
  readonly events: ReadonlySet<string>;
  readonly methods: ReadonlySet<string>;
  readonly group: 'hooks' | 'extensions';
  /** Names of the packages that the file's package needs. Compiled code no longer says from where it had its types. */
  readonly needs?: readonly string[] | undefined;
  /** Dialect set for this file in the settings. */
  readonly setting?: string | undefined;
}

/**
 * Detects the dialect as docs/dialects.md describes it: first by a comment in the file or a setting, then by what the
 * factory did, import specifiers, imported names, marks in the text, and last by the folder. The result has the reason.
 */
export function detectDialect(evidence: Evidence): DialectTag {
  for (const [word, where] of [
    [evidence.text.override, '// @pi-dialect'],
    [evidence.setting, 'the dialect setting'],
  ] as const) {
    const id = word === undefined ? undefined : dialectNamed(word);
    if (id !== undefined) return { id, because: `set by ${where}`, overridden: true };
  }
  for (const rule of RULES) {
    const because = rule.because(evidence);
    if (because !== undefined) return { id: rule.id, because, overridden: false };
  }
  return { id: 'ext', because: 'no sign of its dialect; treated as an extension', overridden: false };
}

/** The features that the text alone shows and that do not depend on the dialect. */
export function featuresIn(text: TextEvidence): Omit<HookFeatures, 'events' | 'methods'> {
  const saysNew = text.marks.newSession !== undefined;
  const saysClear = text.marks.clearedSession !== undefined;
  return {
    listsToolNames: text.specifiers.some(name => name.startsWith('@oh-my-pi/')) || isHookApi(text),
    newSessionWord: saysNew === saysClear ? undefined : saysNew ? 'new' : 'clear',
    readsContextMessages: text.marks.contextMessages !== undefined,
    readsSystemPrompt: text.marks.systemPrompt !== undefined,
  };
}

/** Whether a file holds tools in the form of older pi and of oh-my-pi: its factory returns them. `entry` is its text. */
export function holdsCustomTools(entry: string): boolean {
  return /\bCustomToolFactory\b/.test(entry);
}

interface Rule {
  readonly id: DialectId;
  because(evidence: Evidence): string | undefined;
}

const EXT_METHODS =
  /^(registerTool|sendUserMessage|setLabel|setSessionName|getSessionName|registerProvider|unregisterProvider|getCommands|setModel|getThinkingLevel|setThinkingLevel)$/;
/** Pieces of code that tell the dialects apart. */
const MARKS = {
  /** Members of contexts that only the dialect `v2` has. */
  v2Members: /\bctx\.(saveEntry|rebuildContext)\b/,
  /** Members of contexts, payloads and options that only the dialect `pi` has. */
  piMembers:
    /\bctx\.(mode|isProjectTrusted|scopedModels|executeTool|getSystemPromptOptions)\b|\b(parentToolCallId|messageEntryId|toolResultEntryIds|systemPromptOptions|expandPromptTemplates)\b/,
  treeSession: /\bpreviousCompactions\b|['"`]before_new['"`]/,
  treeMembers: /\bevent\.entryIndex\b|\.getPath\s*\(/,
  ompMembers:
    /\.entryId\b|\.getBranch\s*\(|\(\s*_?args\s*[,:][^)]*ctx|\.reason\s*={2,3}\s*['"`](new|resume)['"`]|\.setStatus\s*\(|\bparentSession\b|\bgetActiveTools\b|\bregister(Flag|Shortcut)\b/,
  extensionTypes: /:\s*Extension(API|Context|CommandContext)\b/,
  newSession: /['"`]before_new['"`]|(?:reason\s*={2,3}\s*|case\s+)['"`]new['"`]/,
  clearedSession: /['"`]before_clear['"`]|['"`]clear['"`]/,
  systemPrompt: /\bgetSystemPrompt\b/,
  contextMessages: /\bentryIndex\b|\(\s*\{\s*message\b|\bContextMessage\b/,
};
type Mark = keyof typeof MARKS;

/** Methods that only the dialect `pi` has. */
const PI_METHODS =
  /^(registerEntryRenderer|registerMarkdownTransformer|registerToolRenderer|(un)?registerVirtualModel|(un)?registerMcpServer|getMcpServers|getSettings)$/;
/** Methods that the tree API has and v1 does not have; {@link isSinceTree} is the same for events. */
const TREE_METHODS = /^(sendMessage|appendEntry|registerCommand|registerMessageRenderer)$/;

const RULES: readonly Rule[] = [
  {
    id: 'v2',
    because: e => called(e, /^command$/) ?? imports(e, 'ContextMessage') ?? says(e, 'v2Members'),
  },
  { id: 'omp', because: e => (usesExtensionTypes(e) === undefined ? fromPackage(e, '@oh-my-pi/') : undefined) },
  {
    id: 'pi',
    because: e =>
      fromPackage(e, '@earendil-works/') ??
      needs(e, '@earendil-works/') ??
      listens(e, name => isOnlyOf(name, 'pi')) ??
      called(e, PI_METHODS) ??
      says(e, 'piMembers'),
  },
  {
    id: 'ext',
    because: e => usesExtensionTypes(e) ?? listens(e, name => isOnlyOf(name, 'ext', 'pi')) ?? called(e, EXT_METHODS),
  },
  { id: 'omp', because: e => listens(e, name => isOnlyOf(name, 'omp')) },
  { id: 'v1', because: e => called(e, /^send$/) },
  {
    id: 'tree',
    because: e =>
      whenListens(
        e,
        'session',
        () => called(e, TREE_METHODS) ?? listens(e, isSinceTree) ?? called(e, /^exec$/) ?? says(e, 'treeSession'),
      ),
  },
  { id: 'v1', because: e => listens(e, name => name === 'session') ?? listens(e, name => isOnlyOf(name, 'v1')) },
  {
    id: 'tree',
    because: e => listens(e, name => isOnlyOf(name, 'tree')) ?? says(e, 'treeMembers'),
  },
  {
    id: 'omp',
    because: e => (isHookApi(e.text) ? says(e, 'ompMembers') : undefined),
  },
  {
    id: 'tree',
    because: e =>
      isHookApi(e.text) ? (called(e, TREE_METHODS) ?? listens(e, isSinceTree) ?? listens(e, isSplitStep)) : undefined,
  },
  {
    id: 'v1',
    because: e => (isHookApi(e.text) ? 'imports hook types and has no other sign of its dialect' : undefined),
  },
  { id: 'ext', because: e => (e.group === 'extensions' ? 'it is in a folder of extensions' : undefined) },
  { id: 'tree', because: e => called(e, TREE_METHODS) ?? listens(e, isSinceTree) ?? listens(e, isSplitStep) },
  {
    id: 'v1',
    because: e =>
      e.text.specifiers.some(isPi) ? undefined : 'it is in a folder of hooks, and its imports name no dialect',
  },
];

/** Whether the tree API has an event that v1 does not have; not for events of sessions. */
function isSinceTree(event: string): boolean {
  const dialects = dialectsWith(event);
  return dialects.includes('tree') && !dialects.includes('v1') && !isSplitStep(event);
}

/** Whether an event is one step of a session; v1 has the single event `session` for all of them. */
function isSplitStep(event: string): boolean {
  return event.startsWith('session_');
}

function listens(evidence: Evidence, is: (event: string) => boolean): string | undefined {
  const name = [...evidence.events].find(is);
  return name === undefined ? undefined : `listens to "${name}"`;
}

function whenListens(evidence: Evidence, event: string, then: () => string | undefined): string | undefined {
  if (!evidence.events.has(event)) return undefined;
  const because = then();
  return because === undefined ? undefined : `listens to "${event}" and ${because}`;
}

/** The reason if the factory called such a method, or the text calls it anywhere. */
function called(evidence: Evidence, pattern: RegExp): string | undefined {
  const name = [...evidence.methods, ...evidence.text.calls].find(method => pattern.test(method));
  return name === undefined ? undefined : `calls pi.${name}`;
}

function says(evidence: Evidence, mark: Mark): string | undefined {
  const found = evidence.text.marks[mark];
  return found === undefined ? undefined : `says ${singleLine(found)}`;
}

function imports(evidence: Evidence, name: string): string | undefined {
  return evidence.text.imported.has(name) ? `imports ${name}` : undefined;
}

function fromPackage(evidence: Evidence, scope: string): string | undefined {
  const specifier = evidence.text.specifiers.find(name => name.startsWith(scope));
  return specifier === undefined ? undefined : `imports ${specifier}`;
}

function needs(evidence: Evidence, scope: string): string | undefined {
  const name = evidence.needs?.find(each => each.startsWith(scope));
  return name === undefined ? undefined : `needs ${name}`;
}

function usesExtensionTypes(evidence: Evidence): string | undefined {
  return (
    [...evidence.text.imported]
      .filter(name => /^Extension(API|Context|CommandContext|Factory)$/.test(name))
      .map(name => `imports ${name}`)[0] ?? says(evidence, 'extensionTypes')
  );
}

function isHookApi({ imported, specifiers }: TextEvidence): boolean {
  return (
    [...imported].some(name => /^Hook(API|Context|EventContext|CommandContext|Factory)$/.test(name)) ||
    specifiers.some(name => isPi(name) && name.endsWith('/hooks'))
  );
}

function isPi(specifier: string): boolean {
  return /^@(mariozechner|oh-my-pi|gsd|earendil-works)\//.test(specifier);
}

/** What the text of a hook's files shows. */
export interface TextEvidence {
  /** Module specifiers of all imports, type-only ones included. */
  readonly specifiers: readonly string[];
  /** Names imported from pi's packages. */
  readonly imported: ReadonlySet<string>;
  /** The first piece of code for each mark that the code contains. */
  readonly marks: Readonly<Partial<Record<Mark, string>>>;
  /** Methods of the API object that the text calls. */
  readonly calls: readonly string[];
  /** Word after `@pi-dialect` in a comment. */
  readonly override: string | undefined;
}

const PI_PACKAGE = /^@(mariozechner|oh-my-pi|gsd|earendil-works)\//;

/** Reads the evidence from the texts of the entry and the files it imports by path, the entry first. */
export function evidenceIn(texts: readonly string[]): TextEvidence {
  const override = texts
    .map(text => /\/[/*]+\s*@pi-dialect\s+([\w-]+)/.exec(text)?.[1])
    .find(word => word !== undefined);
  const code = texts.map(withoutComments).join('\n');
  const specifiers: string[] = [];
  const imported = new Set<string>();
  for (const match of code.matchAll(/\b(?:import|export)\s+(?:type\s+)?([^'"`;()]*?)\s*from\s*(['"])([^'"\n]+)\2/g)) {
    const [, clause = '', , specifier = ''] = match;
    specifiers.push(specifier);
    if (!PI_PACKAGE.test(specifier)) continue;
    for (const name of clause.matchAll(/[A-Za-z_$][\w$]*/g)) imported.add(name[0]);
  }
  for (const match of code.matchAll(/\b(?:import|require)\s*\(?\s*(['"])([^'"\n]+)\1/g)) {
    specifiers.push(match[2] ?? '');
  }
  const calls = [...code.matchAll(/\b(?:pi|api|hooks?)\.(\w+)\s*(?:<[^()<>]*>\s*)?\(/g)].map(match => match[1] ?? '');
  return { specifiers, imported, marks: marksIn(code), calls: [...new Set(calls)], override };
}

/** Each mark is looked for when it is first asked for. */
function marksIn(code: string): TextEvidence['marks'] {
  const known = new Map<Mark, string | undefined>();
  const marks = {};
  for (const mark of Object.keys(MARKS) as Mark[]) {
    const get = (): string | undefined => {
      if (!known.has(mark)) known.set(mark, MARKS[mark].exec(code)?.[0]);
      return known.get(mark);
    };
    Object.defineProperty(marks, mark, { get, enumerable: true });
  }
  return marks;
}

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

/** Replaces each comment by a blank; strings such as `"http://x"` are kept. */
function withoutComments(text: string): string {
  return text.replace(TOKEN, token => (token.startsWith('//') || token.startsWith('/*') ? ' ' : token));
}
