import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { realPathIfThere } from '../../base/files/on-disk';
import type { Problem } from '../../base/result';
import type { PiSettings } from '../settings/pi-settings';
import { compileGlob } from '../tools/search/glob';
import type { PackageFile } from './package-origin';
import type { FoundFile, ResourceLocation } from './resource-file';
import {
  byHand,
  filesAt,
  fromHook,
  ListedPlaces,
  ofPackage,
  type ResourcePlace,
  type PlaceKind,
} from './resource-place';
import { readSkill, type Skill } from './skill';
import { readStreamRule, type StreamRule } from './stream-rule';
import { readTemplate, type PromptTemplate } from './template';

/** What files add to a conversation: prompts with a name, skills, and rules that interrupt answers. */
export interface Resources {
  readonly templates: readonly PromptTemplate[];
  readonly skills: readonly Skill[];
  readonly rules: readonly StreamRule[];
  readonly problems: readonly Problem[];
}

/** Functions that change the resources that were found. */
export interface ResourceChanges {
  readonly skills?: (found: readonly Skill[]) => readonly Skill[];
  readonly templates?: (found: readonly PromptTemplate[]) => readonly PromptTemplate[];
}

export const NO_RESOURCES: Resources = { templates: [], skills: [], rules: [], problems: [] };

/** Where resources are looked for. */
export interface ResourceSources {
  readonly agentDir: string;
  readonly cwd: string;
  /** False in Restricted Mode: nothing below `cwd` is read then. */
  readonly includeProject: boolean;
  readonly settings: Pick<PiSettings, 'prompts' | 'skills'>;
  /** Files of packages that may be used. */
  readonly packages?: { readonly prompts: readonly PackageFile[]; readonly skills: readonly PackageFile[] };
  /** Paths that hooks named in `resources_discover`, absolute. */
  readonly extra?: { readonly skillPaths: readonly string[]; readonly promptPaths: readonly string[] };
  /** Resources that the user named, for example on the command line. */
  readonly named?: NamedResources;
  /** For `~` and other programs' folders; the user's home folder when absent. */
  readonly home?: string;
}

/** Additional files and folders to read, absolute. Without `search`, only these and those that hooks name are read. */
export interface NamedResources {
  readonly skills: { readonly paths: readonly string[]; readonly search: boolean };
  readonly prompts: { readonly paths: readonly string[]; readonly search: boolean };
}

/**
 * Reads all resources. If two have the same name, the first counts and the other is a problem. The order is: settings
 * of the project, its folders, settings of the user, their folders, packages, hooks. Never throws: a wrong file is a
 * problem that names it, and the others still count.
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

async function loadTemplates(sources: ResourceSources): Promise<Loaded<PromptTemplate>> {
  const { agentDir, cwd, includeProject, settings, extra, named, home } = sources;
  const problems: Problem[] = [];
  const lists = new ListedPlaces('prompts', settings.prompts, problems, home);
  const own = (folder: string, scope: 'project' | 'user'): ResourcePlace[] => [
    lists.found(scope, { path: join(folder, 'prompts'), location: scope, kind: 'flat' }, folder),
    lists.found(scope, { path: join(folder, 'commands'), location: scope, kind: 'tree' }, folder),
  ];
  const searched = [
    ...lists.named('project'),
    ...(includeProject ? own(join(cwd, '.pi'), 'project') : []),
    ...lists.named('user'),
    ...own(agentDir, 'user'),
  ];
  const places = [
    ...(named?.prompts.search === false ? [] : searched),
    ...packagePlaces(sources, 'prompts'),
    ...(named?.prompts.paths ?? []).map(path => byHand(path, 'flat')),
    ...(extra?.promptPaths ?? []).map(path => fromHook(path, 'flat')),
  ];
  const loaded = await collect(places, readTemplate, template => `/${template.name}`);
  return { values: loaded.values, problems: [...problems, ...loaded.problems] };
}

async function loadSkills(sources: ResourceSources): Promise<Loaded<Skill>> {
  const { skills } = sources.settings;
  if (!skills.enabled) return { values: [], problems: [] };
  const problems: Problem[] = [];
  const wanted = filterOf(skills.include, skills.ignore, problems);
  const read = async (file: FoundFile, location: ResourceLocation, problems: Problem[]): Promise<Skill | undefined> => {
    const skill = await readSkill(file, location, problems);
    return skill !== undefined && wanted(skill.name) ? skill : undefined;
  };
  const loaded = await collect(skillPlaces(sources, problems), read, skill => `Skill "${skill.name}"`);
  return { values: loaded.values, problems: [...problems, ...loaded.problems] };
}

/** Without a search, only the packages that the command line names remain. */
function packagePlaces({ packages, named }: ResourceSources, kind: 'prompts' | 'skills'): readonly ResourcePlace[] {
  const wanted = ({ package: { scope } }: PackageFile): boolean =>
    named?.[kind].search !== false || scope === 'temporary';
  const files = packages?.[kind].filter(wanted) ?? [];
  return files.map(file => ofPackage(file, kind === 'skills' ? 'skills' : 'flat'));
}

