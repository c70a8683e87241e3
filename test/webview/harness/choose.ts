import type { Locator } from 'playwright-core';

/** Opens the menu of a button and chooses an entry by its label, by keyboard. */
export async function choose(button: Locator, entry: string): Promise<void> {
  await button.press('Enter');
  const [menu, named] = [button.page().getByRole('menu'), { name: entry, exact: true }];
  await menu.getByRole('menuitem', named).or(menu.getByRole('menuitemradio', named)).press('Enter');
}
