import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { anySignal } from '../../../base/async/wait';
import { messageOf } from '../../../base/errors';

/** Largest answer that is read, in bytes. */
const LARGEST_ANSWER = 2 * 1024 * 1024;
/** How much of an answer that is no JSON is shown, in characters. */
const SHOWN_ANSWER = 200;

/**
 * Why a server gave no JSON. `refused`: nothing listens there. `tls`: no connection that can be trusted. `unauthorized`: it wants
 * a key, or another one. `page`: a web page. `other`: the detail says it.
 */
export interface ServerFailure {
  readonly type: 'failed';
  readonly why: 'refused' | 'timeout' | 'tls' | 'unauthorized' | 'redirect' | 'page' | 'too-large' | 'other';
  /** In the words of the system or the server. */
  readonly detail: string;
}

export type ServerAnswer = { readonly type: 'json'; readonly body: unknown } | ServerFailure;

export interface ServerQuestion {
  /** An http or https address. */
  readonly address: string;
  /** Is sent as JSON, with POST. */
  readonly body?: object;
  readonly key?: string | undefined;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks a server that may be any program. Follows no redirect, sends the key to no other server, and reads no answer that is
 * larger or later than the limits. Never rejects.
 */
export async function askServer(question: ServerQuestion): Promise<ServerAnswer> {
  const { address, limitMs, signal } = question;
  const limit = AbortSignal.timeout(limitMs);
  try {
    const response = await send(question, anySignal(limit, signal));
    try {
      return await readAnswer(response);
    } finally {
      response.destroy();
    }
  } catch (error) {
    if (limit.aborted) return failure('timeout', `no answer within ${limitMs / 1000} s`);
    return failureOf(error, address);
  }
}

function send({ address, body, key }: ServerQuestion, signal: AbortSignal): Promise<IncomingMessage> {
  const url = new URL(address);
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    accept: 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: text === undefined ? 'GET' : 'POST', headers, signal, agent: false }, resolve);
    sent.on('error', reject);
    sent.end(text);
  });
}

async function readAnswer(response: IncomingMessage): Promise<ServerAnswer> {
  const { statusCode = 0, headers } = response;
  if (statusCode === 401 || statusCode === 403) return failure('unauthorized', `HTTP ${statusCode}`);
  if (statusCode >= 300 && statusCode < 400) return failure('redirect', `HTTP ${statusCode} ${headers.location ?? ''}`);
  const text = await textOf(response);
  if (text === undefined) return failure('too-large', `more than ${LARGEST_ANSWER / (1024 * 1024)} MB`);
  const start = text.trim().slice(0, SHOWN_ANSWER);
  if (/^<(!doctype|html|\?xml)/i.test(start)) return failure('page', start);
  if (statusCode !== 200) return failure('other', `HTTP ${statusCode} ${start}`.trim());
  try {
    return { type: 'json', body: JSON.parse(text) };
  } catch {
    return failure('other', start === '' ? 'an empty answer' : start);
  }
}

async function textOf(response: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function failureOf(error: unknown, address: string): ServerFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const detail = messageOf(error) === '' ? code : messageOf(error);
  if (code === 'ECONNREFUSED') return failure('refused', detail === '' ? address : detail);
  const isTls = /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_)/.test(code);
  return failure(isTls ? 'tls' : 'other', detail);
}

function failure(why: ServerFailure['why'], detail: string): ServerFailure {
  return { type: 'failed', why, detail };
}
