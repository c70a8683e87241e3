import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { demoModel } from '../../src/demo-model/demo-model';
import { ModelRegistry } from '../../src/agent/models/registry';
import { noKeys } from '../../src/agent/models/keys/api-key-source';
import type { AnyTool } from '../../src/agent/tools/tool';
import { NOTHING_AROUND } from '../../src/hook-run/tool-call/wrap-tools';
import { silentLog } from '../../src/base/log';
import type { HookHost } from '../../src/hook-run/host/host';
import type { Claim } from '../../src/packages/approval/claim';
import { HeldPackages } from '../../src/packages/approval/held-packages';
import {
  approvable,
  openPackageMemory,
  PackageApproval,
  type PackageMemory,
} from '../../src/packages/approval/package-approval';
import { Packages } from '../../src/packages/packages';
import { createHookHost } from '../../src/startup/hook-setup';
import { LiveSettings } from '../../src/startup/live-settings';
import { ROOT } from '../../scripts/support/paths.ts';
import { PackageBox } from '../packages/support';
import { FakeConversation } from '../support/fake-conversation';

export const FOLDER = 'home/.pi/agent/npm/node_modules/acme';
export const DEPENDENCY = 'home/.pi/agent/npm/node_modules/dep/index.js';
export const GATE_FILE = `${FOLDER}/extensions/gate.ts`;
export const DECISIONS = 'home/.pi/agent/hookline/packages.json';

/** A gate that needs a file beside it, a file that it reads, and a package. */
const GATE = `import { readFileSync } from 'node:fs';
import { forbidden } from '../lib/rule';
import { blocks } from 'dep';
const policy = JSON.parse(readFileSync(new URL('../policy.json', import.meta.url), 'utf8'));
export default pi => pi.on('tool_call', e =>
  policy.on && blocks && e.input.command === forbidden ? { block: true, reason: 'the gate of the package' } : undefined);
`;

const CLAIMS: readonly Claim[] = [{ kind: 'gate', name: 'tool_call', places: [] }];

/** A process: a window or a command line. */
export interface Started {
  readonly host: HookHost;
  readonly packages: Packages;
  readonly settings: LiveSettings;
  readonly approval: PackageApproval;
  readonly memory: PackageMemory;
  readonly conversation: FakeConversation;
  end(): Promise<void>;
}

/** A folder with an approved package that gates tools. Processes are started one after another. */
export class GatePackage {
  readonly box = new PackageBox();
  private started: Started | undefined;

  constructor() {
    this.box.write({
      [`${FOLDER}/package.json`]: { name: 'acme', version: '1.0.0', dependencies: { dep: '1' } },
      [GATE_FILE]: GATE,
      [`${FOLDER}/lib/rule.ts`]: `export const forbidden: string = 'touch ran';\n`,
      [`${FOLDER}/policy.json`]: { on: true },
      'home/.pi/agent/npm/node_modules/dep/package.json': { name: 'dep', version: '1.0.0', main: 'index.js' },
      [DEPENDENCY]: 'exports.blocks = true;\n',
    });
    this.box.declare(['npm:acme']);
  }

