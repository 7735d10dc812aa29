/* global answerPacket, emptyPacket, hostilePacket */
// What the page is told in each scene: [message, after milliseconds].

const folder = {
  schema: 'helix.live/1',
  workspace: answerPacket.workspace,
  uri: 'file:///projects/ledger',
  state: 'fresh',
  watching: 'events',
  restricted: false,
  phase: '',
  done: 0,
  total: 0,
  files: 17,
  items: 39,
  message: '',
  action: '',
  branch: 'main',
  head: answerPacket.head,
  server: { pid: 1, version: '0.1.0', mode: 'daemon' },
};
const now = Date.now() / 1000;
const shown = (packet, more = {}) => ({
  type: 'shown',
  shown: { id: 'a', packet, judgedAt: now, pinned: false, judged: 'now', ...more },
});
const live = (...folders) => ({ type: 'live', folders });
const row = (id, question, task, pinned, minutes, verified, staleRisk, needsRefresh) => ({
  id,
  question,
  task,
  folder: 'ledger',
  askedAt: now - minutes * 60,
  pinned,
  verified,
  staleRisk,
  needsRefresh,
});
const history = {
  type: 'history',
  rows: [
    row('p', 'Where do captures time out?', 'ops', true, 60 * 26, 4, 0, 1),
    row('a', answerPacket.query, answerPacket.task_type, false, 0, 4, 1, 1),
    row('b', 'Who calls capture_payment, and what happens when the bank is slow?', 'debug', false, 12, 7, 1, 0),
    row('c', 'How do we renew a subscription', 'explain', false, 95, 0, 0, 0),
  ],
};
const keyOf = (item) => `${item.source_id}:${item.start_line}-${item.end_line}:${item.gene_id}`;
const first = answerPacket.verified[0];
const doubtful = answerPacket.stale_risk[0];
const kept = (more) => ({
  version: 1,
  text: '',
  task: 'explain',
  workspace: '',
  packet: 'a',
  unfolded: [],
  whole: [],
  active: '',
  ticked: [],
  scroll: 0,
  ...more,
});
const change = (item, status, reason, at) => ({
  source_id: item.source_id,
  gene_id: item.gene_id,
  start_line: item.start_line,
  end_line: item.end_line,
  status,
  reason,
  detail: '',
  now: at,
});

const explanation = {
  schema: 'helix.explain/1',
  source_id: doubtful.source_id,
  start_line: doubtful.start_line,
  end_line: doubtful.end_line,
  symbol: doubtful.symbol,
  status: doubtful.status,
  reason: doubtful.reason,
  detail: doubtful.detail,
  observations: [
    {
      step: 'signature',
      observation:
        'The file has 321 bytes, changed 2026-08-15 10:00:00.823 UTC, inode 2344257, as when it was indexed.',
      finding: 'unchanged',
      decides: false,
    },
    { step: 'hash', observation: 'Its SHA-256 is 5391b31df8d4…, as when it was indexed.', finding: '', decides: false },
    { step: 'place', observation: 'The text is at lines 1 to 7, as it was indexed.', finding: '', decides: false },
    { step: 'buffer', observation: 'No editor has the file open with unsaved edits.', finding: '', decides: false },
    {
      step: 'document',
      observation:
        'It names refund_payment, RefundRefusedError, REFUND_WINDOW: that code reads differently now than at its own last change, commit abe5b4f of 2026-08-15.',
      finding: 'outdated_doc',
      decides: true,
    },
  ],
  refresh_targets: [],
};

// How the answer came about: made up of the packet's own items, with shares that fall.
const itemsOf = (packet) =>
  [...packet.verified, ...packet.stale_risk, ...packet.needs_refresh].sort(
    (a, b) => b.relevance_score - a.relevance_score,
  );
