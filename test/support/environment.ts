/**
 * Remembers the environment variables of this process. The function that it returns puts them back one by one:
 * `process.env` as another object would be a plain one, which Node itself (`os.tmpdir()`) does not look at.
 */
export function rememberEnvironment(): () => void {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
  };
}
