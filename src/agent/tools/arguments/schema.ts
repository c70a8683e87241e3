import { Compile } from 'typebox/compile';
import { isRecord } from '../../../base/json/is-record';

/** A JSON Schema as tools give it: from either TypeBox, or plain. */
export type Schema = Readonly<Record<string, unknown>>;

/** A schema of a tool with the definitions that `$ref` in it may name. */
export class ToolSchema {
  private readonly checks = new WeakMap<object, (value: unknown) => boolean>();

  constructor(readonly root: Schema) {}

  /** Whether a value fits a part of the schema. Throws when the part is not a schema. */
  fits(part: unknown, value: unknown): boolean {
    if (typeof part === 'boolean') return part;
    if (!isRecord(part)) return true;
    let check = this.checks.get(part);
    if (check === undefined) {
      const { $defs, definitions } = this.root;
      const compiled = Compile(part === this.root ? part : { $defs, definitions, ...part });
      check = candidate => compiled.Check(candidate);
      this.checks.set(part, check);
    }
    return check(value);
  }

  /** What a `$ref` within the schema names. Undefined if it names nothing here. */
  resolve(ref: string): unknown {
    if (!ref.startsWith('#')) return undefined;
    let node: unknown = this.root;
    for (const segment of ref.slice(1).split('/').slice(1)) {
      const name = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~');
      node =
        typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined;
    }
    return node;
  }
}

/** The types that a schema names. */
export function typesOf({ type }: Schema): readonly string[] {
  return (Array.isArray(type) ? type : [type]).filter(each => typeof each === 'string');
}

/** Whether a value is of a type of JSON Schema. */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

/** The members of a keyword that holds schemas by name. */
export function namedSchemas(given: unknown): readonly (readonly [name: string, schema: unknown])[] {
  return isRecord(given) ? Object.entries(given) : [];
}

/** The schemas for the first elements of a list, and the one for the rest. */
export function itemSchemas(schema: Schema): { readonly first: readonly unknown[]; readonly rest: unknown } {
  const { items, prefixItems, additionalItems } = schema;
  if (Array.isArray(items)) return { first: items, rest: additionalItems };
  return { first: Array.isArray(prefixItems) ? prefixItems : [], rest: items };
}

/** The schemas of a keyword that lists some. */
export function branchesOf(schema: Schema, keyword: 'anyOf' | 'oneOf' | 'allOf'): readonly unknown[] | undefined {
  const branches = schema[keyword];
  return Array.isArray(branches) ? branches : undefined;
}
