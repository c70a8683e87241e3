import type { Dialect } from '../../hooks/dialects/dialect';
import type { Roles } from '../syntax/roles';
import type { SyntaxNode } from '../syntax/syntax-node';
import type { SyntaxTree } from '../syntax/syntax-tree';

/** pi's present packages, from which converted code imports. */
export const AGENT = '@earendil-works/pi-coding-agent';
export const AGENT_CORE = '@earendil-works/pi-agent-core';
export const TUI = '@earendil-works/pi-tui';

/** The text of a hook during a conversion; it is parsed again before each pass. */
export interface Source {
  readonly tree: SyntaxTree;
  readonly roles: Roles;
  /** The dialect of the original file. */
  readonly dialect: Dialect;
  /** The word that the file uses for a new session. */
  readonly newSessionWord: 'new' | 'clear';
  /** Whether the original file listened to the event `session`. */
  readonly listensToSession: boolean;
  /** Whether `getAllTools` returned names to the original file (docs/dialects.md, C41). */
  readonly listsToolNames: boolean;
}

/** The functions and imports that rewritten code needs. Passes add to it; they are added to the file at the end. */
export interface NeededCode {
  readonly helpers: Set<HelperName>;
  /** Module -> import clauses, such as `type { X }` or `* as y`. Under '', declarations for a TypeScript file. */
  readonly imports: Map<string, Set<string>>;
  /** Whether a `context` handler wraps its messages, so that the file has to declare `ContextMessage` itself. */
  wrapsContext: boolean;
}

export type HelperName = 'splitArguments' | 'messagesToKeep' | 'mountComponent' | 'apiKeyResolver';

/** One step of a conversion; returns the new text of the whole file. */
export type Pass = (source: Source, needs: NeededCode) => string;

/** Removes `indent` from the beginning of each line except the first, where the line begins with it. */
export function dedented(text: string, indent: string): string {
  return indent === '' ? text : text.replaceAll(`\n${indent}`, '\n');
}

/** The innermost statement around a node that is directly in a block, a case or the module. */
export function statementAround(tree: SyntaxTree, node: SyntaxNode): SyntaxNode {
  let statement = node;
  for (let parent = tree.parent(node); parent !== undefined; parent = tree.parent(parent)) {
    if (/^(?:Program|BlockStatement|SwitchCase)$/.test(parent.type)) return statement;
    statement = parent;
  }
  return statement;
}

/** Returns the first of these names that is not used inside `around`; if all are, one with a number. */
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
