import type { Api, Model } from '@mariozechner/pi-ai';
import { promptOptions, type PromptOptions } from '../../src/agent/prompt/system-prompt';
import type { HookConversation } from '../../src/hook-contract/conversation-port';
import type { EntryLike } from '../../src/hook-contract/hook-event';
import type {
  Answer,
  Asker,
  CustomHandle,
  CustomMount,
  DialogKind,
  DialogOrigin,
  HookQuestion,
  HookUIContext,
} from '../../src/hook-contract/ui/ui';

/** A question that a hook asked, waiting for the test to answer it. */
export interface OpenDialog {
  readonly kind: 'select' | 'confirm' | 'input' | 'editor';
  readonly title: string;
  readonly message: string;
  readonly dialog: DialogKind;
  readonly origin: DialogOrigin;
  readonly instead?: HookQuestion['instead'];
  answer(value: string | boolean | undefined): void;
}

/** A UI that records everything, and answers dialogs from a script or when the test says so. */
export class RecordingUi implements HookUIContext {
  /** One line per call, in order. */
  readonly calls: string[] = [];
  readonly origins: DialogOrigin[] = [];
  /** Who asked each dialog, in order. */
  readonly askers: Asker[] = [];
  readonly open: OpenDialog[] = [];
  readonly notices: { readonly message: string; readonly level: string }[] = [];
  readonly status = new Map<string, string>();
  readonly widgets = new Map<string, unknown>();
  readonly mounts: { readonly mount: CustomMount; close(value?: unknown): void }[] = [];
  /** Answers taken first, in order; with none left, the dialog stays open. */
  readonly answers: (string | boolean | undefined)[] = [];
  editorText = '';
  title = '';
  header: CustomMount | undefined;
  footer: CustomMount | undefined;
  expanded = false;

  notify(message: string, level: string, origin: DialogOrigin): void {
    this.calls.push(`notify ${level}: ${message}`);
    this.origins.push(origin);
    this.notices.push({ message, level });
  }
  setStatus(key: string, text: string | undefined): void {
    this.calls.push(`status ${key}=${String(text)}`);
    if (text === undefined) this.status.delete(key);
    else this.status.set(key, text);
  }
  setWidget(key: string, content: readonly string[] | CustomMount | undefined, placement: string): void {
    this.calls.push(`widget ${key} ${placement}`);
    if (content === undefined) this.widgets.delete(key);
    else this.widgets.set(key, content);
  }
  setWorkingMessage(message: string | undefined): void {
    this.calls.push(`working ${String(message)}`);
  }
  setWorkingVisible(visible: boolean): void {
    this.calls.push(`working visible ${String(visible)}`);
  }
  setWorkingIndicator(frames: { readonly frames: readonly string[] } | undefined): void {
    this.calls.push(`working frames ${frames?.frames.join(',') ?? 'usual'}`);
  }
  setHiddenThinkingLabel(label: string | undefined): void {
    this.calls.push(`thoughts ${String(label)}`);
  }
  setTitle(title: string): void {
    this.title = title;
  }
  setEditorText(text: string): void {
    this.editorText = text;
  }
  getEditorText(): string {
    return this.editorText;
  }
  pasteToEditor(text: string): void {
    this.editorText += text;
  }
  custom(mount: CustomMount): CustomHandle {
    let close = (_value?: unknown): void => undefined;
    const closed = new Promise<unknown>(resolve => {
      close = resolve;
    });
    this.mounts.push({ mount, close });
    return { closed, close, requestRender: () => this.calls.push('render') };
  }
  setHeader(mount: CustomMount | undefined): void {
    this.header = mount;
  }
  setFooter(mount: CustomMount | undefined): void {
    this.footer = mount;
  }
  getToolsExpanded(): boolean {
    return this.expanded;
  }
  setToolsExpanded(expanded: boolean): void {
    this.expanded = expanded;
  }

