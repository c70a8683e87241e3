/**
 * The variables that lead git to a repository, as `git rev-parse --local-env-vars` of git 2.50 lists them. git sets them for
 * its hooks, and so for what a hook of git starts.
 */
const OF_A_REPOSITORY: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_PARAMETERS',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_REF_FORMAT',
  'GIT_REFERENCE_BACKEND',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);

/**
 * An environment in which git uses the repository of its folder. Without it, git that we start from a hook of git would read
 * and change the index and the objects of the person's repository.
 */
export function withoutRepository(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_A_REPOSITORY.has(name.toUpperCase())));
}
