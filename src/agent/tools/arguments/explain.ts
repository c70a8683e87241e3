import { isRecord } from '../../../base/json/is-record';
import { branchesOf, isOfType, itemSchemas, namedSchemas, typesOf, type Schema, type ToolSchema } from './schema';

/** One thing that is wrong with a value. */
export interface ArgumentProblem {
  /** Names and indexes that lead to it. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** How many values of a list of allowed ones are named. */
const LISTED_VALUES = 20;

/** Why a value does not fit its schema, in the words of today's pi. Empty if it fits. */
export function explainArguments(value: unknown, schema: ToolSchema): readonly ArgumentProblem[] {
  if (schema.fits(schema.root, value)) return [];
  const explainer = new Explainer(schema);
  explainer.walk(schema.root, value, []);
  return explainer.problems.length > 0 ? explainer.problems : [{ path: [], message: 'invalid' }];
}

type Path = ArgumentProblem['path'];

class Explainer {
  readonly problems: ArgumentProblem[] = [];

  constructor(private readonly schema: ToolSchema) {}

  walk(node: unknown, value: unknown, path: Path): void {
    if (node === false) this.say(path, 'no value is allowed here');
    if (!isRecord(node) || this.schema.fits(node, value)) return;
    const types = typesOf(node);
    if (types.length > 0 && !types.some(type => isOfType(value, type))) {
      this.say(path, `expected ${types.join(' or ')}, got ${typeName(value)}`);
      return;
    }
    const before = this.problems.length;
    this.walkValues(node, value, path);
    if (isRecord(value)) this.walkObject(node, value, path);
    if (Array.isArray(value)) this.walkList(node, value, path);
    for (const branch of branchesOf(node, 'allOf') ?? []) this.walk(branch, value, path);
    this.walkUnion(node, 'anyOf', { value, path });
    this.walkUnion(node, 'oneOf', { value, path });
    if (node['not'] !== undefined && this.schema.fits(node['not'], value)) {
      this.say(path, 'must not match the schema in not');
    }
    if (node['if'] !== undefined) {
      this.walk(this.schema.fits(node['if'], value) ? node['then'] : node['else'], value, path);
    }
    if (typeof node['$ref'] === 'string') this.walk(this.schema.resolve(node['$ref']), value, path);
    const { format } = node;
    if (typeof format === 'string' && this.problems.length === before) this.say(path, `expected format ${format}`);
  }

  private say(path: Path, message: string): void {
    this.problems.push({ path, message });
  }

  private walkValues(node: Schema, value: unknown, path: Path): void {
    const { enum: values } = node;
    if (Array.isArray(values) && !this.schema.fits({ enum: values }, value)) {
      this.say(path, `expected one of ${listed(values)}`);
    }
    if (Object.hasOwn(node, 'const') && !this.schema.fits({ const: node['const'] }, value)) {
      this.say(path, `expected ${JSON.stringify(node['const'])}`);
    }
    if (typeof value === 'string') this.limits(node, path, textLimits(Array.from(value).length, value));
    if (typeof value === 'number') this.limits(node, path, numberLimits(value));
  }

  private limits(node: Schema, path: Path, limits: readonly Limit[]): void {
    for (const { keyword, isBroken, message } of limits) {
      const limit = node[keyword];
      if ((typeof limit === 'number' || typeof limit === 'string') && isBroken(limit)) this.say(path, message(limit));
    }
  }

  private walkObject(node: Schema, value: Schema, path: Path): void {
    const required = Array.isArray(node['required']) ? (node['required'] as readonly unknown[]) : [];
    for (const name of required) {
      if (typeof name === 'string' && value[name] === undefined) this.say([...path, name], 'missing');
    }
    const named = new Map(namedSchemas(node['properties']));
    for (const [name, schema] of named) if (value[name] !== undefined) this.walk(schema, value[name], [...path, name]);
    const patterns = namedSchemas(node['patternProperties']);
    const others = node['additionalProperties'];
    for (const [name, member] of Object.entries(value)) {
      const matching = patterns.filter(([pattern]) => new RegExp(pattern, 'u').test(name));
      for (const [, schema] of matching) this.walk(schema, member, [...path, name]);
      if (named.has(name) || matching.length > 0) continue;
      if (others === false) this.say([...path, name], 'unknown field');
      else this.walk(others, member, [...path, name]);
    }
    this.limits(node, path, countLimits(Object.keys(value).length, 'Properties', 'properties'));
  }

  private walkList(node: Schema, value: readonly unknown[], path: Path): void {
    const { first, rest } = itemSchemas(node);
    for (const [index, item] of value.entries()) {
      this.walk(index < first.length ? first[index] : rest, item, [...path, index]);
    }
    this.limits(node, path, countLimits(value.length, 'Items', 'items'));
    if (node['uniqueItems'] === true && !this.schema.fits({ uniqueItems: true }, value)) {
      this.say(path, 'expected unique items');
    }
  }

