import { spawnSync } from 'node:child_process';

/** How a process reaches only 127.0.0.1. */
export interface OnlyLoopback {
  /** A program with its arguments that runs the process in a network of its own; empty where the system has none. */
  readonly within: readonly string[];
  /** For where `within` is empty: programs that follow these variables reach nothing else, either. */
  readonly env: NodeJS.ProcessEnv;
  /** For the output. */
  readonly description: string;
}

const IN_SHELL = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
/** As root, and as an ordinary user where the system lets one make namespaces. */
const WAYS = [
  ['unshare', '--net', '--mount'],
  ['unshare', '--user', '--map-root-user', '--net', '--mount'],
].map(way => [...way, ...IN_SHELL]);

const DEAD_PROXY = 'http://127.0.0.1:9';

/** Finds how processes of this machine can be kept from the network. */
export function onlyLoopback(): OnlyLoopback {
  const within = process.platform === 'linux' ? WAYS.find(canRun) : undefined;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap(name => [name, name.toLowerCase()]);
  return {
    within: within ?? [],
    env: {
      ...Object.fromEntries(names.map(name => [name, DEAD_PROXY])),
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
    },
    description: within === undefined ? 'a proxy that does not exist' : 'a network of its own',
  };
}

function canRun([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, [...args, 'true'], { stdio: 'ignore' }).status === 0;
}
