import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { failed, ok, type Result } from './result';

/**
 * The one place where TypeBox is applied to data from outside. Unknown members are kept: files of newer versions
 * must survive a round trip.
 */
export function parse<S extends TSchema>(schema: S, value: unknown): Result<Static<S>> {
  if (Value.Check(schema, value)) return ok(value);
  const problems = [...Value.Errors(schema, value)].slice(0, 5).map(error => ({
    message: `${error.path === '' ? 'value' : error.path.slice(1).replaceAll('/', '.')}: ${error.message}`,
  }));
  return failed(...problems);
}
