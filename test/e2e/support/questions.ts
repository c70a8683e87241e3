import type { Locator } from 'playwright-core';
import type { Chat } from './chat';
import type { WorkbenchWindow } from './workbench';

/** The key of _Hookline: Answer Waiting Question_. */
const ANSWER_KEY = 'Control+Alt+a';

/** Waits for a question and opens its pick or box by key, as a person does who wants to answer it now. */
export async function openQuestion(window: WorkbenchWindow): Promise<void> {
  await window.pressUntil(ANSWER_KEY, () => window.quickInput.isQuestion('expected'));
}

/** Waits for a question and answers it in its pick, by arrow keys and Enter. */
export async function answerQuestion(window: WorkbenchWindow, answer: string): Promise<void> {
  await openQuestion(window);
  await window.quickInput.chooseByKeyboard(answer);
}

/** The card of the question that waits for an answer. */
export function openCard(chat: Chat): Locator {
  return chat.frame.locator('[data-gate][data-state="open"]');
}

/** Waits for a question and answers it by a button of its card. */
export async function answerOnCard(chat: Chat, answer: string): Promise<void> {
  await openCard(chat).getByRole('button', { name: answer, exact: true }).click();
}

/** Waits for a question of the built-in gate, and opens the menu of further ways to allow on its card. */
export async function openWaysToAllow(chat: Chat): Promise<void> {
  await openCard(chat).getByRole('button', { name: 'More Ways to Allow' }).click();
}
