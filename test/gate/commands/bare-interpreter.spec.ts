import assert from 'node:assert/strict';
import { bareInterpreter } from '../../../src/gate/commands/bare-interpreter';

const BARE: readonly (readonly [line: string, name: string])[] = [
  ['bash', 'bash'],
  ['/bin/sh', 'sh'],
  ['bash -i', 'bash'],
  ['bash --norc', 'bash'],
  ['sh -s', 'sh'],
  ['python', 'python'],
  ['python3.12 -q', 'python3.12'],
  ['python3 -', 'python3'],
  ['python -i build.py', 'python'],
  ['node', 'node'],
  ['node -i -e "1"', 'node'],
  ['cd src && bash', 'bash'],
  ['ls; exec zsh', 'zsh'],
  ['env A=b bash', 'bash'],
  ['A=b bash', 'bash'],
  ['sudo -n bash', 'bash'],
  ['timeout 60 python3', 'python3'],
  ["'bash'", 'bash'],
  ['b"as"h', 'bash'],
  ['\\bash', 'bash'],
  ['(bash)', 'bash'],
  ['echo $(bash)', 'bash'],
  ['cat | bash', 'bash'],
  ['bash > out.txt 2>&1', 'bash'],
  ['bash &', 'bash'],
  ['if true; then bash; fi', 'bash'],
  ['perl', 'perl'],
  ['irb', 'irb'],
  ['pwsh -NoExit -Command ls', 'pwsh'],
];

const OTHERS: readonly string[] = [
  'ls -la',
  'bash build.sh',
  'bash -c "rm -rf build"',
  'bash -lc ls',
  'bash --version',
  'python3 -m pytest',
  'python3 -c "print(1)"',
  'python manage.py migrate',
  'node --test',
  'node -e "1"',
  'node build.mjs',
  "python3 - <<'EOF'\nprint(1)\nEOF",
  'bash <<< "ls"',
  'bash < build.sh',
  'echo bash',
  'git log --author bash',
  'grep -r bash .',
  'npm test',
  'perl -e 1',
  'echo "; bash"',
  '',
];

describe('interpreters with nothing to run', () => {
  for (const [line, name] of BARE) {
    it(`are found in ${line}`, () => {
      assert.equal(bareInterpreter(line), name);
    });
  }
  for (const line of OTHERS) {
    it(`are not found in ${JSON.stringify(line)}`, () => {
      assert.equal(bareInterpreter(line), undefined);
    });
  }
});
