import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { emit } from '../controls/emit';
import { copyButton, iconButton } from '../controls/controls';
import { SteppedText } from '../controls/text-element';
import { markedHtml } from '../marked-text';
import { pathBefore } from './file-name';
import { highlight } from './highlight';
import { toFragment } from './sanitize';

export interface CodeSource {
  readonly language: string;
  readonly text: string;
  /** False while more may come. Colors are added when it becomes true. */
  readonly final: boolean;
  /** The file that the fence names, as the model wrote it. */
  readonly path?: string | undefined;
  /** Hides the row of buttons. */
  readonly plain?: boolean;
}

/** `<hookline-code>`: a block of code with buttons to copy it, insert it, open it and apply it to a file. */
export class CodeElement extends HTMLElement {
  private text = '';
  private language = '';
  private path: string | undefined;
  private readonly code = document.createElement('code');
  private stepped: SteppedText | undefined;

  /** Shows code. When it begins with the code that is drawn, only the rest is added. */
  set source(source: CodeSource) {
    this.text = source.text.replace(/\n$/, '');
    this.language = source.language;
    this.path = source.path;
    this.stepped ??= this.build(source);
    this.stepped.show(this.text);
    if (source.final) this.color();
  }

  /** Whether `block` continues the code of this element. */
  isStartOf(block: { readonly language: string; readonly text: string }): boolean {
    return block.language === this.language && block.text.startsWith(this.text);
  }

  private build(source: CodeSource): SteppedText {
    const pre = document.createElement('pre');
    pre.tabIndex = 0;
    pre.setAttribute('role', 'region');
    pre.setAttribute('aria-label', source.language ? l10n.t('Code, {0}', source.language) : l10n.t('Code'));
    pre.append(this.code);
    if (source.plain) this.append(pre);
    else this.append(this.header(), pre);
    return new SteppedText(this.code, '', () => this.color());
  }

  private header(): HTMLElement {
    const head = document.createElement('div');
    head.className = 'code-head';
    render(
      html`<span class="code-language">${this.language}</span> ${copyButton(l10n.t('Copy Code'), () => this.text)}
        ${iconButton('insert', l10n.t('Insert at Cursor'), () => emit(this, { type: 'insertAtCursor', text: this.text }))}
        ${iconButton('go-to-file', l10n.t('Open as File'), () => emit(this, { type: 'openText', text: this.text, language: this.language }))}
        ${iconButton('git-compare', l10n.t('Apply to File…'), () => this.apply())}
        ${this.language === 'mermaid' ? this.diagramButton() : nothing}`,
      head,
    );
    return head;
  }

  private apply(): void {
    const path = this.path ?? pathBefore(this);
    const named = path === undefined ? {} : { path };
    emit(this, { type: 'applyCode', text: this.text, language: this.language, ...named });
  }

  private diagramButton(): TemplateResult {
    return iconButton('type-hierarchy', l10n.t('Open as Diagram'), () =>
      emit(this, { type: 'openDiagram', text: this.text }),
    );
  }

  private color(): void {
    const visible = this.stepped?.visible ?? '';
    const colored = highlight(visible, this.language);
    if (colored !== undefined) this.code.replaceChildren(toFragment(markedHtml(colored)));
  }
}
