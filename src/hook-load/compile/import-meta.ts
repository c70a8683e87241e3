import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BELOW_LOADERS } from './loop-guards';

/** The name that compiled code passes to `require` to get what makes its `import.meta`. */
export const META_MODULE = 'hookline:meta';

/** The variable of a compiled module that holds its `import.meta`. */
export const META = 'meta$hookline';

/** The expression that gives a module its `import.meta`. */
export const META_VALUE = `require("${META_MODULE}")(jitiESMResolve)`;

/**
 * `import.meta` of one file, as an object. A hook is never the program that was started, so `main` is false. `dir`, `path`
 * and `file` are Bun's names, which files of oh-my-pi use.
 */
export function importMeta(
  file: string,
  { resolve, env }: { readonly resolve: unknown; readonly env: unknown },
): Record<string, unknown> {
  return {
    __proto__: null,
    url: pathToFileURL(file).href,
    filename: file,
    dirname: dirname(file),
    main: false,
    resolve,
    env,
    dir: dirname(file),
    path: file,
    file: basename(file),
  };
}

/** The few members of Babel's plugin interface that are used here. */
interface BabelTypes {
  readonly types: Record<
    'callExpression' | 'identifier' | 'stringLiteral' | 'variableDeclaration' | 'variableDeclarator',
    (...parts: readonly unknown[]) => object
  >;
}
interface MetaPath {
  readonly node: { readonly meta: { readonly name: string } };
  replaceWith(node: object): void;
}
interface ProgramPath {
  unshiftContainer(key: 'body', nodes: readonly unknown[]): void;
}
interface BabelFile {
  readonly path: { traverse(visitor: { MetaProperty(path: MetaPath): void }): void };
}

/**
 * Babel plugin: `import.meta` becomes a variable, since the code runs as the body of a function. It runs before the plugins
 * of jiti, which replace only some members and take `import.meta[url]` for one of them. Needs the `require` of the
 * ownership plugin.
 */
export function importMetaPlugin({ types: t }: BabelTypes): unknown {
  let isUsed = false;
  return {
    pre({ path: program }: BabelFile): void {
      isUsed = false;
      program.traverse({
        MetaProperty(path): void {
          if (path.node.meta.name !== 'import') return;
          isUsed = true;
          path.replaceWith(t.identifier(META));
        },
      });
    },
    visitor: {
      Program: {
        exit(program: ProgramPath): void {
          if (!isUsed) return;
          const required = t.callExpression(t.identifier('require'), [t.stringLiteral(META_MODULE)]);
          const value = t.callExpression(required, [t.identifier('jitiESMResolve')]);
          const declaration = t.variableDeclaration('var', [t.variableDeclarator(t.identifier(META), value)]);
          program.unshiftContainer('body', [Object.assign(declaration, { _blockHoist: BELOW_LOADERS })]);
        },
      },
    },
  };
}
