import { setImmediate } from 'node:timers';
import { deferred, withTimeout } from '../base/async/wait';

/** Read before any hook runs, because a hook may also replace these functions. */
const { defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, has, ownKeys, set, setPrototypeOf } =
  Reflect;

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
  /** It may have another value, but must be there. */
  readonly isReplaceable: boolean;
  /** Undefined: it was deleted before, and is not compared. */
  descriptor: PropertyDescriptor | undefined;
  value: unknown;
}

/** What was not as it is kept. */
interface Changes {
  readonly replaced: readonly string[];
  readonly added: readonly string[];
  readonly isUndone: boolean;
}

/** A hook replaced functions of the language while it loaded. The message follows the words "Failed to load hook:". */
export class BuiltInsReplaced extends Error {
  /** `others`: hooks of which any may have done it instead. */
  constructor({ replaced, added, isUndone }: Changes, others: readonly string[]) {
    const who = others.length > 0 ? `it, or ${others.join(' or ')}, which loaded at the same time,` : 'it';
    const what = [
      ...(replaced.length > 0 ? [`replaces ${replaced.join(', ')}, which other hooks and their verdicts rely on`] : []),
      ...(added.length > 0 ? [`adds ${added.join(', ')}, which every object then has`] : []),
    ];
    const outcome = isUndone ? 'That was undone.' : 'That cannot be undone: restart without it.';
    super(`${who} ${what.join(', and ')}. ${outcome}`);
  }
}

/** The language as it was when no hook loaded. It is read once, and then compared, which takes a fraction of the time. */
class BuiltIns {
  private readonly kept = readBuiltIns();
  /** Has a member for each one that a loop over any object finds. */
  private inEachObject = membersOfEachObject();

  /** Takes the language as it is now: what handlers and other extensions replaced is theirs. */
  keep(): void {
    for (const each of this.kept) if (each.descriptor === undefined || !isInPlace(each)) keepNow(each);
    this.inEachObject = membersOfEachObject();
  }

  /**
   * Makes the language as it was kept, and says what was not. What cannot be undone is kept from then on. Calls no function
   * of the language before all of them are the original ones again.
   */
  putBack(): Changes {
    const { kept, inEachObject } = this;
    const replaced: string[] = [];
    const added: string[] = [];
    let isUndone = true;
    // First, because a member of all objects is also one of a property's description.
    for (const key in Object.prototype) {
      if (key in inEachObject) continue;
      added[added.length] = `Object.prototype.${key}`;
      if (deleteProperty(Object.prototype, key)) continue;
      inEachObject[key] = true;
      isUndone = false;
    }
    for (let at = 0; at < kept.length; at++) {
      const each = kept[at];
      if (each === undefined || isInPlace(each)) continue;
      replaced[replaced.length] = each.name;
      if (restore(each)) continue;
      keepNow(each);
      isUndone = false;
    }
    return { replaced, added, isUndone };
  }
}

function readBuiltIns(): readonly BuiltIn[] {
  const found: BuiltIn[] = [];
  for (const [name, holder] of HOLDERS) {
    for (const key of ownKeys(holder)) {
      if (typeof key === 'string' && UNUSED.test(key)) continue;
      const descriptor = descriptorOf(holder, key);
      const value: unknown = descriptor?.value;
      if (typeof value !== 'function') continue;
      const member = typeof key === 'symbol' ? `[${key.description ?? 'a symbol'}]` : `.${key}`;
      found.push({ name: name + member, holder, key, isReplaceable: false, descriptor, value });
    }
  }
  for (const key of NEEDED_GLOBALS) {
    const descriptor = descriptorOf(globalThis, key);
    const isReplaceable = !(GLOBALS as readonly string[]).includes(key);
    const value = isReplaceable ? undefined : valueOf(globalThis, key);
    found.push({ name: key, holder: globalThis, key, isReplaceable, descriptor, value });
  }
  return found;
}

function membersOfEachObject(): Record<string, true> {
  const members = Object.create(null) as Record<string, true>;
  for (const key in Object.prototype) members[key] = true;
  return members;
}

function keepNow(each: BuiltIn): void {
  each.descriptor = descriptorOf(each.holder, each.key);
  if (!each.isReplaceable) each.value = valueOf(each.holder, each.key);
}

