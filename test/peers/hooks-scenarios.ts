import type { DialectId } from '../../src/hook-contract/dialect-id';
import { recorder, textOf, type Heard } from '../support/recorder';
import type { Answer, PeerCommands, Scenario, Step } from './hooks-sides';

/** A published pi, with the hooks of its date. */
export interface Peer {
  readonly version: string;
  readonly dialect: DialectId;
  readonly folder: '.pi/hooks' | '.pi/extensions';
  readonly commands: PeerCommands;
  /** Names that its hooks may register; what hangs on the clock is left out, see {@link UNCOMPARED}. */
  readonly events: readonly string[];
  /** The only plans that are played to it; all when absent. */
  readonly plans?: readonly string[];
}

/** How often these come hangs on how fast a command prints or an answer arrives. */
export const UNCOMPARED = ['tool_execution_update', 'message_update'];

const words = (text: string): readonly string[] => text.split(/\s+/).filter(word => word !== '');
const RUN = 'agent_start agent_end turn_start turn_end tool_call tool_result';
const EXT_EVENTS = `session_start session_before_switch session_switch session_before_fork session_fork
  session_before_compact session_compact session_before_tree session_tree session_shutdown input before_agent_start
  context message_start message_end tool_execution_start tool_execution_end model_select ${RUN}`;

export const PEERS: readonly Peer[] = [
  {
    version: '0.27.9',
    dialect: 'v1',
    folder: '.pi/hooks',
    commands: { newSession: 'reset', branch: 'branch', target: 'entryIndex', endsWithInput: false },
    events: words(`session ${RUN}`),
  },
  {
    version: '0.31.1',
    dialect: 'tree',
    folder: '.pi/hooks',
    commands: { newSession: 'new_session', branch: 'branch', target: 'entryId', endsWithInput: false },
    events: words(`session_start session_before_switch session_switch session_before_branch session_branch
      session_before_compact session_compact session_before_tree session_tree session_shutdown before_agent_start
      context ${RUN}`),
  },
  {
    version: '0.57.1',
    dialect: 'ext',
    folder: '.pi/extensions',
    commands: { newSession: 'new_session', branch: 'fork', target: 'entryId', endsWithInput: false },
    events: words(EXT_EVENTS),
    // What 0.58 to 0.65 changed, and the order of events; 0.73.1 shows the rest.
    plans: [
      'tools that succeed and fail',
      'several tools in one answer',
      'new, resume and branch',
      'moves that hooks refuse',
      'a compaction',
      'a message that steers',
    ],
  },
  {
    version: '0.73.1',
    dialect: 'ext',
    folder: '.pi/extensions',
    commands: { newSession: 'new_session', branch: 'fork', target: 'entryId', endsWithInput: true },
    events: words(EXT_EVENTS),
  },
];

/** Dialects that nothing published can be compared with. */
export const NO_PEER: readonly (readonly [dialect: DialectId, why: string])[] = [
  ['v2', 'a design that was never built'],
  ['omp', 'needs Bun'],
];

const prompt = (text = 'go'): Step => ({ do: 'prompt', text });
const say = (text: string): Answer => ({ text: [text] });
const use = (...calls: readonly (readonly [name: string, args: Record<string, unknown>])[]): Answer => ({
  toolCalls: calls.map(([name, args]) => ({ name, arguments: args })),
});
const LONG = 'x'.repeat(400);

/** Hooks beside the recorder: `pi` is what the peer's dialect gives. */
const BLOCKER = `pi.on("tool_call", async (event: any) => event.input.command === "denied" ? { block: true, reason: "not this one" } : undefined);`;
const THROWER = `pi.on("tool_call", async () => { throw new Error("cannot judge"); });`;
const MUTATOR = `pi.on("tool_call", async (event: any) => { if (event.toolName === "bash") event.input.command = "echo changed"; });`;
const CENSOR = `pi.on("tool_result", async (event: any) => event.isError ? undefined : { content: [{ type: "text", text: "censored" }] });`;
const FAULTY = `pi.on("agent_start", async () => { throw new Error("broken"); }); pi.on("tool_result", async () => { throw new Error("broken too"); });`;

interface Plan {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly answers: readonly Answer[];
  readonly hook?: string;
  /** Hook code per dialect, for what is spelled differently. */
  readonly hooks?: Readonly<Partial<Record<DialectId, string>>>;
}

