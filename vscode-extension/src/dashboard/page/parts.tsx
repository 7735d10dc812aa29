/** What every panel is made of. */
import type { ReactElement, ReactNode } from 'react';
import type { Loaded } from './load';

export type Cell = ReactNode;
export interface TableRow {
  readonly key: string;
  readonly cells: readonly Cell[];
}

/** A table that scrolls where it is wider than its panel, also by keyboard. */
export function Table(props: {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly TableRow[];
}): ReactElement {
  const { label, heads, rows } = props;
  return (
    <div className="scroll" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={heads[at]} className={typeof cell === 'number' ? 'number' : ''}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export interface PanelProps<T> {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly wide?: boolean;
  readonly loaded: Loaded<T>;
  readonly children: (answer: T) => ReactNode;
}

/** One section of the page: what it is about, and its answer, or why there is none. */
export function Panel<T>({ id, title, about, wide, loaded, children }: PanelProps<T>): ReactElement {
  return (
    <section id={id} aria-labelledby={`${id}-title`} aria-busy={loaded.busy} className={wide ? 'wide' : ''}>
      <h2 id={`${id}-title`}>{title}</h2>
      <p className="about">{about}</p>
      {loaded.error !== undefined && (
        <p className="error" role="alert">
          {loaded.error}
        </p>
      )}
      {loaded.answer === undefined
        ? loaded.error === undefined && <p className="quiet">Loading …</p>
        : children(loaded.answer)}
    </section>
  );
}

/** Shown where there is nothing yet: why, and what to do. */
export function Empty({ children }: { readonly children: ReactNode }): ReactElement {
  return <p className="empty">{children}</p>;
}

/** Words of others: shown as text, in their own direction. */
export function Said({ text }: { readonly text: string }): ReactElement {
  return <bdi className="said">{text}</bdi>;
}

const marks: Readonly<Record<string, readonly [mark: string, kind: string]>> = {
  ...{ active: ['✓', 'good'], verified: ['✓', 'good'], fresh: ['✓', 'good'], running: ['✓', 'good'] },
  ...{ contested: ['≠', 'doubt'], stale_risk: ['~', 'doubt'], quarantined: ['?', 'doubt'], indexing: ['…', 'doubt'] },
  ...{ needs_refresh: ['!', 'bad'], superseded: ['→', 'quiet'], archived: ['▫', 'quiet'], forgotten: ['×', 'quiet'] },
};

/** A status with a mark besides its color. */
export function Status({ name }: { readonly name: string }): ReactElement {
  const [mark, kind] = marks[name] ?? ['•', 'quiet'];
  return (
    <span className={`status ${kind}`}>
      <span aria-hidden="true">{mark}</span> {name.replaceAll('_', ' ')}
    </span>
  );
}
