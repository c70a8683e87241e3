import { isDeepStrictEqual } from 'node:util';
import type { GuardEntry } from './guard-format';
import type { GuardFormat, OwnEntry } from './guard-format';
import { isClientCommand } from '../client-command';
import { readToml, withoutTables, type TomlTable } from './toml-text';

/** Ends the lines of ours that are no entry. */
const OURS = '# for Hookline';
const OUR_FEATURE = new RegExp(`^hooks = true ${OURS}\\r?(?:\\n|$(?![^]))`, 'm');
/** With the empty lines before it, unless others added to it. */
const OUR_TABLE = new RegExp(
  `(^|\\n)(?:[ \\t]*\\r?\\n)*\\[features\\] ${OURS}\\r?\\nhooks = true ${OURS}\\r?(?:\\n|$)(?=\\s*(?:\\[|#|$(?![^])))`,
);

/**
 * Hooks in Codex's requirements.toml. Without `features.hooks` there, Codex does not run them where a user or a repository turned
 * hooks off, so it is set as well.
 */
export const REQUIREMENTS: GuardFormat = {
  add(text, entries) {
    if (isCurrent(text, entries)) return text;
    const rest = withoutOwn(text);
    const tables = readToml(rest);
    const fixed = tables
      .flatMap(({ path, values }) => (path.length < 2 ? values : []))
      .find(({ path: [name, event = ''] }) => name === 'hooks' && entries.some(entry => entry.event === event));
    if (fixed !== undefined) {
      const name = fixed.path.join('.');
      throw new Error(
        `${name} at line ${lineOf(rest, fixed.offset)} cannot be added to; write it as [[${name}]] first`,
      );
    }
    const blocks = entries.map(blockOf).join('\n');
    const featured = withFeature(rest, tables);
    return `${featured}${featured === '' ? '' : featured.endsWith('\n') ? '\n' : '\n\n'}${blocks}`;
  },
  remove(text) {
    const rest = withoutOwn(text);
    return rest.trim() === '' ? undefined : rest;
  },
  own: text => ownIn(readToml(text)).map(({ tables: _, ...entry }) => entry),
};

function isCurrent(text: string, entries: readonly GuardEntry[]): boolean {
  const tables = readToml(text);
  const own = ownIn(tables).map(({ command }) => command);
  const wanted = entries.map(({ group }) => handlerOf(group)['command']);
  return isDeepStrictEqual(own.toSorted(), wanted.toSorted()) && featureIn(tables)?.value === true;
}

function withoutOwn(text: string): string {
  const own = ownIn(readToml(text)).flatMap(({ tables }) => tables);
  return withoutTables(text, own).replace(OUR_TABLE, '$1').replace(OUR_FEATURE, '');
}

function featureIn(tables: readonly TomlTable[]): TomlTable['values'][number] | undefined {
  return tables.flatMap(({ values }) => values).find(({ path }) => isDeepStrictEqual(path, ['features', 'hooks']));
}

function withFeature(text: string, tables: readonly TomlTable[]): string {
  const feature = featureIn(tables);
  if (feature?.value === true) return text;
  if (feature !== undefined) {
    throw new Error(
      `features.hooks at line ${lineOf(text, feature.offset)} is not true, so Codex would not run the hooks`,
    );
  }
  const table = tables.find(({ path, isItem }) => !isItem && isDeepStrictEqual(path, ['features']));
  if (table === undefined) {
    const inline = tables[0]?.values.find(({ path }) => path[0] === 'features');
    // A dotted name fits beside dotted names and nothing else.
    if (inline !== undefined) {
      throw new Error(
        `features at line ${lineOf(text, inline.offset)} must be a table [features], so that Hookline can add hooks to it`,
      );
    }
    const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
    return `${text}${gap}[features] ${OURS}\nhooks = true ${OURS}\n`;
  }
  const lineEnd = text.indexOf('\n', table.start);
  const at = lineEnd === -1 ? text.length : lineEnd + 1;
  return `${text.slice(0, at)}${lineEnd === -1 ? '\n' : ''}hooks = true ${OURS}\n${text.slice(at)}`;
}

function blockOf({ event, group }: GuardEntry): string {
  const members = Object.entries(handlerOf(group)).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  return `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\n${members.join('')}`;
}

function handlerOf(group: GuardEntry['group']): Readonly<Record<string, unknown>> {
  return (group['hooks'] as readonly Readonly<Record<string, unknown>>[])[0] ?? {};
}

/** Our entries, with the tables that hold nothing else. */
function ownIn(tables: readonly TomlTable[]): readonly (OwnEntry & { readonly tables: readonly TomlTable[] })[] {
  const groups = new Map<string, TomlTable[][]>();
  for (const table of tables) {
    const [name, event = '', below] = table.path;
    if (name !== 'hooks' || !table.isItem || table.path.length > 3) continue;
    const ofEvent = groups.get(event) ?? [];
    groups.set(event, ofEvent);
    if (below === undefined) ofEvent.push([table]);
    else ofEvent.at(-1)?.push(table);
  }
  return [...groups].flatMap(([event, ofEvent]) =>
    ofEvent.flatMap((group, index) => {
      const handlers = group.slice(1);
      return handlers.flatMap((handler, at) => {
        const command = handler.values.find(({ path }) => path.at(-1) === 'command')?.value;
        if (!isClientCommand(command)) return [];
        const own = handlers.length === 1 ? group : [handler];
        return [{ event, command, group: index, handler: at, value: undefined, tables: own }];
      });
    }),
  );
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
