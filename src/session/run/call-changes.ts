import type { ChangeTracker } from '../../agent/changes/tracker';
import type { ToolArguments } from '../../agent/tools/facts';
import type { AnyTool } from '../../agent/tools/tool';
import type { SessionState } from '../state/session-state';

/** Keeps what files contain before a tool changes them. */
export class CallChanges {
  constructor(
    private readonly tracker: ChangeTracker,
    private readonly state: Pick<SessionState, 'store'>,
  ) {}

  /** To be called before a tool runs. Resolves with a function to call when the tool has ended. */
  async begin(tool: AnyTool, id: string, params: unknown): Promise<() => Promise<void>> {
    if (tool.isReadOnly === true) return () => Promise.resolve();
    const path = tool.file?.(params as ToolArguments)?.path;
    return this.tracker.begin({ session: this.state.store.getSessionId(), id, tool: tool.name, path });
  }
}
