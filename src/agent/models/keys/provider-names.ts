/** Names of providers as newer versions of pi write them -> as the models here have them. */
const RENAMED: Readonly<Record<string, string>> = { azure: 'azure-openai-responses' };

/** The name under which a provider is known here; files may use the newer or the older one (docs/models.md). */
export function knownProvider(name: string): string {
  return Object.hasOwn(RENAMED, name) ? (RENAMED[name] ?? name) : name;
}