/** What is played to every peer. */
export const PLANS: readonly Plan[] = [
  { name: 'a plain answer', steps: [prompt('hello'), prompt('again')], answers: [say('hi'), say('again')] },
  {
    name: 'tools that succeed and fail',
    steps: [prompt()],
    answers: [
      use(['read', { path: 'file.txt' }]),
      use(['bash', { command: 'echo out' }]),
      use(['bash', { command: 'echo out; exit 3' }]),
      use(['read', { path: 'missing.txt' }]),
      use(['write', { path: 'made.txt', content: 'made' }]),
      say('done'),
    ],
  },
  {
    name: 'several tools in one answer',
    steps: [prompt()],
    answers: [use(['bash', { command: 'echo one' }], ['bash', { command: 'echo two' }]), say('done')],
  },
  {
    name: 'tools that do not exist or get wrong arguments',
    steps: [prompt()],
    answers: [use(['nope', {}]), use(['bash', { wrong: 1 }]), say('done')],
  },
  {
    name: 'a blocked tool',
    steps: [prompt()],
    answers: [use(['bash', { command: 'denied' }]), use(['bash', { command: 'echo fine' }]), say('done')],
    hook: BLOCKER,
  },
  {
    name: 'a throwing gate',
    steps: [prompt()],
    answers: [use(['bash', { command: 'true' }]), say('done')],
    hook: THROWER,
  },
  {
    name: 'changed input',
    steps: [prompt()],
    answers: [use(['bash', { command: 'echo as asked' }]), say('done')],
    hook: MUTATOR,
  },
  {
    name: 'a changed result',
    steps: [prompt()],
    answers: [use(['bash', { command: 'echo secret' }]), use(['bash', { command: 'exit 4' }]), say('done')],
    hook: CENSOR,
  },
  {
    name: 'hooks that throw',
    steps: [prompt()],
    answers: [use(['bash', { command: 'echo x' }]), say('done')],
    hook: FAULTY,
  },
  { name: 'a failure that passes', steps: [prompt()], answers: [{ fail: 'overloaded' }, say('fine')] },
  { name: 'a failure that stays', steps: [prompt()], answers: [{ fail: 'no such thing' }] },
  {
    name: 'new, resume and branch',
    steps: [
      prompt('first'),
      { do: 'new' },
      prompt('second'),
      { do: 'resume first' },
      { do: 'branch from first message' },
      prompt('third'),
    ],
    answers: [say('one'), say('two'), say('three')],
  },
  {
    name: 'moves that hooks refuse',
    steps: [prompt('first'), { do: 'new' }, { do: 'branch from first message' }, { do: 'compact' }],
    answers: [say('one')],
    hooks: {
      v1: 'pi.on("session", async (event: any) => event.reason.startsWith("before_") ? { cancel: true } : undefined);',
      tree: 'for (const name of ["switch", "branch", "compact"]) pi.on("session_before_" + name, async () => ({ cancel: true }));',
      ext: 'for (const name of ["switch", "fork", "compact"]) pi.on("session_before_" + name, async () => ({ cancel: true }));',
    },
  },
  {
    name: 'a compaction',
    steps: [prompt('first'), prompt('second'), { do: 'compact', instructions: 'mind the tests' }, prompt('third')],
    answers: [say(LONG), say(LONG), say('summary by the model'), say('summary by the model'), say('three')],
  },
  {
    name: 'a compaction by a hook',
    steps: [prompt('first'), prompt('second'), { do: 'compact' }, prompt('third')],
    answers: [say(LONG), say(LONG), say('three')],
    hooks: {
      v1: `pi.on("session", async (event: any) => event.reason === "before_compact" ? { compactionEntry: { type: "compaction", timestamp: new Date().toISOString(), summary: "mine", firstKeptEntryIndex: event.cutPoint.firstKeptEntryIndex, tokensBefore: event.tokensBefore } } : undefined);`,
      tree: `pi.on("session_before_compact", async (event: any) => ({ compaction: { summary: "mine", firstKeptEntryId: event.preparation.firstKeptEntryId, tokensBefore: event.preparation.tokensBefore } }));`,
      ext: `pi.on("session_before_compact", async (event: any) => ({ compaction: { summary: "mine", firstKeptEntryId: event.preparation.firstKeptEntryId, tokensBefore: event.preparation.tokensBefore } }));`,
    },
  },
  {
    name: 'what hooks add to a run and to its context',
    steps: [prompt('first'), prompt('second')],
    answers: [say('one'), say('two')],
    hooks: {
      tree: `pi.on("before_agent_start", async () => ({ message: { customType: "note", content: "noted", display: true } }));
        pi.on("context", async (event: any) => ({ messages: event.messages.filter((m: any) => m.role !== "assistant") }));`,
      ext: `pi.on("before_agent_start", async (event: any) => ({ message: { customType: "note", content: "noted", display: true }, systemPrompt: event.systemPrompt + " more" }));
        pi.on("context", async (event: any) => ({ messages: event.messages.filter((m: any) => m.role !== "assistant") }));`,
    },
  },
  {
    name: 'a message that steers',
    steps: [prompt()],
    answers: [use(['bash', { command: 'echo one' }], ['bash', { command: 'echo two' }]), say('heard'), say('done')],
    hooks: {
      v1: 'let sent = false; pi.on("tool_result", async () => { if (!sent) { sent = true; pi.send("wait"); } });',
      tree: 'let sent = false; pi.on("tool_result", async () => { if (!sent) { sent = true; pi.sendMessage({ customType: "note", content: "wait", display: true }); } });',
      ext: 'let sent = false; pi.on("tool_result", async () => { if (!sent) { sent = true; pi.sendUserMessage("wait", { deliverAs: "steer" }); } });',
    },
  },
  {
    name: 'input that is changed and swallowed',
    steps: [prompt('change me'), prompt('swallow me')],
    answers: [say('one')],
    hooks: {
      ext: `pi.on("input", async (event: any) => event.text === "swallow me" ? { action: "handled" } : { action: "transform", text: event.text + " please" });`,
    },
  },
];

