import type { ModelEntry } from './files/models-schema';

/** Provider under which the editor's own models are listed; with a model's id: `vscode-lm/<vendor>/<family>`. */
export const EDITOR_PROVIDER = 'vscode-lm';

/** The API of these models. Their token counts are estimates, since VS Code reports none. */
export const EDITOR_API = 'vscode-lm';

/** A model that the editor offers. */
export interface EditorModel {
  /** The id of its vendor, unique within that vendor. */
  readonly id: string;
  readonly vendor: string;
  readonly family: string;
  readonly name: string;
  /** Tokens; 0 when not known. */
  readonly maxInputTokens: number;
  readonly seesImages: boolean;
}

/** A model's entry for the registry, and the model of the editor that it is for. */
export interface NamedEditorModel<M extends EditorModel> {
  readonly entry: ModelEntry;
  readonly model: M;
}

/**
 * Names models as `<vendor>/<family>`. If there are several of one family, the first by id has that name, and the others have
 * their id after it. So a name means the same model in whatever order the editor lists them. Models without vendor or family
 * cannot be named and are left out. They cost nothing here: what an account pays for them is the editor's business.
 */
export function nameEditorModels<M extends EditorModel>(models: readonly M[]): readonly NamedEditorModel<M>[] {
  const sorted = [...models].sort((a, b) => compare(a.id, b.id));
  const named = new Map<string, NamedEditorModel<M>>();
  for (const model of sorted) {
    const { vendor, family, id } = model;
    if (vendor === '' || family === '') continue;
    const plain = `${vendor}/${family}`;
    const name = named.has(plain) ? `${plain}/${id}` : plain;
    if (!named.has(name)) named.set(name, { model, entry: entryOf(name, model) });
  }
  return [...named.values()].sort((a, b) => compare(a.entry.id, b.entry.id));
}

function entryOf(id: string, { name, maxInputTokens, seesImages }: EditorModel): ModelEntry {
  return {
    id,
    name: name === '' ? id : name,
    reasoning: false,
    input: seesImages ? ['text', 'image'] : ['text'],
    ...(maxInputTokens > 0 ? { contextWindow: maxInputTokens } : {}),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** True for answers whose token counts were estimated here. */
export function hasEstimatedUsage({ api }: { readonly api: string }): boolean {
  return api === EDITOR_API;
}
