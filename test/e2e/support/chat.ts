import type { Frame, Locator } from 'playwright-core';
import { waitFor, type WorkbenchWindow } from './workbench';

/** The chat page as a person uses it. */
export class Chat {
  private constructor(
    private readonly workbench: WorkbenchWindow,
    readonly frame: Frame,
  ) {}

  /** Opens the panel and waits until it shows the conversation. */
  static async open(workbench: WorkbenchWindow): Promise<Chat> {
    await workbench.runCommand('Hookline: Open Chat');
    return Chat.attach(workbench);
  }

  /** The page that is there already, after a reload. */
  static async attach(workbench: WorkbenchWindow): Promise<Chat> {
    try {
      const frame = await waitFor(
        async () => {
          const found = await workbench.chatFrame('[data-hookline="chat"][data-ready="true"]');
          return (await isThere(found)) ? found : undefined;
        },
        { what: 'a chat page that stays' },
      );
      return new Chat(workbench, frame);
    } catch (error) {
      await workbench.keepEvidence('chat-not-ready');
      throw error;
    }
  }

  /** The page in the side bar, while others are in editor tabs. */
  static inSideBar(workbench: WorkbenchWindow): Promise<Chat> {
    return Chat.placed(workbench, 'side bar', 0);
  }

  /** The page in an editor tab that can be seen; `at` counts them from the left. */
  static inEditor(workbench: WorkbenchWindow, at = 0): Promise<Chat> {
    return Chat.placed(workbench, 'editor', at);
  }

  private static async placed(workbench: WorkbenchWindow, place: 'side bar' | 'editor', at: number): Promise<Chat> {
    return waitFor(
      async () => {
        const found: { readonly frame: Frame; readonly x: number }[] = [];
        for (const frame of workbench.page.frames()) {
          const isView = frame.parentFrame()?.url().includes('purpose=webviewView') === true;
          if (isView !== (place === 'side bar') || !(await isReady(frame)) || !(await isThere(frame))) continue;
          found.push({ frame, x: (await (await frame.frameElement()).boundingBox())?.x ?? 0 });
        }
        const frame = found.sort((a, b) => a.x - b.x)[at]?.frame;
        return frame === undefined ? undefined : new Chat(workbench, frame);
      },
      { what: `the chat page ${at} in the ${place}` },
    );
  }

  get composer(): Locator {
    return this.frame.locator('[data-hookline="composer"]');
  }

  /** Types a text and sends it with Enter; resolves when the host has begun with it, so that `idle` means its end. */
  async ask(text: string): Promise<void> {
    const before = await this.revision();
    await this.send(text);
    for (let polls = 0; polls < 40 && (await this.revision()) === before; polls++) {
      await this.workbench.page.waitForTimeout(50);
    }
  }

  /** Types a text and sends it with Enter; for what changes nothing on the page, such as a command that opens a pick. */
  async send(text: string): Promise<void> {
    // Not by a click: a notification may lie over it.
    await this.composer.focus();
    await this.composer.fill(text);
    await this.workbench.page.keyboard.press('Enter');
  }

  /** Begins a session, with nothing in the composer. */
  async startAnew(): Promise<void> {
    await this.composer.fill('');
    await this.workbench.runCommand('Hookline: New Session');
    await this.isNew();
  }

  /** Resolves when a conversation without messages is shown. */
  async isNew(): Promise<void> {
    await this.frame.locator('.empty h2').waitFor();
  }

  private revision(): Promise<string | null> {
    return this.frame.locator('[data-hookline="chat"]').getAttribute('data-revision');
  }

  /** The latest tool card, once it is in this state. */
  async tool(name: string, state: string, index?: number): Promise<Locator> {
    const cards = this.frame.locator(`[data-kind="tool"] [data-tool="${name}"], [data-tool="${name}"]`);
    await waitFor(
      async () => {
        const count = await cards.count();
        if (count === 0 || (index !== undefined && count <= index)) return undefined;
        const card = index === undefined ? cards.last() : cards.nth(index);
        return (await card.getAttribute('data-state')) === state ? true : undefined;
      },
      { what: `the ${name} card in state ${state}` },
    );
    return index === undefined ? cards.last() : cards.nth(index);
  }

  /** Opens the details of a tool card, by keyboard. */
  async openCard(card: Locator): Promise<void> {
    await waitFor(
      async () => {
        const line = card.locator('.card-line');
        if ((await line.getAttribute('aria-expanded')) === 'true') return true;
        await line.press('Enter');
        return undefined;
      },
      { what: 'the details of the card' },
    );
  }

  /** Takes an action of a tool card from its menu, by keyboard. */
  async act(card: Locator, action: string): Promise<void> {
    await card.locator('.card-menu').press('Enter');
    await this.frame.getByRole('menuitem', { name: action, exact: true }).press('Enter');
  }

  /** The approval mode that the composer shows, in lower case. */
  async approvalMode(): Promise<string> {
    const label = await this.frame.locator('[data-hookline="approval-mode"]').getAttribute('aria-label');
    return label?.split(': ').at(-1)?.toLowerCase() ?? '';
  }

  /** Chooses an approval mode in the composer, by keyboard. */
  async chooseMode(mode: 'Ask' | 'Edits' | 'Auto' | 'Plan'): Promise<void> {
    await this.frame.locator('[data-hookline="approval-mode"]').press('Enter');
    await this.frame.getByRole('menuitemradio', { name: mode, exact: true }).press('Enter');
  }

  /** What hooks show at one place of the chat: `panel`, `overlay`, `above`, `header` and so on. */
  component(place: string): Locator {
    return this.frame.locator(`[data-place="${place}"]`);
  }

  /** Waits for a line of a component that holds the text. */
  shows(place: string, text: string): Promise<void> {
    return this.component(place).locator('.term-row', { hasText: text }).first().waitFor();
  }

  /** Waits until nothing is shown at a place any more. */
  gone(place: string): Promise<void> {
    return this.component(place).waitFor({ state: 'detached' });
  }

  /** Waits until some item's text contains this. */
  async says(text: string | RegExp): Promise<void> {
    await this.frame.locator('[data-item-id]', { hasText: text }).first().waitFor();
  }

  /** All of the conversation as text. */
  async text(): Promise<string> {
    return this.frame.locator('[role="log"]').innerText();
  }

  /** Waits until nothing runs. */
  async idle(): Promise<void> {
    await this.frame.locator('[data-hookline="chat"][data-phase="idle"]').waitFor();
  }
}

/** Whether a frame holds a chat page that is drawn. */
async function isReady(frame: Frame): Promise<boolean> {
  const count = frame.locator('[data-hookline="chat"][data-ready="true"]').count();
  return (await count.catch(() => 0)) > 0;
}

/** Whether a frame is seen, and still is a moment later: VS Code puts a new one in its place when a view is shown again. */
async function isThere(frame: Frame): Promise<boolean> {
  try {
    for (let each: Frame | null = frame; each?.parentFrame(); each = each.parentFrame()) {
      if (!(await (await each.frameElement()).isVisible())) return false;
    }
    await frame.page().waitForTimeout(150);
    return !frame.isDetached();
  } catch {
    return false; // It went while it was asked.
  }
}
