/** A function of a hook that is not a handler of an event. */
type CalledKind = 'command' | 'shortcut' | 'tool';

export interface CalledFunction {
  readonly kind: CalledKind | 'event';
  /** The event's, command's or tool's name, or the shortcut's keys. */
  readonly name: string;
}

/** How records, errors and logs name a function of a hook that is not a handler of an event: `command:deploy`. */
export function calledAs(kind: CalledKind, name: string): string {
  return `${kind}:${name}`;
}

/** Reads a name that {@link calledAs} made; any other text is the name of an event. */
export function readCalledAs(text: string): CalledFunction {
  const [, kind, name] = /^(command|shortcut|tool):(.*)$/s.exec(text) ?? [];
  return name === undefined ? { kind: 'event', name: text } : { kind: kind as CalledKind, name };
}

/** Whether a record, error or log entry is of a slash command. */
export function isCommandCall(registeredAs: string): boolean {
  return readCalledAs(registeredAs).kind === 'command';
}
