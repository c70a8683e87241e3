import type { AnyTool } from '../tools/tool';

/**
 * The tools that `defaultTools` turns on or leaves on: plain names are the choice, `+name` and `-name` change it in their
 * order; without plain names they change all of those given, the built-in ones (docs/settings.md). Names of other tools
 * are as they were written.
 */
export function defaultTools(
  tools: readonly Pick<AnyTool, 'name' | 'defaultActive'>[],
  setting: readonly string[] | undefined,
): ReadonlySet<string> {
  const usual = tools.flatMap(({ name, defaultActive }) => (defaultActive === false ? [] : [name]));
  if (setting === undefined) return new Set(usual);
  const plain = setting.filter(entry => !/^[+-]/.test(entry));
  const chosen = new Set(plain.length > 0 || setting.length === 0 ? plain : usual);
  for (const entry of setting) {
    if (entry.startsWith('+')) chosen.add(entry.slice(1));
    if (entry.startsWith('-')) chosen.delete(entry.slice(1));
  }
  const builtIn = tools.flatMap(({ name }) => (chosen.has(name) ? [name] : []));
  return new Set([...builtIn, ...chosen]);
}
