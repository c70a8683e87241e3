import type { ParameterRole, Roles } from '../../hook-authoring/syntax/roles';
import { arrayOf, nameOf, nodeAt, stringOf, type SyntaxNode } from '../../hook-authoring/syntax/syntax-node';
import type { SyntaxTree } from '../../hook-authoring/syntax/syntax-tree';

/** An object of the runtime, such as `pi`, that a module passes to a function of another module. */
export interface PassedRole {
  /** The specifier with which the other module is imported. */
  readonly specifier: string;
  readonly role: ParameterRole;
}

/** Finds the objects of the runtime that a module passes to functions and classes which it imports. */
export function passedRoles(roles: Roles): readonly PassedRole[] {
  const { tree } = roles;
  return tree.ofType('CallExpression', 'NewExpression').flatMap((call): readonly PassedRole[] => {
    const target = importedBy(tree, nodeAt(call, 'callee'));
    if (target === undefined) return [];
    return arrayOf(call, 'arguments').flatMap((argument, index) => {
      const role = roles.of(argument);
      return role === undefined ? [] : [{ specifier: target.specifier, role: { to: target.name, index, role } }];
    });
  });
}

/** For exports that a module re-exports from other modules: moves what was passed to them to those modules. */
export function reexportedRoles(tree: SyntaxTree, given: readonly ParameterRole[]): readonly PassedRole[] {
  if (given.length === 0) return [];
  const fromAll = tree.ofType('ExportAllDeclaration').flatMap(node => {
    const specifier = stringOf(nodeAt(node, 'source'));
    return specifier === undefined ? [] : given.map(role => ({ specifier, role }));
  });
  const named = tree.ofType('ExportSpecifier').flatMap(node => {
    const specifier = stringOf(nodeAt(tree.parent(node), 'source'));
    const exported = nodeAt(node, 'exported');
    const to = nameOf(nodeAt(node, 'local'));
    if (specifier === undefined) return [];
    return given
      .filter(role => role.to === nameOf(exported) || role.to === stringOf(exported))
      .map(role => ({ specifier, role: { ...role, to } }));
  });
  return [...fromAll, ...named];
}

/** The module and the export that a callee refers to: an imported `run`, or `module.run`. Undefined if not imported. */
function importedBy(
  tree: SyntaxTree,
  callee: SyntaxNode | undefined,
): { readonly specifier: string; readonly name: string } | undefined {
  const object = callee?.type === 'MemberExpression' ? nodeAt(callee, 'object') : callee;
  const binding = object === undefined ? undefined : tree.resolve(object);
  const statement = binding === undefined ? undefined : tree.parent(binding.owner);
  const specifier = statement?.type === 'ImportDeclaration' ? stringOf(nodeAt(statement, 'source')) : undefined;
  if (binding === undefined || specifier === undefined) return undefined;
  if (object !== callee) {
    const isSpace = binding.owner.type === 'ImportNamespaceSpecifier';
    return isSpace ? { specifier, name: nameOf(nodeAt(callee, 'property')) } : undefined;
  }
  if (binding.owner.type === 'ImportDefaultSpecifier') return { specifier, name: 'default' };
  return { specifier, name: nameOf(nodeAt(binding.owner, 'imported')) || binding.name };
}
