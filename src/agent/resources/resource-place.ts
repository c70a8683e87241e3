import type { Problem } from '../../base/result';
import type { PackageFile, PackageOrigin } from './package-origin';
import type { ResourceList } from '../settings/pi-settings';
import { resourceFiles, fileKind, type FileRules, type FoundFile, type ResourceLocation } from './resource-file';
import { readResourceList, type ResourceChoice } from './resource-list';

/** A file or folder to read resources from. */
export interface ResourcePlace {
  readonly path: string;
  readonly location: ResourceLocation;
  readonly kind: PlaceKind;
  /** The package that the files of it belong to. */
  readonly package?: PackageOrigin;
  /** Whether the settings allow a file of this place. A file is checked only in its first place. */
  readonly uses?: (file: string) => boolean;
  /** Makes the problem of a path that cannot be used; absent for the usual folders. */
  readonly problem?: (what: string) => Problem;
}

/**
 * `tree`: markdown files at any depth; `flat`, `rules`: those at the top; `skills`: those at the top and `SKILL.md` at any
 * depth; `agentSkills`: those below the top and `SKILL.md`, as in `.agents`; `skillFolders`: `SKILL.md` in folders
 * directly below, as Claude keeps them.
 */
export type PlaceKind = 'tree' | 'flat' | 'rules' | 'skills' | 'agentSkills' | 'skillFolders';

/** Applies the lists of settings to places: to those that they name, and to the usual ones. */
export class ListedPlaces {
  private readonly choices: readonly { readonly list: ResourceList; readonly choice: ResourceChoice }[];

  constructor(
    private readonly key: 'prompts' | 'skills',
    lists: readonly ResourceList[],
    problems: Problem[],
    home: string | undefined,
  ) {
    this.choices = lists.map(list => ({ list, choice: readResourceList(list, problems, home) }));
  }

  named(scope: ResourceList['scope']): readonly ResourcePlace[] {
    const { key } = this;
    return this.choices
      .filter(({ list }) => list.scope === scope)
      .flatMap(({ list, choice }) =>
        choice.named.map(({ path, written }) => ({
          path,
          location: 'path' as const,
          kind: key === 'skills' ? ('skills' as const) : ('tree' as const),
          uses: choice.takes,
          problem: (what: string) => ({ file: list.from, message: `Setting "${key}": "${written}" ${what}.` }),
        })),
      );
  }

  /** A place of this scope; `base` is where rules of the settings start from. */
  found(scope: ResourceList['scope'], place: ResourcePlace, base: string): ResourcePlace {
    const own = this.choices.filter(({ list }) => list.scope === scope);
    return { ...place, uses: file => own.every(({ choice }) => choice.keeps(file, base)) };
  }
}

/** A place named on the command line. */
export function byHand(path: string, kind: 'flat' | 'skills'): ResourcePlace {
  return {
    path,
    location: 'path',
    kind,
    problem: what => ({ file: path, message: `This path, named on the command line, ${what}.` }),
  };
}

/** A place that a hook names. */
export function fromHook(path: string, kind: 'flat' | 'skills'): ResourcePlace {
  return {
    path,
    location: 'path',
    kind,
    problem: what => ({ file: path, message: `This path, given by a hook in resources_discover, ${what}.` }),
  };
}

/** A file that a package adds. */
export function ofPackage({ path, package: owner }: PackageFile, kind: 'flat' | 'skills'): ResourcePlace {
  return {
    path,
    location: owner.scope === 'temporary' ? 'path' : owner.scope,
    kind,
    package: owner,
    problem: what => ({ file: path, message: `This file of the package "${owner.source}" ${what}.` }),
  };
}

const isMarkdown = (name: string): boolean => name.endsWith('.md');
const isRule = (name: string): boolean => /\.mdc?$/i.test(name);

/** The files of a place. A path that cannot be used is a problem if the user named it. */
export async function filesAt(
  { path, kind, problem }: ResourcePlace,
  problems: Problem[],
): Promise<readonly FoundFile[]> {
  const found = problem === undefined ? 'folder' : fileKind(path);
  if (found === 'folder') return resourceFiles(path, FILES[kind], problems);
  if (found === 'file' && isMarkdown(path)) return [{ path, folder: '', isNamed: true }];
  if (problem !== undefined) problems.push(problem(found === 'file' ? 'is not a Markdown file' : 'does not exist'));
  return [];
}

const FILES: Readonly<Record<PlaceKind, FileRules>> = {
  tree: { wanted: isMarkdown },
  flat: { wanted: isMarkdown, maxDepth: 0 },
  rules: { wanted: isRule, maxDepth: 0 },
  skills: { wanted: (name, depth) => depth === 0 && isMarkdown(name), alone: 'SKILL.md' },
  agentSkills: { wanted: (name, depth) => depth > 0 && isMarkdown(name), alone: 'SKILL.md' },
  skillFolders: { wanted: (name, depth) => name === 'SKILL.md' && depth === 1, maxDepth: 1 },
};
