import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { convertHook, type Conversion } from '../../../src/hook-authoring/convert/convert-hook';
import type { DialectId } from '../../../src/hooks/dialects/dialect-id';
import { babelFrom } from '../../../src/hooks/load/compile/babel';

export const babel = babelFrom(resolve('node_modules/jiti/dist'));
export const HOOKS = "import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';\n";
export const TODAY = "import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';\n";

/** Converts the inside of a factory, and gives the inside of the new one. */
export function inside(dialect: DialectId, body: string): { readonly body: string; readonly looks: readonly string[] } {
  const { text, remarks } = whole(dialect, `${HOOKS}export default function (pi: HookAPI) {\n${body}\n}\n`);
  const start = text.indexOf('export default function (pi: ExtensionAPI) {\n');
  assert.ok(start >= 0, text);
  const inner = text.slice(start + 'export default function (pi: ExtensionAPI) {\n'.length);
  return {
    body: inner.slice(0, inner.indexOf('\n}\n')),
    looks: remarks.filter(({ severity }) => severity === 'look').map(({ line, message }) => `${line}: ${message}`),
  };
}

/** Converts a whole file, of the dialect that its text shows if none is given. */
export function whole(dialect: DialectId | undefined, text: string, file = '/hooks/one.ts'): Conversion {
  const result = convertHook({ file, text, babel, ...(dialect === undefined ? {} : { dialect }) });
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

/** Expects that the inside of a factory becomes this, and that nothing is left to look at. */
export function check(dialect: DialectId, before: string, after: string): void {
  const { body, looks } = inside(dialect, before);
  assert.equal(body, after);
  assert.deepEqual(looks, []);
}
