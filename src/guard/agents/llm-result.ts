import { isRecord } from '../../base/json/is-record';
import { jsonText, partsText, type ReadResult } from './payload';

/** Reads a result as Gemini CLI and Qwen Code give it: `llmContent` for the model, and `error` where the call failed. */
export function llmResult(response: unknown): ReadResult {
  if (!isRecord(response)) return { text: typeof response === 'string' ? response : '', isError: true, response };
  const { llmContent, error } = response;
  return { text: contentText(llmContent) ?? jsonText(error), isError: error != null, response };
}

function contentText(content: unknown): string | undefined {
  if (content === undefined || typeof content === 'string') return content;
  return partsText(Array.isArray(content) ? content : [content]);
}
