import { basename, dirname } from 'node:path';
import { readRegularText } from '../../base/files/regular-file';
import { stripFrontmatter } from '../../base/text/frontmatter';
import type { Problem } from '../../base/result';
import type { PackageOrigin } from './package-origin';
import { readResource, type FoundFile, type ResourceLocation } from './resource-file';

/** Instructions for one kind of task: named in the system prompt, read by the model when needed, or by `/skill:name`. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  /** Folder that relative paths in the skill start from. */
  readonly baseDir: string;
  readonly location: ResourceLocation;
  readonly package?: PackageOrigin;
  /** Hidden from the model (`disable-model-invocation`): only a user can use it. */
  readonly hidden: boolean;
}

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

/**
 * Reads a skill. A file without a description is not a skill, because the model could not know when to use it. Other markdown
 * files in a folder of skills are skipped without a message. A skill without a name has the name of its folder.
 */
export async function readSkill(
  { path, isNamed }: FoundFile,
  location: ResourceLocation,
  problems: Problem[],
): Promise<Skill | undefined> {
  const isMeant = basename(path) === 'SKILL.md' || isNamed === true;
  const text = await readResource(path);
  if ('message' in text) {
    problems.push(text);
    return undefined;
  }
  const { skill, complaints } = skillOf(path, text.frontmatter);
  if (text.headProblem === undefined && (skill !== undefined || isMeant)) {
    problems.push(...complaints.map(message => ({ file: path, line: 1, message })));
  } else if (text.headProblem !== undefined && isMeant) problems.push(text.headProblem);
  return skill === undefined || text.headProblem !== undefined ? undefined : { ...skill, location };
}

/** The skill that the head of a file describes, and the complaints about it. */
export function skillOf(
  path: string,
  frontmatter: Readonly<Record<string, unknown>>,
): { readonly skill: Omit<Skill, 'location'> | undefined; readonly complaints: readonly string[] } {
  const description = headText(frontmatter['description']);
  if (description === undefined) {
    return { skill: undefined, complaints: ['The skill has no "description" in its frontmatter and was not loaded.'] };
  }
  const baseDir = dirname(path);
  const name = headText(frontmatter['name']) ?? basename(baseDir);
  const hidden = frontmatter['disable-model-invocation'] === true;
  return { skill: { name, description, path, baseDir, hidden }, complaints: complaintsAbout(name, description) };
}

function headText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The rules of the Agent Skills format. Skills that break them are reported and still used, as in pi. */
function complaintsAbout(name: string, description: string): string[] {
  const found: string[] = [];
  if (!NAME.test(name) || name.length > MAX_NAME) {
    found.push(`Skill name "${name}" should be at most ${MAX_NAME} of a-z, 0-9 and single hyphens between them.`);
  }
  if (description.length > MAX_DESCRIPTION) {
    found.push(
      `Skill "${name}" has a description of ${description.length} characters; ${MAX_DESCRIPTION} are allowed.`,
    );
  }
  return found;
}

/** The text of `/skill:name args` for the model, in the form that pi shows as a skill. Rejects when the file cannot be read. */
export async function invokeSkill(skill: Skill, args: string): Promise<string> {
  const body = stripFrontmatter(await readRegularText(skill.path)).trim();
  const head = `<skill name="${skill.name}" location="${skill.path}">`;
  const block = `${head}\nReferences are relative to ${skill.baseDir}.\n\n${body}\n</skill>`;
  return args.trim() === '' ? block : `${block}\n\n${args.trim()}`;
}

const INVOKED = /^<skill name="([^"]+)" location="[^"]+">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/;

/** What a user typed to get such a text. Undefined for other texts. */
export function typedSkill(text: string): string | undefined {
  const [, name, args] = INVOKED.exec(text) ?? [];
  if (name === undefined) return undefined;
  return args === undefined ? `/skill:${name}` : `/skill:${name} ${args}`;
}
