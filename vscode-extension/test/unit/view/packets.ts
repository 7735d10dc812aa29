/** Packets, items and states to test with: as the server would give them, as small as they can be. */
import type {
  Packet,
  PacketItem,
  PacketMemory,
  VerdictChange,
  VerdictsParams,
  VerdictStatus,
} from '../../../src/base/protocol';

export function item(more: Partial<PacketItem> = {}): PacketItem {
  return {
    kind: 'function',
    gene_id: 'aaaaaaaaaaaaaaaa',
    title: 'plan.py',
    source_id: 'core/plan.py',
    uri: 'file:///w/core/plan.py',
    source_kind: 'code',
    language: 'python',
    symbol: 'decide',
    start_line: 12,
    end_line: 14,
    content_hash: 'f'.repeat(64),
    volatility_class: 'stable',
    authority_class: 'primary',
    last_verified_at: 1_000,
    commit: '0123456789abcdef0123456789abcdef01234567',
    author: 'Ledger Team',
    committed_at: 1_000,
    relevance_score: 0.5,
    live_truth_score: 1,
    status: 'verified',
    reason: 'unchanged',
    quote: 'def decide():\n    return 1\n\n',
    citations: ['core/plan.py:12-14'],
    ...more,
  };
}

export function packet(items: readonly PacketItem[] = [item()], more: Partial<Packet> = {}): Packet {
  const of = (status: VerdictStatus): PacketItem[] => items.filter((one) => one.status === status);
  return {
    schema: 'helix.packet/1',
    packet_id: 'one',
    task_type: 'edit',
    query: 'how is it decided',
    workspace: '/w',
    head: '0123456789abcdef0123456789abcdef01234567',
    verified: of('verified'),
    stale_risk: of('stale_risk'),
    needs_refresh: of('needs_refresh'),
    contradictions: [],
    refresh_targets: [],
    known_empty: items.length === 0,
    coordinate_confidence: items.length === 0 ? 0 : 0.81,
    nearest: [],
    notes: [],
    accounting: {
      searched: 1234,
      sources: 56,
      evaluated: 20,
      returned: items.length,
      tokens: 900,
      elapsed_ms: 41.2,
      signals: { chunks: 'used' },
    },
    ...more,
  };
}

export const remembered: PacketMemory = {
  id: 'm_k3xq7a2b',
  kind: 'decision',
  text: 'We *never* retry',
  status: 'stale_risk',
  reason: 'renamed',
  origin: 'user',
  evidence: [{ source_id: 'a.py', start_line: 3, end_line: 9, status: 'stale_risk', reason: 'renamed' }],
};

export function verdict(of: PacketItem, more: Partial<VerdictChange>): VerdictChange {
  const { source_id, gene_id, start_line, end_line, status, reason } = of;
  return {
    source_id,
    gene_id,
    start_line,
    end_line,
    status,
    reason,
    detail: '',
    now: { start_line, end_line },
    ...more,
  };
}

export function told(items: readonly VerdictChange[], more: Partial<VerdictsParams> = {}): VerdictsParams {
  return { packet_id: 'one', workspace: 'file:///w', items, refresh_targets: [], ...more };
}
