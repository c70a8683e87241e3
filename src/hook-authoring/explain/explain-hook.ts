import { isBuiltin } from 'node:module';
import { detectDialect, evidenceIn } from '../../hook-contract/dialects/detect';
import type { HookInfo } from '../../hook-contract/hook-info';
import type { BabelTransform } from '../../hook-load/compile/compile';
import { registrationsIn } from '../registrations-in';
import { parseModule } from '../syntax/parse';
import { inputChanges } from '../syntax/input-changes';
import { factoryOf, initialValue, Roles, type WrittenCall } from '../syntax/roles';
import {
  arrayOf,
  isNode,
  memberName,
  nameOf,
  nodeAt,
  propertyName,
  propertyNamed,
  stringOf,
  unwrapped,
  type SyntaxNode,
} from '../syntax/syntax-node';
import type { SyntaxTree } from '../syntax/syntax-tree';
import {
  type ExplainedHandler,
  type ExplainedThing,
  type Explanation,
  type Opened,
  type SourcePlace,
  type Power,
  type RegisteredKind,
  type Unknown,
  OPENED,
} from './explanation';
import { reachesIn } from './reach';
import { isCommandCall, readCalledAs } from '../../hook-contract/called-as';
import { defined } from '../../base/defined';

/** A module of a hook. */
export interface HookText {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
}

export interface ExplainInput {
  readonly info: Pick<HookInfo, 'path' | 'dialect'>;
  /** The text of the entry file, as it is in the editor. */
  readonly text: string;
  /** The modules that the entry imports by path, as far as they could be read. */
  readonly others?: readonly HookText[];
  readonly babel: BabelTransform;
}

/**
 * Explains what a hook does without running it. A file that cannot be parsed is only searched for registrations and
 * imports. What could only be known by running the hook is listed in `unknown`.
 */
export function explainHook({ info, text, others = [], babel }: ExplainInput): Explanation {
  const parts = [{ file: info.path, text }, ...others].map((each, index) => explainText(each, index === 0, babel));
  const all = <K extends keyof ModuleExplanation>(member: K): readonly ModuleExplanation[K][] =>
    parts.map(part => part[member]);
  const read = new Set(others.map(({ file }) => file.replace(/\.[cm]?[jt]sx?$/, '')));
  const dialect =
    info.dialect ??
    detectDialect({
      text: evidenceIn([text, ...others.map(other => other.text)]),
      events: new Set(
        all('handlers')
          .flat()
          .map(({ event }) => event),
      ),
      methods: new Set(all('methods').flat()),
      group: 'hooks',
    });
  return {
    dialect,
    handlers: all('handlers').flat(),
    registers: all('registers').flat(),
    acts: all('acts').flat(),
    opens: opensOf(parts),
    imports: all('imports').flat(),
    unknown: all('unknown')
      .flat()
      .filter(
        each =>
          each.type !== 'unread' ||
          ![...read].some(file => file.endsWith(each.name.replace(/^(?:\.\.?\/)+/, '').replace(/\.[cm]?[jt]sx?$/, ''))),
      ),
  };
}

/** What is found in one module of a hook. */
export type ModuleExplanation = Omit<Explanation, 'dialect' | 'opens'> & {
  /** The methods of `pi` that the module calls. */
  readonly methods: readonly string[];
  readonly reaches: readonly (ExplainedThing & { readonly opened: Opened })[];
};

function opensOf(parts: readonly ModuleExplanation[]): Explanation['opens'] {
  const reaches = parts.flatMap(part => part.reaches);
  const of = (opened: Opened): readonly ExplainedThing[] => reaches.filter(reach => reach.opened === opened);
  return Object.fromEntries(OPENED.map(opened => [opened, of(opened)])) as unknown as Explanation['opens'];
}

function explainText({ file, text }: HookText, isEntry: boolean, babel: BabelTransform): ModuleExplanation {
  const parsed = parseModule(babel, file, text, { forgiving: true });
  if (!parsed.ok) return explainLines({ file, text }, parsed.problems[0]?.message ?? '', parsed.problems[0]?.line ?? 1);
  const tree = parsed.value;
  const part = explainModule(file, tree, new Roles(tree));
  const strict = parseModule(babel, file, text);
  const unknown: Unknown[] = [...part.unknown];
  if (!strict.ok) {
    const [problem] = strict.problems;
    unknown.unshift({ type: 'broken', message: problem?.message ?? '', place: { file, line: problem?.line ?? 1 } });
  }
  if (isEntry && factoryOf(tree) === undefined) unknown.push({ type: 'noFactory', place: { file, line: 1 } });
  return { ...part, unknown };
}

