const COLORS = 'FORCE_COLOR';
const COLORS_OFF = 'NO_COLOR';
let loading = 0;

/**
 * Loads a package of a hook while the environment asks for all colours: libraries such as chalk look only then, find no
 * terminal in the host, and would stay plain for good. Child processes started later do not see it.
 */
export function inColor<V>(load: () => V): V {
  if (loading === 0 && (COLORS in process.env || COLORS_OFF in process.env)) return load();
  loading += 1;
  process.env[COLORS] = '3';
  let answer: V;
  try {
    answer = load();
  } catch (error) {
    ended();
    throw error;
  }
  if (answer instanceof Promise) answer.then(ended, ended);
  else ended();
  return answer;
}

function ended(): void {
  loading -= 1;
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a variable of the environment cannot be undefined
  if (loading === 0) delete process.env[COLORS];
}
