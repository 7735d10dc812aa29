/** How much of each folder the index has as it is on disk. */
import { useCallback, type ReactElement } from 'react';
import { Figure, type Drawn } from '../chart';
import { count, of, percent, words } from '../format';
import { useAnswer, type Page } from '../load';
import { Empty, Panel } from '../parts';
import type { Theme } from '../theme';
import { notFresh, type FileCounts, type Freshness } from '../wire';

export function FreshnessMap({ page }: { readonly page: Page }): ReactElement {
  const loaded = useAnswer(page, '/freshness', { limit: 100 });
  return (
    <Panel
      id="freshness"
      title="Freshness of the workspace"
      about="Of each folder, the share of files that the index has as they are on disk. What is not fresh is still read from the disk before it is shown."
      loaded={loaded}
    >
      {(answer) => (answer.files.total === 0 ? <NoFiles /> : <Folders answer={answer} />)}
    </Panel>
  );
}

function NoFiles(): ReactElement {
  return (
    <Empty>
      No file counts here. Take the folder in with <code>helix index</code>, and see what is left out with{' '}
      <code>helix status --skipped</code>.
    </Empty>
  );
}

interface Tile {
  readonly _data?: { readonly folder?: string };
}

function colorOf(theme: Theme, counts: FileCounts | undefined): string {
  if (counts === undefined || counts.fresh === counts.total) {
    return theme.good;
  }
  return counts.fresh === 0 ? theme.bad : theme.doubt;
}

function Folders({ answer }: { readonly answer: Freshness }): ReactElement {
  const { folders, files } = answer;
  const draw: Drawn = useCallback(
    (theme) => {
      const by = new Map(folders.map((one) => [one.folder, one]));
      const of = ({ raw }: { raw?: Tile }): FileCounts | undefined => by.get(raw?._data?.folder ?? '');
      const name = ({ raw }: { raw?: Tile }): string => raw?._data?.folder ?? '';
      return {
        type: 'treemap',
        data: {
          datasets: [
            {
              tree: folders.map((one) => ({ ...one })),
              key: 'total',
              groups: ['folder'],
              spacing: 1,
              borderWidth: 3,
              borderColor: (context: { raw?: Tile }) => colorOf(theme, of(context)),
              backgroundColor: theme.surface,
              hoverBackgroundColor: theme.surface,
              captions: { display: false },
              labels: {
                display: true,
                color: theme.text,
                hoverColor: theme.text,
                overflow: 'fit',
                formatter: (context: { raw?: Tile }) => {
                  const counts = of(context);
                  return [name(context), percent(counts?.fresh ?? 0, counts?.total ?? 0)];
                },
              },
            },
          ],
        },
        options: {
          plugins: {
            legend: { display: false },
            tooltip: {
              callbacks: {
                title: () => '',
                label: (context: { raw?: Tile }) => {
                  const counts = of(context);
                  return `${name(context)}: ${count(counts?.fresh ?? 0)} of ${count(counts?.total ?? 0)} files fresh`;
                },
              },
            },
          },
        },
      } as never;
    },
    [folders],
  );
  const left = answer.folders_total - folders.length;
  return (
    <>
      <Figure
        label={
          `${percent(files.fresh, files.total)} of ${of(files.total, 'file')} are fresh, in ` +
          `${of(answer.folders_total, 'folder')}${left > 0 ? `, of which ${count(folders.length)} are shown` : ''}. ` +
          'The larger a tile, the more files it has.'
        }
        draw={draw}
        height="high"
        heads={['Folder', 'Files', 'Fresh', ...notFresh.map(words)]}
        rows={folders.map((one) => ({
          key: one.folder,
          cells: [one.folder, one.total, one.fresh, ...notFresh.map((state) => one[state])],
        }))}
      />
      {answer.not_fresh.length > 0 && (
        <>
          <h3>Not fresh</h3>
          <ul className="lines">
            {answer.not_fresh.slice(0, 50).map(({ source_id, state }) => (
              <li key={source_id}>
                <span className="status doubt">{words(state)}</span> {source_id}
              </li>
            ))}
          </ul>
          <p className="quiet">
            Take them in with <code>helix index</code>; a running daemon does so by itself.
          </p>
        </>
      )}
    </>
  );
}
