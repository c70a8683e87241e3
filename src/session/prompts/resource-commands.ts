import type { PromptTemplate } from '../../agent/resources/template';
import type { Resources } from '../../agent/resources/load';
import type { Skill } from '../../agent/resources/skill';
import { sourceOfResource } from '../../hook-contract/source-info';
import type { CommandInfo } from '../../hook-contract/conversation-port';
import type { SlashCommand } from '../../protocol/messages';

/** Before the name of a skill in its command. */
export const SKILL_PREFIX = 'skill:';

/** The commands that resources add, as hooks see them. */
export function resourceCommands({ skills, templates }: Resources): readonly CommandInfo[] {
  return [
    ...templates.map((template): CommandInfo => ({ ...commandFields(template), source: 'prompt' })),
    ...skills.map((skill): CommandInfo => ({
      ...commandFields(skill),
      name: `${SKILL_PREFIX}${skill.name}`,
      source: 'skill',
    })),
  ];
}

function commandFields(resource: PromptTemplate | Skill): Omit<CommandInfo, 'source'> {
  const { name, description, location, path } = resource;
  return { name, description, location, path, sourceInfo: sourceOfResource(resource) };
}

/**
 * The same for the composer, without names that are already taken, because these could not be reached. A template's
 * `argument-hint` is before its description.
 */
export function resourceCompletions(
  resources: Resources,
  taken: readonly SlashCommand[],
  withSkills: boolean,
): readonly SlashCommand[] {
  const names = new Set(taken.map(({ name }) => name));
  const hints = new Map(resources.templates.map(({ name, argumentHint }) => [name, argumentHint]));
  return resourceCommands(resources).flatMap(({ name, description = '', source }): SlashCommand[] => {
    if (source === 'extension' || names.has(name) || (source === 'skill' && !withSkills)) return [];
    const hint = source === 'prompt' ? hints.get(name) : undefined;
    const shown = [hint, description].filter(text => text !== undefined && text !== '').join(' — ');
    return [{ name, description: shown, source }];
  });
}
