import type { Answer, DialogKind } from '../../../hook-contract/ui/ui';
import { safeAnswer } from '../../../protocol/items/safe-answer';
import type { AskInTerminal } from '../../terminal/terminal-question';

/** What is asked: the parts of a question that a terminal shows. */
export interface TerminalQuestion {
  readonly title: string;
  /** Further text below the title; may be empty. */
  readonly message: string;
  readonly dialog: DialogKind;
}

/**
 * Asks a question of a hook in a terminal. A line without text allows nothing: it is the answer that refuses, or none. What
 * is no answer is asked again. Resolves undefined when the question is cancelled; rejects as {@link AskInTerminal} does.
 */
export async function questionInTerminal(
  ask: AskInTerminal,
  { title, message, dialog }: TerminalQuestion,
  signal?: AbortSignal,
): Promise<Answer> {
  const answering = answeringOf(dialog);
  const head = [title, message].filter(text => text !== '').join('\n\n');
  let text = `${head}\n${answering.offer}`;
  for (;;) {
    const line = await ask(`${text} `, signal);
    if (line === undefined) return undefined;
    const answer = answering.read(line);
    if (answer !== 'unclear') return answer.value;
    text = answering.again;
  }
}

interface Answering {
  /** What is shown below the question. */
  readonly offer: string;
  readonly again: string;
  readonly read: (line: string) => { readonly value: Answer } | 'unclear';
}

function answeringOf(dialog: DialogKind): Answering {
  switch (dialog.type) {
    case 'select':
      return numbers(dialog.options, safeAnswer(dialog) || undefined);
    case 'confirm':
      return yesOrNo;
    case 'input':
      return textWith(dialog.placeholder === '' ? 'Answer' : `Answer (${dialog.placeholder})`);
    case 'editor':
      return textWith(dialog.prefill === '' ? 'Text' : `New text for:\n${dialog.prefill}\n\nText`);
  }
}

function numbers(options: readonly string[], usual: string | undefined): Answering {
  const lines = options.map((option, index) => `  ${index + 1}  ${option}`);
  const empty = usual === undefined ? 'Enter alone answers nothing' : `Enter alone: ${usual}`;
  const prompt = `Number from 1 to ${options.length} (${empty}):`;
  return {
    offer: [...lines, prompt].join('\n'),
    again: prompt,
    read: line => {
      const written = line.trim();
      if (written === '') return { value: usual };
      const option = /^\d+$/.test(written) ? options[Number(written) - 1] : undefined;
      return option === undefined ? 'unclear' : { value: option };
    },
  };
}

const yesOrNo: Answering = {
  offer: 'yes or no (Enter alone: no):',
  again: 'Please type the whole word, yes or no:',
  read: line => {
    const word = line.trim().toLowerCase();
    if (word === '' || word === 'no') return { value: false };
    return word === 'yes' ? { value: true } : 'unclear';
  },
};

function textWith(label: string): Answering {
  const prompt = `${label}, on one line (Enter alone answers nothing):`;
  return { offer: prompt, again: prompt, read: line => ({ value: line === '' ? undefined : line }) };
}