  /** For several alternatives: explains why the value does not match the one that it is most like. */
  private walkUnion(
    node: Schema,
    keyword: 'anyOf' | 'oneOf',
    { value, path }: { readonly value: unknown; readonly path: Path },
  ): void {
    const branches = branchesOf(node, keyword);
    if (branches === undefined) return;
    const matches = branches.filter(branch => this.schema.fits(branch, value)).length;
    if (matches > 1 && keyword === 'oneOf') this.say(path, 'matches more than one alternative');
    if (matches > 0) return;
    const tag = isRecord(value) ? tagOf(branches) : undefined;
    if (tag !== undefined && isRecord(value)) {
      const index = tag.values.indexOf(value[tag.name]);
      if (index === -1) this.say([...path, tag.name], `expected one of ${listed(tag.values)}`);
      else this.walk(branches[index], value, path);
      return;
    }
    this.problems.push(...this.nearest(branches, value, path));
  }

  private nearest(branches: readonly unknown[], value: unknown, path: Path): readonly ArgumentProblem[] {
    let best: { readonly problems: readonly ArgumentProblem[]; readonly declared: number } | undefined;
    for (const branch of branches) {
      const explainer = new Explainer(this.schema);
      explainer.walk(branch, value, path);
      const [first] = explainer.problems;
      if (first === undefined) continue;
      const declared = isRecord(value) ? declaredIn(this.resolved(branch), value) : 0;
      const isNearer =
        best === undefined ||
        declared > best.declared ||
        (declared === best.declared && first.path.length > (best.problems[0]?.path.length ?? 0));
      if (isNearer) best = { problems: explainer.problems, declared };
    }
    return best?.problems ?? [{ path, message: 'matches no alternative' }];
  }

  private resolved(branch: unknown): unknown {
    return isRecord(branch) && typeof branch['$ref'] === 'string' ? this.schema.resolve(branch['$ref']) : branch;
  }
}

interface Limit {
  readonly keyword: string;
  readonly isBroken: (limit: number | string) => boolean;
  readonly message: (limit: number | string) => string;
}

function countLimits(count: number, suffix: string, what: string): readonly Limit[] {
  return [
    {
      keyword: `min${suffix}`,
      isBroken: limit => count < Number(limit),
      message: limit => `expected at least ${limit} ${what}`,
    },
    {
      keyword: `max${suffix}`,
      isBroken: limit => count > Number(limit),
      message: limit => `expected at most ${limit} ${what}`,
    },
  ];
}

function textLimits(length: number, text: string): readonly Limit[] {
  const pattern: Limit = {
    keyword: 'pattern',
    isBroken: limit => !new RegExp(String(limit), 'u').test(text),
    message: limit => `expected to match ${limit}`,
  };
  return [...countLimits(length, 'Length', 'characters'), pattern];
}

function numberLimits(value: number): readonly Limit[] {
  const limit = (keyword: string, sign: string, isBroken: (bound: number) => boolean): Limit => ({
    keyword,
    isBroken: bound => isBroken(Number(bound)),
    message: bound => `expected ${sign} ${bound}`,
  });
  return [
    limit('minimum', '>=', bound => value < bound),
    limit('maximum', '<=', bound => value > bound),
    limit('exclusiveMinimum', '>', bound => value <= bound),
    limit('exclusiveMaximum', '<', bound => value >= bound),
    limit('multipleOf', 'a multiple of', bound => !Number.isInteger(value / bound)),
  ];
}

function listed(values: readonly unknown[]): string {
  if (values.length <= LISTED_VALUES) return JSON.stringify(values);
  return `${JSON.stringify(values.slice(0, LISTED_VALUES)).slice(0, -1)}, ... and ${values.length - LISTED_VALUES} more]`;
}

/** The member that tells alternatives apart by a constant of its own in each. */
function tagOf(
  branches: readonly unknown[],
): { readonly name: string; readonly values: readonly unknown[] } | undefined {
  const properties = branches.map(branch =>
    isRecord(branch) && isRecord(branch['properties']) ? branch['properties'] : {},
  );
  for (const name of Object.keys(properties[0] ?? {})) {
    const values = properties.map(members => (isRecord(members[name]) ? members[name]['const'] : undefined));
    const canBeListed = values.every(value => value !== undefined && (typeof value !== 'object' || value === null));
    if (canBeListed && new Set(values).size === values.length) return { name, values };
  }
  return undefined;
}

function declaredIn(branch: unknown, value: Schema): number {
  const properties = isRecord(branch) && isRecord(branch['properties']) ? branch['properties'] : {};
  return Object.keys(value).filter(name => Object.hasOwn(properties, name)).length;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value !== 'number') return typeof value;
  if (Number.isInteger(value)) return 'integer';
  return Number.isFinite(value) ? 'number' : String(value);
}
