import type { ProjectTrust, TrustDecision, TrustReason } from '../../startup/trust/project-trust';

/** The sentence that says that this folder is not trusted, and why. */
export function notTrusted({ reason }: TrustDecision): string {
  return `this folder is not trusted, because ${trustReasonText(reason)}.`;
}

/** What {@link trustWarning} tells about. */
type TrustState = Pick<ProjectTrust, 'current' | 'protectedParts'>;

/** Whether hooks that are not used would check tool calls. */
interface Consequences {
  readonly refusesTools?: boolean;
}

/** How a person trusts the folder on the command line, after `To trust it,`. */
const IN_A_TERMINAL = 'run "hookline trust" in it';

/**
 * Returns a function that prints a line when the folder is not trusted and has something that is not used, the first time
 * that it is called and this is so. `toTrust`: how a person trusts the folder here, after `To trust it,`.
 */
export function trustWarning(
  trust: TrustState,
  print: (line: string) => void,
  toTrust = IN_A_TERMINAL,
): (consequences?: Consequences) => void {
  let isPrinted = false;
  return consequences => {
    const line = isPrinted ? undefined : trustLine(trust, toTrust, consequences);
    if (line === undefined) return;
    isPrinted = true;
    print(line);
  };
}

/** For a person: why the folder is not trusted, what is not used, and how to go on. */
function trustLine(
  { current, protectedParts }: TrustState,
  toTrust: string,
  { refusesTools = false }: Consequences = {},
): string | undefined {
  if (current.trusted || protectedParts.length === 0) return undefined;
  const parts = [
    `Warning: ${notTrusted(current)} Not used: ${protectedParts.join(', ')}.`,
    ...(refusesTools ? ['The tools that its hooks check are refused.'] : []),
    ...adviceFor(current.reason, toTrust),
  ];
  return parts.join(' ');
}

function trustReasonText(reason: TrustReason): string {
  switch (reason.by) {
    case 'flag':
      return '--no-approve was given';
    case 'parent':
      return 'the process that started this one did not trust it';
    case 'hook':
      return `the hook ${reason.path} says so`;
    case 'file':
      return `${reason.path} says so for ${reason.folder}`;
    case 'unreadable':
      return `the decision cannot be read: ${reason.problem}`;
    case 'setting':
      return 'defaultProjectTrust is "never" in settings.json of the agent folder';
    case 'editor':
    case 'nothing':
    case 'nobody':
      return 'nobody has decided to trust it';
  }
}

function adviceFor({ by }: TrustReason, toTrust: string): readonly string[] {
  switch (by) {
    case 'nobody':
    case 'file':
    case 'setting':
      return [`To trust it, ${toTrust}. To use it only once, start with --approve.`];
    case 'parent':
    case 'hook':
    case 'unreadable':
      return ['To use it only once, start with --approve.']; // trust.json does not override these.
    case 'flag':
    case 'editor':
    case 'nothing':
      return [];
  }
}
