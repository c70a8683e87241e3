import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CallToolRequest, CallToolResult, ServerNotification, Tool } from '@modelcontextprotocol/sdk/types.js';
import { oneAtATime } from '../../../base/async/repeated-calls';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import type * as ServerSdk from '../../../mcp/serving/server-sdk';
import type { GuardPlace } from '../../../guard/protocol/place';
import type { ToolContent, ToolList } from '../../../guard/protocol/tools';
import { printErrorTo } from '../../terminal/print';
import { StopRequest } from '../../terminal/stop-request';
import type { GuardModeParts } from '../guard-command-line';
import { connectToHost } from '../host-queries';
import { HostToolsLink } from './host-tools-link';

export interface ServeToolsParts extends GuardModeParts {
  readonly place: GuardPlace;
}

type Sdk = typeof ServerSdk;

/** What a request handler of the library gets beside the request, as far as it is used. */
interface RequestSurroundings {
  readonly signal: AbortSignal;
  readonly sendNotification: (notification: ServerNotification) => Promise<void>;
}

const INSTRUCTIONS =
  'The tools of this server come from the hooks of this folder. Calls of them pass the gates of the hooks.';

/**
 * `hookline mcp serve`: an MCP server on stdin and stdout with the tools that the hooks of the folder register (docs/mcp-server.md).
 * They run in the host of the guard. Resolves with the exit code when the client has closed stdin, or at a signal.
 */
export async function serveTools(parts: ServeToolsParts): Promise<number> {
  const { process, cwd } = parts;
  const stop = new StopRequest();
  stop.listen(process);
  const print = (text: string): void => printErrorTo(process.stderr, `hookline: ${text}`);
  const link = new HostToolsLink(() => connectToHost(parts, 'tools', [cwd]));
  const first = await link.list().catch((error: unknown) => {
    print(messageOf(error)); // The client is told when it asks for the tools.
    return undefined;
  });
  const server = new ToolServer(parts, link, await import('../../../mcp/serving/server-sdk'), first);
  for (const note of first?.notes ?? []) print(note);
  try {
    await Promise.race([server.serve(), stop.requested]);
  } finally {
    link.dispose();
  }
  return stop.code ?? 0;
}

/** The server as its client sees it. */
class ToolServer {
  private readonly session = randomUUID();
  private readonly server: ServerSdk.ProtocolServer;
  /** What the client may know. */
  private known: ToolList | undefined;
  private readonly lookForChanges = oneAtATime(async () => {
    const list = await this.link.list().catch(() => undefined);
    if (list !== undefined && isDeepStrictEqual(list, this.known)) return;
    this.known = list;
    await this.server.sendToolListChanged();
    await this.tellNotes(list);
  });

  constructor(
    private readonly parts: ServeToolsParts,
    private readonly link: HostToolsLink,
    private readonly sdk: Sdk,
    first: ToolList | undefined,
  ) {
    this.known = first;
    const instructions = [INSTRUCTIONS, ...(first?.notes ?? [])].join('\n');
    this.server = sdk.newProtocolServer(
      { name: 'hookline', title: 'Hookline', version: parts.code.version },
      { capabilities: { tools: { listChanged: true }, logging: {} }, instructions },
    );
    this.server.setRequestHandler(sdk.ListToolsRequestSchema, () => this.list());
    this.server.setRequestHandler(sdk.CallToolRequestSchema, (request, surroundings) =>
      this.call(request, surroundings),
    );
  }

  /** Resolves when the client has gone. */
  async serve(): Promise<void> {
    const { stdin, stdout } = this.parts.process;
    const gone = new Promise<void>(resolve => {
      for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
      stdout.on('error', () => resolve());
      this.server.onclose = () => resolve();
    });
    this.server.oninitialized = () => {
      this.link.onDidChange(() => void this.lookForChanges().catch(() => undefined)); // The client has gone.
      void this.tellNotes(this.known).catch(() => undefined);
    };
    await this.server.connect(new this.sdk.StdioServerTransport(stdin, stdout));
    await gone;
  }

  private async list(): Promise<{ tools: Tool[] }> {
    const { McpError, ErrorCode } = this.sdk;
    try {
      this.known = await this.link.list();
      return { tools: this.known.tools as Tool[] };
    } catch (error) {
      this.known = undefined;
      throw new McpError(ErrorCode.InternalError, `Hookline cannot list the tools: ${messageOf(error)}`);
    }
  }

  private async call({ params }: CallToolRequest, at: RequestSurroundings): Promise<CallToolResult> {
    const { cwd, process } = this.parts;
    const { McpError, ErrorCode } = this.sdk;
    const client = this.server.getClientVersion();
    const request = {
      client: { name: client?.name ?? 'unknown', version: client?.version ?? '' },
      ...{ session: this.session, pid: process.pid, cwd },
      ...{ name: params.name, arguments: params.arguments ?? {} },
      ...idOf(params._meta),
    };
    try {
      const reply = await this.link.call(request, progressOf(params, at), at.signal);
      if (reply.outcome !== 'unknown') return { content: reply.content, isError: reply.outcome === 'failed' };
    } catch (error) {
      const text = `Hookline did not run this, or cannot tell how it ended: ${messageOf(error)}`;
      return { content: [{ type: 'text', text }], isError: true };
    }
    throw new McpError(ErrorCode.InvalidParams, `There is no tool "${params.name}".`);
  }

  private async tellNotes(list: ToolList | undefined): Promise<void> {
    for (const data of list?.notes ?? []) {
      await this.server.sendLoggingMessage({ level: 'warning', logger: 'hookline', data });
    }
  }
}

/** The members in which Claude Code and Codex tell which of their calls a request is. */
const CALL_IDS = ['claudecode/toolUseId', 'callId'];

function idOf(meta: Readonly<Record<string, unknown>> | undefined): { readonly callId?: string } {
  const id = CALL_IDS.map(name => meta?.[name]).find(value => typeof value === 'string');
  return defined({ callId: id });
}

/** Passes output on as progress, if the client asked for it. */
function progressOf({ _meta }: CallToolRequest['params'], { sendNotification }: RequestSurroundings) {
  const progressToken = _meta?.progressToken;
  let progress = 0;
  return (content: ToolContent): void => {
    if (progressToken === undefined) return;
    progress += 1;
    const message = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
    const notification = { method: 'notifications/progress', params: { progressToken, progress, message } } as const;
    sendNotification(notification).catch(() => undefined); // The client has gone.
  };
}
