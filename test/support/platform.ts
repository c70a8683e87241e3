/** A test of what only Linux has; other systems do not have the test. */
export function itOnLinux(title: string, test: Mocha.AsyncFunc | Mocha.Func): void {
  if (process.platform === 'linux') it(title, test);
}
