import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

/** What may stand where a file is expected. */
export const SPECIAL_KINDS = ['named pipe', 'link to a pipe', 'link to /dev/zero', 'socket', 'folder'] as const;
export type SpecialKind = (typeof SPECIAL_KINDS)[number];

/** What is said of each. */
export const SAID: Readonly<Record<SpecialKind, RegExp>> = {
  'named pipe': /is a named pipe, not a regular file/,
  'link to a pipe': /is a named pipe, not a regular file/,
  'link to /dev/zero': /is a device, not a regular file/,
  socket: /is a socket, not a regular file/,
  folder: /EISDIR|[Ii]s a directory|Not a directory/,
};

/** Puts it at a path; call what comes back when it is no longer needed. */
export async function putSpecial(path: string, kind: SpecialKind): Promise<() => Promise<void>> {
  mkdirSync(dirname(path), { recursive: true });
  const none = (): Promise<void> => Promise.resolve();
  switch (kind) {
    case 'named pipe':
      execFileSync('mkfifo', [path]);
      return none;
    case 'link to a pipe':
      execFileSync('mkfifo', [`${path}.target`]);
      symlinkSync(`${path}.target`, path);
      return none;
    case 'link to /dev/zero':
      symlinkSync('/dev/zero', path);
      return none;
    case 'folder':
      mkdirSync(join(path, 'inside'), { recursive: true });
      return none;
    case 'socket': {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, resolve);
      });
      return () => new Promise(resolve => server.close(() => resolve()));
    }
  }
}
