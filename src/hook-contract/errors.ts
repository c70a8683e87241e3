import { messageOf } from '../base/errors';
import { hideSecrets } from '../base/text/redact';
import type { HookError } from './record';
import { inWrittenNames } from './written-names';
import type { StackMap } from './source-place';

/** The error as data: message without secrets, and place in the hook's own source. Never throws. */
export function hookError(
  thrown: unknown,
  where: { readonly hookPath: string; readonly event: string },
  map: StackMap | undefined,
): HookError {
  const stack = stackOf(thrown);
  const place = stack === undefined ? undefined : map?.placeIn(stack);
  return {
    hookPath: where.hookPath,
    event: where.event,
    message:
      safely(() => hideSecrets(inWrittenNames(messageOf(thrown), isWrittenIn(map)))) ?? 'an error that cannot be read',
    ...place,
    ...(stack === undefined
      ? {}
      : { stack: hideSecrets(inWrittenNames(map?.mapStack(stack) ?? stack, isWrittenIn(map))) }),
  };
}

/** When the text of the hook is not known, every word may be in it. */
function isWrittenIn(map: StackMap | undefined): (word: string) => boolean {
  return word => map?.sources?.some(({ text }) => text.includes(word)) ?? true;
}

function stackOf(thrown: unknown): string | undefined {
  return safely(() => (thrown instanceof Error && typeof thrown.stack === 'string' ? thrown.stack : undefined));
}

/** Thrown objects may have getters that throw again. */
function safely<V>(read: () => V): V | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
