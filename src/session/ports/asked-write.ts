import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import type { Question } from './dialogs';

/** The call of a question that writes a file in a known place; undefined for a question about anything else. */
export function askedWrite({ subject, call }: Pick<Question, 'subject' | 'call'>): CallDetails | undefined {
  const asked: CallDetails | undefined = subject?.type === 'call' ? subject.call : call;
  return asked?.kind === 'writes' && asked.file?.place !== 'unclear' ? asked : undefined;
}
