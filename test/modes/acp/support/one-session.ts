import type {
  ContentBlock,
  PermissionOptionKind,
  RequestPermissionRequest,
  SessionUpdate,
  StopReason,
  ToolCall,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { AcpEditor, type EditorOptions } from '../../support/acp';
import type { CliPlace } from '../../support/cli';

type CallUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>;

/** An editor with one session in the folder of its place. */
export class OneSession {
  private constructor(
    readonly editor: AcpEditor,
    readonly id: string,
  ) {}

  static async open(place: CliPlace, options: EditorOptions = {}, mcpServers: object[] = []): Promise<OneSession> {
    const editor = await AcpEditor.open(place, options);
    return new OneSession(editor, await editor.create({ mcpServers }));
  }

  /** Sends a prompt; resolves when it is answered. */
  async prompt(prompt: string | ContentBlock[]): Promise<StopReason> {
    const blocks = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;
    return (await this.editor.request('session/prompt', { sessionId: this.id, prompt: blocks })).stopReason;
  }

  /** Sends a prompt, and fails when it does not end as usual. */
  async run(prompt: string): Promise<void> {
    const reason = await this.prompt(prompt);
    if (reason !== 'end_turn') throw new Error(`The prompt ended with ${reason}.`);
  }

  get updates(): readonly SessionUpdate[] {
    return this.editor.updates(this.id);
  }

  get said(): string {
    return this.editor.said(this.id);
  }

  /** The updates of one kind so far. */
  all<K extends SessionUpdate['sessionUpdate']>(kind: K): readonly Extract<SessionUpdate, { sessionUpdate: K }>[] {
    type Kind = Extract<SessionUpdate, { sessionUpdate: K }>;
    return this.updates.filter((update): update is Kind => update.sessionUpdate === kind);
  }

  /** All updates of a call so far, its announcement first. */
  call(toolCallId: string): readonly CallUpdate[] {
    return this.updates.filter(
      (update): update is CallUpdate =>
        (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') &&
        update.toolCallId === toolCallId,
    );
  }

  /** A call as the editor shows it now: later fields replace earlier ones. */
  shown(toolCallId: string): Partial<ToolCall> {
    return Object.assign({}, ...this.call(toolCallId)) as Partial<ToolCall>;
  }

  /** The statuses that a call had, in order. */
  statuses(toolCallId: string): readonly unknown[] {
    return this.call(toolCallId).flatMap(({ status }) => status ?? []);
  }

  end(): Promise<unknown> {
    return this.editor.end();
  }
}

/** The text in the content of a call. */
export function textIn({ content }: Pick<ToolCallUpdate, 'content'>): string {
  return (content ?? [])
    .map(part => (part.type === 'content' && part.content.type === 'text' ? part.content.text : ''))
    .join('');
}

/** Answers a permission with its first option of a kind, whose name also matches if one is given. */
export function choose(
  { options }: Pick<RequestPermissionRequest, 'options'>,
  kind: PermissionOptionKind,
  name?: RegExp,
): object {
  const option = options.find(each => each.kind === kind && name?.test(each.name) !== false);
  if (option === undefined) throw new Error(`There is no such option of kind ${kind}: ${JSON.stringify(options)}`);
  return { outcome: { outcome: 'selected', optionId: option.optionId } };
}
