import { withTimeout } from '../base/wait';

/** Read before any hook runs, because a hook may also replace these functions. */
const { defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, has, ownKeys } = Reflect;

/** The objects of the language whose functions other hooks and their host rely on. Members that hooks add do not matter. */
const HOLDERS: readonly (readonly [name: string, holder: object])[] = [
  ['Object', Object],
  ['Object.prototype', Object.prototype],
  ['Function.prototype', Function.prototype],
  ['Array', Array],
  ['Array.prototype', Array.prototype],
  ['String.prototype', String.prototype],
  ['RegExp.prototype', RegExp.prototype],
  ['Map.prototype', Map.prototype],
  ['Set.prototype', Set.prototype],
  ['WeakMap.prototype', WeakMap.prototype],
  ['Promise', Promise],
  ['Promise.prototype', Promise.prototype],
  ['JSON', JSON],
  ['Reflect', Reflect],
  ['ArrayIterator.prototype', getPrototypeOf([][Symbol.iterator]()) ?? {}],
  ['MapIterator.prototype', getPrototypeOf(new Map()[Symbol.iterator]()) ?? {}],
  ['SetIterator.prototype', getPrototypeOf(new Set()[Symbol.iterator]()) ?? {}],
];

const GLOBALS = [
  'Array',
  'Boolean',
  'Buffer',
  'Date',
  'Error',
  'Function',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'Proxy',
  'Reflect',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'WeakMap',
  'WeakSet',
  'process',
  'queueMicrotask',
] as const;

/** Globals that a hook may replace for good reasons (another `fetch`, a clock of its own), but not delete. */
const REPLACEABLE_GLOBALS = [
  'AbortController',
  'AbortSignal',
  'Blob',
  'Headers',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
  'Uint8Array',
  'WeakRef',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'fetch',
  'performance',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'structuredClone',
] as const;

/** Globals that all code needs. */
export const NEEDED_GLOBALS: readonly string[] = [...GLOBALS, ...REPLACEABLE_GLOBALS];

/** Methods of old browsers, which no code relies on, and the link to the class. */
const UNUSED =
  /^(?:constructor|anchor|big|blink|bold|fixed|fontcolor|fontsize|italics|link|small|strike|sub|sup|__define[GS]etter__|__lookup[GS]etter__)$/;

/** A function or global of the language. */
interface BuiltIn {
  readonly name: string;
  readonly holder: object;
  readonly key: PropertyKey;
  descriptor: PropertyDescriptor;
  /** Undefined: it may have another value, but must be there. */
  value: unknown;
}

/** A hook replaced functions of the language while it loaded. The message follows the words "Failed to load hook:". */
export class BuiltInsReplaced extends Error {
  constructor(replaced: readonly string[], added: readonly string[], isUndone: boolean) {
    const what = [
      ...(replaced.length > 0 ? [`replaces ${replaced.join(', ')}, which other hooks and their verdicts rely on`] : []),
      ...(added.length > 0 ? [`adds ${added.join(', ')}, which every object then has`] : []),
    ];
    const outcome = isUndone ? 'That was undone.' : 'That cannot be undone: restart without it.';
    super(`it ${what.join(', and ')}. ${outcome}`);
  }
}

let kept: readonly BuiltIn[] | undefined;

/** The functions and globals as they are now. They are read once, and then compared, which takes a fraction of the time. */
function builtInsNow(): readonly BuiltIn[] {
  if (kept === undefined) return (kept = readBuiltIns());
  for (const each of kept) {
    if (isInPlace(each)) continue;
    const descriptor = getOwnPropertyDescriptor(each.holder, each.key);
    if (descriptor === undefined) continue;
    each.descriptor = descriptor;
    if (each.value !== undefined) each.value = valueOf(each.holder, each.key);
  }
  return kept;
}

function readBuiltIns(): readonly BuiltIn[] {
  const found: BuiltIn[] = [];
  for (const [name, holder] of HOLDERS) {
    for (const key of ownKeys(holder)) {
      if (typeof key === 'string' && UNUSED.test(key)) continue;
      const descriptor = getOwnPropertyDescriptor(holder, key);
      const value: unknown = descriptor?.value;
      if (descriptor === undefined || typeof value !== 'function') continue;
      const member = typeof key === 'symbol' ? `[${key.description ?? 'a symbol'}]` : `.${key}`;
      found.push({ name: name + member, holder, key, descriptor, value });
    }
  }
  for (const key of NEEDED_GLOBALS) {
    const descriptor = getOwnPropertyDescriptor(globalThis, key);
    if (descriptor === undefined) continue;
    const value = (GLOBALS as readonly string[]).includes(key) ? valueOf(globalThis, key) : undefined;
    found.push({ name: key, holder: globalThis, key, descriptor, value });
  }
  return found;
}

/** The language as it is when this is created, so that what code replaces of it afterwards can be put back. */
class BuiltIns {
  private readonly kept = builtInsNow();
  private readonly inEachObject: object = Object.assign(Object.create(null) as object, Object.prototype);
  private readonly replaced: string[] = [];
  private readonly added: string[] = [];
  private isUndone = true;

  /** Calls no function of the language before all of them are the original ones again. */
  putBack(): void {
    const { kept, replaced } = this;
    this.removeAdded(); // First, because a member of all objects is also one of a property's description.
    for (let at = 0; at < kept.length; at++) {
      const each = kept[at];
      if (each === undefined || isInPlace(each)) continue;
      if (!defineProperty(each.holder, each.key, each.descriptor)) this.isUndone = false;
      replaced[replaced.length] = each.name;
    }
  }

  /** @throws BuiltInsReplaced if something was put back */
  check(): void {
    const { replaced, added, isUndone } = this;
    if (replaced.length + added.length > 0) throw new BuiltInsReplaced(replaced, added, isUndone);
  }

  /** Removes what a loop over any object would find. */
  private removeAdded(): void {
    const { added, inEachObject } = this;
    for (const key in Object.prototype) {
      if (key in inEachObject) continue;
      if (!deleteProperty(Object.prototype, key)) this.isUndone = false;
      added[added.length] = `Object.prototype.${key}`;
    }
  }
}

function isInPlace({ holder, key, value }: BuiltIn): boolean {
  return value === undefined ? has(holder, key) : valueOf(holder, key) === value;
}

function valueOf(holder: object, key: PropertyKey): unknown {
  return (holder as Readonly<Record<PropertyKey, unknown>>)[key];
}

/**
 * Runs code of a hook that loads. What it replaced of the language is put back as soon as it first waits, and at its end.
 * Only one such code may run at a time, so that the replacement is its doing.
 *
 * @throws BuiltInsReplaced if it replaced something, even if the code also failed
 * @throws Error if it takes longer than `ms`, with `what` as the subject
 */
export async function runLoading<V>(code: () => V, what: string, ms: number): Promise<Awaited<V>> {
  const builtIns = new BuiltIns();
  try {
    let running: V;
    try {
      running = code();
    } finally {
      builtIns.putBack();
    }
    return await withTimeout(running, ms, (): never => {
      throw new Error(`${what} did not finish within ${ms} ms`);
    });
  } finally {
    builtIns.putBack();
    builtIns.check();
  }
}