function isInPlace({ holder, key, isReplaceable, descriptor, value }: BuiltIn): boolean {
  if (descriptor === undefined) return true;
  return isReplaceable ? has(holder, key) : valueOf(holder, key) === value;
}

/** Returns whether it worked. */
function restore(each: BuiltIn): boolean {
  const { holder, key, descriptor, value } = each;
  if (descriptor === undefined || !defineProperty(holder, key, descriptor)) return false;
  // Node has setters for some globals, which replace what the getter gives.
  return isInPlace(each) || (set(holder, key, value) && isInPlace(each));
}

/** Inherits nothing, because a member of all objects would be one of the description. */
function descriptorOf(holder: object, key: PropertyKey): PropertyDescriptor | undefined {
  const descriptor = getOwnPropertyDescriptor(holder, key);
  if (descriptor !== undefined) setPrototypeOf(descriptor, null);
  return descriptor;
}

function valueOf(holder: object, key: PropertyKey): unknown {
  try {
    return (holder as Readonly<Record<PropertyKey, unknown>>)[key];
  } catch {
    return undefined; // A getter of a hook.
  }
}

/** Code of a hook that runs while it loads. */
class Load {
  private readonly found: Changes[] = [];
  private readonly others: string[] = [];

  constructor(private readonly file: string) {}

  /** Adds changes that this load made, or one of `others`. */
  blame(changes: Changes, others: ReadonlySet<Load> = new Set()): void {
    if (changes.replaced.length + changes.added.length === 0) return;
    this.found.push(changes);
    this.others.push(...[...others].filter(other => other !== this).map(({ file }) => file));
  }

  /** @throws BuiltInsReplaced if it is to blame for a change */
  check(): void {
    const { found, others } = this;
    if (found.length === 0) return;
    const changes = {
      replaced: unique(found.flatMap(({ replaced }) => replaced)),
      added: unique(found.flatMap(({ added }) => added)),
      isUndone: found.every(({ isUndone }) => isUndone),
    };
    throw new BuiltInsReplaced(changes, unique(others));
  }
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

let builtIns: BuiltIns | undefined;
/** The loads of this process that have begun and not ended. */
const open = new Set<Load>();
/** While a load has a turn: settles when the turn ends. */
let turn: Promise<void> | undefined;

/** Begins a load. What was replaced while others waited is put back first. */
function begin(load: Load): BuiltIns {
  builtIns ??= new BuiltIns();
  if (open.size === 0) {
    builtIns.keep();
  } else {
    const changes = builtIns.putBack();
    for (const waiting of open) waiting.blame(changes, open);
  }
  open.add(load);
  return builtIns;
}

/** Returns what ends the turn; it also ends when the process next turns to timers and the like. */
function beginTurn(): () => void {
  const over = deferred();
  const mine = (turn = over.promise);
  const end = (): void => {
    if (turn === mine) turn = undefined;
    over.resolve();
  };
  setImmediate(end);
  return end;
}

/**
 * Runs code of a hook that loads. What it replaced of the language is put back as soon as it first waits, at its end, and when
 * another load begins or ends. Loads run one after the other until they wait for more than promises, so that it is known whose
 * doing a replacement is; the waits overlap. A replacement that is found at the end of a load counts as that load's, with a
 * word about others that still wait, and one that is found at the beginning as that of all that wait.
 *
 * @param load.file absolute path of the hook
 * @param load.what the subject in the message of the timeout
 * @throws BuiltInsReplaced if it replaced something, even if the code also failed
 * @throws Error if it takes longer than `ms` from when it begins
 */
export async function runLoading<V>(
  code: () => V,
  { file, what, ms }: { readonly file: string; readonly what: string; readonly ms: number },
): Promise<Awaited<V>> {
  while (turn !== undefined) await turn;
  const load = new Load(file);
  const original = begin(load);
  const endTurn = beginTurn();
  try {
    let running: V;
    try {
      running = code();
    } finally {
      load.blame(original.putBack());
    }
    return await withTimeout(running, ms, (): never => {
      throw new Error(`${what} did not finish within ${ms} ms`);
    });
  } finally {
    load.blame(original.putBack(), open);
    open.delete(load);
    endTurn();
    load.check();
  }
}
