import type { AgentMessage } from '../../agent/messages';

/** Whether a run ended after this message before the model answered it. */
export function isUnanswered(last: AgentMessage): boolean {
  switch (last.role) {
    case 'user':
    case 'toolResult':
      return true;
    case 'assistant':
      return last.stopReason === 'aborted' || last.stopReason === 'toolUse';
    case 'system':
    case 'custom':
    case 'bashExecution':
    case 'branchSummary':
    case 'compactionSummary':
      return false;
  }
}
