import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../base/json/is-record';
import { isClientCommand } from '../client-command';
import type { GuardEntry, GuardFormat, OwnEntry } from './guard-format';
import { END, JsonText, type JsonPath } from './json-text';

/**
 * Hooks in a JSON file: lists of groups by event. `base`: what else a file of ours has, also as members of objects. `at`: where
 * the events are, the names of the members that lead to them.
 */
export function jsonFormat(
  base: Readonly<Record<string, unknown>> = {},
  at: readonly string[] = ['hooks'],
): GuardFormat {
  return {
    add(text, entries) {
      const missing = [...entries];
      let json = JsonText.parse(text.trim() === '' ? '{}\n' : text);
      for (const entry of ownIn(json, at).toReversed()) {
        const same = missing.findIndex(
          ({ event, group }) => event === entry.event && isDeepStrictEqual(group, entry.value),
        );
        if (same === -1) json = without(json, at, entry);
        else missing.splice(same, 1);
      }
      refuseOthers(json, at, missing);
      json = withBase(json, base);
      for (const { event, group } of missing) json = json.append([...at, event, END], group);
      return json.text;
    },
    remove(text) {
      const json = JsonText.parse(text);
      const rest = ownIn(json, at)
        .toReversed()
        .reduce((left, entry) => without(left, at, entry), json);
      return isDeepStrictEqual(rest.value([]), base) ? undefined : rest.text;
    },
    own: text => (text.trim() === '' ? [] : ownIn(JsonText.parse(text), at)),
  };
}

/** @throws Error if the text says the opposite of a yes or no of `base` */
function withBase(json: JsonText, base: Readonly<Record<string, unknown>>, path: JsonPath = []): JsonText {
  return Object.entries(base).reduce((made, [name, value]) => {
    const here = [...path, name];
    if (isRecord(value)) return withBase(made, value, here);
    const given = made.value(here);
    if (given === undefined) return made.append(here, value);
    if (typeof value === 'boolean' && given === !value) throw new Error(`"${here.join('.')}" is ${given}`);
    return made;
  }, json);
}

/** @throws Error if the member that has to hold our entries is something else */
function refuseOthers(json: JsonText, at: readonly string[], missing: readonly GuardEntry[]): void {
  const hooks = json.value(at);
  if (hooks === undefined) return;
  if (!isRecord(hooks)) throw new Error(`"${at.join('.')}" is not an object`);
  const other = missing.find(({ event }) => hooks[event] !== undefined && !Array.isArray(hooks[event]));
  if (other !== undefined) throw new Error(`"${[...at, other.event].join('.')}" is not a list`);
}

function without(json: JsonText, at: readonly string[], { event, group, handler, value }: OwnEntry): JsonText {
  const path = [...at, event, group];
  const { hooks } = value as { readonly hooks?: unknown };
  // A group may have been given handlers of others.
  return json.remove(Array.isArray(hooks) && hooks.length > 1 ? [...path, 'hooks', handler] : path);
}

function ownIn(json: JsonText, at: readonly string[]): readonly OwnEntry[] {
  const events = json.value(at);
  if (!isRecord(events)) return [];
  return Object.entries(events).flatMap(([event, groups]) => {
    if (!Array.isArray(groups)) return [];
    return groups.flatMap((value: unknown, group) =>
      commandsIn(value).map(([handler, command]) => ({ event, group, handler, command, value })),
    );
  });
}

/** Our commands in a group, with the index of the handler; Copilot has handlers without a group. */
function commandsIn(group: unknown): readonly (readonly [number, string])[] {
  if (!isRecord(group)) return [];
  const handlers: readonly unknown[] = Array.isArray(group['hooks']) ? group['hooks'] : [group];
  return handlers.flatMap((handler, at) => {
    if (!isRecord(handler)) return [];
    const own = [handler['command'], handler['bash'], handler['powershell']].find(isClientCommand);
    return own === undefined ? [] : [[at, own] as const];
  });
}
