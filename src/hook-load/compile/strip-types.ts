import * as nodeModule from 'node:module';

/** Whether this Node can strip types; Electron's may not. */
export const canStripTypes = typeof nodeModule.stripTypeScriptTypes === 'function';

/**
 * The text with its types replaced by blanks, so that each position stays the same. Undefined when this Node cannot do
 * that, or the text contains an error, or TypeScript that is more than types, for example an enum.
 */
export function stripTypes(source: string): string | undefined {
  if (!canStripTypes) return undefined;
  const warn = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  // The first call prints to stderr that the function is experimental.
  process.emitWarning = () => undefined;
  try {
    const text = nodeModule.stripTypeScriptTypes(source);
    return text.length === source.length ? text : undefined;
  } catch {
    return undefined;
  } finally {
    if (warn !== undefined) Object.defineProperty(process, 'emitWarning', warn);
  }
}
