/** Read before any hook runs, because a hook may also replace these functions. */
const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, has, ownKeys } = Reflect;
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with `apply`
const textOfFunction = Function.prototype.toString;

/** A function of the language, as it was before hooks ran. */
interface Original {
  readonly holder: object;
  readonly key: PropertyKey;
  value: unknown;
  descriptor: PropertyDescriptor;
  readonly name: string;
  /** Hooks may replace it, but not delete it. */
  readonly isReplaceable: boolean;
}

/** A function of the language that was replaced or deleted. */
export interface ReplacedBuiltIn {
  /** For people: `String.prototype.includes`. */
  readonly name: string;
  /** The last part of its name, which code that replaces it must contain. */
  readonly key: string;
  /** The text of the function that was in its place; undefined when there was none. */
  readonly text: string | undefined;
  /** False when it could not be put back. */
  readonly isUndone: boolean;
  /** Accepts the replacement from now on. */
  accept(): void;
}

/** The objects whose functions gates and their dispatch rely on. Members that hooks add to them do not matter. */
function holders(): readonly (readonly [name: string, holder: object])[] {
  const iterators = [[][Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator]()] as const;
  return [
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
    ['ArrayIterator.prototype', getPrototypeOf(iterators[0]) ?? {}],
    ['MapIterator.prototype', getPrototypeOf(iterators[1]) ?? {}],
    ['SetIterator.prototype', getPrototypeOf(iterators[2]) ?? {}],
  ];
}

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

/** Globals that a hook may replace for good reasons (another `fetch`, a clock of its own), and that all others need. */
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

/**
 * Whether no hook deleted a global that others need. Written out, because this runs for each event, and a lookup by name
 * takes long. Without those that Node loads code for when they are first read, such as `Headers`.
 */
export function hasAllGlobals(): boolean {
  return (
    typeof Array !== 'undefined' &&
    typeof Boolean !== 'undefined' &&
    typeof Buffer !== 'undefined' &&
    typeof Date !== 'undefined' &&
    typeof Error !== 'undefined' &&
    typeof Function !== 'undefined' &&
    typeof JSON !== 'undefined' &&
    typeof Map !== 'undefined' &&
    typeof Math !== 'undefined' &&
    typeof Number !== 'undefined' &&
    typeof Object !== 'undefined' &&
    typeof Promise !== 'undefined' &&
    typeof Proxy !== 'undefined' &&
    typeof Reflect !== 'undefined' &&
    typeof RegExp !== 'undefined' &&
    typeof Set !== 'undefined' &&
    typeof String !== 'undefined' &&
    typeof Symbol !== 'undefined' &&
    typeof WeakMap !== 'undefined' &&
    typeof WeakSet !== 'undefined' &&
    typeof process !== 'undefined' &&
    typeof queueMicrotask !== 'undefined' &&
    typeof AbortController !== 'undefined' &&
    typeof AbortSignal !== 'undefined' &&
    typeof Blob !== 'undefined' &&
    typeof TextDecoder !== 'undefined' &&
    typeof TextEncoder !== 'undefined' &&
    typeof URL !== 'undefined' &&
    typeof URLSearchParams !== 'undefined' &&
    typeof Uint8Array !== 'undefined' &&
    typeof WeakRef !== 'undefined' &&
    typeof clearInterval !== 'undefined' &&
    typeof clearTimeout !== 'undefined' &&
    typeof console !== 'undefined' &&
    typeof crypto !== 'undefined' &&
    typeof fetch !== 'undefined' &&
    typeof performance !== 'undefined' &&
    typeof setImmediate !== 'undefined' &&
    typeof setInterval !== 'undefined' &&
    typeof setTimeout !== 'undefined' &&
    typeof structuredClone !== 'undefined'
  );
}

/** Methods of old browsers, which no code relies on. */
const LEGACY =
  /^(?:anchor|big|blink|bold|fixed|fontcolor|fontsize|italics|link|small|strike|sub|sup|__define[GS]etter__|__lookup[GS]etter__)$/;

/**
 * The functions of the language as they were before any hook ran. A check compares identities and is cheap enough for each
 * verdict of a gate.
 */
export class JavaScriptBuiltIns {
  private readonly originals: Original[] = [];

