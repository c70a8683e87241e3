import { nodeAt, stringOf, arrayOf, nameOf } from '../syntax/syntax-node';
import type { SyntaxTree } from '../syntax/syntax-tree';
import type { Leftover } from './leftovers';

/** Words by which a module shows that it gets something of the hook API, whoever hands it over. */
const OF_HOOKS =
  /\bHook(?:API|Context|UIContext|CommandContext|EventContext)\b|\bpi\s*[.:]|\bctx\b|\.ui\s*\.|\bui\s*\./;

/**
 * Imports by path, which a conversion leaves as they are. A module that mentions the hook API gets objects of the newest
 * dialect from then on, so a user has to look at it. `textOf` gives the text of a module, undefined for what is no code
 * (JSON); absent, nothing is known of them.
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
    .ofType('CallExpression')
    .filter(node =>
      /^(?:require|import)$/i.test(nameOf(nodeAt(node, 'callee')) || (nodeAt(node, 'callee')?.type ?? '')),
    )
    .map(node => ({ node, specifier: stringOf(arrayOf(node, 'arguments')[0]) }));
  return [...declared, ...called].flatMap(({ node, specifier }): readonly Leftover[] => {
    if (typeof specifier !== 'string' || !specifier.startsWith('.')) return [];
    if (textOf === undefined) {
      return [{ node, severity: 'note', message: `${specifier} is a file of its own and was not converted.` }];
    }
    const text = textOf(specifier);
    if (text === undefined || !OF_HOOKS.test(text)) return [];
    const message = `${specifier} was not converted. What it gets from this hook is of the newest dialect from now on.`;
    return [{ node, severity: 'look', message }];
  });
}
