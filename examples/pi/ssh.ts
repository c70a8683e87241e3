import { spawn } from 'node:child_process';
import { posix, relative, sep } from 'node:path';
import {
  createBashToolDefinition,
  createEditToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
  type ExtensionAPI,
} from '@earendil-works/pi-coding-agent';

/**
 * Makes `bash`, `read`, `write` and `edit` work on another computer when SSH_HOST names one, such as `me@build.example`.
 * SSH_DIR is the folder there that stands for the folder here; without it, this is the home folder. Only where tools work
 * changes: their limits and every gate stay the same. `ls`, `grep` and `find` are turned off, as `bash` can do the same.
 */
export default function ssh(pi: ExtensionAPI) {
  const host = process.env['SSH_HOST'] ?? '';
  if (host === '' || host.startsWith('-')) return;
  const here = process.cwd();
  const there = process.env['SSH_DIR'] ?? '.';
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const at = (path: string): string => quoted(posix.join(there, relative(here, path).replaceAll(sep, '/')));
  const start = (command: string, signal?: AbortSignal) =>
    spawn('ssh', ['-o', 'BatchMode=yes', host, '--', command], { signal });

  /** Runs a command there. Resolves with its output. */
  const remote = (command: string, input = ''): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const child = start(command);
      const output: Buffer[] = [];
      const errors: Buffer[] = [];
      child.stdout.on('data', (part: Buffer) => output.push(part));
      child.stderr.on('data', (part: Buffer) => errors.push(part));
      child.stdin.on('error', () => undefined); // The exit code tells what went wrong.
      child.stdin.end(input);
      child.on('error', reject);
      child.on('close', code =>
        code === 0 ? resolve(Buffer.concat(output)) : reject(new Error(`${host}: ${Buffer.concat(errors)}`)),
      );
    });
  const readFile = (path: string) => remote(`cat -- ${at(path)}`);
  const writeFile = async (path: string, content: string) => void (await remote(`cat > ${at(path)}`, content));
  const access = async (path: string) => void (await remote(`test -r ${at(path)}`));
  const mkdir = async (path: string) => void (await remote(`mkdir -p -- ${at(path)}`));

  const bash = createBashToolDefinition(here, {
    operations: {
      exec: (command, cwd, { onData, signal, timeout }) =>
        new Promise((resolve, reject) => {
          const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout * 1000);
          const stop = AbortSignal.any([signal, limit].filter(each => each !== undefined));
          const child = start(`cd -- ${at(cwd)} && ${command}`, stop);
          child.stdin.end();
          child.stdout.on('data', onData);
          child.stderr.on('data', onData);
          child.on('error', error =>
            reject(limit?.aborted ? new Error(`timeout:${timeout}`) : signal?.aborted ? new Error('aborted') : error),
          );
          child.on('close', exitCode => resolve({ exitCode }));
        }),
    },
  });
  const read = createReadToolDefinition(here, { operations: { readFile, access } });
  const write = createWriteToolDefinition(here, { operations: { writeFile, mkdir } });
  const edit = createEditToolDefinition(here, { operations: { readFile, writeFile, access } });
  pi.registerTool({ ...bash, description: `${bash.description} Commands run on ${host}.` });
  pi.registerTool({ ...read, description: `${read.description} Files are on ${host}.` });
  pi.registerTool({ ...write, description: `${write.description} Files are on ${host}.` });
  pi.registerTool({ ...edit, description: `${edit.description} Files are on ${host}.` });
  const local = ['ls', 'grep', 'find'];
  pi.on('session_start', () => pi.setActiveTools(pi.getActiveTools().filter(name => !local.includes(name))));
}
