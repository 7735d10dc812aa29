/**
 * A page as a value: `h` describes elements, `patch` makes the real ones equal to the description.
 *
 * Elements are kept by key, so that focus, caret, scroll and a screen reader's place survive. Text becomes text nodes and
 * nothing else: no content of others is ever parsed as HTML.
 */

import { piecesOf } from '../shown';

type Attribute = string | number | boolean | undefined;
type Handler = (event: Event) => void;

export interface ElementProps {
  readonly [attribute: `aria-${string}` | `data-${string}`]: Attribute;
  readonly key?: string;
  readonly class?: string | undefined;
  readonly on?: Readonly<Partial<Record<'click' | 'input' | 'change' | 'keydown', Handler>>>;
  /** A form control's live value or state; not the attribute. */
  readonly value?: string;
  readonly checked?: boolean;
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

export interface Described {
  readonly tag: string;
  readonly props: ElementProps;
  readonly children: readonly (Described | string)[];
}

export type Child = Described | string | number | null | undefined | false | readonly Child[];

export function h(tag: string, props: ElementProps, ...children: readonly Child[]): Described {
  return { tag, props, children: flat(children) };
}

/** Text of others: invisible characters are shown as escapes, marked as such. */
export function text(value: string, keep = ''): Child {
  return piecesOf(value, keep).map((piece) =>
    piece.escaped ? h('span', { class: 'escape' }, piece.text) : piece.text,
  );
}

/** Make the children of `parent` equal to the description. */
export function patch(parent: Element, children: readonly (Described | string)[]): void {
  const keyed = new Map<string, Element>();
  const unkeyed: ChildNode[] = [];
  for (const node of [...parent.childNodes]) {
    const key = node instanceof Element ? described.get(node)?.props.key : undefined;
    if (key !== undefined && node instanceof Element) keyed.set(key, node);
    else unkeyed.push(node);
  }
  let at: ChildNode | null = parent.firstChild;
  for (const child of children) {
    const node = reused(child, keyed, unkeyed) ?? made(child, parent);
    if (typeof child === 'string') {
      if (node.textContent !== child) node.textContent = child;
    } else if (node instanceof Element) {
      update(node, child);
    }
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
  while (at !== null) {
    const next: ChildNode | null = at.nextSibling;
    at.remove();
    at = next;
  }
}

const described = new WeakMap<Element, Described>();
const svg = 'http://www.w3.org/2000/svg';

function flat(children: readonly Child[]): (Described | string)[] {
  const all: (Described | string)[] = [];
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === '') continue;
    if (typeof child === 'string' || typeof child === 'number') all.push(String(child));
    else if ('tag' in child) all.push(child);
    else all.push(...flat(child));
  }
  return all;
}

function reused(child: Described | string, keyed: Map<string, Element>, unkeyed: ChildNode[]): ChildNode | undefined {
  if (typeof child !== 'string' && child.props.key !== undefined) {
    const node = keyed.get(child.props.key);
    keyed.delete(child.props.key);
    return node !== undefined && described.get(node)?.tag === child.tag ? node : undefined;
  }
  const index = unkeyed.findIndex((node) =>
    typeof child === 'string'
      ? node.nodeType === Node.TEXT_NODE
      : node instanceof Element && described.get(node)?.tag === child.tag,
  );
  return index < 0 ? undefined : unkeyed.splice(index, 1)[0];
}

function made(child: Described | string, parent: Element): ChildNode {
  if (typeof child === 'string') return document.createTextNode(child);
  const inSvg = child.tag === 'svg' || parent.namespaceURI === svg;
  return inSvg ? document.createElementNS(svg, child.tag) : document.createElement(child.tag);
}

function update(element: Element, next: Described): void {
  const before = described.get(element);
  described.set(element, next);
  const [old, now] = [attributesOf(before), attributesOf(next)];
  for (const name of old.keys()) if (!now.has(name)) element.removeAttribute(name);
  for (const [name, value] of now) if (old.get(name) !== value) element.setAttribute(name, value);
  listen(element, before, next);
  patch(element, next.children);
  // After the children: a select has its value only once it has its options.
  const control = element as Element & { value?: string; checked?: boolean };
  if (next.props.value !== undefined && control.value !== next.props.value) control.value = next.props.value;
  if (next.props.checked !== undefined) control.checked = next.props.checked;
}

function listen(element: Element, before: Described | undefined, next: Described): void {
  const names = new Set([...Object.keys(before?.props.on ?? {}), ...Object.keys(next.props.on ?? {})]);
  for (const name of names) {
    if (listening.get(element)?.has(name)) continue;
    element.addEventListener(name, dispatch);
    listening.set(element, new Set([...(listening.get(element) ?? []), name]));
  }
}

const listening = new WeakMap<Element, ReadonlySet<string>>();

/** Handlers are read from the newest description, so that an element is listened to only once. */
function dispatch(this: Element, event: Event): void {
  const handlers = described.get(this)?.props.on as Record<string, Handler | undefined> | undefined;
  handlers?.[event.type]?.(event);
}

function attributesOf(description: Described | undefined): Map<string, string> {
  const attributes = new Map<string, string>();
  if (description === undefined) return attributes;
  const { class: className, attributes: plain } = description.props;
  const named = Object.entries(description.props).filter(([name]) => /^(aria|data)-/.test(name));
  const all: Record<string, Attribute> = { ...Object.fromEntries(named), ...plain, class: className };
  for (const [name, value] of Object.entries(all)) {
    if (value === undefined || (value === false && !name.startsWith('aria-'))) continue;
    attributes.set(name, value === true && !name.startsWith('aria-') ? '' : String(value));
  }
  return attributes;
}
