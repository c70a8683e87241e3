/**
 * What a value of type `T` looks like. Called with a value, it says where and how the value differs (`.images[0] is no
 * text`), or undefined when it fits; it never throws. Type and check of a message both come from its shape.
 */
export interface Shape<T> {
  (value: unknown): string | undefined;
  /** Carries the type; never set. */
  readonly of?: () => T;
}

/** The type that a shape describes. */
export type Of<S> = S extends Shape<infer T> ? T : never;

/** Members of an object by name. Those that may be undefined may be missing. */
export type Members = Readonly<Record<string, Shape<unknown>>>;

type OptionalName<M extends Members> = { [N in keyof M]: undefined extends Of<M[N]> ? N : never }[keyof M];
type Required<M extends Members, N extends keyof M> = { readonly [P in N]: Of<M[P]> };
/** The same type, shown by its members. */
type Flat<T> = T extends infer O ? { [N in keyof O]: O[N] } : never;

export type ObjectOf<M extends Members> = Flat<
  Required<M, Exclude<keyof M, OptionalName<M>>> & Partial<Required<M, OptionalName<M>>>
>;

export type TaggedOf<Tag extends string, V extends Readonly<Record<string, Members>>> = {
  [N in keyof V & string]: Flat<{ readonly [P in Tag]: N } & ObjectOf<V[N]>>;
}[keyof V & string];

export const text: Shape<string> = value => (typeof value === 'string' ? undefined : ' is no text');
/** Finite: what JSON can carry. */
export const number: Shape<number> = value => (Number.isFinite(value) ? undefined : ' is no finite number');
export const flag: Shape<boolean> = value => (typeof value === 'boolean' ? undefined : ' is neither true nor false');
export const anything: Shape<unknown> = () => undefined;

/** Exactly this value. */
export function literal<const V extends string | true>(wanted: V): Shape<V> {
  return value => (value === wanted ? undefined : ` is not ${JSON.stringify(wanted)}`);
}

/** One of these texts. */
export function oneOf<const V extends readonly string[]>(...values: V): Shape<V[number]> {
  return value =>
    typeof value === 'string' && values.includes(value) ? undefined : ` is none of ${values.join(', ')}`;
}

/** What the shape describes, as far as `fits` agrees. `problem` completes "… is". */
export function narrowed<T>(shape: Shape<T>, fits: (value: T) => boolean, problem: string): Shape<T> {
  return value => shape(value) ?? (fits(value as T) ? undefined : ` is ${problem}`);
}

/** Undefined passes. */
export function optional<T>(shape: Shape<T>): Shape<T | undefined> {
  return value => (value === undefined ? undefined : shape(value));
}

/** Null passes. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return value => (value === null ? undefined : shape(value));
}

/** What one of two shapes describes. */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return value => first(value) && second(value);
}

/** An array, each member of which fits. */
export function list<T>(member: Shape<T>): Shape<readonly T[]> {
  return value =>
    Array.isArray(value) ? firstProblem(value, (one, at) => inside(`[${at}]`, member(one))) : ' is no list';
}

/** An array of two. */
export function pair<A, B>(first: Shape<A>, second: Shape<B>): Shape<readonly [A, B]> {
  return value => {
    if (!Array.isArray(value) || value.length !== 2) return ' is no pair';
    return inside('[0]', first(value[0])) ?? inside('[1]', second(value[1]));
  };
}

/** An object of any members, each of which fits. */
export function record<T>(member: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return value =>
    isFields(value)
      ? firstProblem(Object.entries(value), ([name, one]) => inside(`.${name}`, member(one)))
      : ' is no object';
}

/** An object with these members; others are let through. */
export function object<M extends Members>(members: M): Shape<ObjectOf<M>> {
  const entries = Object.entries(members);
  return value =>
    isFields(value)
      ? firstProblem(entries, ([name, shape]) => inside(`.${name}`, shape(value[name])))
      : ' is no object';
}

/** An object whose member `tag` tells which of these sets of members it has. */
export function tagged<Tag extends string, V extends Readonly<Record<string, Members>>>(
  tag: Tag,
  variants: V,
): Shape<TaggedOf<Tag, V>> {
  const shapes = new Map(Object.entries(variants).map(([name, members]) => [name, object(members)]));
  return value => {
    if (!isFields(value)) return ' is no object';
    const name = value[tag];
    const shape = typeof name === 'string' ? shapes.get(name) : undefined;
    return shape === undefined ? `.${tag} is none of ${[...shapes.keys()].join(', ')}` : shape(value);
  };
}

/** The messages of a table: by their `type`, the members that they have beside it. */
export type MessageOf<V extends Readonly<Record<string, Members>>> = TaggedOf<'type', V>;

/** Reads the messages of a table: undefined for what is none of them. `tell` hears why. */
export function messageReader<V extends Readonly<Record<string, Members>>>(
  messages: V,
): (value: unknown, tell?: (problem: string) => void) => MessageOf<V> | undefined {
  return reader(tagged('type', messages));
}

/** Reads values from the other side: undefined for what has another shape. `tell` hears why. */
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
