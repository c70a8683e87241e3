import { takenBy, type Role } from '../../hook-authoring/syntax/roles';
import { memberName, nodeAt, type SyntaxNode } from '../../hook-authoring/syntax/syntax-node';
import type { ClaimPlace } from '../../packages/approval/claim';
import type { ParsedModule } from './module-claims';

/** A place where a package uses a member of an object that the runtime gives to hooks. */
export interface ApiUse {
  readonly of: 'pi' | 'ctx' | 'commandCtx' | 'ui';
  readonly member: string;
  readonly place: ClaimPlace;
  /** The code checks somewhere whether the member exists. */
  readonly isChecked: boolean;
}

/** Finds the members of `pi`, `ctx` and `ctx.ui` that a module uses. */
export function apiUses({ file, roles }: ParsedModule): readonly ApiUse[] {
  const { tree } = roles;
  const use = (of: ApiUse['of'], member: string, node: SyntaxNode, isChecked: boolean): ApiUse => ({
    ...{ of, member, isChecked },
    place: { file, line: tree.lineAt(node.start) },
  });
  const members = tree.ofType('MemberExpression', 'OptionalMemberExpression').flatMap((node): readonly ApiUse[] => {
    const member = memberName(node);
    if (member === undefined || member === '') return [];
    const object = nodeAt(node, 'object');
    const of = nameOfRole(roles.of(object));
    return of === undefined ? [] : [use(of, member, node, looksFirst(node, tree.parent(node)))];
  });
  const patterns = [...roles.patterns].flatMap(([pattern, role]) => {
    const of = nameOfRole(role);
    return of === undefined ? [] : [...takenBy(pattern)].map(([member, node]) => use(of, member, node, false));
  });
  const uses = [...members, ...patterns];
  const checked = new Set(uses.filter(({ isChecked }) => isChecked).map(keyOf));
  return uses.map(each => ({ ...each, isChecked: checked.has(keyOf(each)) }));
}

function keyOf({ of, member }: ApiUse): string {
  return `${of}.${member}`;
}

function nameOfRole(role: Role | undefined): ApiUse['of'] | undefined {
  if (role?.type === 'ctx') return role.of === 'command' ? 'commandCtx' : 'ctx';
  return role?.type;
}

/** Whether code checks that a member exists: `pi.x?.()`, `typeof pi.x`, `if (pi.x)`, `pi.x && …` and the like. */
function looksFirst(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent === undefined) return false;
  switch (parent.type) {
    case 'OptionalCallExpression':
    case 'OptionalMemberExpression':
      return parent['optional'] === true;
    case 'UnaryExpression':
      return parent['operator'] === 'typeof' || parent['operator'] === '!';
    case 'LogicalExpression':
      return nodeAt(parent, 'left') === node;
    case 'IfStatement':
    case 'ConditionalExpression':
      return nodeAt(parent, 'test') === node;
    case 'BinaryExpression':
      return /^[!=]==?$/.test(String(parent['operator']));
    default:
      return false;
  }
}
