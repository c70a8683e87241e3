import type { Page } from 'playwright-core';

/** Five keys a second. */
const KEY_MS = 200;
/** A guard against hanging. */
const MOST_WORDS = 120;

/** What the person sees of VS Code's pick or box at one moment. */
interface Prompt {
  /** What tells one question from the next: its line, which stands in the empty box. */
  readonly id: string;
  readonly value: string;
}

/** A prompt that was open while the person typed. */
export interface SeenPrompt {
  /** Letters that were typed while it was open. */
  letters: string;
  /** What stood in its box at last. */
  value: string;
}

/** A person who looks at what they type and at nothing else: five keys a second, with Enter after every five letters. */
export class Typist {
  /** All complete words, in order; each has five letters and is typed once. */
  readonly words: string[] = [];
  /** Every prompt that was open while a letter was typed, by what it asks. */
  readonly prompts = new Map<string, SeenPrompt>();
  private count = 0;

  /** `prefix`: the first two letters of each word. */
  constructor(
    private readonly page: Page,
    private readonly prefix: string,
  ) {}

  /** Types until `isDone`. After each word, `between` are pressed as well, in the same rhythm. */
  async type(isDone: () => boolean, between: readonly string[] = []): Promise<void> {
    while (!isDone()) {
      if (this.words.length === MOST_WORDS) throw new Error(`what is waited for did not happen in ${MOST_WORDS} words`);
      const word = `${this.prefix}${String(++this.count).padStart(3, '0')}`;
      for (const letter of word) await this.letter(letter);
      for (const key of ['Enter', ...between]) await this.press(key);
      this.words.push(word);
    }
  }

  private async letter(letter: string): Promise<void> {
    const before = await this.prompt();
    await this.press(letter);
    const after = await this.prompt();
    if (before === undefined || after?.id !== before.id) return;
    const seen = this.prompts.get(before.id) ?? { letters: before.value, value: '' };
    seen.letters += letter;
    seen.value = after.value;
    this.prompts.set(before.id, seen);
  }

  private async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
    await this.page.waitForTimeout(KEY_MS);
  }

  private prompt(): Promise<Prompt | undefined> {
    return this.page.evaluate<Prompt | undefined>(PROMPT);
  }
}

/** Runs in the page. */
const PROMPT = `(() => {
  const widget = [...document.querySelectorAll('.quick-input-widget:not(.quick-input-widget-closing)')]
    .find(one => one.checkVisibility());
  const input = widget?.querySelector('.quick-input-box input');
  return input ? { id: input.placeholder, value: input.value } : undefined;
})()`;
