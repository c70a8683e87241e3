import { withoutRepository } from '../../../base/git-environment';
import { commandEnvironment, runProcess, type ProcessEnd, type ProcessSpec } from './process';

export interface GitProcessSpec extends Omit<ProcessSpec, 'command' | 'env'> {
  /** The environment from which git's is made. */
  readonly from: NodeJS.ProcessEnv;
  /** Variables that git gets in any case, such as those of a repository that is meant. */
  readonly set: NodeJS.ProcessEnv;
}

/** Runs git as {@link runProcess} does, in the repository of its folder. All git of ours starts here. */
export function runGitProcess({ from, set, ...spec }: GitProcessSpec): Promise<ProcessEnd> {
  return runProcess({ ...spec, command: 'git', env: { ...withoutRepository(commandEnvironment(from)), ...set } });
}
