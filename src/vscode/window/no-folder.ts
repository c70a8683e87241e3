import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnyTool } from '../../agent/tools/tool';

/** For the model, which tells it to the user in the language of the conversation. */
const NO_FOLDER =
  'No folder is open in VS Code, so there are no files to work on and no place to run commands in. ' +
  'Tell the user to open a folder (File > Open Folder) when the task needs one.';

/**
 * An empty folder that stands for the one which is not open: conversations need a place that their sessions belong to, and
 * must not look through the user's home folder.
 */
export async function placeWithoutFolder(storageDir: string): Promise<string> {
  const place = join(storageDir, 'no-folder');
  await mkdir(place, { recursive: true });
  return place;
}

/** The built-in tools of a window without a folder: a call asks the user nothing, does nothing, and says why. */
export function toolsWithoutFolder(tools: readonly AnyTool[]): AnyTool[] {
  return tools.map(tool => ({
    ...tool,
    isReadOnly: true,
    file: () => undefined,
    execute: () => Promise.reject(new Error(NO_FOLDER)),
  }));
}
