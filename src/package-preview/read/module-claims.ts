import { isBuiltin } from 'node:module';
import { explainModule, type ModuleExplanation } from '../../hook-authoring/explain/explain-hook';
import type { ExplainedThing, Power, RegisteredKind } from '../../hook-authoring/explain/explanation';
import { reachesIn } from '../../hook-authoring/explain/reach';
import type { Roles } from '../../hook-authoring/syntax/roles';
import {
  arrayOf,
  memberName,
  nameOf,
  nodeAt,
  propertyName,
  stringOf,
  unwrapped,
  type SyntaxNode,
} from '../../hook-authoring/syntax/syntax-node';
import { EVENT_TYPES, namesOf, rowOf } from '../../hook-contract/events/event-table';
import type { Claim, ClaimKind, ClaimPlace, HiddenName } from '../../packages/approval/claim';
import { constantText, quasisOf } from './constant-text';
import { hostsIn } from './host-names';
import type { ModuleLoad } from './module-loads';
import { clipped } from '../../base/text/clipped';
import { defined } from '../../base/defined';
import { singleLine } from '../../base/text/single-line';

/** A parsed module of a package. */
export interface ParsedModule {
  /** Path relative to the package's folder. */
  readonly file: string;
  readonly roles: Roles;
  readonly loads: readonly ModuleLoad[];
}

/** The names of all events whose handlers can block a step, in every dialect. */
const GATES: ReadonlySet<string> = new Set(
  EVENT_TYPES.filter(type => rowOf(type).onError === 'block').flatMap(type => namesOf(type)),
);

/** Whether handlers of this event can block a step. */
function isGate(event: string): boolean {
  return GATES.has(event);
}

/** What one module would do, according to its code. */
export function moduleClaims(module: ParsedModule): readonly Claim[] {
  const { file, roles } = module;
  const { tree } = roles;
  const at = (node: SyntaxNode): ClaimPlace => ({ file, line: tree.lineAt(node.start) });
  const explained = explainModule(file, tree, roles);
  return [
    ...handlerClaims(explained),
    ...explained.registers.map(each => claim(REGISTERED[each.kind], each.name, [each.place], each.detail)),
    ...explained.acts.map(act => claim('action', shortAct(act), [act.place])),
    ...loadClaims(module, at),
    ...commandClaims(module, explained, at),
    ...textClaims(module, at),
    ...variableClaims(module, at),
    ...hiddenClaims(explained),
  ];
}

type OpenKind = Exclude<ClaimKind, 'hidden'>;

function claim(kind: OpenKind, name: string, places: readonly ClaimPlace[], detail?: string): Claim {
  return { kind, name, ...(detail === undefined || detail === '' ? {} : { detail }), places: places.map(plainPlace) };
}

function hidden(name: HiddenName, place: ClaimPlace): Claim {
  return { kind: 'hidden', name, places: [plainPlace(place)] };
}

function plainPlace({ file, line }: ClaimPlace): ClaimPlace {
  return { file, ...defined({ line }) };
}

const REGISTERED: { readonly [K in RegisteredKind]: OpenKind } = {
  command: 'command',
  tool: 'tool',
  shortcut: 'shortcut',
  flag: 'flag',
  renderer: 'renderer',
  provider: 'provider',
  mcpServer: 'mcpServer',
};

function handlerClaims({ handlers }: ModuleExplanation): readonly Claim[] {
  return handlers.map(({ event, place, powers }) => {
    const may = powers.filter((power): power is Power => power !== 'block').join('; ');
    return claim(isGate(event) ? 'gate' : 'event', event, [place], may);
  });
}

/** The method alone: the claim for `pi.sendMessage` must not depend on the name of the variable. */
function shortAct({ name }: ExplainedThing): string {
  return name.split(/[.?]+/).at(-1) ?? name;
}

