/** Names that a list has and an older one has not, and the other way round; each sorted. */
export function compared(
  before: readonly string[],
  now: readonly string[],
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  const [old, current] = [new Set(before), new Set(now)];
  return {
    added: now.filter(name => !old.has(name)).sort(),
    removed: before.filter(name => !current.has(name)).sort(),
  };
}

/** The names that do not occur as a word in a text, such as that of our own sources; sorted. */
export function lacking(names: readonly string[], text: string): readonly string[] {
  const words = new Set(text.match(/[\w$.-]+/g)?.flatMap(word => [word, ...word.split(/[^\w$]+/)]));
  return [...new Set(names)].filter(name => !words.has(name)).sort();
}

/** The events of pi that a hook can listen to, from the declarations of its extensions. */
export function eventsIn(declarations: string): readonly string[] {
  return [...declarations.matchAll(/\bon\(event: "(\w+)"/g)].map(([, name = '']) => name);
}

/** What hooks get: members of these interfaces are what they call. */
const OF_HOOKS = /^(?:Extension(?:API|Context|CommandContext|ToolContext|UIContext)|ToolDefinition)$/;

/** The members of pi's API for hooks, as `Interface.member`, from the same declarations. */
export function membersIn(declarations: string): readonly string[] {
  const found: string[] = [];
  let current: string | undefined;
  for (const line of declarations.split('\n')) {
    const [, name] = /^export interface (\w+)/.exec(line) ?? [];
    if (name !== undefined) current = OF_HOOKS.test(name) ? name : undefined;
    if (line.startsWith('}')) current = undefined;
    const [, member] = /^ {4}(?:readonly )?(\w+)\??[:(<]/.exec(line) ?? [];
    if (current !== undefined && member !== undefined && member !== 'on') found.push(`${current}.${member}`);
  }
  return [...new Set(found)];
}

/** The flags of pi's command line, from the code that reads it. */
export function flagsIn(code: string): readonly string[] {
  return [...new Set([...code.matchAll(/arg === "(--[\w-]+)"/g)].map(([, flag = '']) => flag))];
}

/** The commands of pi's RPC mode, from its code. */
export function commandsIn(code: string): readonly string[] {
  return [...code.matchAll(/case "(\w+)": \{/g)].map(([, command = '']) => command);
}

/** The values that an index of declarations exports; no types, which a hook does not import at run time. */
export function exportsIn(declarations: string): readonly string[] {
  const lists = [...declarations.matchAll(/^export \{([^}]*)\}/gm)].map(([, list = '']) => list.split(','));
  return lists
    .flat()
    .map(name => name.trim())
    .filter(name => name !== '' && !name.startsWith('type '))
    .map(name => name.split(' as ').at(-1) ?? name);
}

/** The sections of pi's changelog that are newer than a version; the newest first, as they are written. */
export function entriesSince(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^(?=## \[)/m);
  const at = sections.findIndex(section => section.startsWith(`## [${version}]`));
  return (at < 0 ? sections : sections.slice(0, at)).join('').trim();
}
