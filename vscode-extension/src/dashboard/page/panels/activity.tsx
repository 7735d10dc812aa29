/** What the server did since it started: packets with their verdicts, chats with their latency and their tokens. */
import { useCallback, useMemo, useState, type ReactElement } from 'react';
import { Figure, stacked, type Drawn } from '../chart';
import { count, hour, milliseconds, of, percent, quantile, time, words } from '../format';
import type { Loaded, Page } from '../load';
import { Empty, Panel, Table } from '../parts';
import type { Activity, AnswerNumbers, CacheTotals, Chat, Sent } from '../wire';

const mostBars = 60;

interface Props {
  readonly page: Page;
  readonly loaded: Loaded<Activity>;
}

const verdicts = ['verified', 'stale_risk', 'needs_refresh'] as const;

export function PacketHistory({ page, loaded }: Props): ReactElement {
  return (
    <Panel
      id="packets"
      title="Packets"
      about="The last answers of this workspace, with the verdicts of what they gave. Numbers only: no question is kept."
      loaded={loaded}
    >
      {(activity) =>
        activity.answers.length === 0 ? (
          <Empty>
            No packet was asked for since the server started. Ask with{' '}
            <code>helix packet &quot;where are sessions signed?&quot;</code>, from the editor, or through an agent.
          </Empty>
        ) : (
          <Packets page={page} activity={activity} />
        )
      }
    </Panel>
  );
}

function Packets({ page, activity }: { readonly page: Page; readonly activity: Activity }): ReactElement {
  const { answers, sent } = activity;
  const drawn = useMemo(() => answers.slice(0, mostBars).reverse(), [answers]);
  const draw: Drawn = useCallback(
    (theme) =>
      stacked(
        drawn.map(({ at }) => hour(at)),
        verdicts.map((name) => ({
          label: words(name),
          values: drawn.map((one) => one[name] ?? 0),
          color: { verified: theme.good, stale_risk: theme.doubt, needs_refresh: theme.bad }[name],
        })),
        'places',
      ),
    [drawn],
  );
  const sum = (name: (typeof verdicts)[number]): number => answers.reduce((all, one) => all + (one[name] ?? 0), 0);
  const all = verdicts.reduce((total, name) => total + sum(name), 0);
  const row = (one: AnswerNumbers, at: number): { key: string; cells: (string | number)[] } => ({
    key: `${one.at}-${at}`,
    cells: [
      time(one.at),
      one.verb === 'window' ? 'chat' : (one.task ?? 'packet'),
      ...verdicts.map((name) => one[name] ?? 0),
      one.known_empty === true ? 'not here' : '',
      one.tokens ?? '',
      milliseconds(one.elapsed_ms),
    ],
  });
  return (
    <>
      <Figure
        label={`${of(answers.length, 'packet')}: ${percent(sum('verified'), all)} of ${of(all, 'place')} verified.`}
        draw={draw}
        heads={['When', 'For', ...verdicts.map(words), 'Answer', 'Tokens', 'Took']}
        rows={answers.map(row)}
      />
      {sent.length > 0 && <SentEvidence page={page} sent={sent} />}
    </>
  );
}

