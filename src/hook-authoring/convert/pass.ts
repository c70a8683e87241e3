import type { Dialect } from '../../hooks/dialects/dialect';
import type { Roles } from '../syntax/roles';
import type { SyntaxNode } from '../syntax/syntax-node';
import type { SyntaxTree } from '../syntax/syntax-tree';

/** Today's packages, from which converted code imports. */
export const AGENT = '@earendil-works/pi-coding-agent';
export const AGENT_CORE = '@earendil-works/pi-agent-core';
export const TUI = '@earendil-works/pi-tui';

/** A hook's text on its way to the newest dialect, read again before each pass. */
export interface Source {
  readonly tree: SyntaxTree;
  readonly roles: Roles;
  /** What the file is written for, whatever passes have done to it. */
  readonly dialect: Dialect;
  /** Word that the file uses for a new session. */
  readonly newSessionWord: 'new' | 'clear';
  /** Whether the file, as it was, listened to the one `session` event. */
  readonly listensToSession: boolean;
  /** Whether `getAllTools` gave names to the file as it was (docs/dialects.md, C41). */
  readonly listsToolNames: boolean;
}

/** Functions and imports that rewritten code needs; added to the file at the end. */
export interface Needs {
  readonly helpers: Set<HelperName>;
  /** Module -> import clause, such as `type { X }` or `* as y`. */
  readonly imports: Map<string, Set<string>>;
}

export type HelperName = 'splitArguments' | 'messagesToKeep' | 'mountComponent' | 'apiKeyResolver';

/** One step of a conversion: gives the text of the whole file. */
export type Pass = (source: Source, needs: Needs) => string;

/** Takes so many blanks from the front of each line but the first, where they are. */
export function dedented(text: string, indent: string): string {
  return indent === '' ? text : text.replaceAll(`\n${indent}`, '\n');
}

/** The statement around a node that is directly in a block, in a case or in the module. */
export function statementAround(tree: SyntaxTree, node: SyntaxNode): SyntaxNode {
  let statement = node;
  for (let parent = tree.parent(node); parent !== undefined; parent = tree.parent(parent)) {
    if (/^(?:Program|BlockStatement|SwitchCase)$/.test(parent.type)) return statement;
    statement = parent;
  }
  return statement;
}

/** A name that nothing inside of `around` has yet. */
export function freeName(tree: SyntaxTree, around: SyntaxNode, wanted: string, ...others: readonly string[]): string {
  const isMember = (node: SyntaxNode): boolean => {
    const parent = tree.parent(node);
    return parent?.['property'] === node || (parent?.['key'] === node && parent['shorthand'] !== true);
  };
  const taken = new Set(
    tree
      .within(around)
      .filter(({ type }) => type === 'Identifier')
      .filter(node => !isMember(node))
      .map(node => node['name']),
  );
  const candidates = [wanted, ...others, ...Array.from({ length: 50 }, (_, at) => `${wanted}${at + 2}`)];
  return candidates.find(name => !taken.has(name)) ?? wanted;
}