/** Explains what one parsed module does. */
export function explainModule(file: string, tree: SyntaxTree, roles: Roles): ModuleExplanation {
  const at = (node: SyntaxNode): SourcePlace => ({ file, line: tree.lineAt(node.start) });
  return {
    handlers: roles.calls.filter(({ method }) => method === 'on').flatMap(call => handlersOf(roles, call, at)),
    registers: roles.calls.flatMap(call => registeredBy(roles, call, at)),
    acts: actsIn(roles, at),
    reaches: [
      ...reachesIn(tree).map(({ opened, name, detail, node }) => ({ opened, ...thing(name, detail, at(node)) })),
      ...execIn(roles, at),
    ],
    imports: importsIn(tree, at),
    unknown: unknownIn(tree, roles, at),
    methods: roles.calls.map(({ method }) => method),
  };
}

function thing(name: string, detail: string | undefined, place: SourcePlace): ExplainedThing {
  return { name, place, ...defined({ detail }) };
}

/** What can be found in a file that cannot be parsed. */
function explainLines({ file, text }: HookText, message: string, line: number): ModuleExplanation {
  const registered = registrationsIn(text);
  const commands = registered.filter(({ registeredAs }) => isCommandCall(registeredAs));
  const { specifiers } = evidenceIn([text]);
  return {
    handlers: registered
      .filter(each => !commands.includes(each))
      .map(each => ({ event: each.registeredAs, place: { file, line: each.line }, powers: [], asks: [] })),
    registers: commands.map(each => ({
      kind: 'command',
      name: `/${readCalledAs(each.registeredAs).name}`,
      place: { file, line: each.line },
    })),
    acts: [],
    reaches: [],
    imports: [...new Set(specifiers)].map(name => ({ name, place: { file, line: lineOf(text, name) } })),
    unknown: [{ type: 'broken', message, place: { file, line } }],
    methods: [],
  };
}

function lineOf(text: string, word: string): number {
  return text.slice(0, Math.max(0, text.indexOf(word))).split('\n').length;
}

function handlersOf(
  roles: Roles,
  { names, handler, call }: WrittenCall,
  at: (node: SyntaxNode) => SourcePlace,
): readonly ExplainedHandler[] {
  const parts = handler === undefined ? [] : partsOf(roles.tree, handler);
  const asks = parts
    .flatMap(part => roles.tree.within(part))
    .flatMap(node => {
      const callee = nodeAt(node, 'callee');
      const name = memberName(callee) ?? '';
      const isUi = roles.of(nodeAt(callee, 'object'))?.type === 'ui';
      return isUi && /^(?:select|confirm|input|editor|custom)$/.test(name) ? [name] : [];
    });
  return names.map(event => ({
    event,
    place: at(call),
    powers: powersOf(roles.tree, parts, event),
    asks: [...new Set(asks)],
  }));
}

/** A handler, and the functions, classes and values of its module that it refers to. */
function partsOf(tree: SyntaxTree, handler: SyntaxNode): readonly SyntaxNode[] {
  const parts = new Set([handler]);
  // The loop also visits the parts that it adds.
  for (const part of parts) {
    for (const node of tree.within(part)) {
      const { id, owner } = tree.resolve(node) ?? {};
      const isDeclared = owner !== undefined && /^(?:Function|Class)Declaration$/.test(owner.type);
      const meant = isDeclared && nodeAt(owner, 'id') === id ? owner : nodeAt(owner, 'init');
      if (meant !== undefined) parts.add(meant);
    }
  }
  return [...parts];
}

/** Members of the answers to events, and the power that each gives. */
const POWERS: readonly (readonly [event: RegExp, member: RegExp, power: Power])[] = [
  [/^tool_call$/, /^block$/, 'block'],
  [/^session|^branch$/, /^(?:cancel|skipConversationRestore)$/, 'cancel'],
  [/^session/, /^(?:compaction|compactionEntry|summary)$/, 'summarize'],
  [/^input$/, /^(?:action|handled)$/, 'handle'],
  [/^input$/, /^text$/, 'change'],
  [/^user_bash$/, /^(?:operations|result)$/, 'handle'],
  [/^before_agent_start$/, /^message$/, 'inject'],
  [/^before_agent_start$/, /^systemPrompt(?:Append)?$/, 'change'],
  [/^tool_result$/, /^(?:content|details|isError|result)$/, 'change'],
  [/^context$/, /^messages$/, 'change'],
  [/^session\.compacting$/, /^(?:context|prompt|preserveData)$/, 'change'],
];

