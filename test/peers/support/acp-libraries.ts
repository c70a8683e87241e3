import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

type Params = Readonly<Record<string, unknown>>;

/** What an editor that is built with the official library does with an agent. */
export interface LibraryClient {
  /** Sends a request; rejects when the library refuses the answer. */
  request(method: string, params: Params): Promise<Params>;
}

/** What the editor hears and says. */
export interface LibraryEditor {
  readonly onUpdate: (update: Params) => void;
  readonly onPermission: (request: Params) => Params;
}

type Connect = (library: Params, agent: ChildProcessWithoutNullStreams, editor: LibraryEditor) => LibraryClient;

/** Each version by the name that it is installed under, in the API that it has. */
const CONNECT: Readonly<Record<string, Connect>> = {
  'acp-sdk-0.16': connectByMethods,
  'acp-sdk-1.4': connectByMethods,
  'acp-sdk-2.4': connectByContext,
};

export const ACP_LIBRARIES = Object.keys(CONNECT);

/** Connects an agent to an editor that is built with a version of the official library; `folder` has it in its node_modules. */
export async function connectWith(
  name: string,
  folder: string,
  agent: ChildProcessWithoutNullStreams,
  editor: LibraryEditor,
): Promise<LibraryClient> {
  const file = createRequire(join(folder, 'package.json')).resolve(name);
  const library = (await import(pathToFileURL(file).href)) as Params;
  const connect = CONNECT[name];
  if (connect === undefined) throw new Error(`no such library: ${name}`);
  return connect(library, agent, editor);
}

/** The names of the methods of `ClientSideConnection`. */
const METHODS: Readonly<Record<string, string>> = {
  initialize: 'initialize',
  'session/new': 'newSession',
  'session/load': 'loadSession',
  'session/list': 'listSessions',
  'session/prompt': 'prompt',
  'session/set_mode': 'setSessionMode',
};

/** The API until version 1: an object with a method for each method of the protocol. */
function connectByMethods(
  library: Params,
  agent: ChildProcessWithoutNullStreams,
  editor: LibraryEditor,
): LibraryClient {
  type Connection = Readonly<Record<string, (params: Params) => Promise<Params | undefined>>>;
  const { ClientSideConnection } = library as {
    readonly ClientSideConnection: new (client: () => object, stream: unknown) => Connection;
  };
  const client = {
    sessionUpdate: ({ update }: { readonly update: Params }) => {
      editor.onUpdate(update);
      return Promise.resolve();
    },
    requestPermission: (request: Params) => Promise.resolve(editor.onPermission(request)),
  };
  const connection = new ClientSideConnection(() => client, streamOf(library, agent));
  return {
    request: async (method, params) => (await connection[METHODS[method] ?? method]?.(params)) ?? {},
  };
}

/** The API of version 2: handlers by the name of the method, and one function for requests. */
function connectByContext(
  library: Params,
  agent: ChildProcessWithoutNullStreams,
  editor: LibraryEditor,
): LibraryClient {
  interface App {
    onRequest(method: string, handler: (context: { readonly params: Params }) => unknown): App;
    onNotification(method: string, handler: (context: { readonly params: Params }) => unknown): App;
    connect(stream: unknown): { readonly agent: LibraryClient };
  }
  const { client } = library as { readonly client: (options: object) => App };
  const { agent: asked } = client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params }) => editor.onPermission(params))
    .onNotification('session/update', ({ params }) => editor.onUpdate(params['update'] as Params))
    .connect(streamOf(library, agent));
  return { request: (method, params) => asked.request(method, params) };
}

function streamOf(library: Params, { stdin, stdout }: ChildProcessWithoutNullStreams): unknown {
  const { ndJsonStream } = library as { readonly ndJsonStream: (output: unknown, input: unknown) => unknown };
  return ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout));
}
