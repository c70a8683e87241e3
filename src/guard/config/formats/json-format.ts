import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../base/json/is-record';
import { isClientCommand } from '../client-command';
import type { GuardEntry, GuardFormat, OwnEntry } from './guard-format';
import { END, JsonText } from './json-text';

/** Hooks as a member `hooks` of a JSON file: lists of groups by event. `base`: what else a file of ours has. */
export function jsonFormat(base: Readonly<Record<string, unknown>> = {}): GuardFormat {
  return {
    add(text, entries) {
      const missing = [...entries];
      let json = JsonText.parse(text.trim() === '' ? '{}\n' : text);
      for (const entry of ownIn(json).toReversed()) {
        const at = missing.findIndex(
          ({ event, group }) => event === entry.event && isDeepStrictEqual(group, entry.value),
        );
        if (at === -1) json = without(json, entry);
        else missing.splice(at, 1);
      }
      for (const [name, value] of Object.entries(base)) {
        if (json.value([name]) === undefined) json = json.append([name], value);
      }
      refuseOthers(json, missing);
      for (const { event, group } of missing) json = json.append(['hooks', event, END], group);
      return json.text;
    },
    remove(text) {
      const json = JsonText.parse(text);
      const rest = ownIn(json).toReversed().reduce(without, json);
      return isDeepStrictEqual(rest.value([]), base) ? undefined : rest.text;
    },
    own: text => (text.trim() === '' ? [] : ownIn(JsonText.parse(text))),
  };
}

/** @throws Error if the member that has to hold our entries is something else */
function refuseOthers(json: JsonText, missing: readonly GuardEntry[]): void {
  const hooks = json.value(['hooks']);
  if (hooks === undefined) return;
  if (!isRecord(hooks)) throw new Error('"hooks" is not an object');
  const other = missing.find(({ event }) => hooks[event] !== undefined && !Array.isArray(hooks[event]));
  if (other !== undefined) throw new Error(`"hooks.${other.event}" is not a list`);
}

function without(json: JsonText, { event, group, handler, value }: OwnEntry): JsonText {
  const path = ['hooks', event, group];
  const { hooks } = value as { readonly hooks?: unknown };
  // A group may have been given handlers of others.
  return json.remove(Array.isArray(hooks) && hooks.length > 1 ? [...path, 'hooks', handler] : path);
}

function ownIn(json: JsonText): readonly OwnEntry[] {
  const events = json.value(['hooks']);
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
