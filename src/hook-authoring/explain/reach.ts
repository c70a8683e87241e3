import {
  memberName,
  nameOf,
  nodeAt,
  propertyName,
  stringOf,
  arrayOf,
  unwrapped,
  type SyntaxNode,
} from '../syntax/syntax-node';
import type { SyntaxTree } from '../syntax/syntax-tree';
import type { Opened } from './explanation';

/** The functions of Node's modules that open something. The first row that matches counts. */
const BUILTINS: readonly (readonly [module: RegExp, names: RegExp, opened: Opened])[] = [
  [/^fs(\/promises)?$/, /^(?:watch|watchFile)$/, 'watchers'],
  [
    /^fs(\/promises)?$/,
    /^(?:write|append|rm|unlink|rename|mkdir|rmdir|copyFile|cp|symlink|truncate|chmod|chown|createWriteStream)/,
    'filesWritten',
  ],
  [/^fs(\/promises)?$/, /^(?:read|open|stat|lstat|exists|access|createReadStream|realpath|glob)/, 'filesRead'],
  [/^(?:http|https|http2|net|tls|dgram)$/, /^(?:create\w*Server|createSocket|Server)$/, 'servers'],
  [/^(?:http|https|http2|net|tls|dgram)$/, /./, 'network'],
  [/^child_process$/, /./, 'processes'],
  [/^(?:worker_threads|cluster)$/, /^(?:Worker|fork)$/, 'processes'],
  [/^timers(\/promises)?$/, /./, 'timers'],
];
const GLOBALS: Readonly<Record<string, Opened>> = {
  setInterval: 'timers',
  setTimeout: 'timers',
  fetch: 'network',
  WebSocket: 'network',
  EventSource: 'network',
};

/** A call that opens something outside of the hook. */
export interface Reach {
  readonly opened: Opened;
  readonly name: string;
  /** The first argument, if it is a literal. */
  readonly detail: string | undefined;
  readonly node: SyntaxNode;
}

/** Finds calls of Node's modules and of globals that open something; the imports show which module is called. */
export function reachesIn(tree: SyntaxTree): readonly Reach[] {
  return tree.ofType('CallExpression', 'OptionalCallExpression', 'NewExpression').flatMap((call): readonly Reach[] => {
    const callee = nodeAt(call, 'callee');
    const named = calledIn(tree, callee);
    if (named === undefined) return [];
    const { module, name } = named;
    const opened =
      module === undefined
        ? GLOBALS[name]
        : BUILTINS.find(([modules, names]) => modules.test(module) && names.test(name))?.[2];
    if (opened === undefined) return [];
    const [first] = arrayOf(call, 'arguments');
    const written = first?.type === 'NumericLiteral' ? tree.source(first) : stringOf(first);
    return [{ opened, name: module === undefined ? name : `${module}.${name}`, detail: written, node: call }];
  });
}

/** The module and name of a called function: `fs.watch`, `watch` imported from `node:fs`, or a global. */
function calledIn(
  tree: SyntaxTree,
  callee: SyntaxNode | undefined,
): { readonly module: string | undefined; readonly name: string } | undefined {
  if (callee === undefined) return undefined;
  if (callee.type === 'Identifier') {
    const binding = tree.resolve(callee);
    if (binding === undefined) return { module: undefined, name: nameOf(callee) };
    const module = moduleOf(tree, binding.owner, binding.id);
    const property = tree.parent(binding.id);
    const taken = property?.type === 'ObjectProperty' ? propertyName(property) : undefined;
    const imported = taken ?? nameOf(nodeAt(binding.owner, 'imported'));
    return module === undefined ? undefined : { module, name: imported === '' ? binding.name : imported };
  }
  const name = memberName(callee);
  const object = nodeAt(callee, 'object');
  if (name === undefined || object === undefined) return undefined;
  if (object.type === 'Identifier' && /^(?:globalThis|window)$/.test(nameOf(object))) {
    return { module: undefined, name };
  }
  // `fs.promises.readFile`
  const base = memberName(object) === 'promises' ? nodeAt(object, 'object') : object;
  const binding = base === undefined ? undefined : tree.resolve(base);
  const module = binding === undefined ? requiredModule(base) : moduleOf(tree, binding.owner, binding.id);
  return module === undefined ? undefined : { module, name };
}

/** The module, without `node:`, from which an `import` or a `require` takes a name. */
function moduleOf(tree: SyntaxTree, owner: SyntaxNode, id: SyntaxNode): string | undefined {
  if (owner.type === 'VariableDeclarator') {
    const module = requiredModule(nodeAt(owner, 'init'));
    return nodeAt(owner, 'id')?.type === 'ObjectPattern' || nodeAt(owner, 'id') === id ? module : undefined;
  }
  const statement = tree.parent(owner);
  return statement?.type === 'ImportDeclaration' ? builtinName(stringOf(nodeAt(statement, 'source'))) : undefined;
}

/** The module that `require(…)` or `await import(…)` loads. */
function requiredModule(node: SyntaxNode | undefined): string | undefined {
  const inner = unwrapped(node);
  const call = inner?.type === 'AwaitExpression' ? unwrapped(nodeAt(inner, 'argument')) : inner;
  if (call?.type === 'ImportExpression') return builtinName(stringOf(nodeAt(call, 'source')));
  const callee = nodeAt(call, 'callee');
  if (callee?.type !== 'Import' && nameOf(callee) !== 'require') return undefined;
  return builtinName(stringOf(arrayOf(call, 'arguments')[0]));
}

function builtinName(specifier: string | undefined): string | undefined {
  return specifier?.replace(/^node:/, '');
}
