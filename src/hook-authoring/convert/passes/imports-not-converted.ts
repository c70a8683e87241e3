import { moduleLoadedBy } from '../../syntax/loaded-module';
import { nodeAt, stringOf } from '../../syntax/syntax-node';
import type { SyntaxTree } from '../../syntax/syntax-tree';
import type { Leftover } from '../leftovers';

/** Words that show that a module uses objects of the hook API. */
const OF_HOOKS =
  /\bHook(?:API|Context|UIContext|CommandContext|EventContext)\b|\bpi\s*[.:]|\bctx\b|\.ui\s*\.|\bui\s*\./;

/**
 * Finds imports by path, whose modules a conversion does not change. A module that uses the hook API now gets objects
 * of the newest dialect, so the user has to look at it. `textOf` returns the text of a module, or undefined if it is
 * not code (JSON); without `textOf`, each module gets a note.
 */
export function importsNotConverted(
  tree: SyntaxTree,
  textOf: ((specifier: string) => string | undefined) | undefined,
): readonly Leftover[] {
  const declared = tree
    .ofType('ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration')
    .filter(node => node['importKind'] !== 'type' && node['exportKind'] !== 'type')
    .map(node => ({ node, specifier: nodeAt(node, 'source')?.['value'] }));
  const called = tree
    .ofType('CallExpression', 'ImportExpression')
    .map(node => ({ node, specifier: stringOf(moduleLoadedBy(node)) }));
  return [...declared, ...called].flatMap(({ node, specifier }): readonly Leftover[] => {
    if (typeof specifier !== 'string' || !specifier.startsWith('.')) return [];
    if (textOf === undefined) {
      return [{ node, severity: 'note', message: `${specifier} is a separate file and was not converted.` }];
    }
    const text = textOf(specifier);
    if (text === undefined || !OF_HOOKS.test(text)) return [];
    const message = `${specifier} was not converted. From now on, it gets objects of the newest dialect from this hook.`;
    return [{ node, severity: 'look', message }];
  });
}
