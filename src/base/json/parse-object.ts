import { isRecord } from './is-record';

/** The object that a JSON text is. Undefined for other JSON, and for text that is not JSON. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // The parser's message quotes the text and differs between Node versions, so no caller uses it.
    return undefined;
  }
}
