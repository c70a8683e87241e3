import { KindGuard, type TSchema } from '@sinclair/typebox';
import { Errors } from '@sinclair/typebox/errors';
import { membersOf } from '../../../base/json/is-record';

/** The member that says which of several kinds of object a value is, for each such place of the protocol. */
const KIND_MEMBERS = ['type', 'outcome', 'action'];

/** The first part of `value` that `schema` does not allow, named by its path: `prompt.0.text: Expected string`. */
export function describeMisfit(schema: TSchema, value: unknown, place: readonly string[] = []): string {
  const error = Errors(schema, value).First();
  if (error === undefined) return '';
  const path = [...place, ...error.path.split('/').slice(1)];
  const branches = KindGuard.IsUnion(error.schema) ? error.schema.anyOf.filter(one => !KindGuard.IsNull(one)) : [];
  const [only] = branches;
  if (only !== undefined && branches.length === 1) return describeMisfit(only, error.value, path);
  const kind = kindIn(branches, error.value);
  if (kind?.schema !== undefined) return describeMisfit(kind.schema, error.value, path);
  if (kind !== undefined) return `${[...path, kind.member].join('.')}: must be one of ${kind.known.join(', ')}`;
  return `${path.length === 0 ? 'params' : path.join('.')}: ${error.message}`;
}

interface Kind {
  readonly member: string;
  /** Undefined when the member has none of the known values. */
  readonly schema: TSchema | undefined;
  readonly known: readonly string[];
}

function kindIn(branches: readonly TSchema[], value: unknown): Kind | undefined {
  const objects = branches.filter(branch => KindGuard.IsObject(branch));
  const member = KIND_MEMBERS.find(name => objects.some(({ properties }) => properties[name] !== undefined));
  if (member === undefined || typeof value !== 'object' || value === null) return undefined;
  const given = membersOf(value)[member];
  const schema = objects.find(({ properties }) => valuesOf(properties[member]).includes(given));
  // A kind that is not named is the one whose member is optional.
  const unnamed = objects.find(({ required = [] }) => !required.includes(member));
  const known = objects.flatMap(({ properties }) => valuesOf(properties[member]).map(one => JSON.stringify(one)));
  return { member, schema: given === undefined ? unnamed : schema, known };
}

function valuesOf(schema: TSchema | undefined): readonly unknown[] {
  if (KindGuard.IsLiteral(schema)) return [schema.const];
  return KindGuard.IsUnion(schema) ? schema.anyOf.flatMap(valuesOf) : [];
}
