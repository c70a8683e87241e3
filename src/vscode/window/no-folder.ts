import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnyTool } from '../../agent/tools/tool';

/** A text for the model, in English; the model tells the user in the language of the conversation. */
const NO_FOLDER =
  'No folder is open in VS Code, so there are no files to work on and no place to run commands in. ' +
  'Tell the user to open a folder (File > Open Folder) when the task needs one.';

/**
 * Creates the empty folder that conversations use when no folder is open, and returns its absolute path. Sessions need a
 * folder that they belong to, and conversations must not search the user's home folder.
 */
export async function placeWithoutFolder(storageDir: string): Promise<string> {
  const place = join(storageDir, 'no-folder');
  await mkdir(place, { recursive: true });
  return place;
}

/** The built-in tools of a window without a folder. A call fails with the reason, without asking the user. */
export function toolsWithoutFolder(tools: readonly AnyTool[]): AnyTool[] {
  return tools.map(tool => ({
    ...tool,
    isReadOnly: true,
    file: () => undefined,
    execute: () => Promise.reject(new Error(NO_FOLDER)),
  }));
}
