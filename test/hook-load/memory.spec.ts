import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { shippedModules } from '../../src/hook-load/modules/shipped-modules';
import { DARK_PALETTE, HookTheme } from '../../src/hook-contract/ui/theme';
import { Loading, until } from './support/loading';
import { TempFiles } from './support/temp-files';
import { rounds } from '../support/long-run';
import { RUNTIME_EXPORTS } from '../../src/hook-run/tool-call/runtime-exports';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const HOOK = `import { createServer } from "node:http"; import { isBashToolResult } from "@mariozechner/pi-coding-agent/hooks";
  import { state } from "./state.js"; import data from "./data.json"; const { more } = require("./more.cjs");
  const late = await import("./late.mjs");
  export default (pi: any) => { pi.on("tool_call", () => [state, data, more, late, isBashToolResult]);
    setInterval(() => state.ticks++, 1000); createServer(() => state); process.on("SIGUSR2", () => state);
    return state; };`;

describe('after many reloads', function () {
  this.timeout(120_000);

  for (const [kind, edited] of [
    ['of the same text', false],
    ['of edited text', true],
  ] as const) {
    it(`${kind}, the old instances are collected`, async () => {
      const files = new TempFiles({
        'h.ts': HOOK,
        'state.ts': 'export const state = { ticks: 0, weight: new Array(1000).fill("x") };',
        'data.json': '{ "n": 1 }',
        'more.cjs': 'exports.more = [1, 2, 3];',
        'late.mjs': 'export const late = {};',
      });
      const theme = new HookTheme('dark', DARK_PALETTE);
      const modules = shippedModules({ runtime: RUNTIME_EXPORTS, agentDir: () => '', theme: () => theme });
      const loading = new Loading(files, { modules: () => modules });
      const instances: WeakRef<object>[] = [];
      const reloads = edited ? rounds(40, 200) : rounds(200, 1_000);
      const reload = async (round: number): Promise<void> => {
        if (edited) files.write({ 'h.ts': `${HOOK}\n// ${round}` });
        const module = await loading.load('h.ts');
        const state = module.factory({ on: () => undefined }) as object;
        instances.push(new WeakRef(state), new WeakRef(module), new WeakRef(module.factory));
        await loading.scopes.pop()!.release();
      };
      for (let round = 0; round < reloads; round += 1) await reload(round);
      const alive = (): number => instances.filter(instance => instance.deref() !== undefined).length;
      await until('all but the last to be collected', () => {
        collectGarbage();
        return alive() <= 3;
      });
      assert.equal(instances.length, reloads * 3);
      await loading.end();
    });
  }
});
