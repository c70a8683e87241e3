/** A tool call as a model makes it. */
export interface OrdinaryCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const read = (path: string): OrdinaryCall => ({ name: 'read', args: { path } });
const grep = (pattern: string): OrdinaryCall => ({ name: 'grep', args: { pattern } });
const ls = (path: string): OrdinaryCall => ({ name: 'ls', args: { path } });
const find = (pattern: string): OrdinaryCall => ({ name: 'find', args: { pattern } });
const write = (path: string): OrdinaryCall => ({ name: 'write', args: { path, content: 'x\n' } });
const edit = (path: string): OrdinaryCall => ({
  name: 'edit',
  args: { path, edits: [{ oldText: 'a', newText: 'b' }] },
});
const bash = (command: string): OrdinaryCall => ({ name: 'bash', args: { command } });

/** Files that the calls are about: name -> text. */
export const ORDINARY_FILES: Readonly<Record<string, string>> = {
  'README.md': 'a readme\n',
  'package.json': '{ "name": "a" }\n',
  'tsconfig.json': '{}\n',
  'src/index.ts': 'a\n',
  'src/server.ts': 'a\n',
  'src/routes/users.ts': 'a\n',
  'test/server.spec.ts': 'a\n',
  'notes/guide.md': 'a\n',
};

/**
 * A hundred calls of a usual day: finding one's way, changing some files, running tests, looking at the history. What tires
 * people is measured with them.
 */
export const ORDINARY_CALLS: readonly OrdinaryCall[] = [
  ...['README.md', 'package.json', 'src/index.ts', 'src/server.ts', 'test/server.spec.ts', 'tsconfig.json'].map(read),
  ...['TODO', 'createServer', 'users'].map(grep),
  ...['.', 'src', 'test'].map(ls),
  ...['*.ts', '**/*.spec.ts'].map(find),
  ...['src/index.ts', 'src/server.ts', 'src/routes/users.ts', 'test/server.spec.ts', 'README.md', 'notes/guide.md'].map(
    edit,
  ),
  ...['src/routes/orders.ts', 'test/orders.spec.ts', 'notes/orders.md'].map(write),
  ...[
    ...['ls', 'ls -la', 'ls src', 'ls -la src/routes', 'ls -R test', 'pwd', 'ls node_modules 2>/dev/null | head -20'],
    ...[
      'cat package.json',
      'cat src/index.ts',
      'cat -n src/server.ts',
      'cat README.md | head -50',
      'cat tsconfig.json',
    ],
    ...['head -40 src/server.ts', 'head -n 20 README.md', 'tail -n 30 src/server.ts', `sed -n '1,80p' src/server.ts`],
    ...['wc -l src/index.ts src/server.ts', 'wc -l README.md', 'sort README.md', 'stat package.json', 'du -sh src'],
    ...['grep -rn createServer src', 'grep -n "import" src/index.ts', `grep -rln "TODO" . --include='*.ts'`],
    ...['grep -c test test/server.spec.ts', 'grep -rn "users" src test | head -20', 'grep -A 5 -n a src/server.ts'],
    ...[`find . -name '*.ts' -not -path './node_modules/*'`, 'find src -type f', `find . -maxdepth 2 -name '*.json'`],
    ...[`find src -name '*.ts' | wc -l`, `find test -type f | sort`, 'basename src/index.ts', 'echo "--- done"'],
    ...[
      'git status',
      'git status -s',
      'git status --short --branch',
      'git diff',
      'git diff --stat',
      'git diff --cached',
    ],
    ...['git diff HEAD~1 -- src', 'git log --oneline -10', 'git log -3 --stat', 'git log --oneline | head -5'],
    ...['git show HEAD --stat', 'git branch', 'git branch --show-current', 'git rev-parse HEAD', 'git ls-files src'],
    ...[
      'git blame src/server.ts',
      'git remote -v',
      'git stash list',
      'git status && git diff --stat',
      'git diff --name-only',
      'git diff src/server.ts',
      'git log -1',
    ],
    ...['npm test', 'npm run build', 'npm run lint', 'npm test -- --grep users', 'npm install', 'npx tsc --noEmit'],
    ...['npx eslint src', 'node src/index.js', 'node -e "console.log(1)"', 'npm ls --depth=0', 'npm outdated'],
    ...['mkdir -p src/models', 'rm -rf dist', 'mv src/a.ts src/b.ts', 'cp README.md notes/README.md', 'touch src/c.ts'],
    ...[
      'git add -A',
      'git commit -m "Add orders"',
      'git checkout -b orders',
      'git push',
      'curl -s http://127.0.0.1:3000',
    ],
  ].map(bash),
];
