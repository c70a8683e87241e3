// `node guard.ts <program> <args...>`: runs a program and ends it, with all it started, as soon as this guard is asked to
// end or the process that started it is gone, however that one ended.
import { spawnTree, stopRequest } from './processes.ts';

const [program = '', ...args] = process.argv.slice(2);
const { child, end } = spawnTree(program, args, { stdio: 'inherit' });
let isEnding = false;

async function endAll(): Promise<void> {
  isEnding = true;
  await end();
  process.exit(1);
}

void stopRequest().then(endAll);
child.once('error', error => {
  console.error(error);
  process.exit(1);
});
child.once('exit', code => {
  if (isEnding) return;
  if (code !== null) process.exit(code);
  // Ended by a signal, so it had no chance to end what it started.
  void endAll();
});
