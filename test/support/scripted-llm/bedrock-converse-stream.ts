import { crc32 } from 'node:zlib';
import type { Frame, WireReply } from './reply';

const STOP_REASONS = { stop: 'end_turn', length: 'max_tokens', toolUse: 'tool_use' } as const;

/** The events of Bedrock's `ConverseStream` for one reply, each a message of AWS's binary event stream. */
export function bedrockFrames(reply: WireReply): Frame[] {
  const frames: Frame[] = [];
  let index = 0;
  const send = (type: string, payload: object): void => {
    frames.push(eventStreamMessage(type, payload));
  };
  const block = (deltas: readonly object[], start?: object): void => {
    if (start !== undefined) send('contentBlockStart', { contentBlockIndex: index, start });
    for (const delta of deltas) send('contentBlockDelta', { contentBlockIndex: index, delta });
    send('contentBlockStop', { contentBlockIndex: index });
    index += 1;
  };
  send('messageStart', { role: 'assistant' });
  if (reply.thinking.length > 0) block(reply.thinking.map(text => ({ reasoningContent: { text } })));
  if (reply.text.length > 0) block(reply.text.map(text => ({ text })));
  for (const { id, name, pieces } of reply.toolCalls) {
    block(
      pieces.map(input => ({ toolUse: { input } })),
      { toolUse: { toolUseId: id, name } },
    );
  }
  send('messageStop', { stopReason: STOP_REASONS[reply.stopReason] });
  const { input, output, cacheRead, cacheWrite } = reply.usage;
  send('metadata', {
    usage: {
      inputTokens: input,
      outputTokens: output,
      totalTokens: input + output + cacheRead + cacheWrite,
      cacheReadInputTokens: cacheRead,
      cacheWriteInputTokens: cacheWrite,
    },
    metrics: { latencyMs: 1 },
  });
  return frames;
}

/** Lengths, headers, payload, each guarded by a CRC (AWS documentation, "Event stream encoding"). */
function eventStreamMessage(type: string, payload: object): Buffer {
  const headers = Buffer.concat(
    Object.entries({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }).map(header),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.concat([uint32(16 + headers.length + body.length), uint32(headers.length)]);
  const message = Buffer.concat([prelude, uint32(crc32(prelude)), headers, body]);
  return Buffer.concat([message, uint32(crc32(message))]);
}

function header([name, value]: readonly [string, string]): Buffer {
  const stringType = 7;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([stringType]),
    length,
    Buffer.from(value),
  ]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
