import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CONTEXT_FILE_NAMES } from '../../../agent/prompt/context-files';
import { resourcePath } from '../../../agent/settings/configured-path';
import { fileKind } from '../../../agent/resources/resource-file';
import { skillOf } from '../../../agent/resources/skill';
import { parseIgnoreFile } from '../../../agent/tools/search/gitignore';
import { defined } from '../../../base/defined';
import { isCode, messageOf } from '../../../base/errors';
import { isFile } from '../../../base/files/on-disk';
import { FrontmatterError, parseFrontmatter } from '../../../base/text/frontmatter';

/** Where a resource comes from, in pi's terms. */
export interface SkillSource {
  readonly path: string;
  readonly source: string;
  readonly scope: 'user' | 'project' | 'temporary';
  readonly origin: 'package' | 'top-level';
  readonly baseDir?: string;
}

/** A skill in the form of today's pi. */
export interface RootSkill {
  readonly name: string;
  readonly description: string;
  readonly filePath: string;
  readonly baseDir: string;
  readonly sourceInfo: SkillSource;
  readonly disableModelInvocation: boolean;
}

interface Diagnostic {
  readonly type: 'warning' | 'collision';
  readonly message: string;
  readonly path: string;
  readonly collision?: object;
}

interface Found {
  readonly skills: RootSkill[];
  readonly diagnostics: Diagnostic[];
}

export function createSyntheticSourceInfo(
  path: string,
  {
    source,
    scope = 'temporary',
    origin = 'top-level',
    baseDir,
  }: Omit<Partial<SkillSource>, 'path'> & { source: string },
): SkillSource {
  return { path, source, scope, origin, ...defined({ baseDir }) };
}

/**
 * Loads the skills of the usual folders and of `skillPaths`, synchronously; of skills with one name, the first counts.
 */
export function loadSkillsWith(
  agentDir: () => string,
  options: {
    readonly cwd: string;
    readonly agentDir?: string;
    readonly skillPaths?: readonly string[];
    readonly includeDefaults?: boolean;
  },
): Found {
  const { cwd, skillPaths = [], includeDefaults = true } = options;
  const own = {
    user: join(options.agentDir ?? agentDir(), 'skills'),
    project: join(cwd, '.pi', 'skills'),
  };
  const all: Found[] = includeDefaults ? [skillsBelow(own.user, 'user'), skillsBelow(own.project, 'project')] : [];
  for (const written of skillPaths) {
    const path = resourcePath(written, cwd);
    const place = (['user', 'project'] as const).find(
      name => !includeDefaults && `${path}/`.startsWith(`${own[name]}/`),
    );
    all.push(skillsAt(path, place ?? 'path'));
  }
  return firstOfEachName(all);
}

export function loadSkillsFromDir({ dir, source }: { readonly dir: string; readonly source: string }): Found {
  return skillsBelow(dir, source);
}

function firstOfEachName(all: readonly Found[]): Found {
  const byName = new Map<string, RootSkill>();
  const seen = new Set<string>();
  const diagnostics = all.flatMap(found => found.diagnostics);
  for (const skill of all.flatMap(({ skills }) => skills)) {
    const { name, filePath } = skill;
    const real = realpathSync(filePath);
    if (seen.has(real)) continue;
    const winner = byName.get(name);
    if (winner === undefined) {
      byName.set(name, skill);
      seen.add(real);
      continue;
    }
    const collision = { resourceType: 'skill', name, winnerPath: winner.filePath, loserPath: filePath };
    diagnostics.push({ type: 'collision', message: `name "${name}" collision`, path: filePath, collision });
  }
  return { skills: [...byName.values()], diagnostics };
}

function skillsAt(path: string, source: string): Found {
  const wrong = (message: string): Found => ({ skills: [], diagnostics: [{ type: 'warning', message, path }] });
  const kind = fileKind(path);
  if (kind === 'none') return wrong('skill path does not exist');
  if (kind === 'folder') return skillsBelow(path, source);
  return path.endsWith('.md') ? skillFrom(path, source) : wrong('skill path is not a markdown file');
}

/** Files with patterns of paths to skip in their folder. */
const IGNORE_FILES = ['.gitignore', '.ignore', '.fdignore'];

type Ignored = (path: string, isFolder: boolean) => boolean;

