import { spawn } from 'node:child_process';
import { createBashToolDefinition, type ExtensionAPI } from '@earendil-works/pi-coding-agent';

/**
 * Runs the commands of the agent on another computer when SSH_HOST names one, such as `me@build.example`. Only where
 * commands run changes: the tool, its limits and every gate stay the same. File tools still work on this computer.
 */
export default function sshBash(pi: ExtensionAPI) {
  const host = process.env['SSH_HOST'] ?? '';
  if (host === '' || host.startsWith('-')) return;
  const bash = createBashToolDefinition(process.cwd(), {
    operations: {
      exec: (command, _cwd, { onData, signal, timeout }) =>
        new Promise((resolve, reject) => {
          const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout * 1000);
          const stop = AbortSignal.any([signal, limit].filter(each => each !== undefined));
          const child = spawn('ssh', ['-o', 'BatchMode=yes', host, '--', command], { signal: stop });
          child.stdout.on('data', onData);
          child.stderr.on('data', onData);
          child.on('error', error =>
            reject(limit?.aborted ? new Error(`timeout:${timeout}`) : signal?.aborted ? new Error('aborted') : error),
          );
          child.on('close', exitCode => resolve({ exitCode }));
        }),
    },
  });
  pi.registerTool({ ...bash, description: `${bash.description} Commands run on ${host}.` });
}
