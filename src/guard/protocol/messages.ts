import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { parseObject } from '../../base/json/parse-object';
import { literalUnion, parse } from '../../base/json/schema';
import { failed, type Result } from '../../base/result';
import type { AskedCall } from '../../hook-contract/approvals/asked-call';
import type { Asker, QuestionSubject } from '../../hook-contract/ui/ui';
import { AgentCallSchema, AgentReplySchema, GuardRecordSchema } from './agent-call';
import { ToolContentSchema, ToolListSchema, ToolReplySchema, ToolRequestSchema } from './tools';

/**
 * The messages between the host of the guard and what connects to its socket: windows, `guard watch`, MCP servers, and commands
 * that ask something. Each is one line of JSON. Unknown members are ignored.
 */

const Text = Type.String();
const Id = Type.String({ minLength: 1 });
const Count = Type.Integer({ minimum: 0 });
const Agent = AgentCallSchema.properties.agent;
const True = Type.Optional(Type.Literal(true));

const HookRefSchema = Type.Object({ path: Text, name: Text, line: Type.Optional(Type.Number()) });

const DialogKindSchema = Type.Union([
  Type.Object({
    type: Type.Literal('select'),
    options: Type.Array(Text),
    meanings: Type.Optional(Type.Array(literalUnion('allowOnce', 'allowInSession', 'allowAlways', 'refuse', 'goesOn'))),
    usual: Type.Optional(Text),
    cancels: Type.Optional(Text),
  }),
  Type.Object({ type: Type.Literal('confirm') }),
  Type.Object({ type: Type.Literal('input'), placeholder: Text }),
  Type.Object({ type: Type.Literal('editor'), prefill: Text }),
]);

const AskerSchema = Type.Unsafe<Asker>(
  Type.Union([
    Type.Object({ type: Type.Literal('gate'), follows: True }),
    Type.Object({ type: literalUnion('deciding', 'listening') }),
    Type.Object({ type: Type.Literal('command'), actedAt: Type.Number() }),
  ]),
);

/** The members of a call beyond these are for display only. */
const AskedCallSchema = Type.Unsafe<AskedCall>(
  Type.Object({ toolName: Text, kind: Text, input: Type.Record(Text, Type.Unknown()), cwd: Text }),
);

const SubjectSchema = Type.Unsafe<QuestionSubject>(
  Type.Union([
    Type.Object({
      type: Type.Literal('call'),
      call: AskedCallSchema,
      diff: Type.Optional(Text),
      remarks: Type.Array(Text),
      isOfSubagent: Type.Boolean(),
    }),
    Type.Object({ type: Type.Literal('plan'), plan: Text }),
  ]),
);

/** A `Question` (`src/session/ports/dialogs.ts`) as data. */
export const QuestionSchema = Type.Object({
  id: Id,
  hook: HookRefSchema,
  title: Text,
  message: Text,
  dialog: DialogKindSchema,
  canDeny: True,
  asker: AskerSchema,
  subject: Type.Optional(SubjectSchema),
  call: Type.Optional(AskedCallSchema),
  conversationId: Text,
  conversation: Type.Optional(Text),
  toolCallId: Type.Optional(Text),
  about: Type.Optional(Type.Object({ tool: Text, summary: Text })),
  timeout: Type.Optional(Type.Number()),
  guarded: Type.Optional(Type.Object({ agent: Text, folder: Text })),
  isTrial: True,
});

/** An `Answer` (`src/hook-contract/ui/ui.ts`); absent: the question was cancelled. */
const AnswerSchema = Type.Union([
  Text,
  Type.Boolean(),
  Type.Object({ denied: Text }),
  Type.Object({ unanswered: Text }),
  Type.Object({ edited: Text, over: Type.Union([Text, Type.Null()]) }),
]);

/** What an agent did today, by the clock of this machine. */
const AgentCountsSchema = Type.Object({
  agent: Agent,
  /** ms since 1970; absent: no call is in the log. */
  lastCallAt: Type.Optional(Type.Number()),
  calls: Count,
  blocks: Count,
});
export type AgentCounts = Readonly<Static<typeof AgentCountsSchema>>;

const HostStatusSchema = Type.Object({
  pid: Type.Integer(),
  version: Text,
  /** ms since 1970 */
  startedAt: Type.Number(),
  /** Calls that have no answer yet. */
  openCalls: Count,
  windows: Type.Array(Type.Object({ version: Text, folders: Type.Array(Text) })),
  watchers: Count,
  /** Absolute paths of the folders that the host has loaded itself. */
  ownFolders: Type.Array(Text),
  /** Those of them in which hooks wait for approval. */
  waitingHooks: Type.Optional(Type.Array(Type.Object({ folder: Text, count: Count }))),
  agents: Type.Array(AgentCountsSchema),
});
/** What the host tells about itself. */
export type HostStatus = Readonly<Static<typeof HostStatusSchema>>;

const tagged = <T extends string, M extends Readonly<Record<string, TSchema>>>(type: T, members: M) =>
  Type.Object({ type: Type.Literal(type), ...members });

