import { failed, ok, type Result } from '../../base/result';
import { isTypeScript, syntaxProblem, type BabelTransform } from '../../hooks/load/compile';
import { isNode } from './syntax-node';
import { SyntaxTree, type SourceComment } from './syntax-tree';

/** Thrown to leave Babel once it has read the file: its output is not wanted. */
class Enough extends Error {}

/**
 * Reads a module with the parser that also compiles hooks. `forgiving` gives a tree in spite of mistakes that leave the
 * structure clear, such as a wrong flag of a regular expression.
 */
export function parseModule(
  babel: BabelTransform,
  file: string,
  text: string,
  options: { readonly forgiving?: boolean } = {},
): Result<SyntaxTree> {
  let tree: SyntaxTree | undefined;
  const plugin = (): object => ({
    pre: (parsed: { readonly ast?: unknown }) => {
      tree = treeOf(text, parsed.ast);
      throw new Enough('read');
    },
  });
  const { error } = babel({
    source: text,
    filename: file,
    ts: isTypeScript(file),
    async: true,
    jsx: false,
    interopDefault: true,
    babel: {
      sourceFileName: file,
      sourceMaps: 'inline',
      sourceType: file.endsWith('.cjs') ? 'script' : 'module',
      plugins: [plugin],
      ...(options.forgiving === true ? { parserOpts: { errorRecovery: true } } : {}),
    },
  });
  if (tree !== undefined) return ok(tree);
  return failed({ ...syntaxProblem(error, file), file });
}

function treeOf(text: string, ast: unknown): SyntaxTree | undefined {
  if (typeof ast !== 'object' || ast === null || !('program' in ast) || !isNode(ast.program)) return undefined;
  const comments = 'comments' in ast && Array.isArray(ast.comments) ? (ast.comments as readonly unknown[]) : [];
  return new SyntaxTree(
    text,
    ast.program,
    comments.filter(isNode).map(({ start, end }): SourceComment => ({ start, end, text: text.slice(start, end) })),
  );
}
