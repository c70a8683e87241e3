import type { EditorPort } from '../conversation/editor-port';

const nothing = (): void => undefined;

/** There is no editor around: whatever is asked of it does not happen. */
export const noEditor: EditorPort = {
  openFile: nothing,
  openLink: nothing,
  openText: nothing,
  openDiagram: nothing,
  insertAtCursor: nothing,
  copy: nothing,
  showDiff: nothing,
  notify: nothing,
  setHookStatus: nothing,
  setTitle: nothing,
  pickModel: nothing,
  pickSession: nothing,
  showHooks: nothing,
  run: nothing,
};
