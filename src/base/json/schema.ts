import { KindGuard, Type, type Static, type TSchema } from '@sinclair/typebox';
import { Errors } from '@sinclair/typebox/errors';
import { Check } from '@sinclair/typebox/value';
import { isRecord } from './is-record';
import { failed, ok, type Result } from '../result';

/**
 * The one place where TypeBox is applied to data from outside. Unknown members are kept: files of newer versions
 * must survive a round trip.
 */
export function parse<S extends TSchema>(schema: S, value: unknown): Result<Static<S>> {
  if (Check(schema, value)) return ok(value);
  const problems = [...Errors(schema, value)].slice(0, 5).map(error => ({
    message: `${error.path === '' ? 'value' : error.path.slice(1).replaceAll('/', '.')}: ${error.message}`,
  }));
  return failed(...problems);
}

/** A schema for one of these texts. */
export const literalUnion = <T extends string>(...values: readonly T[]) =>
  Type.Union(values.map(value => Type.Literal(value)));

/** A part of a value that its schema does not allow. */
export interface Misfit {
  /** Member names and indices from the outermost value; empty: the value itself. */
  readonly path: readonly (string | number)[];
  readonly given: unknown;
  /** What would fit, in words: `true or false`. */
  readonly expected: string;
}

/**
 * The valid part of a value from outside. Invalid members and list items are left out and reported; members that the
 * schema does not name are kept. Undefined if nothing is valid. Members of objects in the schema must be optional.
 */
export function keepFitting<S extends TSchema>(
  schema: S,
  value: unknown,
): { readonly value: Static<S> | undefined; readonly misfits: readonly Misfit[] } {
  const misfits: Misfit[] = [];
  return { value: fitting(schema, value, [], misfits), misfits };
}

function fitting(schema: TSchema, value: unknown, path: Misfit['path'], misfits: Misfit[]): unknown {
  const part = (inner: TSchema, key: string | number, given: unknown): unknown =>
    fitting(inner, given, [...path, key], misfits);
  const shape = branchFor(schema, value);
  if (Array.isArray(value) && KindGuard.IsArray(shape)) {
    const list: readonly unknown[] = value;
    return list.map((item, index) => part(shape.items, index, item)).filter(item => item !== undefined);
  }
  const members = membersOf(shape);
  if (members !== undefined && isRecord(value)) {
    const kept = Object.entries(value).map(([key, given]) => {
      const inner = members(key);
      return [key, inner === undefined ? given : part(inner, key, given)];
    });
    return Object.fromEntries(kept.filter(([, given]) => given !== undefined));
  }
  if (Check(schema, value)) return value;
  misfits.push({ path, given: value, expected: expectation(schema) });
  return undefined;
}

/** For alternatives: the one that the list or object could match. */
function branchFor(schema: TSchema, value: unknown): TSchema {
  if (!KindGuard.IsUnion(schema)) return schema;
  const could = (branch: TSchema): boolean =>
    Array.isArray(value) ? KindGuard.IsArray(branch) : isRecord(value) && membersOf(branch) !== undefined;
  return schema.anyOf.find(could) ?? schema;
}

function membersOf(schema: TSchema): ((key: string) => TSchema | undefined) | undefined {
  if (KindGuard.IsObject(schema)) {
    return key => (Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined);
  }
  if (KindGuard.IsRecord(schema)) return () => Object.values(schema.patternProperties)[0];
  return undefined;
}

function expectation(schema: TSchema): string {
  if (KindGuard.IsLiteral(schema)) return JSON.stringify(schema.const);
  if (KindGuard.IsUnion(schema)) {
    const ways = schema.anyOf.map(expectation);
    return [ways.slice(0, -1).join(', '), ...ways.slice(-1)].filter(way => way !== '').join(' or ');
  }
  if (KindGuard.IsString(schema)) return 'a text';
  if (KindGuard.IsBoolean(schema)) return 'true or false';
  if (KindGuard.IsArray(schema)) return 'a list';
  if (KindGuard.IsObject(schema) || KindGuard.IsRecord(schema)) return 'an object';
  const kind = KindGuard.IsInteger(schema) ? 'a whole number' : 'a number';
  const { minimum } = schema as { readonly minimum?: number };
  return minimum === undefined ? kind : `${kind} of ${minimum} or more`;
}
