/** What waits for a person: memories to decide on, and agents that paused. */
import type { ReactElement } from 'react';
import { of, time, words } from '../format';
import { useAnswer, type Page } from '../load';
import { Empty, Panel, Said, Status, Table } from '../parts';
import type { WaitingMemory } from '../wire';

const whys: Readonly<Record<string, string>> = {
  proposed: 'It was proposed and waits for your approval.',
  contested: 'Another memory contradicts it.',
  superseded: 'It depends on a memory that was superseded.',
  stale: 'The lines that it cites changed.',
};

export function ReviewQueue({ page }: { readonly page: Page }): ReactElement {
  const loaded = useAnswer(page, '/memory/review', { limit: 50 });
  return (
    <Panel
      id="review"
      title="To review"
      about="Memories that wait for your decision. This page only reads: decide in a terminal or in the editor’s Memory view."
      loaded={loaded}
    >
      {({ items }) =>
        items.length === 0 ? (
          <Empty>Nothing waits for you.</Empty>
        ) : (
          <ul className="lines">
            {items.map((one) => (
              <Waiting key={one.id} item={one} />
            ))}
          </ul>
        )
      }
    </Panel>
  );
}

function Waiting({ item }: { readonly item: WaitingMemory }): ReactElement {
  const others = [...(item.replaces ? [item.replaces] : []), ...item.rivals];
  return (
    <li>
      <Status name={item.status} /> <Said text={item.text} />
      <p className="quiet">
        {whys[item.why] ?? item.why}
        {others.map(({ id, text }) => (
          <span key={id}>
            {' '}
            The other one, {id}: <Said text={text} />
          </span>
        ))}
      </p>
      <p>
        {item.why === 'proposed' ? (
          <>
            <code>helix review --approve {item.id}</code> or <code>helix review --reject {item.id}</code>
          </>
        ) : (
          <>
            <code>helix edit {item.id} TEXT</code> or <code>helix forget {item.id}</code>
          </>
        )}
      </p>
    </li>
  );
}

export function PauseTimeline({ page }: { readonly page: Page }): ReactElement {
  const loaded = useAnswer(page, '/hitl/recent', { limit: 50 });
  return (
    <Panel
      id="pauses"
      title="Agents that paused for a person"
      about="When an agent stopped to ask, why, and whether anybody answered."
      loaded={loaded}
    >
      {({ events }) =>
        events.length === 0 ? (
          <Empty>
            No agent has paused here. Agents record a pause with <code>POST /hitl/emit</code> or the tool
            helix_hitl_emit.
          </Empty>
        ) : (
          <>
            <p>{of(events.filter(({ is_open }) => is_open).length, 'pause is', 'pauses are')} open.</p>
            <Table
              label="Pauses, the newest first"
              heads={['When', 'State', 'Why', 'Task', 'Files']}
              rows={events.map((one) => ({
                key: one.event_id,
                cells: [
                  time(one.at),
                  one.is_open ? 'open' : 'resolved',
                  words(one.pause_type),
                  <Said key="task" text={one.task_context} />,
                  <ul key="files" className="plain">
                    {one.files.map(({ source_id = '', status = '' }) => (
                      <li key={source_id}>
                        <Status name={status} /> {source_id}
                      </li>
                    ))}
                  </ul>,
                ],
              }))}
            />
          </>
        )
      }
    </Panel>
  );
}
