import type { Composer } from './composer';

/** Data types of dragged files and resources. */
const DRAGGED = ['Files', 'application/vnd.code.uri-list', 'text/uri-list'];

/** Accepts files that are dropped anywhere on the page: files from outside are attached, files from VS Code are mentioned. */
export function acceptDrops(root: HTMLElement, composer: Composer): void {
  root.addEventListener('dragover', event => {
    if (!DRAGGED.some(kind => event.dataTransfer?.types.includes(kind) === true)) return;
    event.preventDefault();
    root.classList.add('dropping');
  });
  const ended = (): void => {
    root.classList.remove('dropping');
  };
  root.addEventListener('dragleave', ended);
  root.addEventListener('drop', event => {
    ended();
    const { dataTransfer } = event;
    if (dataTransfer === null) return;
    if (composer.takeUris(dataTransfer)) {
      event.preventDefault();
      composer.focus();
      return;
    }
    const files = [...dataTransfer.files];
    if (files.length === 0) return;
    event.preventDefault();
    void composer.attach(files);
  });
}
