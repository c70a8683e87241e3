import { ProjectTrust, type TrustParts } from './project-trust';

/** Whose tests are to run, and what decides about them. */
export interface TestedFolder extends Pick<TrustParts, 'agentDir' | 'editorTrusts' | 'log'> {
  /** Absolute path of the workspace folder. */
  readonly root: string;
  /** Absolute path of the folder of the tests, which is in the workspace folder. */
  readonly tests: string;
  /** The decision about the workspace folder, where one was made. Without it, `hooks` may be asked. */
  readonly decided: boolean | undefined;
  readonly hooks: Parameters<ProjectTrust['decide']>[0];
}

/** Whether hook tests may run: not if their workspace folder, their own folder or one in between is refused. Never rejects. */
export async function mayRunTests({ root, tests, decided, hooks, ...parts }: TestedFolder): Promise<boolean> {
  const trusts = async (cwd: string, asked: typeof hooks): Promise<boolean> => {
    const trust = new ProjectTrust({ ...parts, cwd, env: process.env });
    await trust.decide(asked, 'ask');
    return trust.isTrusted;
  };
  return (decided ?? (await trusts(root, hooks))) && (await trusts(tests, undefined));
}
