/** Former names of providers -> today's. */
const RENAMED: Readonly<Record<string, string>> = { 'azure-openai-responses': 'azure' };

/** The name under which a provider is known now; files may use a former one (docs/models.md). */
export function knownProvider(name: string): string {
  return Object.hasOwn(RENAMED, name) ? (RENAMED[name] ?? name) : name;
}

/** All names of a provider, today's first. */
export function namesOfProvider(name: string): readonly string[] {
  return [name, ...Object.keys(RENAMED).filter(former => RENAMED[former] === name)];
}
