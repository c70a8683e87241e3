import type { ChangeTracker } from '../../agent/changes/tracker';
import { Emitter } from '../../base/event';
import type { ApprovalMode } from '../../hook-contract/approvals/approval-mode';
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  ConversationApprovals,
} from '../../hook-contract/conversation-approvals';
import type { ApprovalRule } from '../../hook-contract/approvals/approval-rule';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { SessionState } from '../state/session-state';
import { askForApproval } from './ask-for-approval';
import { realPathOf } from '../../gate/calls/real-path';
import { ModesInMemory, type ApprovalPort, type ModeStore } from '../ports/approval-port';

/** How a conversation goes about approvals: its mode, and what the user allowed for its session. */
export class Approvals implements ConversationApprovals {
  readonly folders: readonly string[];
  private readonly modes: ModeStore;
  /** Session -> what the user allowed for it. */
  private readonly allowed = new Map<string, readonly ApprovalRule[]>();
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private readonly port: ApprovalPort,
    private readonly state: Pick<SessionState, 'key'>,
    private readonly conversation: Pick<HookConversation, 'hasUI' | 'ui' | 'mode'>,
    private readonly changes?: Pick<ChangeTracker, 'coverage'>,
  ) {
    this.folders = (port.folders ?? []).flatMap(folder => realPathOf(folder) ?? []);
    this.modes = port.modes ?? new ModesInMemory();
  }

  get mode(): ApprovalMode {
    return this.port.isLocked() ? 'ask' : (this.modes.mode(this.state.key) ?? this.port.defaultMode());
  }

  /** The folder is not trusted: the mode stays Ask. */
  get isLocked(): boolean {
    return this.port.isLocked();
  }

  /** False while the mode cannot be changed. */
  setMode(mode: ApprovalMode): boolean {
    if (this.isLocked) return false;
    this.modes.keepMode(this.state.key, mode);
    this.changeEmitter.fire();
    return true;
  }

  get sessionRules(): readonly ApprovalRule[] {
    return this.allowed.get(this.state.key) ?? [];
  }

  allowInSession(rule: ApprovalRule): void {
    this.allowed.set(this.state.key, [...this.sessionRules, rule]);
  }

  get ask(): ((question: ApprovalQuestion) => Promise<ApprovalAnswer>) | undefined {
    const { conversation, changes } = this;
    return conversation.hasUI ? question => askForApproval(question, conversation, changes?.coverage) : undefined;
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }
}
