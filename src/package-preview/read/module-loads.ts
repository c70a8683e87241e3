import {
  arrayOf,
  memberName,
  nameOf,
  nodeAt,
  stringOf,
  unwrapped,
  type SyntaxNode,
} from '../../hook-authoring/syntax/syntax-node';
import type { SyntaxTree } from '../../hook-authoring/syntax/syntax-tree';
import { constantText } from './constant-text';

/** A place where a module loads another one. */
export interface ModuleLoad {
  /** Undefined when it is known only at run time. */
  readonly specifier: string | undefined;
  readonly node: SyntaxNode;
  /** The imported names. Empty for a whole module, and for a module whose names the caller does not want. */
  readonly names: readonly { readonly name: string; readonly node: SyntaxNode }[];
  /** The code assembles the specifier from pieces or decodes it. */
  readonly isDisguised: boolean;
}

/**
 * Finds all places where code loads a module, with a statement or a call, except imports of types. The imported names
 * are listed only for modules for which `wantsNames` returns true.
 */
export function moduleLoads(tree: SyntaxTree, wantsNames: (specifier: string) => boolean): readonly ModuleLoad[] {
  return [...statementLoads(tree, wantsNames), ...calledLoads(tree)];
}

function statementLoads(tree: SyntaxTree, wantsNames: (specifier: string) => boolean): readonly ModuleLoad[] {
  const statements = tree.ofType('ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration');
  return statements.flatMap((node): readonly ModuleLoad[] => {
    const specifier = stringOf(nodeAt(node, 'source'));
    if (specifier === undefined || node['importKind'] === 'type' || node['exportKind'] === 'type') return [];
    const specifiers = arrayOf(node, 'specifiers').filter(each => each['importKind'] !== 'type');
    if (node.type === 'ImportDeclaration' && specifiers.length === 0 && arrayOf(node, 'specifiers').length > 0) {
      return [];
    }
    const names = (wantsNames(specifier) ? specifiers : []).flatMap(each => {
      const imported = nodeAt(each, each.type === 'ExportSpecifier' ? 'local' : 'imported');
      const isWhole = each.type !== 'ImportSpecifier' && each.type !== 'ExportSpecifier';
      const local = nameOf(nodeAt(each, 'local'));
      if (isWhole) return [];
      const name = nameOf(imported) || local;
      // A name that is only used as a type is not imported at run time.
      return each.type === 'ImportSpecifier' && !isUsed(tree, each) ? [] : [{ name, node: each }];
    });
    return [{ specifier, node, names, isDisguised: false }];
  });
}

function isUsed(tree: SyntaxTree, specifier: SyntaxNode): boolean {
  const local = nodeAt(specifier, 'local');
  const binding = local === undefined ? undefined : tree.lookUp(nameOf(local), specifier);
  if (binding === undefined) return true;
  return tree.references(binding).some(reference => !isTypePlace(tree, reference));
}

function isTypePlace(tree: SyntaxTree, node: SyntaxNode): boolean {
  const parent = tree.parent(node)?.type ?? '';
  return parent === 'TSTypeReference' || parent === 'TSQualifiedName' || parent === 'TSExpressionWithTypeArguments';
}

function calledLoads(tree: SyntaxTree): readonly ModuleLoad[] {
  // `import name = require('…')`
  const equated = tree.ofType('TSExternalModuleReference').map((node): ModuleLoad => ({
    specifier: stringOf(nodeAt(node, 'expression')),
    node,
    names: [],
    isDisguised: false,
  }));
  const called = tree.ofType('CallExpression', 'ImportExpression').flatMap((node): readonly ModuleLoad[] => {
    const asked =
      node.type === 'ImportExpression' ? nodeAt(node, 'source') : isLoader(tree, node) ? firstOf(node) : undefined;
    if (asked === undefined) return [];
    const specifier = constantText(tree, asked);
    const isDisguised = specifier !== undefined && stringOf(unwrapped(asked)) === undefined && isPieced(tree, asked);
    return [{ specifier, node, names: [], isDisguised }];
  });
  return [...equated, ...called];
}

function firstOf(call: SyntaxNode): SyntaxNode | undefined {
  return arrayOf(call, 'arguments')[0];
}

/**
 * Whether a specifier is assembled from pieces. A constant that has the whole specifier as its value does not count.
 */
function isPieced(tree: SyntaxTree, node: SyntaxNode): boolean {
  const binding = tree.resolve(unwrapped(node) ?? node);
  return stringOf(unwrapped(nodeAt(binding?.owner, 'init'))) === undefined;
}

/** Whether a call loads a module: `require`, a result of `createRequire`, `import(…)`, or a method of `process`. */
function isLoader(tree: SyntaxTree, call: SyntaxNode): boolean {
  const callee = unwrapped(nodeAt(call, 'callee'));
  if (callee?.type === 'Import') return true;
  if (isRequire(tree, callee)) return true;
  const method = memberName(callee);
  if (method === 'getBuiltinModule' || method === 'binding' || method === 'dlopen') {
    return tree.source(nodeAt(callee, 'object') ?? call).endsWith('process');
  }
  return method === 'require';
}

function isRequire(tree: SyntaxTree, callee: SyntaxNode | undefined): boolean {
  if (callee?.type === 'CallExpression') return isMaker(nodeAt(callee, 'callee'));
  if (callee?.type !== 'Identifier') return false;
  const binding = tree.resolve(callee);
  if (binding === undefined || /require$/i.test(nameOf(callee))) return /require$/i.test(nameOf(callee));
  const init = unwrapped(nodeAt(binding.owner, 'init'));
  if (binding.owner.type !== 'VariableDeclarator' || init === undefined) return false;
  return (init.type === 'Identifier' && nameOf(init) === 'require') || isMaker(nodeAt(init, 'callee'));
}

function isMaker(callee: SyntaxNode | undefined): boolean {
  return nameOf(callee) === 'createRequire' || memberName(callee) === 'createRequire';
}
