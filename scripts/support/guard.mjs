// `node guard.mjs <program> <args...>`: runs a program and ends it, with all it started, as soon as the process that
// started this guard is gone, however that one ended.
import { spawn } from 'node:child_process';
import { killTree } from './processes.mjs';

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const mark = process.env.HOOKLINE_PROCESS_MARK;

async function end() {
  await killTree(child.pid, { mark: mark && `HOOKLINE_PROCESS_MARK=${mark}` });
  process.exit(1);
}

process.once('disconnect', end);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end);
child.once('error', error => {
  console.error(error);
  process.exit(1);
});
child.once('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
