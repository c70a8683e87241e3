type Sessions = Awaited<ReturnType<typeof loadSessions>>;

/** Loaded only in the process that measures it. */
export async function loadSessions() {
  const { SessionStore } = await import('../../src/agent/session/store');
  const { SessionState } = await import('../../src/session/state/session-state');
  return { SessionStore, SessionState };
}

/** Opens as a conversation does: the context for the model, its model and level, and what is drawn. The caller closes it. */
export async function openSession(file: string, { SessionStore, SessionState }: Sessions) {
  const store = await SessionStore.open(file);
  const state = new SessionState(store);
  const context = state.readContext();
  store.buildSessionContext();
  const { messages } = state.readTranscript();
  if (context.length === 0 || messages.length === 0) throw new Error('the session was not read');
  return { store, context, messages };
}
