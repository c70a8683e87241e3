import type { Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/paths.ts';

const PARTIAL_JSON = join(ROOT, 'src', 'agent', 'models', 'requests', 'partial-json.ts');
const NO_TRACING = join(import.meta.dirname, 'opentelemetry-stub.ts');
/** Modules that give a CommonJS package's export its name. */
const NAMED = 'hookline-named-export';
const BEDROCK_IMPORT = /importNodeOnlyProvider\((["'])(\.\/amazon-bedrock\.js)\1\)/;

/** CommonJS packages that the Bedrock provider imports when it needs them, with the one name it takes from each. */
const BEDROCK_PACKAGES: Readonly<Record<string, string>> = {
  '@smithy/node-http-handler': 'NodeHttpHandler',
  'proxy-agent': 'ProxyAgent',
};

/**
 * What pi-ai 0.73.1 needs to be bundled: its Bedrock provider hides behind a variable specifier and imports CommonJS at
 * run time (of which a bundle keeps no named exports, so proxies and HTTP/1.1 would fail), its Mistral client wants a
 * tracing package that is not installed, and its parser of half-received JSON starts anew at each delta, so ours stands
 * in its place.
 */
export function piAiPlugin(): Plugin {
  return {
    name: 'pi-ai',
    setup(build) {
      build.onResolve({ filter: /^@opentelemetry\/api$/ }, () => ({ path: NO_TRACING }));
      build.onLoad({ filter: /pi-ai[\\/]dist[\\/]providers[\\/]register-builtins\.js$/ }, ({ path }) => ({
        contents: showBedrockImport(readFileSync(path, 'utf8'), path),
        resolveDir: dirname(path),
        loader: 'js',
      }));
      build.onResolve({ filter: /^(@smithy\/node-http-handler|proxy-agent)$/ }, ({ path, kind, resolveDir }) =>
        kind === 'dynamic-import' ? { path, namespace: NAMED, pluginData: { resolveDir } } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: NAMED }, ({ path, pluginData }) => ({
        contents: `export { ${BEDROCK_PACKAGES[path] ?? ''} } from ${JSON.stringify(path)};`,
        resolveDir: (pluginData as { readonly resolveDir: string }).resolveDir, // From the resolver above.
      }));
      build.onLoad({ filter: /pi-ai[\\/]dist[\\/]utils[\\/]json-parse\.js$/ }, () => ({
        contents: `export * from ${JSON.stringify(PARTIAL_JSON)};`,
        resolveDir: ROOT,
        loader: 'js',
      }));
    },
  };
}

/** Fails the build when a new pi-ai no longer has the call, so that Bedrock is not lost in silence. */
function showBedrockImport(source: string, path: string): string {
  if (!BEDROCK_IMPORT.test(source)) throw new Error(`${path}: the import of the Bedrock provider was not found`);
  return source.replace(BEDROCK_IMPORT, 'import("./amazon-bedrock.js")');
}