/** The skills in a folder: a `SKILL.md` at any depth, alone in its folder, and markdown files at the top. */
function skillsBelow(folder: string, source: string): Found {
  const found: Found = { skills: [], diagnostics: [] };
  const add = (path: string): void => {
    const { skills, diagnostics } = skillFrom(path, source);
    found.skills.push(...skills);
    found.diagnostics.push(...diagnostics);
  };
  /** The result; undefined, with a warning, for a path that is there and cannot be read. */
  const reading = <T>(path: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!isCode(error, 'ENOENT')) found.diagnostics.push({ type: 'warning', message: messageOf(error), path });
      return undefined;
    }
  };
  const walk = (at: string, below: string, above: Ignored): void => {
    const names = reading(at, () => readdirSync(at)) ?? [];
    const rules = IGNORE_FILES.filter(name => names.includes(name)).map(name =>
      parseIgnoreFile(reading(join(at, name), () => readFileSync(join(at, name), 'utf8')) ?? ''),
    );
    const ignored = ignoredBy(rules.reverse(), below, above);
    if (names.includes('SKILL.md') && isFile(join(at, 'SKILL.md')) && !ignored(`${below}SKILL.md`, false)) {
      add(join(at, 'SKILL.md'));
      return;
    }
    for (const name of names) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = join(at, name);
      const info = reading(path, () => statSync(path));
      if (info === undefined || ignored(below + name, info.isDirectory())) continue;
      if (info.isDirectory()) walk(path, `${below}${name}/`, ignored);
      else if (below === '' && name.endsWith('.md')) add(path);
    }
  };
  walk(folder, '', () => false);
  return found;
}

/** `rules`: of the ignore files of a folder; the first that says something counts. */
function ignoredBy(rules: readonly ReturnType<typeof parseIgnoreFile>[], below: string, above: Ignored): Ignored {
  return (path, isFolder) => {
    const here = path.slice(below.length);
    return rules.map(file => file(here, isFolder)).find(answer => answer !== undefined) ?? above(path, isFolder);
  };
}

const SCOPES: Readonly<Record<string, SkillSource['scope']>> = { user: 'user', project: 'project' };

function skillFrom(path: string, source: string): Found {
  const wrong = (...messages: readonly string[]): Found => ({
    skills: [],
    diagnostics: messages.map(message => ({ type: 'warning', message, path })),
  });
  const isMeant = basename(path) === 'SKILL.md';
  let head: Readonly<Record<string, unknown>>;
  try {
    head = parseFrontmatter(readFileSync(path, 'utf8')).frontmatter;
  } catch (error) {
    return isMeant || !(error instanceof FrontmatterError) ? wrong(messageOf(error)) : wrong();
  }
  const { skill, complaints } = skillOf(path, head);
  if (skill === undefined) return isMeant ? wrong(...complaints) : wrong();
  const { name, description, hidden } = skill;
  const baseDir = dirname(path);
  const known = source === 'user' || source === 'project' || source === 'path' ? 'local' : source;
  const sourceInfo = createSyntheticSourceInfo(path, { source: known, scope: SCOPES[source] ?? 'temporary', baseDir });
  const shown = { name, description, filePath: path, baseDir, sourceInfo, disableModelInvocation: hidden };
  return { skills: [shown], diagnostics: wrong(...complaints).diagnostics };
}

const READERS = {
  read: 'Read the file of a skill with the read tool as soon as the task is one that it describes.',
  bash: 'Read the file of a skill with bash as soon as the task is one that it describes.',
  indirect: 'Read the file of a skill as soon as the task is one that it describes.',
};

/** The part of a system prompt that lists the skills; empty when there is none that the model may use. */
export function formatSkillsForPrompt(skills: readonly RootSkill[], reader: keyof typeof READERS = 'read'): string {
  const listed = skills.filter(skill => !skill.disableModelInvocation);
  if (listed.length === 0) return '';
  const list = listed.flatMap(({ name, description, filePath }) => [
    '  <skill>',
    `    <name>${escaped(name)}</name>`,
    `    <description>${escaped(description)}</description>`,
    `    <location>${escaped(filePath)}</location>`,
    '  </skill>',
  ]);
  return [
    '\n\nSkills hold instructions for certain kinds of tasks.',
    READERS[reader],
    "Relative paths in it start at the skill's own folder; give tools absolute ones.",
    '',
    '<available_skills>',
    ...list,
    '</available_skills>',
  ].join('\n');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, sign => ESCAPES[sign] ?? sign);
}

const INVOKED = /^<skill name="([^"]+)" location="([^"]+)">\n([\s\S]*?)\n<\/skill>(?:\n\n([\s\S]+))?$/;

/** Parses a prompt that invokes a skill; null for any other text. */
export function parseSkillBlock(text: string): object | null {
  const [, name, location, content, userMessage] = INVOKED.exec(text) ?? [];
  return name === undefined ? null : { name, location, content, userMessage: userMessage?.trim() || undefined };
}

/** The instruction files: one from the agent folder, then one from each folder from the root down to `cwd`. */
export function loadProjectContextFiles(options: {
  readonly cwd: string;
  readonly agentDir: string;
}): { path: string; content: string }[] {
  const folders: string[] = [];
  for (let at = options.cwd; ; at = dirname(at)) {
    folders.unshift(at);
    if (dirname(at) === at) break;
  }
  const seen = new Set<string>();
  return [options.agentDir, ...folders].flatMap(folder => {
    const path = CONTEXT_FILE_NAMES.map(name => join(folder, name)).find(isFile);
    if (path === undefined || seen.has(realpathSync(path))) return [];
    seen.add(realpathSync(path));
    return [{ path, content: readFileSync(path, 'utf8').replace(/^\uFEFF/, '') }];
  });
}
