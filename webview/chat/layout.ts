import * as l10n from '@vscode/l10n';
import { html, render } from 'lit';
import type { ComponentPlace } from '../../src/protocol/items/hook-component';
import { icon } from '../controls/controls';

/** The parts of the page that exist as long as the page. */
export interface Layout {
  /** The elements for components of hooks, by place. */
  readonly components: { readonly [P in ComponentPlace]: HTMLElement };
  readonly header: HTMLElement;
  readonly find: HTMLElement;
  readonly tabs: HTMLElement;
  readonly log: HTMLElement;
  readonly empty: HTMLElement;
  readonly earlier: HTMLElement;
  readonly items: HTMLElement;
  readonly jump: HTMLButtonElement;
  readonly gateHint: HTMLElement;
  readonly activity: HTMLElement;
  /** The list of commands that run on. */
  readonly commands: HTMLElement;
  /** The todo list of the agent. */
  readonly todos: HTMLElement;
  /** The panel of files that the agent changed. */
  readonly changes: HTMLElement;
  readonly composer: HTMLElement;
  readonly announcer: HTMLElement;
}

/** Builds the frame of the page. The log has `aria-live` off, because screen readers must not read parts of an answer. */
export function layout(root: HTMLElement): Layout {
  render(
    html`<header class="header"></header>
      <nav class="tabs" aria-label=${l10n.t('Open conversations')}></nav>
      <div class="hook-components hook-components-header"></div>
      <main class="log-frame">
        <div class="find-host"></div>
        <div class="log" role="log" aria-live="off" aria-label=${l10n.t('Conversation')} tabindex="0">
          <div class="empty"></div>
          <div class="earlier-host"></div>
          <div class="items" role="group" aria-label=${l10n.t('Messages')}></div>
        </div>
        <button
          type="button"
          class="jump"
          data-hookline="jump"
          aria-label=${l10n.t('Jump to Latest')}
          title=${l10n.t('Jump to Latest')}
          hidden
        >
          ${icon('arrow-down')}
        </button>
        <div class="hook-components hook-components-overlay"></div>
      </main>
      <footer class="footer">
        <div class="gate-hint" data-hookline="gate-hint"></div>
        <div class="activity" data-hookline="activity"></div>
        <div class="commands-host"></div>
        <div class="todos-host"></div>
        <div class="changes-host"></div>
        <div class="hook-components hook-components-above"></div>
        <div class="hook-components hook-components-panel"></div>
        <div class="hook-components hook-components-editor"></div>
        <div class="composer-host"></div>
        <div class="hook-components hook-components-below"></div>
        <div class="hook-components hook-components-footer"></div>
      </footer>
      <div class="sr-only" aria-live="polite" data-hookline="announcer"></div>`,
    root,
  );
  const part = (selector: string): HTMLElement => found(root, selector);
  const jump = part('.jump');
  if (!(jump instanceof HTMLButtonElement)) throw new Error('The page has no jump button.');
  return {
    components: {
      header: part('.hook-components-header'),
      overlay: part('.hook-components-overlay'),
      above: part('.hook-components-above'),
      panel: part('.hook-components-panel'),
      editor: part('.hook-components-editor'),
      below: part('.hook-components-below'),
      footer: part('.hook-components-footer'),
    },
    header: part('.header'),
    find: part('.find-host'),
    tabs: part('.tabs'),
    log: part('.log'),
    empty: part('.empty'),
    earlier: part('.earlier-host'),
    items: part('.items'),
    jump,
    gateHint: part('.gate-hint'),
    activity: part('.activity'),
    commands: part('.commands-host'),
    todos: part('.todos-host'),
    changes: part('.changes-host'),
    composer: part('.composer-host'),
    announcer: part('[data-hookline="announcer"]'),
  };
}

function found(root: HTMLElement, selector: string): HTMLElement {
  const element = root.querySelector<HTMLElement>(selector);
  if (!element) throw new Error(`The page has no ${selector}.`);
  return element;
}
