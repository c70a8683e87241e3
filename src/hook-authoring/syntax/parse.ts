import { failed, ok, type Result } from '../../base/result';
import { isTypeScript, syntaxProblem, type BabelTransform } from '../../hook-load/compile/compile';
import { isNode } from './syntax-node';
import { SyntaxTree } from './syntax-tree';

/** Is thrown to leave Babel right after parsing: it would then analyze scopes, which takes longer than parsing. */
class Parsed extends Error {
  constructor(readonly ast: unknown) {
    super('parsed');
  }
}

/** The same plugin is used for all files, as Babel prepares itself again for each plugin that it does not know. */
const onlyParse = (): object => ({
  parserOverride: (source: string, given: unknown, parse: (source: string, given: unknown) => unknown) => {
    throw new Parsed(parse(source, given));
  },
});

/**
 * Parses a module with the parser that also compiles hooks. With `forgiving`, it returns a tree even for code with
 * mistakes that leave the structure clear, such as a wrong flag of a regular expression.
 */
export function parseModule(
  babel: BabelTransform,
  file: string,
  text: string,
  options: { readonly forgiving?: boolean } = {},
): Result<SyntaxTree> {
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
      plugins: [onlyParse],
      ...(options.forgiving === true ? { parserOpts: { errorRecovery: true } } : {}),
    },
  });
  const tree = error instanceof Parsed ? treeOf(text, error.ast) : undefined;
  if (tree !== undefined) return ok(tree);
  return failed({ ...syntaxProblem(error, file), file });
}

function treeOf(text: string, ast: unknown): SyntaxTree | undefined {
  if (typeof ast !== 'object' || ast === null || !('program' in ast) || !isNode(ast.program)) return undefined;
  return new SyntaxTree(text, ast.program);
}
