import type { Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/paths.ts';

const PARTIAL_JSON = join(ROOT, 'src', 'agent', 'models', 'requests', 'partial-json.ts');
/** Matches calls that load a module by a specifier in a variable: the Bedrock client, and each login. */
const HIDDEN_IMPORT = /\b(?:importNodeOnlyApi|importOAuthModule)\("(\.\/[\w-]+)\.ts"\)/g;

/**
 * Changes pi-ai 0.87.1 for bundling. Imports with variable specifiers (Bedrock client, logins) become normal imports. Its
 * parser of incomplete JSON parses the whole text again at each delta, so ours replaces it.
 */
export function piAiPlugin(): Plugin {
  return {
    name: 'pi-ai',
    setup(build) {
      build.onLoad(
        { filter: /pi-ai[\\/]dist[\\/](api[\\/]bedrock-converse-stream\.lazy|auth[\\/]oauth[\\/]load)\.js$/ },
        ({ path }) => ({
          contents: showImports(readFileSync(path, 'utf8'), path),
          resolveDir: dirname(path),
          loader: 'js',
        }),
      );
      build.onLoad({ filter: /pi-ai[\\/]dist[\\/]utils[\\/]json-parse\.js$/ }, () => ({
        contents: `export * from ${JSON.stringify(PARTIAL_JSON)};`,
        resolveDir: ROOT,
        loader: 'js',
      }));
    },
  };
}

/** Replaces the hidden imports. Throws when there are none, so that a new pi-ai without them is noticed. */
function showImports(source: string, path: string): string {
  const shown = source.replaceAll(HIDDEN_IMPORT, 'import("$1.js")');
  if (shown === source) throw new Error(`${path}: no hidden import was found`);
  return shown;
}