function powersOf(tree: SyntaxTree, parts: readonly SyntaxNode[], event: string): readonly Power[] {
  const powers = new Set<Power>();
  const inside = parts.flatMap(part => tree.within(part));
  if (event === 'tool_call' && parts.some(part => inputChanges(tree, part).length > 0)) powers.add('change');
  for (const node of inside) {
    const around = node.type === 'ThrowStatement' ? tree.functionAround(node) : undefined;
    if (around !== undefined && parts.includes(around) && event === 'tool_call') powers.add('block');
    const { name, value } = writtenMember(tree, node);
    for (const [events, members, power] of POWERS) {
      if (name !== undefined && events.test(event) && members.test(name) && value?.['value'] !== false) {
        powers.add(power);
      }
    }
  }
  const answers = inside.some(({ type, argument }) => type === 'ReturnStatement' && isNode(argument));
  if (event === 'before_provider_request' && answers) powers.add('change');
  return [...powers];
}

/** The member that a property of an object literal or an assignment writes. */
function writtenMember(
  tree: SyntaxTree,
  node: SyntaxNode,
): { readonly name?: string | undefined; readonly value?: SyntaxNode | undefined } {
  if (node.type === 'AssignmentExpression') {
    return { name: memberName(nodeAt(node, 'left')), value: nodeAt(node, 'right') };
  }
  const isProperty = node.type === 'ObjectProperty' && tree.parent(node)?.type === 'ObjectExpression';
  return isProperty ? { name: propertyName(node), value: nodeAt(node, 'value') } : {};
}

const REGISTERS = new Map(
  Object.entries<RegisteredKind>({
    command: 'command',
    registerCommand: 'command',
    registerTool: 'tool',
    registerShortcut: 'shortcut',
    registerFlag: 'flag',
    registerMessageRenderer: 'renderer',
    registerEntryRenderer: 'renderer',
    registerToolRenderer: 'renderer',
    registerProvider: 'provider',
    registerVirtualModel: 'provider',
    registerMcpServer: 'mcpServer',
  }),
);

function registeredBy(
  roles: Roles,
  { call, method, names, nameNode }: WrittenCall,
  at: (node: SyntaxNode) => SourcePlace,
): ModuleExplanation['registers'] {
  const kind = REGISTERS.get(method);
  if (kind === undefined) return [];
  const [first, second] = arrayOf(call, 'arguments');
  const own = objectOf(roles.tree, first);
  const member = (object: SyntaxNode | undefined, name: string): string | undefined =>
    stringOf(initialValue(roles.tree, nodeAt(propertyNamed(object, name), 'value')));
  const described = member(own ?? objectOf(roles.tree, second), 'description');
  const ownName = member(own, 'name') ?? member(own, 'id');
  const written = names.length > 0 ? names : [ownName ?? '?'];
  return written.map(name => ({
    kind,
    ...thing(kind === 'command' ? `/${name}` : name, described, at(nameNode ?? call)),
  }));
}

function objectOf(tree: SyntaxTree, node: SyntaxNode | undefined): SyntaxNode | undefined {
  const inner = unwrapped(node);
  if (inner?.type === 'ObjectExpression') return inner;
  const binding = inner === undefined ? undefined : tree.resolve(inner);
  const init = unwrapped(nodeAt(binding?.owner, 'init'));
  return init?.type === 'ObjectExpression' ? init : undefined;
}

const ACTS =
  /^(?:send|sendMessage|sendUserMessage|appendEntry|setModel|setThinkingLevel|setActiveTools|setSessionName|setLabel|saveEntry|rebuildContext|newSession|fork|branch|navigateTree|switchSession|reload|compact|abort|shutdown|setEditorText|pasteToEditor)$/;

function actsIn(roles: Roles, at: (node: SyntaxNode) => SourcePlace): readonly ExplainedThing[] {
  return roles.tree.ofType('CallExpression', 'OptionalCallExpression').flatMap(call => {
    const callee = nodeAt(call, 'callee');
    const name = memberName(callee);
    const owner = roles.of(nodeAt(callee, 'object'))?.type;
    if (name === undefined || !ACTS.test(name) || owner === undefined) return [];
    return [thing(roles.tree.source(callee ?? call), undefined, at(call))];
  });
}

