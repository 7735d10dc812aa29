/** What is remembered: as a graph of memories and the files they cite, and by what was done when. */
import { useCallback, useMemo, useState, type ReactElement } from 'react';
import { Figure, stacked, type Drawn } from '../chart';
import { count, day, of, time, words } from '../format';
import { useAnswer, type Page } from '../load';
import { Empty, Panel, Said, Status, Table } from '../parts';
import type { Theme } from '../theme';
import type { Graph, Log, GraphMemory } from '../wire';

const mostNodes = 120;

export function MemoryGraph({ page }: { readonly page: Page }): ReactElement {
  const loaded = useAnswer(page, '/memory/graph', { limit: mostNodes });
  return (
    <Panel
      id="memory"
      title="Memory"
      wide
      about="What was remembered, how one memory is related to another, and the files they cite."
      loaded={loaded}
    >
      {(graph) => (graph.items.length === 0 ? <NoMemory /> : <Related graph={graph} />)}
    </Panel>
  );
}

function NoMemory(): ReactElement {
  return (
    <Empty>
      Nothing is remembered yet. Begin with <code>helix remember &quot;Sessions use Ed25519&quot;</code>, or in the
      editor with “Helix: Remember Selection”.
    </Empty>
  );
}

const colorOf = (theme: Theme, status: string): string =>
  ({ active: theme.good, contested: theme.doubt, quarantined: theme.mark })[status] ?? theme.quiet;

function Related({ graph }: { readonly graph: Graph }): ReactElement {
  const [chosen, choose] = useState('');
  const { items, links, cites } = graph;
  const shown = items.find(({ id }) => id === chosen);
  const files = useMemo(() => [...new Set(cites.map(({ source_id }) => source_id))].slice(0, mostNodes), [cites]);
  const draw: Drawn = useCallback(
    (theme) => {
      const at = new Map(
        [...items.map(({ id }) => id), ...files.map((file) => `/${file}`)].map((id, index) => [id, index]),
      );
      const edges = [
        ...links.map(({ id, other }) => ({ source: at.get(id), target: at.get(other) })),
        ...cites.map(({ id, source_id }) => ({ source: at.get(id), target: at.get(`/${source_id}`) })),
      ].filter(({ source, target }) => source !== undefined && target !== undefined);
      const isNear = (id: string): boolean => id === chosen;
      return {
        type: 'forceDirectedGraph',
        data: {
          labels: [...items.map(({ text }) => text), ...files],
          datasets: [
            {
              data: [...items, ...files].map(() => ({})),
              edges,
              edgeLineBorderColor: theme.line,
              edgeLineBorderWidth: 1.5,
              pointStyle: [...items.map(() => 'circle'), ...files.map(() => 'rectRot')],
              pointRadius: [...items.map(({ id }) => (isNear(id) ? 11 : 7)), ...files.map(() => 5)],
              pointHitRadius: 6,
              pointBorderWidth: [...items.map(({ id }) => (isNear(id) ? 4 : 1)), ...files.map(() => 1)],
              pointBorderColor: theme.text,
              pointBackgroundColor: [
                ...items.map(({ status }) => colorOf(theme, status)),
                ...files.map(() => theme.other),
              ],
            },
          ],
        },
        options: {
          simulation: { autoRestart: false, initialIterations: 200 },
          layout: { padding: 16 },
          onClick: (_: unknown, hit: readonly { readonly index: number }[]) => {
            choose(items[hit[0]?.index ?? -1]?.id ?? '');
          },
          plugins: {
            legend: { display: false },
            tooltip: { callbacks: { label: ({ label }: { label: string }) => label.slice(0, 80) } },
          },
          // The extension of the chart types has no types for its options.
        } as never,
      } as never;
    },
    [items, links, cites, files, chosen],
  );
  const relations = new Map<string, string[]>();
  for (const { id, other, relation } of links) {
    relations.set(id, [...(relations.get(id) ?? []), `${words(relation)} ${other}`]);
  }
  const label =
    `${of(items.length, 'memory', 'memories')}${graph.is_whole ? '' : ' (the newest)'}, ` +
    `${of(links.length, 'relation')}, ${of(files.length, 'cited file')}. Circles are memories, diamonds are files.`;
  return (
    <div className="beside">
      <Figure
        label={label}
        draw={draw}
        height="high"
        heads={['Memory', 'Kind', 'Status', 'Says', 'Is related', 'Cites']}
        rows={items.map((one) => ({
          key: one.id,
          cells: [
            one.id,
            one.kind,
            <Status key="status" name={one.status} />,
            <Said key="text" text={one.text} />,
            (relations.get(one.id) ?? []).join(', '),
            cites
              .filter(({ id }) => id === one.id)
              .map(({ source_id }) => source_id)
              .join(', '),
          ],
        }))}
      />
      <div>
        <h3 id="memories-listed">Memories, the newest first</h3>
        <ul className="choices" aria-labelledby="memories-listed">
          {items.slice(0, mostNodes).map((one) => (
            <li key={one.id}>
              <button
                type="button"
                aria-pressed={one.id === chosen}
                onClick={() => {
                  choose(one.id === chosen ? '' : one.id);
                }}
              >
                <Status name={one.status} /> <Said text={one.text} />
              </button>
            </li>
          ))}
        </ul>
        <div role="status">{shown !== undefined && <Details item={shown} graph={graph} />}</div>
      </div>
    </div>
  );
}

