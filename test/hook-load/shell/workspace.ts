import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { silentLog } from '../../../src/base/log';
import { discoverHooks } from '../../../src/hook-load/files/discover';
import type { HookEvent, HookResult } from '../../../src/hook-contract/hook-event';
import { HookHost } from '../../../src/hook-run/host/host';
import { HookLoader } from '../../../src/hook-load/hook-loader';
import { shippedModules } from '../../../src/hook-load/modules/shipped-modules';
import { OwnershipScope } from '../../../src/hook-load/ownership/scope';
import { ThemeSwitch } from '../../../src/hook-contract/ui/theme';
import { adapterText } from '../../../src/hook-load/shell/adapter-file';
import { FakeConversation } from '../../support/fake-conversation';
import { RUNTIME_EXPORTS } from '../../../src/hook-run/tool-call/runtime-exports';
import { hostDefaults } from '../../support/host-options';

/** A folder with settings of shell hooks, and the adapter that runs them for real. */
export class ShellWorkspace {
  readonly folder = mkdtempSync(join(tmpdir(), 'hookline shell ä '));
  readonly conversation = new FakeConversation('c1', this.folder);
  private readonly loader: HookLoader;
  readonly host: HookHost<OwnershipScope>;

  constructor() {
    const theme = new ThemeSwitch();
    const modules = shippedModules({
      runtime: RUNTIME_EXPORTS,
      agentDir: () => this.folder,
      theme: () => theme.current,
    });
    this.loader = new HookLoader({
      cacheDir: join(this.folder, '.cache'),
      jitiDir: resolve('node_modules/jiti/dist'),
      extensionVersion: 'test',
      modules: () => modules,
      log: silentLog,
    });
    this.host = new HookHost<OwnershipScope>({
      ...hostDefaults(),
      discover: () =>
        discoverHooks({
          agentDir: join(this.folder, 'agent'),
          cwd: this.folder,
          includeProject: true,
          home: this.folder,
        }),
      loader: this.loader,
      createScope: (owner, onDidThrow) => new OwnershipScope({ owner, onDidThrow }),
      theme,
      cwd: this.folder,
    });
    this.host.attach(this.conversation);
  }

  /** Writes settings files (path in the folder -> content) and the adapter for them, and loads it. */
  async open(settings: Readonly<Record<string, unknown>>, onFailure: 'block' | 'allow' = 'block'): Promise<this> {
    for (const [path, content] of Object.entries(settings)) this.write(path, JSON.stringify(content, null, 2));
    const sources = Object.keys(settings).map(name => ({
      name,
      specifier: relative('.pi/hooks', name).replaceAll('\\', '/'),
    }));
    this.write('.pi/hooks/shell-hooks.ts', adapterText({ onFailure, sources }));
    await this.host.reload();
    return this;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** What a command wrote, parsed; undefined when it did not run. */
  told(path: string): Record<string, unknown> | undefined {
    const file = join(this.folder, path);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : undefined;
  }

  emit<E extends HookEvent>(event: E, conversation = this.conversation): Promise<HookResult<E['type']>> {
    return this.host.runner.emit(event, conversation);
  }

  call(toolName: string, input: Record<string, unknown>): Promise<HookResult<'tool_call'>> {
    return this.emit({ type: 'tool_call', toolCallId: 'c1', toolName, input });
  }

  result(text: string, more: { toolName?: string; isError?: boolean } = {}): Promise<HookResult<'tool_result'>> {
    const { toolName = 'bash', isError = false } = more;
    return this.emit({
      type: 'tool_result',
      toolCallId: 'c1',
      toolName,
      input: { command: 'ls' },
      content: [{ type: 'text', text }],
      details: undefined,
      isError,
    });
  }

  /** Another conversation that the same hooks serve. */
  otherConversation(sessionId: string): FakeConversation {
    const other = new FakeConversation('c2', this.folder);
    other.session.getSessionId = () => sessionId;
    this.host.attach(other);
    return other;
  }

  async close(): Promise<void> {
    await this.host.dispose();
    this.loader.dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A command of Claude Code's settings. */
export function claude(event: string, command: string, more: { matcher?: string; timeout?: number } = {}): unknown {
  const { matcher, timeout } = more;
  const hook = { type: 'command', command, ...(timeout === undefined ? {} : { timeout }) };
  return { hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }] } };
}

/** A command that prints a JSON answer. */
export function answering(answer: unknown): string {
  return `cat > told.json; echo '${JSON.stringify(answer)}'`;
}
