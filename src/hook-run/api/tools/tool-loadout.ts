import type { KnownTool, LoadoutChanges, ToolLoadout } from '../../../agent/tools/tool';
import { isRecord } from '../../../base/json/is-record';
import type { HookConversation } from '../../../hook-contract/conversation-port';
import type { LoadedHook, RegisteredTool } from '../../../hook-contract/loaded-hook';
import type { HookServices } from '../services';
import { calledAs } from '../../../hook-contract/called-as';

/** `prepareLoadout` of a hook's tool: an error or an invalid change is reported and changes nothing. */
export function preparesLoadout(
  hook: LoadedHook,
  { name, definition, prepareLoadout }: RegisteredTool,
  services: HookServices,
  conversation: HookConversation | undefined,
): (loadout: ToolLoadout) => LoadoutChanges {
  return loadout => {
    const work = hook.identity.scope.begin(calledAs('tool', name));
    try {
      const given = services.within(conversation, (): unknown =>
        prepareLoadout === undefined ? undefined : Reflect.apply(prepareLoadout, definition, [loadoutForHook(loadout)]),
      );
      return changesIn(given, name);
    } catch (error) {
      services.report(hook, 'prepare_loadout', error);
      return {};
    } finally {
      work.dispose();
    }
  };
}

/** The loadout in the words of today's pi. It describes its tools; `ctx.executeTool` runs them. */
function loadoutForHook({ declared, callable, registered }: ToolLoadout): object {
  const byName = new Map(registered.map(tool => [tool.name, tool]));
  const find = (name: unknown): KnownTool | undefined => byName.get(String(name));
  return {
    declared: declared.map(summaryOf),
    callable: callable.map(summaryOf),
    registered: registered.map(summaryOf),
    getExposure: (name: unknown) => find(name)?.exposure ?? 'direct',
    getNamespace: (name: unknown) => find(name)?.listing?.['namespace'],
    getPromptGuidelines: (name: unknown) => [...(find(name)?.promptGuidelines ?? [])],
  };
}

/** The description of a tool for other tools. */
export function summaryOf({ name, label, description, parameters, outputSchema, executionMode }: KnownTool): object {
  return { name, label, description, parameters: parameters as unknown, outputSchema, executionMode };
}

function changesIn(given: unknown, tool: string): LoadoutChanges {
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw new TypeError(`prepareLoadout of "${tool}" must give an object`);
  const { descriptions = {}, hiddenDeclarations = [] } = given;
  const texts = isRecord(descriptions) ? Object.entries(descriptions) : undefined;
  if (texts?.every((entry): entry is [string, string] => typeof entry[1] === 'string') !== true) {
    throw new TypeError(`prepareLoadout of "${tool}": "descriptions" must hold a text for each name`);
  }
  if (!Array.isArray(hiddenDeclarations)) {
    throw new TypeError(`prepareLoadout of "${tool}": "hiddenDeclarations" must be a list of names`);
  }
  return { descriptions: new Map(texts), hidden: new Set(hiddenDeclarations.map(String)) };
}