  ask({ title, message, dialog, asker, origin, instead, signal }: HookQuestion): Promise<Answer> {
    const kind = dialog.type;
    this.askers.push(asker);
    this.calls.push(`${kind}: ${title}`);
    this.origins.push(origin);
    return new Promise(resolve => {
      const entry: OpenDialog = {
        kind,
        title,
        dialog,
        message,
        origin,
        ...(instead === undefined ? {} : { instead }),
        answer: value => {
          const at = this.open.indexOf(entry);
          if (at >= 0) this.open.splice(at, 1);
          resolve(value);
        },
      };
      if (this.answers.length > 0) {
        resolve(this.answers.shift());
        return;
      }
      this.open.push(entry);
      const cancel = (): void => {
        entry.answer(undefined);
      };
      if (signal?.aborted === true) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }
}

/** An append-only session in memory, with the readers of `ctx.sessionManager`. */
export class FakeSession {
  readonly entries: (EntryLike & Record<string, unknown>)[] = [];
  header: Record<string, unknown> = {
    type: 'session',
    version: 3,
    id: 'session-1',
    timestamp: '2026-01-01T00:00:00Z',
    cwd: '/work',
  };
  readonly labels = new Map<string, string>();

  /** Appends at the leaf and gives the entry's id. */
  add(type: string, members: Record<string, unknown> = {}): string {
    const id = `e${this.entries.length + 1}`;
    const parentId = this.getLeafId();
    this.entries.push({ type, id, parentId, timestamp: new Date(this.entries.length).toISOString(), ...members });
    return id;
  }
  /** A user message. */
  user(text: string): string {
    return this.add('message', { message: { role: 'user', content: text, timestamp: this.entries.length } });
  }
  getHeader(): Record<string, unknown> {
    return this.header;
  }
  getEntries(): readonly EntryLike[] {
    return [...this.entries];
  }
  getBranch(): readonly EntryLike[] {
    return [...this.entries];
  }
  getLeafId(): string | null {
    return this.entries.at(-1)?.id ?? null;
  }
  getSessionId(): string {
    return String(this.header['id']);
  }
  getSessionFile(): string {
    return '/sessions/one.jsonl';
  }
  getEntry(id: string): EntryLike | undefined {
    return this.entries.find(entry => entry.id === id);
  }
  getLabel(id: string): string | undefined {
    return this.labels.get(id);
  }
  getTree(): readonly unknown[] {
    return [];
  }
}

export const FAKE_MODEL = { id: 'fake', name: 'Fake', api: 'fake-api', provider: 'fake' } as unknown as Model<Api>;

/** A conversation that records what hooks do to it. */
export class FakeConversation implements HookConversation {
  readonly ui = new RecordingUi();
  readonly session = new FakeSession();
  /** One entry per action: its name and arguments. */
  readonly actions: (readonly [name: string, ...args: unknown[]])[] = [];
  mode: HookConversation['mode'] = 'tui';
  hasUI = true;
  signal: AbortSignal | undefined;
  sessionFile: string | undefined = '/sessions/one.jsonl';
  idle = true;
  currentModel: Model<Api> | undefined = FAKE_MODEL;
  tools: HookConversation['allTools'] extends () => infer T ? T : never = [];
  /** When set, `sendUserMessage` rejects with it. */
  refuseMessages: string | undefined;

  constructor(
    readonly id = 'c1',
    readonly cwd = '/work',
  ) {}

  get sessionManager(): object {
    return this.session;
  }
  readonly modelRegistry = {
    getAll: () => [FAKE_MODEL],
    getAvailable: () => [FAKE_MODEL],
    find: (provider: string, id: string) => (provider === 'fake' && id === 'fake' ? FAKE_MODEL : undefined),
    getApiKey: () => Promise.resolve('key'),
  };
  model(): Model<Api> | undefined {
    return this.currentModel;
  }
  setModel(model: Model<Api>): Promise<boolean> {
    this.actions.push(['setModel', model.id]);
    return Promise.resolve(true);
  }
  scopedModels(): readonly [] {
    return [];
  }
  thinkingLevel(): string {
    return 'low';
  }
  setThinkingLevel(level: string): void {
    this.actions.push(['setThinkingLevel', level]);
  }
  resolveApiKey(): Promise<string | undefined> {
    return Promise.resolve('key');
  }
  isIdle(): boolean {
    return this.idle;
  }
  abort(): void {
    this.actions.push(['abort']);
  }
  hasPendingMessages(): boolean {
    return false;
  }
  waitForIdle(): Promise<void> {
    return Promise.resolve();
  }
  shutdown(): void {
    this.actions.push(['shutdown']);
  }
  contextUsage(): { tokens: number; contextWindow: number; percent: number } {
    return { tokens: 10, contextWindow: 100, percent: 10 };
  }
  systemPrompt(): string {
    return 'base prompt';
  }
  promptOptions(): PromptOptions {
    return promptOptions({
      cwd: '',
      tools: { active: [], all: [] },
      contextFiles: [],
      skills: [],
      custom: 'base prompt',
    });
  }
  async sendUserMessage(...args: Parameters<HookConversation['sendUserMessage']>): Promise<void> {
    await Promise.resolve();
    if (this.refuseMessages !== undefined) throw new Error(this.refuseMessages);
    this.actions.push(['sendUserMessage', ...args]);
  }
  async sendCustomMessage(...args: Parameters<HookConversation['sendCustomMessage']>): Promise<void> {
    await Promise.resolve();
    this.actions.push(['sendCustomMessage', ...args]);
  }
  boundaryContext(
    ...[, drafts]: Parameters<HookConversation['boundaryContext']>
  ): ReturnType<HookConversation['boundaryContext']> {
    if (!Array.isArray(drafts)) throw new Error('entries must be an array');
    return { contextEntries: [], contextMessages: [], llmMessages: [], pendingMessages: [], canContinue: false };
  }
  appendEntry(customType: string, data: unknown): void {
    this.actions.push(['appendEntry', customType, data]);
    this.session.add('custom', { customType, data });
  }
  saveEntry(entry: Readonly<Record<string, unknown>> & { readonly type: string }): Promise<void> {
    this.session.add(entry.type, entry);
    return Promise.resolve();
  }
  rebuildContext(): Promise<void> {
    this.actions.push(['rebuildContext']);
    return Promise.resolve();
  }
  setSessionName(name: string): void {
    this.actions.push(['setSessionName', name]);
  }
  sessionName(): string | undefined {
    return 'named';
  }
  setLabel(entryId: string, label: string | undefined): void {
    if (this.session.getEntry(entryId) === undefined) throw new Error(`Entry ${entryId} not found`);
    this.actions.push(['setLabel', entryId, label]);
  }
  activeTools(): readonly string[] {
    return ['read', 'bash'];
  }
  allTools(): typeof this.tools {
    return this.tools;
  }
  setActiveTools(names: readonly string[]): void {
    this.actions.push(['setActiveTools', ...names]);
  }
  commands(): readonly [] {
    return [];
  }
  compact(options: { customInstructions?: string }): ReturnType<HookConversation['compact']> {
    this.actions.push(['compact', options]);
    return Promise.resolve({ summary: 's', firstKeptEntryId: 'e1', tokensBefore: 1 });
  }
  newSession(options: Parameters<HookConversation['newSession']>[0]): Promise<{ cancelled: boolean }> {
    this.actions.push(['newSession', options.parentSession]);
    return Promise.resolve({ cancelled: false });
  }
  fork(entryId: string): Promise<{ cancelled: boolean }> {
    this.actions.push(['fork', entryId]);
    return Promise.resolve({ cancelled: false });
  }
  navigateTree(targetId: string): Promise<{ cancelled: boolean }> {
    this.actions.push(['navigateTree', targetId]);
    return Promise.resolve({ cancelled: false });
  }
  switchSession(sessionFile: string): Promise<{ cancelled: boolean }> {
    this.actions.push(['switchSession', sessionFile]);
    return Promise.resolve({ cancelled: false });
  }
  reload(): Promise<void> {
    this.actions.push(['reload']);
    return Promise.resolve();
  }
}
