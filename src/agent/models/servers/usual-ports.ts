/** The programs that are looked for on this machine. */
export type LocalServerId = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm';

/** The ports that they use unless told otherwise. */
export const USUAL_PORTS: Readonly<Record<LocalServerId, number>> = {
  ollama: 11434,
  lmstudio: 1234,
  llamacpp: 8080,
  vllm: 8000,
};