function loadClaims({ loads, roles }: ParsedModule, at: (node: SyntaxNode) => ClaimPlace): readonly Claim[] {
  const called = new Map<string, Set<string>>();
  for (const { name } of reachesIn(roles.tree)) {
    const [module = '', method] = name.split('.');
    if (method !== undefined) called.set(module, (called.get(module) ?? new Set()).add(method));
  }
  return loads.flatMap(({ specifier, node, isDisguised }): readonly Claim[] => {
    if (specifier === undefined) {
      return [hidden('computedModule', at(node))];
    }
    const disguise = isDisguised ? [claim('piecedModule', specifier, [at(node)])] : [];
    if (!isBuiltin(specifier)) return disguise;
    const name = specifier.replace(/^node:/, '');
    return [...disguise, claim('module', name, [at(node)], [...(called.get(name) ?? [])].join('; '))];
  });
}

function commandClaims(
  { roles }: ParsedModule,
  { reaches }: ModuleExplanation,
  at: (node: SyntaxNode) => ClaimPlace,
): readonly Claim[] {
  const { tree } = roles;
  const started = reachesIn(tree).filter(({ opened }) => opened === 'processes');
  const own = started.flatMap(({ node }) => {
    const text = beginningOf(roles, arrayOf(node, 'arguments')[0]);
    return text === undefined
      ? []
      : [claim('shellCommand', programOf(text), [at(node)], clipped(singleLine(text), 120))];
  });
  const byPi = reaches.filter(({ opened, name }) => opened === 'processes' && name.endsWith('.exec'));
  const throughPi = byPi.flatMap(({ name, detail, place }) => {
    if (detail === undefined || detail.startsWith('…') || name.startsWith('child_process')) return [];
    return [claim('shellCommand', programOf(detail), [place], clipped(singleLine(detail), 120))];
  });
  return [...own, ...throughPi];
}

/**
 * The text of an argument, with `…` for the parts known only at run time; undefined if even its beginning is not known.
 */
function beginningOf({ tree }: Roles, node: SyntaxNode | undefined): string | undefined {
  const constant = constantText(tree, node);
  if (constant !== undefined) return constant;
  const inner = unwrapped(node);
  if (inner?.type !== 'TemplateLiteral') return undefined;
  const pieces = quasisOf(inner);
  return pieces[0]?.trim() === '' ? undefined : pieces.join('…');
}

function programOf(command: string): string {
  return command.trim().split(/\s+/, 1)[0] ?? command;
}

/** Finds hosts in texts and in properties named `host` or `hostname`. */
function textClaims({ roles }: ParsedModule, at: (node: SyntaxNode) => ClaimPlace): readonly Claim[] {
  return roles.tree.ofType('StringLiteral', 'TemplateLiteral', 'ObjectProperty').flatMap(node => {
    if (node.type === 'ObjectProperty') {
      const isHost = /^(?:host|hostname)$/.test(propertyName(node) ?? '');
      const host = isHost ? stringOf(nodeAt(node, 'value')) : undefined;
      return host !== undefined && /^[\w-]+(?:\.[\w-]+)+$/.test(host) ? [claim('host', host, [at(node)])] : [];
    }
    const text = stringOf(node) ?? quasisOf(node).join('\0');
    return text.includes('://') ? [...hostsIn(text).keys()].map(host => claim('host', host, [at(node)])) : [];
  });
}

function variableClaims({ roles }: ParsedModule, at: (node: SyntaxNode) => ClaimPlace): readonly Claim[] {
  return roles.tree.ofType('MemberExpression', 'OptionalMemberExpression').flatMap(node => {
    const object = nodeAt(node, 'object');
    const isEnv = memberName(object) === 'env' && nameOf(nodeAt(object, 'object')) === 'process';
    const name = isEnv ? memberName(node) : undefined;
    return name === undefined || name === '' ? [] : [claim('variable', name, [at(node)])];
  });
}

function hiddenClaims({ unknown }: ModuleExplanation): readonly Claim[] {
  return unknown.flatMap((each): readonly Claim[] => {
    switch (each.type) {
      case 'codeFromText':
        return [hidden('codeFromText', each.place)];
      case 'computedEvent':
        return [hidden('computedEvent', each.place)];
      case 'handlerElsewhere': // The event itself is listed as a claim.
      case 'computedImport':
      case 'package':
      case 'unread':
      case 'noFactory':
      case 'broken':
        return [];
    }
  });
}
