import type { AgentMessage } from '../agent/messages';

/**
 * Copies messages so deeply that nothing a hook changes in a copy reaches the original, and so cheaply that 10,000 of
 * them cost about a millisecond: strings are shared, only the few levels that hold objects are rebuilt. The copies are
 * plain arrays and objects: they can be cloned, spread and written as JSON.
 */
export function copyMessages<M extends AgentMessage>(messages: readonly M[]): M[] {
  return messages.map(copyMessage);
}

/** Copy of one message; see {@link copyMessages}. */
export function copyMessage<M extends AgentMessage>(message: M): M {
  if (message.role === 'system') return copyData(message);
  const copy = { ...message } as M & Loose;
  if (typeof copy.content === 'object') {
    copy.content = Array.isArray(copy.content) ? copy.content.map(copyPart) : copyData(copy.content);
  }
  if (copy.usage !== undefined) copy.usage = { ...copy.usage, cost: { ...copy.usage.cost } };
  if (copy.details !== undefined) copy.details = copyData<unknown>(copy.details);
  if (copy.nestedCalls !== undefined) copy.nestedCalls = copyData<unknown>(copy.nestedCalls);
  return copy;
}

/** The members of messages that hold objects. */
interface Loose {
  content?: unknown;
  usage?: { cost?: object };
  details?: unknown;
  nestedCalls?: unknown;
}

function copyPart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const copy = { ...part } as { arguments?: unknown };
  if (copy.arguments !== undefined) copy.arguments = copyData(copy.arguments);
  return copy;
}

/**
 * Copy of plain data of any depth. Other values (dates, sets, class instances) are cloned, or shared if they cannot be
 * cloned.
 */
export function copyData<V>(value: V): V {
  return copyValue(value, 0) as V;
}

function copyValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return cloneForeign(value); // Cycles end here: the platform's clone knows them.
  if (Array.isArray(value)) return value.map(member => copyValue(member, depth + 1));
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return cloneForeign(value);
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === 'object' && member !== null) copy[key] = copyValue(member, depth + 1);
  }
  return copy;
}

const DEEPEST = 40;

function cloneForeign(value: object): object {
  try {
    return structuredClone(value);
  } catch {
    return value; // Holds functions or handles: there is no copy, and details of tools may hold such.
  }
}

/**
 * Whether two pieces of plain data are equal. Copies share their strings with the originals, so comparing references
 * finds equal ones.
 */
export function same(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > 20) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every(name => {
    const [mine, theirs] = [Reflect.get(a, name) as unknown, Reflect.get(b, name) as unknown];
    // A role that dialects spell differently is not a change of the hook.
    if (depth === 0 && name === 'role') return true;
    return same(mine, theirs, depth + 1);
  });
}
