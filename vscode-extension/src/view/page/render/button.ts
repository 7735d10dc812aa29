/** Buttons: with a symbol and a spoken name, or with words. */

import { h, type Described } from '../dom';
import { icon, type IconName } from '../icons';

export interface ButtonProps {
  readonly key?: string;
  readonly label: string;
  readonly press: () => void;
  readonly class?: string;
  /** Whether Tab comes here. Rows give their buttons to Tab only while they are the active row. */
  readonly tabbable?: boolean;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
}

/** Only a symbol: the label is its name and its tooltip. */
export function iconButton(name: IconName, props: ButtonProps): Described {
  return button(
    props,
    `icon-button ${props.class ?? ''}`,
    { title: props.label, 'aria-label': props.label },
    icon(name),
  );
}

export function textButton(
  props: ButtonProps,
  look: 'primary' | 'secondary' | 'link' = 'link',
  name?: IconName,
): Described {
  return button(
    props,
    `${look}-button ${props.class ?? ''}`,
    {},
    name === undefined ? null : icon(name),
    h('span', {}, props.label),
  );
}

function button(
  props: ButtonProps,
  className: string,
  names: Readonly<Record<string, string>>,
  ...children: readonly (Described | null)[]
): Described {
  const press = (event: Event): void => {
    event.stopPropagation();
    props.press();
  };
  return h(
    'button',
    {
      ...(props.key === undefined ? {} : { key: props.key }),
      class: className.trim(),
      'aria-pressed': props.pressed,
      'aria-expanded': props.expanded,
      attributes: { type: 'button', tabindex: props.tabbable === false ? -1 : 0, ...names },
      on: { click: press },
    },
    ...children,
  );
}