export const FrontMessageSchema = Type.Union([
  /**
   * The first message. A `window` gets the calls of its folders, and questions; a `watch` gets questions; a `query` asks; `tools`
   * is an MCP server. `folders`: absolute paths: those of a window, or the one that an MCP server was started in. `offersTools`:
   * the window also answers `listTools` and `callTool`.
   */
  tagged('hello', {
    secret: Text,
    role: literalUnion('window', 'watch', 'query', 'tools'),
    version: Text,
    folders: Type.Array(Text),
    offersTools: True,
  }),
  /** The window has these folders open from now on. */
  tagged('folders', { folders: Type.Array(Text) }),
  /** The outcome of a call. */
  tagged('reply', { id: Id, reply: AgentReplySchema }),
  /** A line for the guard log that belongs to no reply of the window. */
  tagged('note', { record: GuardRecordSchema }),
  /** The answer to a question; the first one counts. */
  tagged('answer', { id: Id, answer: Type.Optional(AnswerSchema) }),
  tagged('status', { id: Id }),
  /** Asks for the newest lines of the guard log, of one agent when it is given. */
  tagged('log', { id: Id, count: Count, agent: Type.Optional(Agent) }),
  /**
   * From the host's `firing` until this connection ends, the host answers each call of a tool in sessions of this folder with a
   * denial for this reason and calls no hook: `guard check` sees by it that an agent obeys.
   */
  tagged('fire', { id: Id, folder: Text, reason: Type.String({ minLength: 1 }) }),
  /** An MCP server asks for the tools of its folder. */
  tagged('listTools', { id: Id }),
  /** An MCP server calls a tool. */
  tagged('callTool', { id: Id, request: ToolRequestSchema }),
  /** Nobody waits for the reply to this `callTool` any more. */
  tagged('cancel', { id: Id }),
  /** A window's answers to `listTools` and `callTool`; before the second, `toolUpdate` has the content so far. */
  tagged('toolList', { id: Id, list: ToolListSchema }),
  tagged('toolUpdate', { id: Id, content: ToolContentSchema }),
  tagged('toolReply', { id: Id, reply: ToolReplySchema }),
  /** The tools of the window's folders may be others now. */
  tagged('toolsChanged', {}),
]);
/** What windows and command lines send to the host. */
export type FrontMessage = Readonly<Static<typeof FrontMessageSchema>>;

export const HostMessageSchema = Type.Union([
  /** The answer to `hello`. Its secret proves that this is the host. */
  tagged('welcome', { secret: Text, version: Text, pid: Type.Integer() }),
  /** The host sends the front away; `reason` is a sentence. */
  tagged('refused', { reason: Text }),
  /** A call for a folder of the window; `folder` is the one of those that it sent which the session belongs to. */
  tagged('call', { id: Id, folder: Text, call: AgentCallSchema }),
  /** Nobody waits for the reply to this call any more: the agent has ended it. */
  tagged('cancel', { id: Id }),
  /** A hook in a folder that no window has asks this. */
  tagged('question', { id: Id, folder: Text, question: QuestionSchema }),
  /** The question was answered elsewhere, or nobody waits for it any more. */
  tagged('close', { id: Id }),
  /** What became of a call, for `guard watch`. */
  tagged('record', { record: GuardRecordSchema }),
  tagged('status', { id: Id, status: HostStatusSchema }),
  /** The answer to `fire`: the order holds. */
  tagged('firing', { id: Id }),
  /** Oldest first. */
  tagged('log', { id: Id, records: Type.Array(GuardRecordSchema) }),
  /** For a window: what an MCP server asks; `folder` as in `call`. The window gets `cancel`, too. */
  tagged('listTools', { id: Id, folder: Text }),
  tagged('callTool', { id: Id, folder: Text, request: ToolRequestSchema }),
  /** For an MCP server: the answers. `toolsFailed`: there is no answer; `reason` says why. */
  tagged('toolList', { id: Id, list: ToolListSchema }),
  tagged('toolUpdate', { id: Id, content: ToolContentSchema }),
  tagged('toolReply', { id: Id, reply: ToolReplySchema }),
  tagged('toolsFailed', { id: Id, reason: Text }),
  /** The list that the server has may be an old one. */
  tagged('toolsChanged', {}),
]);
/** What the host sends to windows and command lines. */
export type HostMessage = Readonly<Static<typeof HostMessageSchema>>;

/** Reads a line that a front sent; the problem names the member that is wrong. */
export function readFrontMessage(line: string): Result<FrontMessage> {
  return readMessage(FrontMessageSchema, line);
}

/** Reads a line that the host sent; the problem names the member that is wrong. */
export function readHostLine(line: string): Result<HostMessage> {
  return readMessage(HostMessageSchema, line);
}

/** The line of a message. */
export function messageLine(message: FrontMessage | HostMessage): string {
  return `${JSON.stringify(message)}\n`;
}

function readMessage<S extends TSchema & { readonly anyOf: readonly TSchema[] }>(
  schema: S,
  line: string,
): Result<Static<S>> {
  const message = parseObject(line);
  if (message === undefined) return failed({ message: 'the line is no JSON object' });
  const shape = schema.anyOf.find(each => typeOf(each) === message['type']);
  if (shape === undefined) return failed({ message: `type: ${JSON.stringify(message['type'])} is no known message` });
  return parse(shape, message);
}

function typeOf(schema: TSchema): unknown {
  return (schema as unknown as { readonly properties: { readonly type: { readonly const: string } } }).properties.type
    .const;
}
