/** Two recordings of one scenario, as lines. */
export interface Recordings {
  readonly version: string;
  readonly plan: string;
  readonly real: readonly string[];
  readonly own: readonly string[];
}

type Change = (lines: readonly string[]) => readonly string[];

/**
 * A difference that is meant: with the number of the reference that decides it, or the change of version it comes from.
 */
export interface Allowance {
  readonly id: string;
  readonly why: string;
  readonly versions: readonly string[];
  /** Scenarios it is about; all when absent. */
  readonly plans?: readonly string[];
  /** What is done to the real pi's recording, and to ours, before they are compared. */
  readonly real?: Change;
  readonly own?: Change;
}

const without =
  (pattern: RegExp): Change =>
  lines =>
    lines.filter(line => !pattern.test(line));

const reworded =
  (pattern: RegExp, to: string): Change =>
  lines =>
    lines.map(line => line.replace(pattern, to));

/** Equal neighbours of this kind count as one. */
const once =
  (pattern: RegExp): Change =>
  lines =>
    lines.filter((line, at) => !(pattern.test(line) && line === lines[at - 1]));

/** Lines of this kind behind all others, each kind in its own order. */
const apart =
  (pattern: RegExp): Change =>
  lines => [...lines.filter(line => !pattern.test(line)), ...lines.filter(line => pattern.test(line))];

/** Lines of this kind behind all others, in no order. */
const unordered =
  (pattern: RegExp): Change =>
  lines => [...lines.filter(line => !pattern.test(line)), ...lines.filter(line => pattern.test(line)).sort()];

/** Events whose handlers every pi waits for. */
const AWAITED = /^(tool_call|tool_result|context|input|before_agent_start|session_before_\w+)\b/;
const MOVES = ['new, resume and branch'];

/** Every difference between us and a real pi that is not an error. One that no longer shows up fails the suite. */
export const ALLOWED: readonly Allowance[] = [
  {
    id: 'the driver',
    why: 'the real pi is driven over RPC, ours as by a person: `input` tells so',
    versions: ['0.57.1', '0.73.1'],
    real: reworded(/ from rpc$/, ' from interactive'),
  },
  {
    id: 'D2',
    why: 'the description says that `shutdown` is told at any end; that pi told it on two keys only',
    versions: ['0.27.9'],
    own: without(/^session shutdown$/),
  },
  {
    id: 'D24',
    why: 'the description says that `session_shutdown` is told at any end; these know no end but keys',
    versions: ['0.31.1', '0.57.1'],
    own: without(/^session_shutdown$/),
  },
  {
    id: 'C17',
    why: 'failed results are shown to hooks of every dialect; that pi showed them to none',
    versions: ['0.27.9'],
    own: without(/^tool_result \w+ failed/),
  },
  {
    id: 'D4',
    why: 'we wait for events that only inform, so that the order is that of the descriptions; these do not',
    versions: ['0.31.1', '0.57.1', '0.73.1'],
    real: apart(AWAITED),
    own: apart(AWAITED),
  },
  {
    id: 'D21, reason',
    why: '`session_start` also says why; these say nothing',
    versions: ['0.31.1', '0.57.1'],
    real: reworded(/^session_start$/, 'session_start startup'),
  },
  {
    id: 'D21, after a move',
    why: 'the description has `session_start` after a switch and a fork; that pi had not',
    versions: ['0.57.1'],
    plans: MOVES,
    own: without(/^session_start (new|resume|fork)$/),
  },
  {
    id: 'write, text of success',
    why: 'today’s pi does not count the bytes any more',
    versions: ['0.27.9', '0.31.1', '0.57.1', '0.73.1'],
    plans: ['tools that succeed and fail'],
    real: reworded(/Successfully wrote 4 bytes to made\.txt/g, 'Successfully wrote to made.txt'),
  },
  {
    id: 'arguments, text of a mistake',
    why: 'today’s pi checks arguments by rules of its own, with shorter words',
    versions: ['0.31.1', '0.57.1', '0.73.1'],
    plans: ['tools that do not exist or get wrong arguments'],
    real: reworded(/- command: must have re…/g, '- command: missing'),
    own: reworded(/- command: missing\\n\\nRec…/g, '- command: missing'),
  },
  {
    id: '0.65, switch and fork',
    why: 'pi 0.65 took `session_switch` and `session_fork` away; each session has its own start and shutdown instead',
    versions: ['0.73.1'],
    plans: MOVES,
    real: lines => once(/^session_start /)(without(/^session_shutdown$/)(lines)),
    own: without(/^session_(switch|fork|shutdown)\b/),
  },
  {
    id: '0.58, tools side by side',
    why: 'pi 0.58 and later run the tools of one answer at the same time',
    versions: ['0.73.1'],
    plans: ['several tools in one answer'],
    real: unordered(/^(tool_|message_)/),
    own: unordered(/^(tool_|message_)/),
  },
  {
    id: '0.58, steering',
    why: 'as they run at the same time, a message that steers skips none of them any more',
    versions: ['0.73.1'],
    plans: ['a message that steers'],
    real: without(/^tool_|toolResult/),
    own: without(/^tool_|toolResult/),
  },
];

/** Both recordings without the differences that are allowed; tells which allowances were needed. */
export function withAllowances(
  { version, plan, real, own }: Recordings,
  use: (id: string) => void,
): { readonly real: readonly string[]; readonly own: readonly string[] } {
  let theirs = real;
  let ours = own;
  for (const allowance of ALLOWED) {
    if (!allowance.versions.includes(version) || allowance.plans?.includes(plan) === false) continue;
    const before = JSON.stringify([theirs, ours]);
    theirs = allowance.real?.(theirs) ?? theirs;
    ours = allowance.own?.(ours) ?? ours;
    if (JSON.stringify([theirs, ours]) !== before) use(allowance.id);
  }
  return { real: theirs, own: ours };
}
