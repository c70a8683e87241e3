// `node guard.ts <program> <args...>`: runs a program, and ends it with all its child processes when this guard is asked to
// end or when the process that started the guard has ended for any reason.
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
  // A signal ended the program, so it could not end its child processes.
  void endAll();
});