function Details({ item, graph }: { readonly item: GraphMemory; readonly graph: Graph }): ReactElement {
  const related = graph.links.filter(({ id, other }) => id === item.id || other === item.id);
  const cited = graph.cites.filter(({ id }) => id === item.id);
  return (
    <dl className="facts">
      <dt>Memory</dt>
      <dd>
        {item.id}, {item.kind}, by {item.origin}, {time(item.at)}
      </dd>
      <dt>Cites</dt>
      <dd>{cited.map(({ source_id }) => source_id).join(', ') || 'no code'}</dd>
      <dt>Related</dt>
      <dd>{related.map(({ id, other, relation }) => `${id} ${words(relation)} ${other}`).join('; ') || 'to none'}</dd>
      <dt>Open it</dt>
      <dd>
        <code>helix recall {item.id}</code>
      </dd>
    </dl>
  );
}

export function MemoryTimeline({ page }: { readonly page: Page }): ReactElement {
  const loaded = useAnswer(page, '/memory/log', { limit: 500 });
  return (
    <Panel
      id="timeline"
      title="Timeline and history"
      about="What was done to the memory, from its log: a chain of hashes in which nothing is changed afterwards."
      loaded={loaded}
    >
      {(log) => (log.ops.length === 0 ? <NoMemory /> : <Operations log={log} />)}
    </Panel>
  );
}

function Operations({ log }: { readonly log: Log }): ReactElement {
  const ops = log.ops;
  const named = useMemo(() => {
    const seen = [...new Set(ops.map(({ kind }) => kind))];
    return seen.length > 4 ? [...seen.slice(0, 3), 'other'] : seen;
  }, [ops]);
  const perDay = useMemo(() => {
    const found = new Map<string, Map<string, number>>();
    for (const { at, kind } of [...ops].reverse()) {
      const counted = found.get(day(at)) ?? new Map<string, number>();
      const name = named.includes(kind) ? kind : 'other';
      counted.set(name, (counted.get(name) ?? 0) + 1);
      found.set(day(at), counted);
    }
    return [...found].slice(-30);
  }, [ops, named]);
  const draw: Drawn = useCallback(
    (theme) =>
      stacked(
        perDay.map(([date]) => date),
        named.map((kind, at) => ({
          label: words(kind),
          values: perDay.map(([, counted]) => counted.get(kind) ?? 0),
          color: [theme.mark, theme.good, theme.doubt, theme.other][at] ?? theme.quiet,
        })),
        'operations',
      ),
    [perDay, named],
  );
  return (
    <>
      <Figure
        label={`${of(ops.length, 'operation')} on the memory, by day.`}
        draw={draw}
        heads={['Day', ...named.map(words)]}
        rows={perDay.map(([date, counted]) => ({
          key: date,
          cells: [date, ...named.map((kind) => counted.get(kind) ?? 0)],
        }))}
      />
      <h3>The last operations</h3>
      <Table
        label="The last operations"
        heads={['No.', 'When', 'What', 'By', 'Memory', 'Says']}
        rows={ops.slice(0, 50).map((op) => ({
          key: String(op.seq),
          cells: [count(op.seq), time(op.at), words(op.kind), op.actor, op.id, <Said key="said" text={op.text} />],
        }))}
      />
    </>
  );
}
