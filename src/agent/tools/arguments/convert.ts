import { isRecord } from '../../../base/json/is-record';
import { branchesOf, isOfType, itemSchemas, namedSchemas, typesOf, type Schema, type ToolSchema } from './schema';

/** How deep schemas may refer to themselves while a value is converted. */
const DEEPEST = 40;

/**
 * Converts arguments to their schema, as today's pi does: drops `null` in optional members, converts texts, numbers and
 * booleans to the required type if they have that meaning, and makes a list of a single value. Does not change the
 * given value; values that cannot be converted stay.
 */
export function convertArguments(value: unknown, schema: ToolSchema): unknown {
  return convert(withoutNulls(value, schema.root, schema), schema.root, { schema, depth: 0 });
}

function withoutNulls(value: unknown, node: unknown, schema: ToolSchema): unknown {
  if (!isRecord(node)) return value;
  if (Array.isArray(value)) {
    const { first, rest } = itemSchemas(node);
    return value.map((item, index) => withoutNulls(item, index < first.length ? first[index] : rest, schema));
  }
  if (!isRecord(value)) return value;
  const members = namedSchemas(node['properties']);
  const required = Array.isArray(node['required']) ? (node['required'] as readonly unknown[]) : [];
  const kept = { ...value };
  for (const [name, member] of members) {
    if (!Object.hasOwn(kept, name)) continue;
    const isReference = isRecord(member) && typeof member['$ref'] === 'string';
    if (kept[name] === null && !required.includes(name) && !isReference && !schema.fits(member, null)) {
      Reflect.deleteProperty(kept, name);
    } else kept[name] = withoutNulls(kept[name], member, schema);
  }
  return kept;
}

interface Place {
  readonly schema: ToolSchema;
  readonly depth: number;
}

function convert(value: unknown, node: unknown, { schema, depth }: Place): unknown {
  if (!isRecord(node) || depth > DEEPEST) return value;
  const place = { schema, depth: depth + 1 };
  if (typeof node['$ref'] === 'string') return convert(value, schema.resolve(node['$ref']), place);
  if (Object.hasOwn(node, 'const')) return asLiteral(node['const'], value);
  if (Array.isArray(node['enum'])) return asOneOf(node['enum'], value);
  const union = branchesOf(node, 'anyOf') ?? branchesOf(node, 'oneOf');
  if (union !== undefined) return members(asUnion(union, value, place), node, place);
  const all = branchesOf(node, 'allOf');
  if (all !== undefined) {
    return members(
      all.reduce((so, branch) => convert(so, branch, place), value),
      node,
      place,
    );
  }
  const types = typesOf(node);
  const [type] = types;
  if (types.length > 1) {
    if (types.some(each => isOfType(value, each))) return members(items(value, node, place), node, place);
    return asFirstOf(types, value);
  }
  if (type === 'array' && !Array.isArray(value)) return [convert(value, node['items'], place)];
  return members(items(type === undefined ? value : asPrimitive(type, value), node, place), node, place);
}

function items(value: unknown, node: Schema, place: Place): unknown {
  if (!Array.isArray(value)) return value;
  const { first, rest } = itemSchemas(node);
  return value.map((item, index) => convert(item, index < first.length ? first[index] : rest, place));
}

function members(value: unknown, node: Schema, place: Place): unknown {
  if (!isRecord(value)) return value;
  const named = new Map(namedSchemas(node['properties']));
  const patterns = namedSchemas(node['patternProperties']).map(
    ([text, schema]) => [new RegExp(text, 'u'), schema] as const,
  );
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const own = [
        ...(named.has(name) ? [named.get(name)] : []),
        ...patterns.filter(([pattern]) => pattern.test(name)).map(([, schema]) => schema),
      ];
      const schemas = own.length > 0 ? own : [node['additionalProperties']];
      return [name, schemas.reduce((so, schema) => convert(so, schema, place), member)];
    }),
  );
}

function asUnion(branches: readonly unknown[], value: unknown, place: Place): unknown {
  if (branches.some(branch => place.schema.fits(branch, value))) return value;
  for (const branch of branches) {
    const converted = convert(value, branch, place);
    if (place.schema.fits(branch, converted)) return converted;
  }
  return value;
}

function asOneOf(values: readonly unknown[], value: unknown): unknown {
  if (values.includes(value)) return value;
  return values.find(literal => asLiteral(literal, value) === literal) ?? value;
}

function asLiteral(literal: unknown, value: unknown): unknown {
  const converted = literal === null ? value : asPrimitive(typeof literal, value);
  return converted === literal ? literal : value;
}

function asPrimitive(type: string, value: unknown): unknown {
  switch (type) {
    case 'string':
      return value === null || typeof value === 'boolean' || isOfType(value, 'number') ? String(value) : value;
    case 'number':
      return asNumber(value);
    case 'integer': {
      const number = asNumber(value);
      return typeof number === 'number' ? Math.trunc(number) : value;
    }
    case 'boolean':
      if (value === null || value === 0 || isWord(value, 'false', '0')) return false;
      return value === 1 || isWord(value, 'true', '1') ? true : value;
    case 'null':
      return value === false || value === 0 || isWord(value, 'null', 'undefined', '', '0') ? null : value;
    default:
      return value;
  }
}

/** Where several types are allowed, only what can hardly mean anything else is converted. */
function asFirstOf(types: readonly string[], value: unknown): unknown {
  return types.map(type => strictly(type, value)).find(converted => converted !== value) ?? strictNull(types, value);
}

function strictNull(types: readonly string[], value: unknown): unknown {
  return types.includes('null') && (value === '' || value === 0 || value === false) ? null : value;
}

function strictly(type: string, value: unknown): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      if (typeof value !== 'string') return value === null ? 0 : typeof value === 'boolean' ? Number(value) : value;
      return value.trim() !== '' && isOfType(Number(value), type) ? Number(value) : value;
    case 'boolean':
      if (value === null || value === 0 || value === 'false') return false;
      return value === 1 || value === 'true' ? true : value;
    case 'string':
      return value === null ? '' : asPrimitive('string', value);
    default:
      return value;
  }
}

function asNumber(value: unknown): unknown {
  if (value === null || value === false || isWord(value, 'false')) return 0;
  if (value === true || isWord(value, 'true')) return 1;
  if (typeof value !== 'string') return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

function isWord(value: unknown, ...words: readonly string[]): boolean {
  return typeof value === 'string' && words.includes(value.toLowerCase());
}
