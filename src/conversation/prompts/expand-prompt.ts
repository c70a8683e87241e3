import type { PromptTemplate } from '../../agent/resources/template';
import * as l10n from '@vscode/l10n';
import type { Resources } from '../../agent/resources/load';
import { invokeSkill, type Skill } from '../../agent/resources/skill';
import { expandTemplate } from '../../agent/resources/template';
import { messageOf } from '../../base/errors';
import { sourceOfResource } from '../../hooks/api/source-info';
import type { CommandInfo } from '../../hooks/conversation-port';
import type { SlashCommand } from '../../protocol/messages';
import { parseCommand } from './slash-commands';

const SKILL_PREFIX = 'skill:';

/**
 * Replaces a text that names a skill or a template by its content (skills first); any other text, including unknown
 * commands, stays as it is. Rejects with the skill's name when its file cannot be read.
 */
export async function expandPrompt(text: string, { skills, templates }: Resources): Promise<string> {
  const command = parseCommand(text);
  if (command === undefined) return text;
  const skill = skills.find(({ name }) => `${SKILL_PREFIX}${name}` === command.name);
  if (skill !== undefined) return invoke(skill, command.args);
  const template = templates.find(({ name }) => name === command.name);
  return template === undefined ? text : expandTemplate(template, command.args);
}

async function invoke(skill: Skill, args: string): Promise<string> {
  try {
    return await invokeSkill(skill, args);
  } catch (error) {
    throw new Error(l10n.t('The skill "{0}" cannot be read: {1}', skill.name, messageOf(error)), { cause: error });
  }
}

/** The commands that resources add, as hooks see them. */
export function resourceCommands({ skills, templates }: Resources): readonly CommandInfo[] {
  return [
    ...templates.map((template): CommandInfo => ({ ...told(template), source: 'prompt' })),
    ...skills.map((skill): CommandInfo => ({ ...told(skill), name: `${SKILL_PREFIX}${skill.name}`, source: 'skill' })),
  ];
}

function told(resource: PromptTemplate | Skill): Omit<CommandInfo, 'source'> {
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
