import { isRecord } from '../../../base/json/is-record';

/** What a tool declares as its parameters, and how its arguments are checked. */
export interface DeclaredParameters {
  /** JSON Schema, for the model and for the check of what the model sent. */
  readonly parameters: object;
  /** The check of the schema's own library: gives the arguments with its defaults and conversions, or rejects. */
  readonly parse?: (args: unknown) => Promise<unknown>;
}

/**
 * Reads `parameters`. JSON Schema stays as it is. A schema of a library that implements Standard Schema, such as that of
 * oh-my-pi's `pi.zod`, is written as JSON Schema.
 * @throws what the library throws for a schema that JSON Schema cannot express
 */
export function declaredParameters(given: object): DeclaredParameters {
  const standard: unknown = Reflect.get(given, '~standard');
  if (!isRecord(standard) || typeof standard['validate'] !== 'function') return { parameters: given };
  const { jsonSchema, validate } = standard;
  if (!isRecord(jsonSchema) || typeof jsonSchema['input'] !== 'function') return { parameters: given };
  const written: unknown = Reflect.apply(jsonSchema['input'], jsonSchema, [{ target: 'draft-2020-12' }]);
  if (!isRecord(written)) return { parameters: given };
  return {
    // Not every provider takes a schema that names its dialect.
    parameters: Object.fromEntries(Object.entries(written).filter(([member]) => member !== '$schema')),
    parse: async args => {
      const result: unknown = await Reflect.apply(validate, standard, [args]);
      const { issues, value } = isRecord(result) ? result : {};
      if (issues !== undefined) throw new Error(explained(issues));
      return value;
    },
  };
}

function explained(issues: unknown): string {
  const lines = (Array.isArray(issues) ? issues : [issues]).map((issue: unknown) => {
    const { path, message } = isRecord(issue) ? issue : {};
    const place = (Array.isArray(path) ? path : []).map((step: unknown) => String(isRecord(step) ? step['key'] : step));
    return `- ${place.length === 0 ? 'arguments' : place.join('.')}: ${String(message)}`;
  });
  return ['The arguments do not fit:', ...lines].join('\n');
}
