/** A body that is JSON, with the status that clients put before it, on lines of its own. */
const BODY = /^(?:\d{3}:? )?(\{.*\})$/ms;

/**
 * The text of a provider's error for people: its message in place of a JSON body that has one. The status before the body is left
 * out, because the sentence about the failure has it. A text without such a body is returned as it is.
 */
export function errorWords(text: string): string {
  return text.replace(BODY, (whole, json: string) => messageIn(json) ?? whole);
}

function messageIn(json: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch {
    return undefined; // Something else in braces, or a body that was cut.
  }
  const error = memberOf(body, 'error');
  const said = [memberOf(error, 'message'), error, memberOf(body, 'message'), memberOf(body, 'detail')];
  return said.find((each): each is string => typeof each === 'string' && each.trim() !== '');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