function skillPlaces(sources: ResourceSources, problems: Problem[]): ResourcePlace[] {
  const { named, extra } = sources;
  return [
    ...(named?.skills.search === false ? [] : searchedSkillPlaces(sources, problems)),
    ...packagePlaces(sources, 'skills'),
    ...(named?.skills.paths ?? []).map(path => byHand(path, 'skills')),
    ...(extra?.skillPaths ?? []).map(path => fromHook(path, 'skills')),
  ];
}

function searchedSkillPlaces(sources: ResourceSources, problems: Problem[]): ResourcePlace[] {
  const { agentDir, cwd, includeProject, settings, home = homedir() } = sources;
  const { folders } = settings.skills;
  const lists = new ListedPlaces('skills', settings.skills.lists, problems, home);
  const when = (wanted: boolean, ...places: readonly ResourcePlace[]): readonly ResourcePlace[] =>
    wanted ? places : [];
  const own = (scope: 'project' | 'user', parent: string, kind: PlaceKind): ResourcePlace =>
    lists.found(scope, { path: join(parent, 'skills'), location: scope, kind }, parent);
  const personal = join(home, '.agents');
  const shared = agentsFolders(cwd).filter(folder => folder !== personal);
  return [
    ...lists.named('project'),
    ...when(includeProject && folders.piProject, own('project', join(cwd, '.pi'), 'skills')),
    ...when(includeProject && folders.agents, ...shared.map(folder => own('project', folder, 'agentSkills'))),
    ...when(includeProject && folders.claudeProject, own('project', join(cwd, '.claude'), 'skillFolders')),
    ...lists.named('user'),
    ...when(folders.piUser, own('user', agentDir, 'skills')),
    ...when(folders.agents, own('user', personal, 'agentSkills')),
    ...when(folders.claudeUser, own('user', join(home, '.claude'), 'skillFolders')),
    ...when(folders.codexUser, own('user', join(home, '.codex'), 'skills')),
  ];
}

function loadRules({ agentDir, cwd, includeProject }: ResourceSources): Promise<Loaded<StreamRule>> {
  const place = (path: string, location: ResourceLocation): ResourcePlace => ({ path, location, kind: 'rules' });
  const project = ['.pi', '.omp'].map(folder => place(join(cwd, folder, 'rules'), 'project'));
  const places = [...(includeProject ? project : []), place(join(agentDir, 'rules'), 'user')];
  return collect(
    places,
    (file, location, problems) => readStreamRule(file.path, location === 'project' ? 'project' : 'user', problems),
    ({ rule }) => `Rule "${rule.name}"`,
  );
}

/** `.agents` of the workspace and of the folders above it, up to the root of its repository or of the disk. */
function agentsFolders(cwd: string): readonly string[] {
  const chain: string[] = [];
  for (let at = cwd; ; at = dirname(at)) {
    chain.push(join(at, '.agents'));
    if (existsSync(join(at, '.git')) || dirname(at) === at) return chain;
  }
}

/** Reads the files of all places in order; the same file is read once, and the first of a name counts. */
async function collect<T extends { readonly path: string } | StreamRule>(
  places: readonly ResourcePlace[],
  read: (file: FoundFile, location: ResourceLocation, problems: Problem[]) => Promise<T | undefined>,
  label: (value: T) => string,
): Promise<Loaded<T>> {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const byLabel = new Map<string, T>();
  for (const at of places) {
    for (const file of await filesAt(at, problems)) {
      const name = realPathIfThere(file.path);
      if (seen.has(name)) continue;
      seen.add(name);
      if (at.uses?.(file.path) === false) continue;
      const value = await read(file, at.location, problems);
      if (value === undefined) continue;
      const first = byLabel.get(label(value));
      const owned = at.package === undefined ? value : { ...value, package: at.package };
      if (first === undefined) byLabel.set(label(value), owned);
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

/** Which skills the settings allow (`includeSkills` and `ignoredSkills`). */
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
