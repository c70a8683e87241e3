import { convertArguments } from './convert';
import { explainArguments } from './explain';
import { ToolSchema, type Schema } from './schema';

const known = new WeakMap<object, ToolSchema>();

/**
 * The arguments of a call as its tool gets them: converted where they mean what the schema asks for, and checked.
 * Throws an error with the text of today's pi for the model, a line for each thing that is wrong.
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

/** What of a schema is JSON: both TypeBox versions add marks of their own, by which they would be checked otherwise. */
function plain(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}
