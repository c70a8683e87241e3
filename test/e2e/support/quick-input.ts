import { errors, type Locator, type Page } from 'playwright-core';

/** The palette lists the commands that exist when it opens, so it is opened anew rather than watched for long. */
const PALETTE_TIMEOUT_MS = 1500;

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

  async title(): Promise<string> {
    return this.widget.locator('.quick-input-title').innerText();
  }

  /** Presses Enter in the input, wherever the focus was. */
  async accept(): Promise<void> {
    await this.input().press('Enter');
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
    const active = this.widget.locator('.quick-input-list .monaco-list-row.focused');
    return (await active.count()) > 0 ? active.first().innerText() : undefined;
  }

  /** Replaces what stands in the input. */
  async type(text: string): Promise<void> {
    await this.opened();
    await this.input().fill(text);
  }

  /** Chooses by arrow keys and Enter, as a person without a mouse does. */
  async chooseByKeyboard(label: string): Promise<void> {
    await this.opened({ withItems: true });
    const count = await this.rows().count();
    for (let step = 0; step <= count; step++) {
      const active = await this.activeItem();
      if (active?.split('\n').some(line => line.trim() === label)) {
        await this.page.keyboard.press('Enter');
        return;
      }
      await this.page.keyboard.press('ArrowDown');
    }
    throw new Error(`no item "${label}" among: ${(await this.items()).join(' | ')}`);
  }

  /** In the open Command Palette: runs the command with exactly this title; false if it is not offered. */
  async pickCommand(title: string): Promise<boolean> {
    const row = await this.commandRow(title);
    await row?.click();
    return row !== undefined;
  }

  /** In the open Command Palette: whether there is a command with exactly this title. */
  async offersCommand(title: string): Promise<boolean> {
    return (await this.commandRow(title)) !== undefined;
  }

  private async commandRow(title: string): Promise<Locator | undefined> {
    await this.type(`>${title}`);
    const label = this.page.locator('.label-name', { hasText: new RegExp(`^\\s*${escapeRegExp(title)}\\s*$`) });
    const row = this.rows().filter({ has: label }).first();
    try {
      await row.waitFor({ timeout: PALETTE_TIMEOUT_MS });
      return row;
    } catch (error) {
      if (error instanceof errors.TimeoutError) return undefined;
      throw error;
    }
  }

  private rows(): Locator {
    return this.widget.locator('.quick-input-list .monaco-list-row');
  }

  private input(): Locator {
    return this.widget.locator('.quick-input-box input');
  }
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
