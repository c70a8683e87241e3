import type { Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/paths.ts';

const PARTIAL_JSON = join(ROOT, 'src', 'agent', 'models', 'requests', 'partial-json.ts');
/** A module that is loaded by a specifier in a variable: the Bedrock client, and each login. */
const HIDDEN_IMPORT = /\b(?:importNodeOnlyApi|importOAuthModule)\("(\.\/[\w-]+)\.ts"\)/g;

/**
 * What pi-ai 0.87.1 needs to be bundled: its Bedrock client and its logins hide behind variable specifiers, and its
 * parser of half-received JSON starts anew at each delta, so ours stands in its place.
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

/** Fails the build when a new pi-ai no longer has such calls, so that none of it is lost in silence. */
function showImports(source: string, path: string): string {
  const shown = source.replaceAll(HIDDEN_IMPORT, 'import("$1.js")');
  if (shown === source) throw new Error(`${path}: no hidden import was found`);
  return shown;
}
