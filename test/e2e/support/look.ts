import { Chat } from './chat';
import type { Workbench } from './workbench';

/** Drags the edge of the side bar until the side bar has this width in px. */
export async function widen(workbench: Workbench, width: number): Promise<void> {
  const bar = await workbench.page.locator('.part.sidebar').boundingBox();
  if (bar === null) throw new Error('there is no side bar');
  const y = bar.y + bar.height / 2;
  await workbench.page.mouse.move(bar.x + bar.width, y);
  await workbench.page.mouse.down();
  await workbench.page.mouse.move(bar.x + width + 40, y, { steps: 4 });
  await workbench.page.mouse.move(bar.x + width, y, { steps: 4 });
  await workbench.page.mouse.up();
  await workbench.page.mouse.move(bar.x + width + 200, 10);
}

/** Chooses a colour theme of VS Code by name; resolves with the chat in it. */
export async function useTheme(workbench: Workbench, name: string): Promise<Chat> {
  await workbench.runCommand('Preferences: Color Theme');
  await workbench.quickInput.opened({ withItems: true });
  await workbench.quickInput.type(name);
  await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click();
  await workbench.quickInput.closed();
  await workbench.page.waitForTimeout(500); // the pick fades out
  return Chat.open(workbench);
}