const says = {
  files: 'words of the question in the whole file',
  outlines: "the file's outline is near in meaning",
  chunks: 'words of the question in one place',
  passages: 'a place is near in meaning',
  names: 'defines a name of the question',
  tested: 'its tests say what was asked',
};
const sharesOf = (at) =>
  [
    { ranker: 'files', rank: at + 1, share: 0.34 - at * 0.01 },
    { ranker: 'outlines', rank: at * 2 + 1, share: 0.27 + at * 0.01 },
    { ranker: 'chunks', rank: at + 2, share: 0.2 },
    ...(at % 2 === 0 ? [{ ranker: 'names', rank: 1, share: 0.1 }] : [{ ranker: 'tested', rank: at, share: 0.1 }]),
    { ranker: 'passages', rank: at * 7 + 1, share: 0.09 },
  ].sort((a, b) => b.share - a.share);
const sign = (name, words, value, effect) => ({ sign: name, says: words, value, effect });
const ranking = {
  schema: 'helix.explain/1',
  query: answerPacket.query,
  task_type: answerPacket.task_type,
  items: itemsOf(answerPacket).map((item, at) => ({
    source_id: item.source_id,
    gene_id: item.gene_id,
    start_line: item.start_line,
    end_line: item.end_line,
    symbol: item.symbol,
    kind: item.kind,
    score: 3.3 / (1 + 0.45 * at),
    signals: sharesOf(at),
    priors: item.source_kind === 'doc' ? ['doc x0.9'] : [],
    place: [
      sign('chunk', 'its own score for words', 0.9, 1.6),
      sign('text', "the question's words", 0.5, 1.1),
      sign('name', 'words in its name', 0.4, 0.7),
      sign('document', 'in a document', item.source_kind === 'doc' ? 1 : 0, item.source_kind === 'doc' ? -0.9 : 0.3),
    ],
  })),
  known_empty: false,
  confidence: answerPacket.coordinate_confidence,
  rankers: { chunks: 'used', files: 'used', phrases: 'empty', claims: 'empty', similar: 'off', exact: 'empty' },
  lists: {
    ...Object.fromEntries(
      Object.keys(says).map((ranker) => [
        ranker,
        itemsOf(answerPacket)
          .filter(({ source_id }, at, all) => all.findIndex((one) => one.source_id === source_id) === at)
          .map(({ source_id }, at) => ({
            source_id: at === 3 ? `ledger/elsewhere/${ranker}.py` : source_id,
            rank: at + 1,
            share: 0.34 - at * 0.03,
            part: 1 / (at + 1),
            shown: at !== 3,
          })),
      ]),
    ),
    phrases: [],
    similar: [],
  },
  weights: Object.fromEntries(
    Object.entries(says).map(([ranker, words], at) => [
      ranker,
      { weight: 1.88 - at * 0.3, files: 17 - at, says: words },
    ]),
  ),
  vectors: { model: 'static', levels: ['chunk', 'outline'], unready: ['minilm/outline 40%'] },
  certainty: {
    presence: 0.97,
    floor: 0.5,
    presence_signs: [
      sign('covered', 'of what the words tell is in one of the best files', 1, 6.3),
      sign('missing', 'of the rarest word is what even the best place lacks', 0.35, -0.6),
      sign('unknown_proper', 'of what the words tell is in names nobody here knows', 0, 0),
      sign('named', 'the question names it outright', 0, 0),
    ],
    place: 0.71,
    place_signs: [
      sign('strength', 'of what a perfect place would score', 0.53, 1.0),
      sign('agreement', "of the rankers' weight has it among its first three", 0.43, 0.8),
      sign('gap', 'ahead of the next file', 0.31, 0.6),
      sign('named', 'the question names it outright', 0, 0),
    ],
  },
};

// eslint-disable-next-line no-unused-vars
const replies = {
  ask: () => [[shown(answerPacket, { id: String(Math.random()) }), 900]],
  explain: ({ key }) => [[{ type: 'explained', key, explanation }, 120]],
  explainAnswer: () => [[{ type: 'ranked', id: 'a', ranking }, 120]],
  copyItem: ({ key }) => [[{ type: 'copied', what: key }, 0]],
  copyPacket: ({ form }) => [[{ type: 'copied', what: form }, 0]],
  pin: ({ pinned }) => [[shown(answerPacket, { pinned }), 0]],
};

