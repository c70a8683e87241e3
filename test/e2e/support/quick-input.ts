import { errors, type Locator, type Page } from 'playwright-core';

/** The palette lists the commands that exist when it opens, so it is opened anew rather than watched for long. */
const PALETTE_TIMEOUT_MS = 1500;

/** A key that has done nothing for this long was lost: VS Code takes keys only once its context keys follow the focus. */
const LOST_KEY_MS = 3000;

const WAIT_MS = 60_000;

/** A command of VS Code that is always there, and that no title of a test finds. */
const ALWAYS_OFFERED = 'Help: About';

/** A list of one item stays as it is at an arrow key. */
const ARROW_MS = 500;

/** VS Code's quick pick and input box, whichever is open. */
export class QuickInput {
  private readonly widget: Locator;

  constructor(private readonly page: Page) {
    this.widget = page.locator('.quick-input-widget:not(.quick-input-widget-closing):visible');
  }

  /** Waits until one is open; its first list item too, if `withItems`. */
  async opened({ withItems = false } = {}): Promise<void> {
    await this.widget.waitFor();
    if (withItems) await this.rows().first().waitFor();
  }

  async closed(): Promise<void> {
    await this.widget.waitFor({ state: 'hidden' });
  }

  async isOpen(): Promise<boolean> {
    return (await this.widget.count()) > 0;
  }

  /** Everything that can be read in it: title, items, buttons. */
  async text(): Promise<string> {
    return this.widget.innerText();
  }

  /** Empty while none is open. */
  async title(): Promise<string> {
    return this.page.evaluate<string>(TITLE);
  }

  /**
   * Opens the Command Palette; false if the key was lost, which happens while a page takes or gives away the focus.
   */
  async openPalette(): Promise<boolean> {
    await this.page.keyboard.press('F1');
    return this.becomes(async () => this.page.evaluate<boolean>(IS_PALETTE));
  }

  /**
   * Presses Enter in the input, wherever the focus was, until the question is gone or another one stands there.
   * @throws Error with what is still asked
   */
  async accept(): Promise<void> {
    const before = await this.question();
    const deadline = Date.now() + WAIT_MS;
    while (before !== undefined && Date.now() < deadline) {
      // It may close between two looks.
      await this.input()
        .press('Enter', { timeout: LOST_KEY_MS })
        .catch(() => undefined);
      if (await this.becomes(async () => (await this.question()) !== before)) return;
    }
    throw new Error(before === undefined ? 'nothing is asked' : `Enter does not answer: ${before}`);
  }

  /** Presses Escape until it is closed. */
  async cancel(): Promise<void> {
    const deadline = Date.now() + WAIT_MS;
    do {
      await this.page.keyboard.press('Escape');
    } while (!(await this.becomes(async () => !(await this.isOpen()))) && Date.now() < deadline);
    await this.closed();
  }

  /**
   * Whether it asks a question of a hook or of the built-in gate: `expected` if the person opened it or waits for it, so that
   * Escape cancels the question.
   */
  async isQuestion(opened: 'expected' | 'byItself'): Promise<boolean> {
    const button = opened === 'expected' ? /^Cancel this question/ : /^Close \(Escape\)\. The question stays/;
    return (await this.widget.getByRole('button', { name: button }).count()) > 0;
  }

  /** What stands in the input. */
  async value(): Promise<string> {
    return this.input().inputValue();
  }

  async placeholder(): Promise<string> {
    return (await this.input().getAttribute('placeholder')) ?? '';
  }

  /** The text of each item in view: label, description and detail. */
  async items(): Promise<string[]> {
    await this.rows().first().waitFor();
    return this.rows().allInnerTexts();
  }

  /** The item that Enter would take, or undefined if none is active. */
  async activeItem(): Promise<string | undefined> {
    const [active] = await this.widget.locator('.quick-input-list .monaco-list-row.focused').allInnerTexts();
    return active;
  }

  /** Replaces what stands in the input. */
  async type(text: string): Promise<void> {
    await this.opened();
    await this.input().fill(text);
  }

