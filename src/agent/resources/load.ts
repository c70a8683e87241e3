import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Problem } from '../../base/result';
import type { PiSettings, SettingPath } from '../settings';
import { compileGlob } from '../tools/search/glob';
import { resourceFiles, kindOf, resourcePath, trueName, type FoundFile, type ResourceLocation } from './resource-file';
import { readSkill, type Skill } from './skill';
import { readStreamRule, type StreamRule } from './stream-rule';
import { readTemplate, type PromptTemplate } from './template';

/** What files add to a conversation: prompts to call by name, skills, and rules that interrupt answers. */
export interface Resources {
  readonly templates: readonly PromptTemplate[];
  readonly skills: readonly Skill[];
  readonly rules: readonly StreamRule[];
  readonly problems: readonly Problem[];
}

export const NO_RESOURCES: Resources = { templates: [], skills: [], rules: [], problems: [] };

/** Where resources are looked for. */
export interface ResourceSources {
  readonly agentDir: string;
  readonly cwd: string;
  /** False in Restricted Mode: nothing below `cwd` is read then. */
  readonly includeProject: boolean;
  readonly settings: Pick<PiSettings, 'prompts' | 'skills'>;
  /** Paths that hooks named in `resources_discover`, absolute. */
  readonly extra?: { readonly skillPaths: readonly string[]; readonly promptPaths: readonly string[] };
  /** What is named by hand, as on a command line. */
  readonly named?: NamedResources;
  /** For `~` and other programs' folders; the user's home folder when absent. */
  readonly home?: string;
}

/** Files and folders to read as well, absolute; without `search` nothing else is, but for what hooks name. */
export interface NamedResources {
  readonly skills: { readonly paths: readonly string[]; readonly search: boolean };
  readonly prompts: { readonly paths: readonly string[]; readonly search: boolean };
}

/** A file or folder to read resources from. */
interface Place {
  readonly path: string;
  readonly location: ResourceLocation;
  readonly kind: PlaceKind;
  /** What to say when the path is of no use; nothing for folders that nobody named. */
  readonly complain?: (what: string) => Problem;
}

/**
 * `tree`: markdown files at any depth; `flat`: those at the top; `skills`: those at the top and `SKILL.md` at any
 * depth; `skillFolders`: `SKILL.md` in folders directly below, as Claude keeps them.
 */
type PlaceKind = 'tree' | 'flat' | 'skills' | 'skillFolders';

/**
 * Reads all resources. Of two with one name the first counts: settings, then project, then user, then hooks; the other
 * is a problem. Never throws: what is wrong with a file is a problem that names it, everything else still counts.
 */
export async function loadResources(sources: ResourceSources): Promise<Resources> {
  const [templates, skills, rules] = await Promise.all([
    loadTemplates(sources),
    loadSkills(sources),
    loadRules(sources),
  ]);
  return {
    templates: templates.values,
    skills: skills.values,
    rules: rules.values,
    problems: [...templates.problems, ...skills.problems, ...rules.problems],
  };
}

interface Loaded<T> {
  readonly values: readonly T[];
  readonly problems: readonly Problem[];
}

function loadTemplates({
  agentDir,
  cwd,
  includeProject,
  settings,
  extra,
  named,
  home,
}: ResourceSources): Promise<Loaded<PromptTemplate>> {
  const own = (folder: string, location: ResourceLocation): Place[] => [
    { path: join(folder, 'prompts'), location, kind: 'flat' },
    { path: join(folder, 'commands'), location, kind: 'tree' },
  ];
  const found = [
    ...settings.prompts.map(path => configured(path, 'prompts', cwd, home)),
    ...(includeProject ? own(join(cwd, '.pi'), 'project') : []),
    ...own(agentDir, 'user'),
  ];
  const places = [
    ...(named?.prompts.search === false ? [] : found),
    ...(named?.prompts.paths ?? []).map(path => byHand(path, 'prompts')),
    ...(extra?.promptPaths ?? []).map(path => fromHook(path, 'prompts')),
  ];
  return collect(
    places,
    (file, location, problems) => readTemplate(file, location, problems),
    template => `/${template.name}`,
  );
}

async function loadSkills(sources: ResourceSources): Promise<Loaded<Skill>> {
  const { skills } = sources.settings;
  if (!skills.enabled) return { values: [], problems: [] };
  const problems: Problem[] = [];
  const wanted = filterOf(skills.include, skills.ignore, problems);
  const read = async (file: FoundFile, location: ResourceLocation, complain: Problem[]): Promise<Skill | undefined> => {
    const skill = await readSkill(file.path, location, complain);
    return skill !== undefined && wanted(skill.name) ? skill : undefined;
  };
  const loaded = await collect(skillPlaces(sources), read, skill => `Skill "${skill.name}"`);
  return { values: loaded.values, problems: [...problems, ...loaded.problems] };
}

function skillPlaces(sources: ResourceSources): Place[] {
  const { named, extra } = sources;
  return [
    ...(named?.skills.search === false ? [] : searchedSkillPlaces(sources)),
    ...(named?.skills.paths ?? []).map(path => byHand(path, 'skills')),
    ...(extra?.skillPaths ?? []).map(path => fromHook(path, 'skills')),
  ];
}