/** The plan as a peer's scenario; undefined when the peer does not play it, or its dialect has nothing of the kind. */
export function scenarioFor({ dialect, folder, events, plans }: Peer, plan: Plan): Scenario | undefined {
  if (plans?.includes(plan.name) === false) return undefined;
  const code = plan.hook ?? plan.hooks?.[dialect];
  if (code === undefined && plan.hooks !== undefined) return undefined;
  return {
    steps: plan.steps,
    answers: plan.answers,
    files: {
      'file.txt': 'some text\n',
      [`${folder}/1-recorder.ts`]: recorder(dialect, events, 'RECORD_FILE', { unmarked: true }),
      ...(code === undefined ? {} : { [`${folder}/2-hook.ts`]: `export default function (pi: any) {\n${code}\n}\n` }),
    },
  };
}

const word = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value).replaceAll('"', ''));

type Fields = Readonly<Record<string, unknown>>;
const rolesOf = (messages: unknown): string =>
  (messages as readonly { role: string }[]).map(message => message.role).join(' ');
const saidBy = (message: unknown): string => {
  const { role, stopReason } = message as { role: string; stopReason?: string };
  return `${role}${stopReason === undefined ? '' : ` ${stopReason}`}: ${short(textOf(message as object))}`;
};
const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text).replaceAll('\n', '\\n');

/** What is compared of each event, beside its name. */
const TOLD: Readonly<Record<string, (event: Fields) => string>> = {
  session: event =>
    `${word(event['reason'])}${event['targetTurnIndex'] === undefined ? '' : ` at ${word(event['targetTurnIndex'])}`}${compaction(event)}`,
  turn_start: event => String(event['turnIndex']),
  turn_end: event =>
    `${String(event['turnIndex'])} ${saidBy(event['message'])} + ${(event['toolResults'] as unknown[]).length} results`,
  agent_end: event => rolesOf(event['messages']),
  tool_call: event => `${String(event['toolName'])} ${JSON.stringify(event['input'])}`,
  tool_result: event =>
    `${String(event['toolName'])} ${event['isError'] === true ? 'failed' : 'ok'} ${short(textOf(event))}`,
  context: event => (event['messages'] as object[]).map(saidBy).join(' | '),
  before_agent_start: event => String(event['prompt']),
  input: event => `${String(event['text'])} from ${String(event['source'])}`,
  message_start: event => (event['message'] as { role: string }).role,
  message_end: event => saidBy(event['message']),
  tool_execution_start: event => `${String(event['toolName'])} ${JSON.stringify(event['args'])}`,
  tool_execution_end: event => `${String(event['toolName'])} ${event['isError'] === true ? 'failed' : 'ok'}`,
  session_start: event => word(event['reason']),
  session_before_switch: event => String(event['reason']),
  session_switch: event => String(event['reason']),
  session_before_compact: compaction,
  session_compact: compaction,
};

function compaction(event: Fields): string {
  const of = (event['preparation'] ?? event) as Fields;
  const entry = event['compactionEntry'] as Fields | undefined;
  const { customInstructions } = event;
  return [
    ...(of['messagesToSummarize'] === undefined ? [] : [`summarise [${rolesOf(of['messagesToSummarize'])}]`]),
    ...(typeof customInstructions === 'string' ? [`for ${customInstructions}`] : []),
    ...(entry === undefined
      ? []
      : [`"${short(String(entry['summary']))}" by ${byHook(event) ? 'a hook' : 'the model'}`]),
  ]
    .map(part => ` ${part}`)
    .join('');
}

function byHook(event: Fields): boolean {
  return event['fromHook'] === true || event['fromExtension'] === true;
}

/** An event as one line, equal on both sides when the sides agree. */
export function lineOf({ name, event }: Heard): string {
  return `${name} ${TOLD[name]?.(event) ?? ''}`.replace(/\s+/g, ' ').trim();
}
