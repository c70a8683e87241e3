import { KEY_OF_HELPER } from '../../../hooks/load/modules/legacy/legacy-key-names';
import { moduleLoadedBy } from '../../syntax/loaded-module';
import { arrayOf, memberName, nameOf, nodeAt, stringOf, unwrapped, type SyntaxNode } from '../../syntax/syntax-node';
import type { SyntaxTree } from '../../syntax/syntax-tree';
import { ELSEWHERE, moduleNow, NAMES, TUI_NAME } from './module-names';
import { quotedLike } from './rename-events';

/** Converts what code takes from a module as a whole: `import * as x`, `require('…')`, `import('…')`. */
export class WholeModules {
  /** The names of whole modules, by the identifier that declares them; true for pi-tui. */
  private readonly names = new Map<SyntaxNode, boolean>();

  constructor(private readonly tree: SyntaxTree) {
    for (const specifier of tree.ofType('ImportNamespaceSpecifier')) {
      const from = stringOf(nodeAt(tree.parent(specifier), 'source')) ?? '';
      const local = nodeAt(specifier, 'local');
      if (local !== undefined && isOld(from)) this.names.set(local, TUI_NAME.test(from));
    }
    for (const declarator of tree.ofType('VariableDeclarator')) {
      const [id, init] = [nodeAt(declarator, 'id'), nodeAt(declarator, 'init')];
      const isTui = init === undefined ? undefined : this.isTui(init);
      if (id?.type === 'Identifier' && isTui !== undefined) this.names.set(id, isTui);
    }
  }

  /** The new text of a module's name in a call, or of a member of a module; undefined for all other nodes. */
  replacementOf(node: SyntaxNode, print: (inner: SyntaxNode) => string, typed: boolean): string | undefined {
    if (node.type === 'StringLiteral') {
      const module = moduleLoadedBy(this.tree.parent(node)) === node ? moduleNow(stringOf(node) ?? '') : undefined;
      return module === undefined ? undefined : quotedLike(this.tree.source(node), module);
    }
    if (node.type === 'ObjectProperty') return this.taken(node);
    const callee = node.type === 'CallExpression' ? nodeAt(node, 'callee') : undefined;
    const member = this.memberOf(callee ?? node);
    if (member === undefined) return undefined;
    const { object, name, isTui } = member;
    const key = isTui ? KEY_OF_HELPER[name] : undefined;
    const matches = `${print(object)}.matchesKey(`;
    if (key === undefined) return callee === undefined && movedIn(name) ? `${print(object)}.${NAMES[name]}` : undefined;
    if (callee !== undefined) return `${matches}${arrayOf(node, 'arguments').map(print).join(', ')}, '${key}')`;
    return `(${typed ? '(data: string)' : 'data'} => ${matches}data, '${key}'))`;
  }

  /** A name that is taken out of a module, where its export has another name now. */
  private taken(property: SyntaxNode): string | undefined {
    const pattern = this.tree.parent(property);
    const declarator = pattern?.type === 'ObjectPattern' ? this.tree.parent(pattern) : undefined;
    const init = declarator?.type === 'VariableDeclarator' ? nodeAt(declarator, 'init') : undefined;
    const name = nameOf(nodeAt(property, 'key'));
    const value = nodeAt(property, 'value');
    if (init === undefined || value === undefined || !movedIn(name) || this.isTui(init) === undefined) return undefined;
    return `${NAMES[name]}: ${this.tree.source(value)}`;
  }

  private memberOf(node: SyntaxNode): { object: SyntaxNode; name: string; isTui: boolean } | undefined {
    const isType = node.type === 'TSQualifiedName';
    const object = nodeAt(node, isType ? 'left' : 'object');
    const name = isType ? nameOf(nodeAt(node, 'right')) : memberName(node);
    const isTui = object === undefined ? undefined : this.isTui(object);
    return object === undefined || name === undefined || isTui === undefined ? undefined : { object, name, isTui };
  }

  /** Whether an expression is the whole module pi-tui (true) or another of pi's modules (false). */
  private isTui(node: SyntaxNode): boolean | undefined {
    const inner = unwrapped(node);
    if (inner?.type === 'AwaitExpression') return this.isTui(nodeAt(inner, 'argument') ?? inner);
    const from = stringOf(moduleLoadedBy(inner)) ?? '';
    if (isOld(from)) return TUI_NAME.test(from);
    const binding = inner === undefined ? undefined : this.tree.resolve(inner);
    return binding === undefined ? undefined : this.names.get(binding.id);
  }
}

function isOld(specifier: string): boolean {
  return moduleNow(specifier) !== undefined || TUI_NAME.test(specifier);
}

/** Whether an export has another name now, in the same module. */
function movedIn(name: string): boolean {
  return Object.hasOwn(NAMES, name) && ELSEWHERE[NAMES[name] ?? ''] === undefined;
}
