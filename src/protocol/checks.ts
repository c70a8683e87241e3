/** Says whether a value that came from the other side is what is wanted; never throws. */
export type Check = (value: unknown) => boolean;

type Fields = Readonly<Record<string, unknown>>;

/** A check for each kind of message of one direction; a kind without one does not compile. */
export type MessageChecks<M extends { readonly type: string }> = { readonly [T in M['type']]: Check };

export const text: Check = value => typeof value === 'string';
/** Finite: what JSON can carry. */
export const number: Check = value => typeof value === 'number' && Number.isFinite(value);
export const flag: Check = value => typeof value === 'boolean';

/** One of these texts. */
export function oneOf(...values: readonly string[]): Check {
  return value => typeof value === 'string' && values.includes(value);
}

/** Undefined passes. */
export function optional(check: Check): Check {
  return value => value === undefined || check(value);
}

/** Null passes. */
export function nullable(check: Check): Check {
  return value => value === null || check(value);
}

/** An array, each member of which passes. */
export function list(member: Check): Check {
  return value => Array.isArray(value) && value.every(member);
}

/** An object of any members, each of which passes. */
export function record(member: Check): Check {
  return value => isFields(value) && Object.values(value).every(member);
}

/** An object with these members; others are let through. */
export function shape(fields: Readonly<Record<string, Check>>): Check {
  return value => isFields(value) && Object.entries(fields).every(([key, check]) => check(value[key]));
}

/** Reads messages of one direction; the reader answers undefined for what is not one of them. */
export function messageReader<M extends { readonly type: string }>(
  checks: MessageChecks<M>,
): (value: unknown) => M | undefined {
  const table: Readonly<Record<string, Check>> = checks;
  return value => {
    if (!isFields(value)) return undefined;
    const type = value['type'];
    const fits = typeof type === 'string' && Object.hasOwn(table, type) && table[type]?.(value) === true;
    return fits ? (value as unknown as M) : undefined;
  };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
