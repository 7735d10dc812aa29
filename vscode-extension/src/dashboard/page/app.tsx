/** The whole page: its head with the state of the workspace, and a panel for each answer. */
import { useCallback, useEffect, useState, type ReactElement } from 'react';
import { showWorkspace, shownWorkspace, type Ask } from './ask';
import { bytes, count, of } from './format';
import { useAnswer, type Loaded, type Page } from './load';
import { PacketHistory, ProxyLatency, TokenCost } from './panels/activity';
import { MemoryDiff } from './panels/diff';
import { FreshnessMap } from './panels/freshness';
import { MemoryGraph, MemoryTimeline } from './panels/memory';
import { PauseTimeline, ReviewQueue } from './panels/review';
import { Status } from './parts';
import type { Stats } from './wire';

const everyMs = 15_000;

const sections = [
  ['memory', 'Memory'],
  ['timeline', 'Timeline'],
  ['diff', 'Then and now'],
  ['review', 'To review'],
  ['freshness', 'Freshness'],
  ['packets', 'Packets'],
  ['latency', 'Latency'],
  ['tokens', 'Tokens'],
  ['pauses', 'Pauses'],
] as const;

export interface AppProps {
  readonly ask: Ask;
  readonly inEditor: boolean;
}

export function App({ ask, inEditor }: AppProps): ReactElement {
  const [turn, setTurn] = useState(0);
  const [tick, setTick] = useState(0);
  const [locked, setLocked] = useState<string>();
  const onLocked = useCallback((why: string) => {
    setLocked(why);
  }, []);
  useEffect(() => {
    // Only what costs nothing is requested again by itself, and only while the page is visible.
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') {
        setTick((before) => before + 1);
      }
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, []);
  const page: Page = { ask, turn, onLocked };
  const often: Page = { ...page, turn: turn + tick };
  if (locked !== undefined) {
    return <Locked why={locked} />;
  }
  return (
    <Panels
      page={page}
      often={often}
      inEditor={inEditor}
      onRefresh={() => {
        setTurn((before) => before + 1);
      }}
    />
  );
}

/** Shown to a user who opened the address by itself, or whose session has ended. */
export function Locked({ why }: { readonly why: string }): ReactElement {
  return (
    <main className="locked">
      <h1>Helix</h1>
      <p role="alert">{why}</p>
      <p>
        Run <code>helix dashboard</code> in a terminal: it opens this page with a link that works once, for two minutes.
      </p>
    </main>
  );
}

interface PanelsProps {
  readonly page: Page;
  readonly often: Page;
  readonly inEditor: boolean;
  readonly onRefresh: () => void;
}

function Panels({ page, often, inEditor, onRefresh }: PanelsProps): ReactElement {
  // It looks at every file of the workspace, so it is not asked by itself.
  const stats = useAnswer(page, '/stats');
  const activity = useAnswer(often, '/activity', { limit: 200 });
  return (
    <>
      <a className="skip" href="#memory">
        Skip to the panels
      </a>
      <header>
        <h1>Helix</h1>
        {!inEditor && <Chooser stats={stats} onChange={onRefresh} />}
        <button type="button" onClick={onRefresh}>
          Refresh
        </button>
        <nav aria-label="Panels">
          <ul className="inline">
            {sections.map(([id, name]) => (
              <li key={id}>
                <a href={`#${id}`}>{name}</a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main>
        <Overview stats={stats} />
        <MemoryGraph page={page} />
        <MemoryTimeline page={page} />
        <div className="column">
          <MemoryDiff page={page} />
          <ReviewQueue page={page} />
        </div>
        <FreshnessMap page={page} />
        <PacketHistory page={page} loaded={activity} />
        <ProxyLatency loaded={activity} />
        <TokenCost loaded={activity} />
        <PauseTimeline page={page} />
      </main>
    </>
  );
}

function Chooser(props: { readonly stats: Loaded<Stats>; readonly onChange: () => void }): ReactElement | null {
  const { answer } = props.stats;
  // Where the workspace that was chosen cannot be read, another one can still be chosen.
  const [known, setKnown] = useState(answer);
  if (answer !== undefined && answer !== known) {
    setKnown(answer);
  }
  const names = Object.keys(known?.workspaces ?? {});
  if (names.length < 2) {
    return null;
  }
  const shown = shownWorkspace();
  return (
    <label className="field">
      Workspace{' '}
      <select
        value={names.includes(shown) ? shown : (known?.workspace ?? '')}
        onChange={(event) => {
          showWorkspace(event.target.value);
          props.onChange();
        }}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function Overview({ stats: { answer, error } }: { readonly stats: Loaded<Stats> }): ReactElement {
  return (
    <section id="overview" className="wide" aria-label="Overview">
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {answer !== undefined && (
        <>
          <dl className="tiles">
            <Tile name="Workspace" value={answer.workspace.split('/').at(-1) ?? ''}>
              {answer.git
                ? `${answer.git.branch || 'no branch'} at ${answer.git.head.slice(0, 8)}`
                : 'no git repository'}
            </Tile>
            <div>
              <dt>Index</dt>
              <dd>
                <Status name={answer.live.state} />
              </dd>
              <dd className="quiet">{waiting(answer)}</dd>
            </div>
            <Tile name="Files" value={count(answer.index.files)}>
              {`${of(answer.index.items, 'piece')}, ${bytes(answer.index.size_bytes)}`}
            </Tile>
            <Tile name="Requests" value={count(answer.proxy.requests)}>
              {`${count(answer.proxy.refused)} refused, ${of(answer.proxy.chats_open, 'chat')} open`}
            </Tile>
            <Tile name="Upstreams" value={count(answer.proxy.upstreams.length)}>
              {answer.proxy.upstreams.map(({ name, state }) => `${name}: ${state}`).join(', ') || 'none is configured'}
            </Tile>
          </dl>
          {answer.live.message !== '' && (
            <p className="error">
              {answer.live.message} {answer.live.action}
            </p>
          )}
        </>
      )}
    </section>
  );
}

function waiting({ pending }: Stats): string {
  const waits = pending.changed_or_new + pending.gone;
  return waits === 0 ? 'level with the disk' : `${of(waits, 'file')} to take in`;
}

function Tile(props: { readonly name: string; readonly value: string; readonly children: string }): ReactElement {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
      <dd className="quiet">{props.children}</dd>
    </div>
  );
}