function execIn(roles: Roles, at: (node: SyntaxNode) => SourcePlace): ModuleExplanation['reaches'] {
  return roles.tree.ofType('CallExpression').flatMap(call => {
    const callee = nodeAt(call, 'callee');
    const owner = roles.of(nodeAt(callee, 'object'))?.type;
    if (memberName(callee) !== 'exec' || (owner !== 'pi' && owner !== 'ctx')) return [];
    const [command, args] = arrayOf(call, 'arguments');
    const words = [command, ...arrayOf(unwrapped(args), 'elements')].map(each => stringOf(each) ?? '…');
    return [{ opened: 'processes' as const, ...thing(roles.tree.source(callee ?? call), words.join(' '), at(call)) }];
  });
}

function importsIn(tree: SyntaxTree, at: (node: SyntaxNode) => SourcePlace): readonly ExplainedThing[] {
  const statements = tree.ofType('ImportDeclaration').flatMap(node => {
    const name = stringOf(nodeAt(node, 'source'));
    const names = arrayOf(node, 'specifiers').map(
      specifier => nameOf(nodeAt(specifier, 'imported')) || nameOf(nodeAt(specifier, 'local')),
    );
    const isType = node['importKind'] === 'type';
    return name === undefined ? [] : [thing(name, `${isType ? 'type ' : ''}${names.join(', ')}`, at(node))];
  });
  return [
    ...statements,
    ...loadsIn(tree).flatMap(({ name, node }) => (name === undefined ? [] : [thing(name, undefined, at(node))])),
  ];
}

/** Finds calls of `require(…)` and `import(…)`; the name is undefined when it is computed. */
function loadsIn(tree: SyntaxTree): readonly { readonly name: string | undefined; readonly node: SyntaxNode }[] {
  return tree.ofType('CallExpression', 'ImportExpression').flatMap(node => {
    const callee = nodeAt(node, 'callee');
    const isRequire = nameOf(callee) === 'require' && tree.resolve(callee ?? node) === undefined;
    if (node.type === 'ImportExpression') return [{ name: stringOf(nodeAt(node, 'source')), node }];
    return isRequire || callee?.type === 'Import' ? [{ name: stringOf(arrayOf(node, 'arguments')[0]), node }] : [];
  });
}

function unknownIn(tree: SyntaxTree, roles: Roles, at: (node: SyntaxNode) => SourcePlace): readonly Unknown[] {
  const computed = roles.calls.flatMap(({ method, names, handler, call }): readonly Unknown[] => {
    if (method !== 'on') return [];
    if (names.length === 0) return [{ type: 'computedEvent', place: at(call) }];
    const isHere = handler !== undefined && partsOf(tree, handler).every(part => !callsOwnModule(tree, part));
    return isHere ? [] : [{ type: 'handlerElsewhere', event: names.join(', '), place: at(call) }];
  });
  const loads = loadsIn(tree).flatMap(({ name, node }): readonly Unknown[] =>
    name === undefined ? [{ type: 'computedImport', place: at(node) }] : [],
  );
  const texts = tree.ofType('CallExpression', 'NewExpression').flatMap((node): readonly Unknown[] => {
    const callee = nodeAt(node, 'callee');
    const name = nameOf(callee);
    const isGlobal = callee !== undefined && tree.resolve(callee) === undefined;
    return isGlobal && (name === 'eval' || name === 'Function') ? [{ type: 'codeFromText', place: at(node) }] : [];
  });
  const modules = tree.ofType('ImportDeclaration').flatMap((node): readonly Unknown[] => {
    const name = stringOf(nodeAt(node, 'source'));
    if (name === undefined || node['importKind'] === 'type' || isBuiltin(name) || OURS.test(name)) return [];
    return [{ type: /^[./]/.test(name) ? 'unread' : 'package', name, place: at(node) }];
  });
  return [...computed, ...loads, ...texts, ...modules];
}

/** Whether code calls something that is imported by path. */
function callsOwnModule(tree: SyntaxTree, part: SyntaxNode): boolean {
  return tree.within(part).some(node => {
    if (!/^(?:Call|New)Expression$/.test(node.type)) return false;
    const callee = nodeAt(node, 'callee');
    const called = nodeAt(callee, 'object') ?? callee;
    const owner = called === undefined ? undefined : tree.resolve(called)?.owner;
    const from = owner === undefined ? undefined : stringOf(nodeAt(tree.parent(owner), 'source'));
    return from?.startsWith('.') === true;
  });
}

const OURS = /^(?:@(?:mariozechner|oh-my-pi|gsd|earendil-works)\/|@sinclair\/typebox|typebox)/;
