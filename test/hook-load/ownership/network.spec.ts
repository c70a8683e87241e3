import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import dgram from 'node:dgram';
import { until } from '../support/loading';
import { freePort, isFree, listening, RunningHook } from './support';

const connectionsOf = (server: net.Server): Promise<number> =>
  new Promise(resolve => {
    server.getConnections((_error, count) => resolve(count));
  });

describe('what a hook opens on the network', () => {
  let hook: RunningHook;
  const given = (text: string, more: Readonly<Record<string, string>> = {}): void => {
    hook = new RunningHook({ 'h.ts': text, ...more });
  };
  afterEach(() => hook.loading.end());

  const answers = async (port: number): Promise<string> => await (await fetch(`http://127.0.0.1:${port}`)).text();

  const WAYS: Readonly<Record<string, string>> = {
    'a namespace import': 'import * as http from "node:http"; const make = http.createServer;',
    'a default import': 'import http from "http"; const make = http.createServer;',
    'a named import': 'import { createServer as make } from "node:http";',
    require: 'const make = require("http").createServer;',
    'a computed require': 'const name = "ht" + "tp"; const make = require(name).createServer;',
    'a dynamic import': 'const { createServer: make } = await import("node:http");',
    'a default of a dynamic import': 'const { default: http } = await import("http"); const make = http.createServer;',
    createRequire:
      'import { createRequire } from "module"; const make = createRequire(import.meta.url)("node:http").createServer;',
    'process.getBuiltinModule': 'const make = process.getBuiltinModule("http").createServer;',
    'new Server': 'import { Server } from "node:http"; const make = (...a: unknown[]) => new Server(...a);',
    'Server without new': 'import http from "node:http"; const make = (...a: unknown[]) => http.Server(...a);',
    'a subclass':
      'import { Server } from "node:http"; class Mine extends Server { name() { return "mine"; } } const make = (...a: unknown[]) => { const s = new Mine(...a); if (s.name() !== "mine" || !(s instanceof Mine)) throw 1; return s; };',
    'a helper file': 'import { make } from "./helper.js";',
    'a CommonJS helper': 'const { make } = require("./helper.cjs");',
    'a package beside it written in TypeScript': 'import { make } from "pack";',
  };
  for (const [way, imports] of Object.entries(WAYS)) {
    it(`is closed when it came by ${way}`, async () => {
      given(
        `${imports}
        import net from "node:net";
        export default (port: number) => new Promise(resolve => {
          const server = make((req, res) => res.end("here"));
          server.listen(port, "127.0.0.1", () => resolve(server instanceof net.Server));
        });`,
        {
          'helper.ts': 'export { createServer as make } from "node:http";',
          'helper.cjs': 'exports.make = require("http").createServer;',
          'node_modules/pack/package.json': '{ "name": "pack", "main": "index.ts" }',
          'node_modules/pack/index.ts': 'export { createServer as make } from "node:http";',
        },
      );
      const port = await freePort();
      assert.equal(await hook.run(port), true);
      assert.equal(await answers(port), 'here');
      await hook.scope.release();
      assert.ok(await isFree(port));
      assert.deepEqual([hook.scope.open, hook.reports], [[], []]);
    });
  }

  const LISTENS: Readonly<Record<string, string>> = {
    'port, host, callback': 's.listen(port, "127.0.0.1", done)',
    'port, callback': 's.listen(port, done)',
    'port, host, backlog, callback': 's.listen(port, "127.0.0.1", 5, done)',
    'options, callback': 's.listen({ port, host: "127.0.0.1" }, done)',
    'port and an event': 's.listen(port, "127.0.0.1"); s.on("listening", done)',
  };
  for (const [overload, text] of Object.entries(LISTENS)) {
    it(`server.listen with ${overload}`, async () => {
      given(`import { createServer } from "node:http"; export default (port: number) => new Promise(resolve => {
        const s = createServer((q, r) => r.end("here")); const done = () => resolve(s.address().port); ${text}; });`);
      const port = await freePort();
      assert.equal(await hook.run(port), port);
      assert.equal(await answers(port), 'here');
      await hook.scope.release();
      assert.ok(await isFree(port));
    });
  }

  it('servers of every kind are closed, with their connections', async () => {
    given(`import net from "node:net"; import tls from "node:tls"; import https from "node:https"; import http2 from "node:http2";
      import http from "node:http"; import dgram from "node:dgram";
      const open = (s: net.Server) => new Promise(resolve => s.listen(0, "127.0.0.1", () => resolve(s.address().port)));
      export default async () => {
        const udp = dgram.createSocket("udp4");
        await new Promise(resolve => udp.bind(0, "127.0.0.1", () => resolve(0)));
        return { udp: udp.address().port, tcp: await Promise.all([net.createServer(), new net.Server(), tls.createServer(),
          https.createServer(), http.createServer(), http2.createServer(), http2.createSecureServer()].map(open)) };
      };`);
    const { udp, tcp } = await hook.run<{ udp: number; tcp: number[] }>();
    const clients = tcp.map(port => net.connect(port, '127.0.0.1'));
    await Promise.all(clients.map(client => new Promise(resolve => client.once('connect', resolve))));
    const gone = clients.map(
      client => new Promise(resolve => client.on('error', () => undefined).once('close', resolve)),
    );
    await hook.scope.release();
    await Promise.all(gone);
    for (const port of tcp) assert.ok(await isFree(port));
    const socket = dgram.createSocket('udp4');
    await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(udp, '127.0.0.1', resolve));
    socket.close();
    assert.deepEqual(hook.reports, []);
  });

  it('a server with a request under way and one kept alive is closed', async () => {
    given(`import http from "node:http"; export default (port: number) => new Promise(resolve => {
      http.createServer((q, r) => { if (q.url === "/now") r.end("x"); }).listen(port, "127.0.0.1", resolve); });`);
    const port = await freePort();
    await hook.run(port);
    const agent = new http.Agent({ keepAlive: true });
    await new Promise(resolve =>
      http.get({ port, host: '127.0.0.1', path: '/now', agent }, r => r.resume().on('end', resolve)),
    );
    const hanging = new Promise(resolve => http.get({ port, host: '127.0.0.1', path: '/never' }).on('error', resolve));
    await until('the request to arrive', () => hook.scope.open.length > 0);
    await hook.scope.release();
    assert.ok((await hanging) instanceof Error);
    assert.ok(await isFree(port));
    agent.destroy();
  });

  it('clients are closed: sockets, requests, fetch', async () => {
    const server = http.createServer(() => undefined);
    await listening(server);
    const { port } = server.address() as net.AddressInfo;
    given(`import net from "node:net"; import { get } from "node:http";
      export default (port: number) => { net.connect(port, "127.0.0.1"); get({ port, host: "127.0.0.1" });
        void fetch("http://127.0.0.1:" + port).catch(() => { throw new Error("must not settle"); }); };`);
    await hook.run(port);
    let connections = 0;
    await until('three connections', async () => {
      connections = await connectionsOf(server);
      return connections === 3;
    });
    await hook.scope.release();
    await until('no connection', async () => {
      connections = await connectionsOf(server);
      return connections === 0;
    });
    assert.deepEqual(hook.reports, []);
    await new Promise(resolve => server.close(resolve));
  });

  it('what is opened after the release is closed at once', async () => {
    given(`import http from "node:http"; import net from "node:net";
      export default (port: number) => () => { http.createServer().listen(port, "127.0.0.1"); http.createServer().listen(port + 1, "localhost"); };`);
    const port = await freePort();
    const late = await hook.run<() => void>(port);
    await hook.scope.release();
    late();
    await until('the ports to be free', async () => (await isFree(port)) && (await isFree(port + 1)));
    assert.deepEqual(hook.scope.open, []);
  });

  it('a server that the hook closes itself is forgotten', async () => {
    given(`import http from "node:http"; export default () => new Promise(resolve => {
      const s = http.createServer().listen(0, () => s.close(resolve)); });`);
    await hook.run();
    assert.deepEqual(hook.scope.open, []);
  });

  it('a port that is taken is reported, names itself, and does not end the process', async () => {
    const other = net.createServer();
    await listening(other);
    const { port } = other.address() as net.AddressInfo;
    given(
      `import http from "node:http"; export default (port: number) => { http.createServer().listen(port, "127.0.0.1"); };`,
    );
    await hook.run(port);
    await until('the report', () => hook.reports.length > 0);
    assert.deepEqual(hook.reports, [`http server: listen EADDRINUSE: address already in use 127.0.0.1:${port}`]);
    await new Promise(resolve => other.close(resolve));
  });

  it('an error that the hook listens to is its own affair', async () => {
    given(`import net from "node:net"; export default (port: number) => new Promise(resolve => {
      net.connect(port, "127.0.0.1").on("error", error => resolve(error.code)); });`);
    assert.equal(await hook.run(await freePort()), 'ECONNREFUSED');
    assert.deepEqual(hook.reports, []);
  });

  it('throws and rejections in handlers are reported, and the server goes on', async () => {
    given(`import http from "node:http";
      export default (port: number) => new Promise(resolve => { http.createServer(async (req, res) => {
        if (req.url === "/sync") { req.on("data", () => { throw new Error("in data"); }); req.on("end", () => res.end("ok")); return; }
        if (req.url === "/fine") return void res.end("ok");
        res.end("ok"); throw new Error("rejected");
      }).listen(port, "127.0.0.1", resolve); });`);
    const port = await freePort();
    await hook.run(port);
    await fetch(`http://127.0.0.1:${port}/async`);
    await fetch(`http://127.0.0.1:${port}/sync`, { method: 'POST', body: 'x' });
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/fine`)).text(), 'ok');
    assert.deepEqual(hook.reports, [
      'http server, on "request": rejected',
      'request to http server, on "data": in data',
    ]);
  });

  it('errors of clients that nobody listens to are reported', async () => {
    given(`import { get } from "node:http"; import net from "node:net";
      export default (port: number) => { get({ port, host: "127.0.0.1" }); net.connect(port, "127.0.0.1"); };`);
    const port = await freePort();
    await hook.run(port);
    await until('two reports', () => hook.reports.length === 2);
    assert.deepEqual(
      hook.reports.sort(),
      ['http request', 'socket'].map(what => `${what}: connect ECONNREFUSED 127.0.0.1:${port}`),
    );
  });

  it('others in the process see untouched modules, and their servers stay', async () => {
    const before = { ...http };
    const other = http.createServer((_req, res) => res.end('other'));
    await listening(other);
    given(`import http from "node:http"; http.createServer = null as never; http.mine = 1;
      export default () => typeof http.createServer;`);
    assert.equal(await hook.run(), 'object');
    assert.deepEqual({ ...http }, before);
    await hook.scope.release();
    assert.equal(await answers((other.address() as net.AddressInfo).port), 'other');
    other.closeAllConnections();
    await new Promise(resolve => other.close(resolve));
  });
});
