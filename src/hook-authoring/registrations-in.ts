import { calledAs } from '../hook-contract/called-as';
/** A place in a source text that registers a handler or command. */
export interface WrittenRegistration {
  /** Event name, or `command:<name>`, as in `HandlerKey`. */
  readonly registeredAs: string;
  readonly nth: number;
  /** Counted from 1. */
  readonly line: number;
}

const REGISTERING = /\.\s*(on|registerCommand|command)\s*(?:<[^>()]*>)?\(\s*(['"`])((?:(?!\2)[^\\\n])*)\2/g;

/** Finds registrations in the text: while the user edits a file, the line numbers of its last load no longer fit. */
export function registrationsIn(text: string): readonly WrittenRegistration[] {
  const seen = new Map<string, number>();
  let line = 1;
  let from = 0;
  return [...text.matchAll(REGISTERING)].map(match => {
    for (; from < match.index; from++) if (text.charCodeAt(from) === 10) line += 1;
    const name = match[3] ?? '';
    const registeredAs = match[1] === 'on' ? name : calledAs('command', name);
    const nth = seen.get(registeredAs) ?? 0;
    seen.set(registeredAs, nth + 1);
    return { registeredAs, nth, line };
  });
}

/**
 * Finds the present line of each registration. If the text has as many registrations of a name as were made, the n-th
 * one in the text is the n-th one that was made. Otherwise, as for registrations in a loop, the line of the last load
 * stays.
 */
export function linesNow<R extends { readonly registeredAs: string; readonly line: number | undefined }>(
  registered: readonly R[],
  text: string,
): readonly { readonly registered: R; readonly line: number }[] {
  const written = registrationsIn(text);
  return registered.flatMap(each => {
    const here = written.filter(other => other.registeredAs === each.registeredAs);
    const same = registered.filter(other => other.registeredAs === each.registeredAs);
    const line = here.length === same.length ? here[same.indexOf(each)]?.line : each.line;
    return line === undefined ? [] : [{ registered: each, line }];
  });
}