function SentEvidence({ page, sent }: { readonly page: Page; readonly sent: readonly string[] }): ReactElement {
  const [shown, setShown] = useState<{ id: string; sent?: Sent; error?: string }>();
  const show = async (id: string): Promise<void> => {
    try {
      setShown({ id, sent: await page.ask('/context/sent/', {}, id) });
    } catch (error) {
      setShown({ id, error: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <>
      <h3>Evidence that was sent with chats</h3>
      <ul className="inline">
        {sent.slice(0, 20).map((id) => (
          <li key={id}>
            <button type="button" aria-pressed={shown?.id === id} onClick={() => void show(id)}>
              {id}
            </button>
          </li>
        ))}
      </ul>
      <div role="status">
        {shown?.error !== undefined && <p className="error">{shown.error}</p>}
        {shown?.sent !== undefined && <p>{of(shown.sent.tokens, 'token')}, as the model read it:</p>}
      </div>
      {shown?.sent !== undefined && (
        <pre className="scroll" tabIndex={0} role="region" aria-label={`The evidence ${shown.id}`}>
          <bdi>{shown.sent.text.slice(0, 20_000)}</bdi>
        </pre>
      )}
    </>
  );
}

function NoChat(): ReactElement {
  return (
    <Empty>
      No chat went through the proxy since it started. Point a client at it with <code>helix connect openai</code>.
    </Empty>
  );
}

export function ProxyLatency({ loaded }: Omit<Props, 'page'>): ReactElement {
  return (
    <Panel
      id="latency"
      title="Proxy latency"
      about="How long the last chats waited for the first byte of their answer."
      loaded={loaded}
    >
      {({ chats }) => (chats.length === 0 ? <NoChat /> : <Latency chats={chats} />)}
    </Panel>
  );
}

function Latency({ chats }: { readonly chats: readonly Chat[] }): ReactElement {
  const drawn = useMemo(() => [...chats].reverse(), [chats]);
  const draw: Drawn = useCallback(
    (theme) => ({
      type: 'line',
      data: {
        labels: drawn.map(({ at }) => hour(at)),
        datasets: [
          {
            label: 'first byte',
            data: drawn.map(({ ttft_ms }) => ttft_ms),
            borderColor: theme.mark,
            backgroundColor: theme.mark,
            pointRadius: 3,
            borderWidth: 2,
          },
        ],
      },
      options: {
        plugins: { legend: { display: false } },
        scales: {
          x: { grid: { display: false }, ticks: { maxTicksLimit: 8, maxRotation: 0 } },
          y: { beginAtZero: true, title: { display: true, text: 'milliseconds' } },
        },
      },
    }),
    [drawn],
  );
  const waits = chats.map(({ ttft_ms }) => ttft_ms).filter((wait) => wait !== null);
  return (
    <Figure
      label={
        `${of(chats.length, 'chat')}. Half of the answers began within ${milliseconds(quantile(waits, 0.5))}, ` +
        `95 % within ${milliseconds(quantile(waits, 0.95))}.`
      }
      draw={draw}
      heads={['When', 'Model', 'Evidence', 'Status', 'First byte']}
      rows={chats.map(({ at, model, context, status, ttft_ms }, index) => ({
        key: `${at}-${index}`,
        cells: [
          time(at),
          model,
          context,
          status === 0 ? 'no answer yet' : String(status),
          ttft_ms === null ? '–' : milliseconds(ttft_ms),
        ],
      }))}
    />
  );
}

export function TokenCost({ loaded }: Omit<Props, 'page'>): ReactElement {
  return (
    <Panel
      id="tokens"
      title="Prompt cache and tokens"
      about="How many tokens of each prompt the model’s server read from its cache, and how many it counted in full."
      loaded={loaded}
    >
      {(activity) => {
        const told = activity.chats.filter(({ prompt_tokens }) => prompt_tokens !== null);
        const { with_evidence, without_evidence } = activity.prompt_cache;
        if (activity.chats.length === 0) {
          return <NoChat />;
        }
        if (told.length === 0 && with_evidence.answers + without_evidence.answers === 0) {
          return (
            <Empty>
              The model’s server does not say how many tokens a prompt had. Some say it only without a stream.
            </Empty>
          );
        }
        return (
          <>
            <Tokens chats={told} />
            <Table
              label="Prompt cache kept"
              heads={['Chats', 'Answers', 'Prompt tokens', 'From the cache', 'Kept', 'Counted in full']}
              rows={[totals('with evidence', with_evidence), totals('without evidence', without_evidence)]}
            />
          </>
        );
      }}
    </Panel>
  );
}

function totals(
  name: string,
  { answers, prompt_tokens, cached_tokens }: CacheTotals,
): { key: string; cells: string[] } {
  return {
    key: name,
    cells: [
      name,
      ...[answers, prompt_tokens, cached_tokens].map(count),
      percent(cached_tokens, prompt_tokens),
      count(prompt_tokens - cached_tokens),
    ],
  };
}

function Tokens({ chats }: { readonly chats: readonly Chat[] }): ReactElement {
  const drawn = useMemo(
    () =>
      chats
        .slice(0, mostBars)
        .reverse()
        .map(({ at, prompt_tokens, cached_tokens }) => {
          const cached = cached_tokens ?? 0;
          return { at, cached, full: Math.max((prompt_tokens ?? 0) - cached, 0) };
        }),
    [chats],
  );
  const draw: Drawn = useCallback(
    (theme) =>
      stacked(
        drawn.map(({ at }) => hour(at)),
        [
          { label: 'from the cache', values: drawn.map(({ cached }) => cached), color: theme.good },
          { label: 'counted in full', values: drawn.map(({ full }) => full), color: theme.mark },
        ],
        'tokens',
      ),
    [drawn],
  );
  const cached = drawn.reduce((sum, one) => sum + one.cached, 0);
  const all = drawn.reduce((sum, one) => sum + one.cached + one.full, 0);
  return (
    <Figure
      label={`The last ${of(drawn.length, 'chat')}: ${percent(cached, all)} of ${of(all, 'prompt token')} came from the cache.`}
      draw={draw}
      heads={['When', 'From the cache', 'Counted in full']}
      rows={drawn.map((one, index) => ({
        key: `${one.at}-${index}`,
        cells: [time(one.at), one.cached, one.full],
      }))}
    />
  );
}