  path(name: string): string {
    return join(this.box.root, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  write(name: string, text: string): void {
    mkdirSync(join(this.path(name), '..'), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  remove(name: string): void {
    rmSync(this.path(name), { recursive: true, force: true });
  }

  async start({ cwd = this.box.cwd }: { readonly cwd?: string } = {}): Promise<Started> {
    await this.end();
    this.started = await this.startBeside(cwd);
    return this.started;
  }

  /** Starts a process while another one runs. */
  async startBeside(cwd = this.box.cwd): Promise<Started> {
    const { agentDir, home, root } = this.box;
    const place = { agentDir, cwd, includeProject: () => true };
    const settings = await LiveSettings.open(place, {
      value: { model: undefined, thinkingLevel: undefined },
      problems: [],
    });
    const stateDir = join(root, 'state');
    const places = { agentDir, cwd };
    const memory = openPackageMemory(stateDir, places);
    const approval = new PackageApproval({ agentDir, howTo: 'approve it.', memory });
    const packages = new Packages({ place, settings, gate: approval, home });
    const heldPackages = new HeldPackages({
      ...{ packages, approval, memory, places },
      review: async installed => {
        await approval.approve(approvable(installed), CLAIMS);
        return true;
      },
    });
    const { host, dependencies } = createHookHost({
      mode: 'print',
      place,
      code: {
        distDir: join(ROOT, 'dist'),
        jitiDir: join(ROOT, 'node_modules/jiti/dist'),
        storageDir: join(root, 'storage'),
        stateDir,
        version: '0.0.0',
      },
      settings,
      models: new ModelRegistry({ agentDir, embedded: demoModel(), keys: noKeys }),
      packages,
      heldPackages,
      hookOptions: () => ({ paths: [], dialects: {}, disabled: [], confirmWithoutGates: true }),
      flagValue: () => undefined,
      storedApprovals: 'readWrite',
      log: silentLog,
    });
    await host.reload();
    const conversation = new FakeConversation();
    const end = async (): Promise<void> => {
      await host.dispose();
      dependencies.dispose();
      packages.dispose();
      approval.dispose();
    };
    return { host, packages, settings, approval, memory, conversation, end };
  }

  /** The copies of approved content, by their paths. */
  copies(): readonly string[] {
    const dir = 'state/approved-packages';
    if (!existsSync(this.path(dir))) return [];
    const names = readdirSync(this.path(dir), { recursive: true }).map(String);
    return names.filter(name => /^[0-9a-f]{24}.[0-9a-f]{64}$/.test(name)).map(name => `${dir}/${name}`);
  }

  /** Changes members of the file of approvals. */
  changeDecisions(members: Readonly<Record<string, unknown>>): void {
    this.write(DECISIONS, JSON.stringify({ ...(JSON.parse(this.read(DECISIONS)) as object), ...members }));
  }

  /** The files of the package and of what it needs, and the settings that declare it. */
  files(): Readonly<Record<string, string>> {
    const names = [GATE_FILE, `${FOLDER}/lib/rule.ts`, `${FOLDER}/policy.json`, `${FOLDER}/package.json`, DEPENDENCY];
    const texts = names.map(name => [name, this.read(name)]);
    const settings = ['home/.pi/agent', 'work/.pi'].map(folder => {
      const { packages = [] } = JSON.parse(this.read(`${folder}/settings.json`)) as { readonly packages?: unknown };
      return [folder, JSON.stringify(packages)];
    });
    return Object.fromEntries([...texts, ...settings]) as Record<string, string>;
  }

  /** Approves the package as it is on disk, whatever was read of it before. */
  async approveNow(started: Started): Promise<void> {
    await started.packages.reload();
    await this.approve(started);
  }

  /** Approves the package as it is. */
  async approve({ packages, approval }: Started): Promise<void> {
    const [listed] = packages.current.packages;
    if (listed === undefined || listed.state === 'missing') throw new Error('The package is not there.');
    await approval.approve(approvable(listed.installed), CLAIMS);
  }

  async end(): Promise<void> {
    const { started } = this;
    this.started = undefined;
    await started?.end();
  }

  async dispose(): Promise<void> {
    await this.end();
    // What is still copied must come to its end, because Windows removes no folder that is in use.
    await rm(this.box.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** A call of the agent's tool that does this; rejects when it is blocked. */
export async function call(
  { host, conversation }: Started,
  command: string,
  work: () => unknown = () => undefined,
): Promise<void> {
  const tool = {
    name: 'bash',
    label: 'bash',
    description: '',
    parameters: { type: 'object', properties: {} },
    execute: async () => {
      await work();
      return { content: [], details: undefined };
    },
  } as unknown as AnyTool;
  const gated = host.gateTool(tool, { conversation, around: NOTHING_AROUND });
  const run = await gated.admit('call', { command }, undefined);
  await run();
}
