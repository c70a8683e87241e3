import { DisposableStore, type Disposable } from '../../base/disposable';
import type { GuardedFolder } from '../../guard/calls/guarded-folder';
import type { FrontMessage, HostMessage } from '../../guard/protocol/messages';

export interface ToolsFromHostParts {
  readonly folder: Pick<GuardedFolder, 'toolList' | 'callTool' | 'onDidChangeTools'>;
  readonly send: (message: FrontMessage) => void;
}

/** Answers what MCP servers ask about the tools of hooks in the folder of this window. */
export class ToolsFromHost implements Disposable {
  private readonly store = new DisposableStore();
  private readonly running = new Map<string, AbortController>();

  constructor(private readonly parts: ToolsFromHostParts) {
    this.store.add(parts.folder.onDidChangeTools(() => parts.send({ type: 'toolsChanged' })));
  }

  list(id: string): void {
    const { folder, send } = this.parts;
    send({ type: 'toolList', id, list: folder.toolList() });
  }

  async call({ id, request }: Extract<HostMessage, { readonly type: 'callTool' }>): Promise<void> {
    const { folder, send } = this.parts;
    const end = new AbortController();
    this.running.set(id, end);
    const reply = await folder.callTool(request, content => send({ type: 'toolUpdate', id, content }), end.signal);
    this.running.delete(id);
    if (!end.signal.aborted) send({ type: 'toolReply', id, reply });
  }

  cancel(id: string): void {
    this.running.get(id)?.abort();
  }

  /** Ends all calls: nobody waits for them any more. */
  cancelAll(): void {
    for (const end of this.running.values()) end.abort();
  }

  dispose(): void {
    this.store.dispose();
    this.cancelAll();
  }
}
