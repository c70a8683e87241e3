import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** A server of web sockets on 127.0.0.1 that answers each text of a client with the texts that `answer` gives. */
export class ScriptedSocket {
  /** How many connections are open, and how many there were. */
  open = 0;
  connections = 0;
  private readonly streams = new Set<Duplex>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(answer: (text: string) => readonly string[]): Promise<ScriptedSocket> {
    const server = createServer((_request, response) => response.writeHead(404).end());
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const scripted = new ScriptedSocket(server, (server.address() as AddressInfo).port);
    server.on('upgrade', (request, stream: Socket) => {
      const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
      stream.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
      );
      scripted.serve(stream, answer);
    });
    return scripted;
  }

  async stop(): Promise<void> {
    for (const stream of this.streams) stream.destroy();
    await new Promise<void>(resolve => this.server.close(() => resolve()));
  }

  private serve(stream: Socket, answer: (text: string) => readonly string[]): void {
    this.open += 1;
    this.connections += 1;
    this.streams.add(stream);
    let rest = Buffer.alloc(0);
    stream.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let frame = frameIn(rest); frame !== undefined; frame = frameIn(rest)) {
        rest = rest.subarray(frame.bytes);
        if (frame.opcode === 8) stream.end(Buffer.from([0x88, 0]));
        else for (const text of answer(frame.text)) stream.write(frameOf(text));
      }
    });
    stream.on('error', () => stream.destroy());
    stream.on('close', () => {
      this.open -= 1;
      this.streams.delete(stream);
    });
  }
}

/** The first complete frame of a client, whose content is masked. */
function frameIn(data: Buffer): { readonly opcode: number; readonly text: string; readonly bytes: number } | undefined {
  if (data.length < 2) return undefined;
  const short = data.readUInt8(1) & 0x7f;
  const head = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (data.length < head + 4) return undefined;
  const length = short === 127 ? Number(data.readBigUInt64BE(2)) : short === 126 ? data.readUInt16BE(2) : short;
  const bytes = head + 4 + length;
  if (data.length < bytes) return undefined;
  const mask = data.subarray(head, head + 4);
  const content = Buffer.from(data.subarray(head + 4, bytes).map((byte, at) => byte ^ mask.readUInt8(at % 4)));
  return { opcode: data.readUInt8(0) & 0xf, text: content.toString('utf8'), bytes };
}

function frameOf(text: string): Buffer {
  const content = Buffer.from(text);
  const head = Buffer.alloc(10);
  head.writeUInt8(0x81, 0);
  head.writeUInt8(127, 1);
  head.writeBigUInt64BE(BigInt(content.length), 2);
  return Buffer.concat([head, content]);
}
