import type { Event } from '../../base/event';
import type { ApprovalMode } from '../../hook-contract/approvals/approval-mode';

/** Where the mode of each session is kept, by a key that stays the same as long as the session lives. */
export interface ModeStore {
  /** Undefined: the user chose none. */
  mode(session: string): ApprovalMode | undefined;
  keepMode(session: string, mode: ApprovalMode): void;
}

/** What conversations ask of their surroundings about approvals. */
export interface ApprovalPort {
  /** The mode of conversations for which the user chose none. */
  readonly defaultMode: () => ApprovalMode;
  /** The folder is not trusted: the mode is Ask, whatever was chosen. */
  readonly isLocked: () => boolean;
  /**
   * Absolute paths of folders that count as the workspace, besides the one in which the agent works; none when absent. Links
   * are followed once, when the conversation opens.
   */
  readonly folders?: readonly string[];
  readonly onDidChange?: Event<unknown>;
  /** In memory when absent. */
  readonly modes?: ModeStore;
}

/** Modes that live as long as the process. */
export class ModesInMemory implements ModeStore {
  private readonly modes = new Map<string, ApprovalMode>();

  mode(session: string): ApprovalMode | undefined {
    return this.modes.get(session);
  }

  keepMode(session: string, mode: ApprovalMode): void {
    this.modes.set(session, mode);
  }
}
