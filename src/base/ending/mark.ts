import { randomBytes } from 'node:crypto';

declare const isChecked: unique symbol;

/** Name of an environment variable by which a process is known as started by us: 128 random bits, never guessed or empty. */
export type Mark = string & { readonly [isChecked]: true };

const FORM = /^HOOKLINE_TREE_[0-9a-f]{32}$/;

/** A mark that no process has yet. */
export function newMark(): Mark {
  return `HOOKLINE_TREE_${randomBytes(16).toString('hex')}` as Mark;
}

/** Whether a name has the form of a mark. What has another form never counts as ours. */
export function isMark(name: string): name is Mark {
  return FORM.test(name);
}

/** The variable that gives a process the mark; what the process starts inherits it. */
export function withMark(mark: Mark): Readonly<Record<string, string>> {
  return { [mark]: '1' };
}

/** A copy of an environment without marks: a process with it belongs to nobody's tree. */
export function withoutMarks(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isMark(name)));
}
