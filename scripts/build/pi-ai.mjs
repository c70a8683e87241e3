import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/paths.mjs';

const PARTIAL_JSON = join(ROOT, 'src', 'agent', 'partial-json.ts');
const NO_TRACING = join(import.meta.dirname, 'opentelemetry-stub.mjs');
const BEDROCK_IMPORT = /importNodeOnlyProvider\((["'])(\.\/amazon-bedrock\.js)\1\)/;

/**
 * What pi-ai 0.73.1 needs to be bundled: its Bedrock provider hides behind a variable specifier, its Mistral client
 * wants a tracing package that is not installed, and its parser of half-received JSON starts anew at each delta, so
 * ours stands in its place.
 * @returns {import('esbuild').Plugin}
 */
export function piAiPlugin() {
  return {
    name: 'pi-ai',
    setup(build) {
      build.onResolve({ filter: /^@opentelemetry\/api$/ }, () => ({ path: NO_TRACING }));
      build.onLoad({ filter: /pi-ai[\\/]dist[\\/]providers[\\/]register-builtins\.js$/ }, ({ path }) => ({
        contents: showBedrockImport(readFileSync(path, 'utf8'), path),
        resolveDir: dirname(path),
        loader: 'js',
      }));
      build.onLoad({ filter: /pi-ai[\\/]dist[\\/]utils[\\/]json-parse\.js$/ }, () => {
        if (!existsSync(PARTIAL_JSON)) return undefined;
        return { contents: `export * from ${JSON.stringify(PARTIAL_JSON)};`, resolveDir: ROOT, loader: 'js' };
      });
    },
  };
}

/** Fails the build when a new pi-ai no longer has the call, so that Bedrock is not lost in silence. */
function showBedrockImport(source, path) {
  if (!BEDROCK_IMPORT.test(source)) throw new Error(`${path}: the import of the Bedrock provider was not found`);
  return source.replace(BEDROCK_IMPORT, 'import("./amazon-bedrock.js")');
}
