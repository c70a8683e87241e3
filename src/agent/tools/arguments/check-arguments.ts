import { convertArguments } from './convert';
import { explainArguments } from './explain';
import { ToolSchema, type Schema } from './schema';

const known = new WeakMap<object, ToolSchema>();

/**
 * The checked arguments of a call, as its tool gets them. They are converted if they mean what the schema requires. Throws an
 * error with the text of today's pi for the model, a line for each thing that is wrong.
 */
export function checkedArguments(toolName: string, schema: object, args: unknown): Record<string, unknown> {
  const toolSchema = known.get(schema) ?? new ToolSchema(plain(schema));
  known.set(schema, toolSchema);
  const converted = convertArguments(args, toolSchema);
  const problems = explainArguments(converted, toolSchema);
  if (problems.length === 0) return converted as Record<string, unknown>;
  const lines = problems.map(({ path, message }) => `  - ${path.length === 0 ? 'root' : path.join('.')}: ${message}`);
  throw new Error(
    `Validation failed for tool "${toolName}":\n${lines.join('\n')}\n\n` +
      `Received arguments:\n${JSON.stringify(args, null, 2)}`,
  );
}

/** The JSON part of a schema. Both TypeBox versions add their own marks, which would change how it is checked. */
function plain(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}