// eslint-disable-next-line no-unused-vars
const scenes = {
  first: { messages: [[live(folder), 0]] },
  answer: {
    kept: kept({ text: answerPacket.query, task: 'edit', unfolded: [keyOf(first)], active: `item ${keyOf(first)}` }),
    messages: [
      [live(folder), 0],
      [shown(answerPacket), 0],
      [history, 0],
    ],
  },
  why: {
    kept: kept({ task: 'edit' }),
    messages: [
      [live(folder), 0],
      [shown(answerPacket, { pinned: true }), 0],
      [{ type: 'explained', key: keyOf(doubtful), explanation }, 50],
    ],
  },
  here: {
    kept: kept({ task: 'edit', unfolded: [keyOf(first)] }),
    messages: [
      [live(folder), 0],
      [shown(answerPacket), 0],
    ],
    open: '.here .disclose',
  },
  rankers: {
    messages: [
      [live(folder), 0],
      [shown({ ...answerPacket, contradictions: [], refresh_targets: [] }), 0],
      [{ type: 'showRankers' }, 60],
      [{ type: 'ranked', id: 'a', ranking }, 200],
    ],
  },
  changes: {
    messages: [
      [live({ ...folder, head: '90f10e6bdd210e94032ff8b1a3f5e08b8709f9d7' }), 0],
      [shown({ ...answerPacket, packet_id: 'one' }), 0],
      [
        {
          type: 'verdicts',
          told: {
            packet_id: 'one',
            workspace: folder.uri,
            items: [
              change(first, 'needs_refresh', 'changed', { start_line: 29, end_line: 31 }),
              change(answerPacket.verified[1], 'verified', 'moved', { start_line: 5, end_line: 19 }),
            ],
            refresh_targets: answerPacket.refresh_targets,
          },
        },
        700,
      ],
    ],
  },
  empty: {
    kept: kept({ text: emptyPacket.query }),
    messages: [
      [live(folder), 0],
      [shown(emptyPacket), 0],
    ],
  },
  failed: {
    kept: kept({ text: 'Where is the gateway started?' }),
    messages: [
      [
        {
          type: 'failed',
          message:
            'The language server ended while it was answering. It starts again by itself; ask once more in a moment.',
          actions: ['retry', 'restart', 'logs'],
        },
        0,
      ],
      [history, 0],
    ],
  },
  indexing: {
    messages: [
      [live({ ...folder, state: 'indexing', done: 1204, total: 2890 }), 0],
      [shown(answerPacket), 0],
    ],
  },
  folders: {
    messages: [
      [
        live(
          { ...folder, state: 'paused' },
          {
            ...folder,
            workspace: '/projects/web',
            uri: 'file:///projects/web',
            state: 'missing',
            message: 'The folder web is not there.',
            action: 'Remove it from the workspace, or bring it back.',
          },
        ),
        0,
      ],
    ],
  },
  asking: {
    kept: kept({ text: 'Where is the gateway started?' }),
    messages: [
      [live(folder), 0],
      [shown(answerPacket), 0],
      [{ type: 'asking', question: 'Where is the gateway started?', task: 'explain' }, 10],
    ],
  },
  then: {
    messages: [
      [live(folder), 0],
      [shown(answerPacket, { judged: 'then', judgedAt: now - 7300 }), 0],
      [
        {
          type: 'failed',
          message: 'The language server is not running; its log says why.',
          actions: ['restart', 'logs'],
        },
        0,
      ],
    ],
  },
  history: {
    messages: [
      [live(folder), 0],
      [shown({ ...answerPacket, verified: answerPacket.verified.slice(0, 1), contradictions: [], notes: [] }), 0],
      [history, 0],
    ],
    open: '.past-toggle',
  },
  hostile: {
    kept: kept({ unfolded: hostilePacket.verified.map(keyOf) }),
    messages: [
      [live({ ...folder, branch: 'feature/\u202egnp' }), 0],
      [shown(hostilePacket), 0],
    ],
  },
};
