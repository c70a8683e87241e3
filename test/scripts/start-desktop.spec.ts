import assert from 'node:assert/strict';
import { npmCommand } from '../../scripts/install.mjs';
import { desktopProgram } from '../../scripts/start/desktop-program';

/** What VS Code's installer writes, with the folder of the version in newer ones. */
const batchFile = (versionFolder: string): string =>
  [
    '@echo off',
    'setlocal',
    'set VSCODE_DEV=',
    'set ELECTRON_RUN_AS_NODE=1',
    `"%~dp0..\\Code.exe" "%~dp0..\\${versionFolder}resources\\app\\out\\cli.js" %*`,
    'IF %ERRORLEVEL% NEQ 0 EXIT /b %ERRORLEVEL%',
    'endlocal',
    '',
  ].join('\r\n');

describe('the desktop VS Code of npm start', () => {
  for (const folder of ['C:\\Program Files\\Microsoft VS Code', 'D:\\a & b\\100% ^ (x) "q"']) {
    for (const version of ['', '0a1b2c3d4e\\']) {
      it(`is started without a shell on Windows: ${folder}, ${version || 'no folder of a version'}`, () => {
        const read = (path: string): string => {
          assert.equal(path, `${folder}\\bin\\code.cmd`);
          return batchFile(version);
        };
        assert.deepEqual(desktopProgram(`${folder}\\bin\\code.cmd`, { platform: 'win32', read }), {
          file: `${folder}\\Code.exe`,
          args: [`${folder}\\${version}resources\\app\\out\\cli.js`],
          env: { ELECTRON_RUN_AS_NODE: '1', VSCODE_DEV: '' },
        });
      });
    }
  }

  it('is not a batch file that starts something else', () => {
    assert.throws(
      () =>
        desktopProgram('C:\\x\\code.cmd', { platform: 'win32', read: () => '@echo off\r\nnode "%~dp0x.js" %*\r\n' }),
      /C:\\x\\code\.cmd is not the command line of a VS Code/,
    );
  });

  it('is its command line on other systems', () => {
    for (const platform of ['linux', 'darwin'] as const) {
      const read = (): string => assert.fail('nothing is read');
      assert.deepEqual(desktopProgram('/a b/code', { platform, read }), { file: '/a b/code', args: [], env: {} });
    }
  });
});

describe('the npm of the scripts', () => {
  const cli = 'C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npm-cli.js';

  it('is the program of the running npm', () => {
    const env = { npm_execpath: '/npm/npm-cli.js' };
    const command = { file: process.execPath, args: ['/npm/npm-cli.js'] };
    assert.deepEqual(npmCommand({ platform: 'linux', env, exists: () => true }), command);
    assert.deepEqual(npmCommand({ platform: 'linux', env, exists: () => false }), { file: 'npm', args: [] });
  });

  it('is found on the PATH of Windows without a shell', () => {
    const env = { PATH: 'C:\\Windows;;C:\\Program Files\\nodejs' };
    const found = npmCommand({ platform: 'win32', env, exists: path => path === cli });
    assert.deepEqual(found, { file: process.execPath, args: [cli] });
    assert.throws(() => npmCommand({ platform: 'win32', env: {}, exists: () => true }), /npm was not found/);
  });
});
