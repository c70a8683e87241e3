/**
 * A check whether a value is of type `T`. Returns undefined when it is, else where and how the value differs, such as
 * `.images[0] is no text`. Never throws. Both the type and the check of a message come from its shape.
 */
export interface Shape<T> {
  (value: unknown): string | undefined;
  /** Holds the type for the compiler; never set. */
  readonly of?: () => T;
}

/** The type that a shape describes. */
export type Of<S> = S extends Shape<infer T> ? T : never;

/** The shapes of an object's members by name. A member whose shape allows undefined may be missing. */
export type Members = Readonly<Record<string, Shape<unknown>>>;

type OptionalName<M extends Members> = { [N in keyof M]: undefined extends Of<M[N]> ? N : never }[keyof M];
type Required<M extends Members, N extends keyof M> = { readonly [P in N]: Of<M[P]> };
/** The same type, but error messages and editors show its members. */
type Flat<T> = T extends infer O ? { [N in keyof O]: O[N] } : never;

export type ObjectOf<M extends Members> = Flat<
  Required<M, Exclude<keyof M, OptionalName<M>>> & Partial<Required<M, OptionalName<M>>>
>;

export type TaggedOf<Tag extends string, V extends Readonly<Record<string, Members>>> = {
  [N in keyof V & string]: Flat<{ readonly [P in Tag]: N } & ObjectOf<V[N]>>;
}[keyof V & string];

export const text: Shape<string> = value => (typeof value === 'string' ? undefined : ' is not a text');
/** A finite number, since JSON has no others. */
export const number: Shape<number> = value => (Number.isFinite(value) ? undefined : ' is not a finite number');
export const boolean: Shape<boolean> = value => (typeof value === 'boolean' ? undefined : ' is neither true nor false');
export const anything: Shape<unknown> = () => undefined;

/** Exactly this value. */
export function literal<const V extends string | true>(wanted: V): Shape<V> {
  return value => (value === wanted ? undefined : ` is not ${JSON.stringify(wanted)}`);
}

/** One of these texts. */
export function oneOf<const V extends readonly string[]>(...values: V): Shape<V[number]> {
  return value =>
    typeof value === 'string' && values.includes(value) ? undefined : ` is not one of ${values.join(', ')}`;
}

/** Accepts the values of a shape for which `fits` returns true; for the others, the message is " is " and `problem`. */
export function narrowed<T>(shape: Shape<T>, fits: (value: T) => boolean, problem: string): Shape<T> {
  return value => shape(value) ?? (fits(value as T) ? undefined : ` is ${problem}`);
}

/** Also accepts undefined. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return value => (value === undefined ? undefined : shape(value));
}

/** Also accepts null. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return value => (value === null ? undefined : shape(value));
}

/** Accepts the values of both shapes; for another value, the message is that of the second shape. */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return value => first(value) && second(value);
}

/** An array whose elements all have this shape. */
export function list<T>(member: Shape<T>): Shape<readonly T[]> {
  return value =>
    Array.isArray(value) ? firstProblem(value, (one, at) => inside(`[${at}]`, member(one))) : ' is not a list';
}

/** An array of exactly two elements. */
export function pair<A, B>(first: Shape<A>, second: Shape<B>): Shape<readonly [A, B]> {
  return value => {
    if (!Array.isArray(value) || value.length !== 2) return ' is not a pair';
    return inside('[0]', first(value[0])) ?? inside('[1]', second(value[1]));
  };
}

/** An object with any member names whose values all have this shape. */
export function record<T>(member: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return value =>
    isFields(value)
      ? firstProblem(Object.entries(value), ([name, one]) => inside(`.${name}`, member(one)))
      : ' is not an object';
}

/** An object with these members; other members are ignored. */
export function object<M extends Members>(members: M): Shape<ObjectOf<M>> {
  const entries = Object.entries(members);
  return value =>
    isFields(value)
      ? firstProblem(entries, ([name, shape]) => inside(`.${name}`, shape(value[name])))
      : ' is not an object';
}

/** An object whose member `tag` is the name of a variant and decides which other members it has. */
export function tagged<Tag extends string, V extends Readonly<Record<string, Members>>>(
  tag: Tag,
  variants: V,
): Shape<TaggedOf<Tag, V>> {
  const shapes = new Map(Object.entries(variants).map(([name, members]) => [name, object(members)]));
  return value => {
    if (!isFields(value)) return ' is not an object';
    const name = value[tag];
    const shape = typeof name === 'string' ? shapes.get(name) : undefined;
    return shape === undefined ? `.${tag} is not one of ${[...shapes.keys()].join(', ')}` : shape(value);
  };
}

/** The messages that a table describes: each key is a `type`, its value the shapes of the other members. */
export type MessageOf<V extends Readonly<Record<string, Members>>> = TaggedOf<'type', V>;

/** Makes a reader for the messages that a table describes; see {@link reader}. */
export function messageReader<V extends Readonly<Record<string, Members>>>(
  messages: V,
): (value: unknown, tell?: (problem: string) => void) => MessageOf<V> | undefined {
  return reader(tagged('type', messages));
}

/**
 * Makes a reader that returns a value of this shape; for others, it calls `tell` with the reason and returns undefined.
 */
export function reader<T>(shape: Shape<T>): (value: unknown, tell?: (problem: string) => void) => T | undefined {
  return (value, tell) => {
    const problem = shape(value);
    if (problem === undefined) return value as T;
    tell?.(problem.trimStart());
    return undefined;
  };
}

function firstProblem<V>(
  values: readonly V[],
  problemOf: (value: V, at: number) => string | undefined,
): string | undefined {
  for (const [at, value] of values.entries()) {
    const problem = problemOf(value, at);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function inside(place: string, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `${place}${problem}`;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
