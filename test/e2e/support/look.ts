import assert from 'node:assert/strict';
import { seriousFindings } from '../../support/axe';
import { Chat } from './chat';
import type { Workbench } from './workbench';

/** Drags the edge of the secondary side bar, which holds the chat, until the side bar has this width in px. */
export async function widen(workbench: Workbench, width: number): Promise<void> {
  const bar = await workbench.page.locator('.part.auxiliarybar').boundingBox();
  if (bar === null) throw new Error('there is no secondary side bar');
  const y = bar.y + bar.height / 2;
  const wanted = bar.x + bar.width - width;
  await workbench.page.mouse.move(await edgeNear(workbench, bar.x), y);
  await workbench.page.mouse.down();
  await workbench.page.mouse.move(wanted - 40, y, { steps: 4 });
  await workbench.page.mouse.move(wanted, y, { steps: 4 });
  await workbench.page.mouse.up();
  await workbench.page.mouse.move(wanted - 200, 10);
}

/** Drags the edge of the side bar, which holds the views, until the side bar has this width in px. */
export async function widenSideBar(workbench: Workbench, width: number): Promise<void> {
  const bar = await workbench.page.locator('.part.sidebar').boundingBox();
  if (bar === null) throw new Error('there is no side bar');
  const y = bar.y + bar.height / 2;
  await workbench.page.mouse.move(await edgeNear(workbench, bar.x + bar.width), y);
  await workbench.page.mouse.down();
  await workbench.page.mouse.move(bar.x + width, y, { steps: 4 });
  await workbench.page.mouse.up();
}

/** Where the upright edge nearest to x can be dragged: with VS Code's gaps between its parts it lies beside them. */
async function edgeNear(workbench: Workbench, x: number): Promise<number> {
  const edges = await workbench.page.locator('.monaco-sash.vertical:not(.disabled)').all();
  const boxes = await Promise.all(edges.map(edge => edge.boundingBox()));
  const centers = boxes.flatMap(box => (box === null ? [] : [box.x + box.width / 2]));
  const [nearest] = centers.sort((a, b) => Math.abs(a - x) - Math.abs(b - x));
  if (nearest === undefined) throw new Error('no edge can be dragged');
  return nearest;
}

/** Chooses a colour theme of VS Code by name; resolves with the chat in it. */
export async function useTheme(workbench: Workbench, name: string): Promise<Chat> {
  await workbench.runCommand('Preferences: Color Theme');
  await workbench.quickInput.opened({ withItems: true });
  await workbench.quickInput.type(name);
  await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click();
  await workbench.quickInput.closed();
  return Chat.open(workbench);
}

/** Fails if axe finds something serious or critical in the chat page. */
export async function assertAccessible({ frame }: Chat): Promise<void> {
  // The page is transparent on VS Code's own ground, which axe cannot see from inside.
  await frame.evaluate('document.body.style.background = "var(--vscode-sideBar-background)"');
  assert.deepEqual(await seriousFindings(frame), []);
}