  /**
   * Reads the functions; to be called before hooks run. Further calls do nothing. Takes long, because Node makes some
   * globals, such as `Headers`, when their descriptors are first read.
   */
  remember(): void {
    if (this.originals.length > 0) return;
    for (const [name, holder] of holders()) {
      for (const key of ownKeys(holder)) {
        if (key === 'constructor' || (typeof key === 'string' && LEGACY.test(key))) continue;
        const descriptor = getOwnPropertyDescriptor(holder, key);
        if (typeof descriptor?.value === 'function') this.keep(holder, key, `${name}${memberText(key)}`);
      }
    }
    for (const key of GLOBALS) this.keep(globalThis, key, key);
    for (const key of REPLACEABLE_GLOBALS) this.keep(globalThis, key, key, true);
  }

  /** Restores the functions that were replaced since, and returns them. */
  undo(): readonly ReplacedBuiltIn[] {
    const { originals } = this;
    const first = this.firstReplaced();
    if (first === -1) return [];
    const found: { original: Original; descriptor: PropertyDescriptor | undefined; isUndone: boolean }[] = [];
    for (let at = first; at < originals.length; at++) {
      const original = originals[at];
      if (original === undefined || isInPlace(original)) continue;
      const descriptor = getOwnPropertyDescriptor(original.holder, original.key);
      const isUndone = defineProperty(original.holder, original.key, original.descriptor);
      found[found.length] = { original, descriptor, isUndone };
    }
    // From here on, the functions of the language are the original ones.
    return found.map(({ original, descriptor, isUndone }) => replacedOf(original, descriptor, isUndone));
  }

  /** Calls no function for most of them, because it looks at hundreds for each tool call; -1 when all are in place. */
  private firstReplaced(): number {
    const { originals } = this;
    for (let at = 0; at < originals.length; at++) {
      const original = originals[at];
      if (original === undefined) continue;
      const { holder, key, value, isReplaceable } = original;
      if (isReplaceable ? !has(holder, key) : (holder as Members)[key] !== value) return at;
    }
    return -1;
  }

  private keep(holder: object, key: PropertyKey, name: string, isReplaceable = false): void {
    const descriptor = getOwnPropertyDescriptor(holder, key);
    if (descriptor === undefined) return;
    const value: unknown = isReplaceable ? undefined : Reflect.get(holder, key);
    this.originals.push({ holder, key, value, descriptor, name, isReplaceable });
  }
}

function replacedOf(
  original: Original,
  descriptor: PropertyDescriptor | undefined,
  isUndone: boolean,
): ReplacedBuiltIn {
  const code: unknown = descriptor?.value ?? Reflect.get(descriptor ?? {}, 'get');
  return {
    name: original.name,
    key: typeof original.key === 'symbol' ? (original.key.description ?? '') : String(original.key),
    text: typeof code === 'function' ? apply(textOfFunction, code, []) : undefined,
    isUndone,
    accept: () => {
      if (descriptor === undefined || !defineProperty(original.holder, original.key, descriptor)) return;
      original.descriptor = descriptor;
      original.value = valueOf(original);
    },
  };
}

function isInPlace(original: Original): boolean {
  return original.isReplaceable ? has(original.holder, original.key) : valueOf(original) === original.value;
}

type Members = Readonly<Record<PropertyKey, unknown>>;

function valueOf({ holder, key }: Original): unknown {
  return (holder as Members)[key];
}

function memberText(key: PropertyKey): string {
  return typeof key === 'symbol' ? `[${key.description ?? 'a symbol'}]` : `.${String(key)}`;
}

/** How a hook's code shows that it replaced a function. */
export interface PatchSuspect {
  readonly sources?: readonly { readonly text: string }[];
  /** Whether a function of this text is in its compiled code. */
  readonly holdsCode?: (text: string) => boolean;
}

/**
 * The suspects whose code contains the replacing function. If there is none, those that name the member and its object.
 * Empty when neither applies.
 */
export function culpritsOf<S>(
  { text, key, name }: ReplacedBuiltIn,
  suspects: readonly S[],
  codeOf: (suspect: S) => PatchSuspect,
): readonly S[] {
  const isOwnText = text !== undefined && !text.includes('[native code]');
  const makers = isOwnText ? suspects.filter(suspect => codeOf(suspect).holdsCode?.(text) === true) : [];
  if (makers.length > 0) return makers;
  const [holder = ''] = name.split('.');
  const words = [holder, key.replace(/^Symbol\./, '')];
  return suspects.filter(
    suspect => codeOf(suspect).sources?.some(({ text: code }) => words.every(word => code.includes(word))) === true,
  );
}

/** The problem text about a hook that replaced functions of the language. */
export function patchText(names: readonly string[], isUndone = true): string {
  const what = `replaces ${names.join(', ')}, which other hooks and their verdicts rely on.`;
  return isUndone ? `${what} That was undone.` : `${what} That cannot be undone: restart without it.`;
}
