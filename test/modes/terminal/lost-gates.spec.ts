import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookHost } from '../../../src/hook-run/host/host';
import { printHookChanges } from '../../../src/modes/terminal/print-hook-changes';
import { Rig } from '../../support/conversation-rig';

const GATE = 'export default pi => pi.on("tool_call", () => undefined);\n';
const NO_FILES = {
  held: [],
  onDidChange: () => ({ dispose: () => undefined }),
  onDidPutBack: () => ({ dispose: () => undefined }),
};
const OTHER = 'export default pi => pi.on("agent_end", () => undefined);\n';

describe('the command line names a gate that is gone when', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await Rig.open([], { hooks: { 'gate.ts': GATE, 'other.ts': OTHER } });
  });
  afterEach(() => rig.close());

  /** As a person or another program does it, while no call runs. */
  function replaceFolder(): void {
    const folder = join(rig.cwd, '.pi', 'hooks');
    mkdirSync(join(rig.cwd, 'empty'));
    renameSync(folder, join(rig.cwd, 'kept'));
    symlinkSync(join(rig.cwd, 'empty'), folder);
  }
  function printed(host: HookHost): { readonly lines: readonly string[]; readonly dispose: () => void } {
    const lines: string[] = [];
    const printing = printHookChanges(host, NO_FILES, line => lines.push(line.replace(`${rig.cwd}/`, '')));
    return { lines, dispose: () => printing.dispose() };
  }
  const LOST =
    'Warning: this hook checked tool calls and is no longer there, so calls run without it. (.pi/hooks/gate.ts)';

  it('its folder became a link to an empty one since the last start', async () => {
    await rig.close(true);
    replaceFolder();
    rig = await Rig.open([], { root: rig.root });
    const { lines, dispose } = printed(rig.host);
    assert.deepEqual([...lines].sort(), [
      'Note: since the last run here, this hook was removed; it does not run. (.pi/hooks/other.ts)',
      LOST,
    ]);
    dispose();
  });

  it('that happens while the process runs, once, and again when the gate was back', async () => {
    const { lines, dispose } = printed(rig.host);
    replaceFolder();
    await rig.host.reload();
    await rig.host.reload();
    assert.deepEqual(lines, [LOST]);
    assert.deepEqual(
      rig.host.differences.map(({ wasGate }) => wasGate),
      [true],
    );
    writeFileSync(join(rig.cwd, 'empty', 'gate.ts'), OTHER);
    await rig.host.reload();
    rmSync(join(rig.cwd, '.pi', 'hooks'));
    renameSync(join(rig.cwd, 'kept'), join(rig.cwd, '.pi', 'hooks'));
    await rig.host.reload();
    assert.deepEqual(rig.host.differences, []);
    rmSync(join(rig.cwd, '.pi', 'hooks', 'gate.ts'));
    await rig.host.reload();
    assert.deepEqual(lines, [LOST, LOST]);
    dispose();
  });
});
