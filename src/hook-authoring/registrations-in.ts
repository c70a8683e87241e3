import { calledAs } from '../hooks/called-as';
/** A place in a source text where a handler or command is registered. */
export interface WrittenRegistration {
  /** As `HandlerKey`: event name, or `command:<name>`. */
  readonly registeredAs: string;
  readonly nth: number;
  /** 1-based. */
  readonly line: number;
}

const REGISTERING = /\.\s*(on|registerCommand|command)\s*(?:<[^>()]*>)?\(\s*(['"`])((?:(?!\2)[^\\\n])*)\2/g;

/** Finds registrations by their text: where they are while somebody types, when lines of the last load are no longer true. */
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
 * The line of each registration in the text as it is now: that of the n-th registration with its name, when the text
 * writes as many as were registered; else the line of the last load. Registrations made in a loop are written once.
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
