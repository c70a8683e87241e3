import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { Emitter } from '../../../src/base/event';
import { silentLog } from '../../../src/base/log';
import { LineReader } from '../../../src/base/text/line-reader';
import type { FolderQuestions, HostFolder } from '../../../src/guard/host/host-folders';
import { GuardHost } from '../../../src/guard/host/guard-host';
import { readEndpoint } from '../../../src/guard/protocol/endpoint';
import { messageLine, readHostLine, type FrontMessage, type HostMessage } from '../../../src/guard/protocol/messages';
import type { GuardPlace } from '../../../src/guard/protocol/place';
import type { ToolList } from '../../../src/guard/protocol/tools';
import type { AgentReply } from '../../../src/guard/protocol/agent-call';
import { newGuardPlace, plainContract } from '../support';

export const REPLY: AgentReply = {
  output: '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{}}}',
  records: [],
};
type Handle = HostFolder['handle'];

/** A host whose folders answer as the test says. */
export class Rig {
  readonly opened: string[] = [];
  readonly questions: FolderQuestions[] = [];
  ended = 0;
  waiting = 0;
  now = Date.now();
  handle: Handle = () => Promise.resolve(REPLY);
  tools: ToolList = { tools: [], notes: [] };
  readonly toolsChanged = new Emitter<void>();
  callTool: HostFolder['callTool'] = () => Promise.resolve({ outcome: 'unknown', content: [], records: [] });
  open = (): Promise<void> => Promise.resolve();
  host!: GuardHost;

  private constructor(readonly place: GuardPlace) {}

  static async start(name?: string): Promise<Rig> {
    const rig = new Rig(await newGuardPlace(name));
    rig.host = (await rig.another())!;
    return rig;
  }

  another(): Promise<GuardHost | undefined> {
    return GuardHost.start({
      ...{ place: this.place, version: '1.2.3', contractOf: plainContract, log: silentLog, now: () => this.now },
      openFolder: async (folder, questions) => {
        this.opened.push(folder);
        this.questions.push(questions);
        await this.open();
        return {
          handle: (...given) => this.handle(...given),
          tools: () => Promise.resolve(this.tools),
          callTool: (...given) => this.callTool(...given),
          onDidChangeTools: this.toolsChanged.event,
          isInUse: () => false,
          waitingHooks: () => this.waiting,
          end: () => Promise.resolve(void (this.ended += 1)),
        };
      },
    });
  }

  folder(name: string): string {
    const folder = join(this.place.folder, '..', name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }
}

/** A window or a command that is connected to the host. */
export class FakeFront {
  readonly received: HostMessage[] = [];
  private wake: () => void = () => undefined;

  private constructor(readonly socket: Socket) {
    new LineReader(socket).listen(
      line => {
        const message = readHostLine(line);
        assert.ok(message.ok, line);
        this.received.push(message.value);
        this.wake();
      },
      () => undefined,
    );
  }

  static async connect(
    place: GuardPlace,
    role: 'window' | 'watch' | 'query' | 'tools',
    folders: string[] = [],
    secret?: string,
    offersTools?: true,
  ): Promise<FakeFront> {
    const endpoint = readEndpoint(place)!;
    const front = new FakeFront(createConnection(endpoint.socket));
    // The host may close the connection while the test still writes.
    front.socket.on('error', () => front.socket.destroy());
    await once(front.socket, 'connect');
    front.send({
      type: 'hello',
      secret: secret ?? endpoint.client,
      role,
      version: '1',
      folders,
      ...(offersTools ? { offersTools } : {}),
    });
    return front;
  }

  send(message: FrontMessage): void {
    this.socket.write(messageLine(message));
  }

  async next<T extends HostMessage['type']>(type: T): Promise<Extract<HostMessage, { readonly type: T }>> {
    for (;;) {
      const index = this.received.findIndex(message => message.type === type);
      if (index >= 0) return this.received.splice(index, 1)[0] as Extract<HostMessage, { readonly type: T }>;
      await new Promise<void>(resolve => (this.wake = resolve));
    }
  }
}

/** The payload of a call of a tool. */
export const call = (members: Readonly<Record<string, string>> = {}): { readonly payload: string } => ({
  payload: JSON.stringify(members),
});
