/** Which memories differ between an earlier time and now. */
import { useMemo, useState, type ReactElement } from 'react';
import { of, time } from '../format';
import { useAnswer, type Page } from '../load';
import { Empty, Panel, Said, Status } from '../parts';
import type { Diff, Differing } from '../wire';

const spans = [
  ['an hour', 3_600],
  ['a day', 86_400],
  ['a week', 7 * 86_400],
  ['a month', 30 * 86_400],
  ['a year', 365 * 86_400],
] as const;

export function MemoryDiff({ page }: { readonly page: Page }): ReactElement {
  const [seconds, setSeconds] = useState<number>(7 * 86_400);
  // Counted from the last refresh or choice, so that drawing the page anew asks nothing.
  const since = useMemo(() => Math.floor(Date.now() / 1e3) - seconds, [page.turn, seconds]);
  const loaded = useAnswer(page, '/memory/diff', { since, limit: 50 });
  return (
    <Panel
      id="diff"
      title="Memory, then and now"
      about="What is in force now and was not, what is no longer in force, and what is in another state."
      loaded={loaded}
    >
      {(diff) => (
        <>
          <label className="field">
            Compare with{' '}
            <select
              value={seconds}
              onChange={(event) => {
                setSeconds(Number(event.target.value));
              }}
            >
              {spans.map(([name, length]) => (
                <option key={name} value={length}>
                  {name} ago
                </option>
              ))}
            </select>
          </label>
          <Changes diff={diff} />
        </>
      )}
    </Panel>
  );
}

function Changes({ diff }: { readonly diff: Diff }): ReactElement {
  if (diff.added_total + diff.removed_total + diff.changed_total === 0) {
    return <Empty>The memory is as it was then. Choose an earlier time to see more.</Empty>;
  }
  return (
    <>
      <Part mark="+" title="Added" items={diff.added} total={diff.added_total} />
      <Part mark="−" title="No longer in force" items={diff.removed} total={diff.removed_total} />
      <Part mark="~" title="In another state" items={diff.changed} total={diff.changed_total} />
    </>
  );
}

function Part(props: {
  readonly mark: string;
  readonly title: string;
  readonly items: readonly Differing[];
  readonly total: number;
}): ReactElement | null {
  const { mark, title, items, total } = props;
  if (total === 0) {
    return null;
  }
  return (
    <>
      <h3>
        <span aria-hidden="true">{mark} </span>
        {title}: {of(total, 'memory', 'memories')}
        {total > items.length && `, the last ${items.length}`}
      </h3>
      <ul className="lines">
        {items.map((one) => (
          <li key={one.id}>
            {one.was !== '' && (
              <>
                <Status name={one.was} /> <span aria-label="to">→ </span>
              </>
            )}
            <Status name={one.status} /> <Said text={one.text} />{' '}
            <span className="quiet">
              {one.id}, {time(one.at)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
