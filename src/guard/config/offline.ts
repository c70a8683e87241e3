/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

/** An environment in which a program that honors proxies reaches no other host. */
export function offline(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  return { ...env, ...Object.fromEntries(names.map(name => [name, NOWHERE])) };
}