function searchedSkillPlaces({ agentDir, cwd, includeProject, settings, home = homedir() }: ResourceSources): Place[] {
  const { paths, folders } = settings.skills;
  const when = (wanted: boolean, ...places: readonly Place[]): readonly Place[] => (wanted ? places : []);
  const inCwd = agentsFolders(cwd).map(path => place(path, 'project', 'skills'));
  return [
    ...paths.map(path => configured(path, 'skills', cwd, home)),
    ...when(includeProject && folders.piProject, place(join(cwd, '.pi', 'skills'), 'project', 'skills')),
    ...when(includeProject && folders.agents, ...inCwd),
    ...when(includeProject && folders.claudeProject, place(join(cwd, '.claude', 'skills'), 'project', 'skillFolders')),
    ...when(folders.piUser, place(join(agentDir, 'skills'), 'user', 'skills')),
    ...when(folders.agents, place(join(home, '.agents', 'skills'), 'user', 'skills')),
    ...when(folders.claudeUser, place(join(home, '.claude', 'skills'), 'user', 'skillFolders')),
    ...when(folders.codexUser, place(join(home, '.codex', 'skills'), 'user', 'skills')),
  ];
}

function loadRules({ agentDir, cwd, includeProject }: ResourceSources): Promise<Loaded<StreamRule>> {
  const project = ['.pi', '.omp'].map(folder => place(join(cwd, folder, 'rules'), 'project', 'flat'));
  const places = [...(includeProject ? project : []), place(join(agentDir, 'rules'), 'user', 'flat')];
  return collect(
    places,
    (file, location, problems) => readStreamRule(file.path, location === 'project' ? 'project' : 'user', problems),
    ({ rule }) => `Rule "${rule.name}"`,
  );
}

function place(path: string, location: ResourceLocation, kind: PlaceKind): Place {
  return { path, location, kind };
}

function configured(setting: SettingPath, key: 'prompts' | 'skills', cwd: string, home: string | undefined): Place {
  return {
    path: resourcePath(setting.path, cwd, home),
    location: 'path',
    kind: key === 'skills' ? 'skills' : 'flat',
    complain: what => ({ file: setting.from, message: `Setting "${key}": "${setting.path}" ${what}.` }),
  };
}

function byHand(path: string, key: 'prompts' | 'skills'): Place {
  return {
    path,
    location: 'path',
    kind: key === 'skills' ? 'skills' : 'flat',
    complain: what => ({ file: path, message: `This path, named on the command line, ${what}.` }),
  };
}

function fromHook(path: string, key: 'prompts' | 'skills'): Place {
  return {
    path,
    location: 'path',
    kind: key === 'skills' ? 'skills' : 'flat',
    complain: what => ({ file: path, message: `This path, given by a hook in resources_discover, ${what}.` }),
  };
}

/** `.agents/skills` of the workspace and of the folders above it, up to the root of its repository. */
function agentsFolders(cwd: string): readonly string[] {
  const chain: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    chain.push(join(at, '.agents', 'skills'));
    if (existsSync(join(at, '.git'))) return chain;
    if (dirname(at) === at) return chain.slice(0, 1);
  }
}

/** Reads the files of all places in order; the same file is read once, and the first of a name counts. */
async function collect<T extends { readonly path: string } | StreamRule>(
  places: readonly Place[],
  read: (file: FoundFile, location: ResourceLocation, problems: Problem[]) => Promise<T | undefined>,
  label: (value: T) => string,
): Promise<Loaded<T>> {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const byLabel = new Map<string, T>();
  for (const at of places) {
    for (const file of await filesAt(at, problems)) {
      const name = await trueName(file.path);
      if (seen.has(name)) continue;
      seen.add(name);
      const value = await read(file, at.location, problems);
      if (value === undefined) continue;
      const first = byLabel.get(label(value));
      if (first === undefined) byLabel.set(label(value), value);
      else {
        problems.push({ file: file.path, message: `${label(value)} is not used: ${pathOf(first)} has the same name.` });
      }
    }
  }
  return { values: [...byLabel.values()], problems };
}

function pathOf(value: { readonly path: string } | StreamRule): string {
  return 'rule' in value ? value.rule.path : value.path;
}

const isMarkdown = (name: string): boolean => /\.mdc?$/i.test(name);

async function filesAt({ path, kind, complain }: Place, problems: Problem[]): Promise<readonly FoundFile[]> {
  const found = complain === undefined ? 'folder' : await kindOf(path);
  if (found === 'file' && isMarkdown(path)) return [{ path, folder: '' }];
  if (found !== 'folder') {
    problems.push(
      ...(complain === undefined ? [] : [complain(found === 'file' ? 'is no markdown file' : 'does not exist')]),
    );
    return [];
  }
  switch (kind) {
    case 'tree':
      return resourceFiles(path, isMarkdown);
    case 'flat':
      return resourceFiles(path, isMarkdown, 0);
    case 'skillFolders':
      return resourceFiles(path, (name, depth) => name === 'SKILL.md' && depth === 1, 1);
    case 'skills': {
      const own = await kindOf(join(path, 'SKILL.md'));
      if (own === 'file') return [{ path: join(path, 'SKILL.md'), folder: '' }];
      return resourceFiles(path, (name, depth) => name === 'SKILL.md' || (depth === 0 && isMarkdown(name)));
    }
  }
}

/** Which skills the settings let through (`includeSkills` and `ignoredSkills`). */
function filterOf(
  include: readonly string[],
  ignore: readonly string[],
  problems: Problem[],
): (name: string) => boolean {
  const matchers = (globs: readonly string[], key: string): ((name: string) => boolean)[] =>
    globs.flatMap(glob => {
      try {
        return [compileGlob(glob)];
      } catch (error) {
        problems.push({ message: `Setting "skills.${key}": ${(error as Error).message}` });
        return [];
      }
    });
  const included = matchers(include, 'includeSkills');
  const ignored = matchers(ignore, 'ignoredSkills');
  return name =>
    !ignored.some(matches => matches(name)) && (include.length === 0 || included.some(matches => matches(name)));
}
