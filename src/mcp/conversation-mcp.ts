import { DisposableStore } from '../base/disposable';
import { Emitter } from '../base/event';
import type { Problem } from '../base/result';
import type { McpServerEntry } from './config/read-config';
import { namespaceOf } from './config/server-config';
import type { LoginPrompt } from './log-in';
import type { ManagedServer } from './managed-server';
import { McpPrompts } from './mcp-prompts';
import type { McpServers } from './mcp-servers';
import type { McpPort } from './mcp-port';
import { McpTools } from './mcp-tools';
import { mcpSection } from './prompt-section';

/**
 * The MCP servers of one conversation: those that all share, and its own. One of its own replaces a shared one of the same
 * name here, and only here.
 */
export class ConversationMcp implements McpPort {
  private readonly own: McpServers;
  private readonly listening = new DisposableStore();
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  readonly tools: McpTools;
  readonly prompts: McpPrompts;

  /** Begins to connect to its own servers. */
  constructor(
    private readonly shared: McpServers,
    entries: readonly McpServerEntry[],
  ) {
    const own = (this.own = shared.beside(entries));
    const servers = (): readonly ManagedServer[] => this.list();
    this.tools = new McpTools({ servers, ready: signal => this.ready(signal), declares: shared.declares });
    this.prompts = new McpPrompts(servers);
    for (const each of [shared, own]) this.listening.add(each.onDidChange(() => this.changeEmitter.fire()));
    void own.reload();
  }

  list(): readonly ManagedServer[] {
    const own = this.listOwn();
    const taken = new Set(own.map(({ name }) => namespaceOf(name)));
    return [...this.shared.list().filter(({ name }) => !taken.has(namespaceOf(name))), ...own];
  }

  /** Its own servers, without the shared ones. */
  listOwn(): readonly ManagedServer[] {
    return this.own.list();
  }

  find(name: string): ManagedServer | undefined {
    return this.list().find(server => server.name === name);
  }

  get problems(): readonly Problem[] {
    return this.shared.problems;
  }

  get replacedBy(): string | undefined {
    return this.shared.replacedBy;
  }

  openPage(url: URL): void {
    this.shared.openPage(url);
  }

  get needsSearch(): boolean {
    return this.list().some(server => server.needsSearch);
  }

  promptSection(): string | undefined {
    return mcpSection(this.list().filter(({ isEnabled }) => isEnabled));
  }

  async beforePrompt(signal: AbortSignal): Promise<void> {
    await Promise.all([this.shared.beforePrompt(signal), this.own.beforePrompt(signal)]);
  }

  async ready(signal: AbortSignal | undefined): Promise<void> {
    await Promise.all([this.shared.ready(signal), this.own.ready(signal)]);
  }

  async reload(): Promise<void> {
    await Promise.all([this.shared.reload(), this.own.reload()]);
  }

  restart(name: string): Promise<void> {
    return this.ownerOf(name).restart(name);
  }

  logIn(name: string, prompt: LoginPrompt, signal: AbortSignal): Promise<void> {
    return this.ownerOf(name).logIn(name, prompt, signal);
  }

  logOut(name: string): Promise<boolean> {
    return this.ownerOf(name).logOut(name);
  }

  /** Ends its own servers; resolves when no process of theirs runs any more. The shared ones go on. Never rejects. */
  async dispose(): Promise<void> {
    this.listening.dispose();
    this.changeEmitter.dispose();
    await this.own.dispose();
  }

  private ownerOf(name: string): McpServers {
    return this.own.find(name) === undefined ? this.shared : this.own;
  }
}
