import assert from 'node:assert/strict';
import {
  attachConfiguration,
  debugConfiguration,
  workspaceFileText,
  type DebugPlace,
} from '../../../src/vscode/debug/debug-configuration';
import { debugStartOf } from '../../../src/vscode/debug/debug-start';

describe('the configuration that debugs hooks', () => {
  const place: DebugPlace = {
    extensionDir: '/extensions/hookline',
    opens: '/storage/debug/x.code-workspace',
    folder: '/some where/ü',
    agentDir: '/home/me/.pi/agent',
    configured: ['/shared/gate.ts', '/shared/hooks'],
    start: { provider: 'demo', modelId: 'demo', thinkingLevel: 'low', mode: 'auto' },
  };
  const given = { name: 'Mine', type: 'hookline', request: 'launch' };

  it('opens a second window with this copy of Hookline', () => {
    const { name, type, request, args } = debugConfiguration(given, place);
    assert.deepEqual([name, type, request], ['Mine', 'extensionHost', 'launch']);
    assert.deepEqual(args, [place.opens, '--extensionDevelopmentPath=/extensions/hookline']);
  });

  it('believes the maps of all hooks, wherever they are loaded from', () => {
    const configuration = debugConfiguration(given, place);
    const globs = configuration['outFiles'] as string[];
    for (const start of [
      '/some where/ü/.pi/**',
      '/some where/ü/.omp/**',
      '/home/me/.pi/agent/hooks/**',
      '/home/me/.pi/agent/extensions/**',
      '/shared/hooks/**',
    ]) {
      assert.ok(
        globs.some(glob => glob.startsWith(start)),
        start,
      );
    }
    assert.ok(globs.includes('/shared/gate.ts'));
    assert.deepEqual(configuration['resolveSourceMapLocations'], ['/some where/ü/**', ...globs]);
  });

  it('attaches to a process of hook tests and to those that it starts, and believes the same maps', () => {
    const attached = attachConfiguration('Tests', 4711, place);
    const { type, request, address, port, autoAttachChildProcesses } = attached as Record<string, unknown>;
    assert.deepEqual([type, request, address, port], ['node', 'attach', '127.0.0.1', 4711]);
    assert.equal(autoAttachChildProcesses, true);
    assert.deepEqual(attached['outFiles'], debugConfiguration(given, place)['outFiles']);
  });

  it('lets launch.json say more, but not another type', () => {
    const request = { ...given, args: ['--disable-extensions', 1], env: { A: 'b' }, outFiles: ['x'], trace: true };
    const configuration = debugConfiguration(request, place);
    assert.equal(configuration.type, 'extensionHost');
    assert.deepEqual(configuration['args'], [
      place.opens,
      '--extensionDevelopmentPath=/extensions/hookline',
      '--disable-extensions',
    ]);
    assert.deepEqual(
      [configuration['env'], configuration['outFiles'], configuration['trace']],
      [{ HOOKLINE_FRESH_SESSION: JSON.stringify(place.start), A: 'b' }, ['x'], true],
    );
  });

  it('tells the second window how to start, and starts a new session whatever the variable says', () => {
    const { env } = debugConfiguration(given, place) as unknown as { readonly env: Record<string, string> };
    assert.deepEqual(debugStartOf(env), place.start);
    for (const text of ['1', '', '{"mode":"yolo"}']) {
      assert.deepEqual(debugStartOf({ HOOKLINE_FRESH_SESSION: text }), {});
    }
    assert.equal(debugStartOf({}), undefined);
  });

  it('names the folder in the workspace file of the second window', () =>
    assert.deepEqual(JSON.parse(workspaceFileText('C:\\a "b"')), { folders: [{ path: 'C:\\a "b"' }] }));
});