  /** Chooses by arrow keys and Enter, as a person without a mouse does. */
  async chooseByKeyboard(label: string): Promise<void> {
    await this.opened({ withItems: true });
    const deadline = Date.now() + WAIT_MS;
    while (Date.now() < deadline) {
      const active = await this.activeItem();
      if (active?.split('\n').some(line => line.trim() === label)) return this.accept();
      await this.page.keyboard.press('ArrowDown');
      await this.becomes(async () => (await this.activeItem()) !== active, ARROW_MS);
    }
    throw new Error(`no item "${label}" among: ${(await this.items()).join(' | ')}`);
  }

  /**
   * In the open Command Palette: runs the command with exactly this title; false if it is not offered, or if the palette
   * was closed meanwhile, as VS Code does when a view that comes back takes the keyboard.
   */
  async pickCommand(title: string): Promise<boolean> {
    const row = await this.commandRow(title);
    if (row === undefined) return false;
    try {
      // The command may reload the page, which nobody waits for here.
      await row.click({ timeout: PALETTE_TIMEOUT_MS, noWaitAfter: true });
      return true;
    } catch (error) {
      if (error instanceof errors.TimeoutError) return false;
      throw error;
    }
  }

  /**
   * In the open Command Palette: whether there is a command with exactly this title; undefined if the palette was closed
   * meanwhile. The list is that of the title when a command is gone that was listed before.
   */
  async offersCommand(title: string): Promise<boolean | undefined> {
    const before = await this.commandRow(ALWAYS_OFFERED);
    if (before === undefined) return undefined;
    try {
      await this.input().fill(`>${title}`, { timeout: LOST_KEY_MS });
      await before.waitFor({ state: 'detached', timeout: LOST_KEY_MS });
      await this.rows().first().waitFor({ timeout: LOST_KEY_MS });
      const isListed = (await this.rowOf(title).count()) > 0;
      return (await this.isOpen()) && (await this.value()) === `>${title}` ? isListed : undefined;
    } catch (error) {
      if (error instanceof errors.TimeoutError) return undefined;
      throw error;
    }
  }

  private rowOf(title: string): Locator {
    const label = this.page.locator('.label-name', { hasText: new RegExp(`^\\s*${escapeRegExp(title)}\\s*$`) });
    return this.rows().filter({ has: label }).first();
  }

  private async commandRow(title: string): Promise<Locator | undefined> {
    const row = this.rowOf(title);
    try {
      await this.input().fill(`>${title}`, { timeout: PALETTE_TIMEOUT_MS });
      await row.waitFor({ timeout: PALETTE_TIMEOUT_MS });
      return row;
    } catch (error) {
      if (error instanceof errors.TimeoutError) return undefined;
      throw error;
    }
  }

  /** What tells one question from the next; undefined while none is open. */
  private async question(): Promise<string | undefined> {
    return this.page.evaluate<string | undefined>(QUESTION);
  }

  private async becomes(check: () => Promise<boolean>, timeout = LOST_KEY_MS): Promise<boolean> {
    const deadline = Date.now() + timeout;
    do {
      if (await check()) return true;
      await this.page.waitForTimeout(50);
    } while (Date.now() < deadline);
    return false;
  }

  private rows(): Locator {
    return this.widget.locator('.quick-input-list .monaco-list-row');
  }

  private input(): Locator {
    return this.widget.locator('.quick-input-box input');
  }
}

const WIDGET = `[...document.querySelectorAll('.quick-input-widget:not(.quick-input-widget-closing)')]
  .find(one => one.checkVisibility())`;

/** Runs in the page. */
const IS_PALETTE = `(${WIDGET})?.querySelector('.quick-input-box input')?.value.startsWith('>') === true`;

const TITLE = `(${WIDGET})?.querySelector('.quick-input-title')?.innerText ?? ''`;

/** Title, input and message of the open quick input, in one look. Runs in the page. */
const QUESTION = `(() => {
  const widget = ${WIDGET};
  if (!widget) return undefined;
  const input = widget.querySelector('.quick-input-box input');
  const message = widget.querySelector('.quick-input-message')?.textContent;
  const title = widget.querySelector('.quick-input-titlebar')?.textContent;
  return [title, input?.placeholder, input?.value, message].filter(Boolean).join(' | ');
})()`;

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
