import type { PveReader } from 'homelab-ports/ports'
import { present } from 'node-kit/present'
import { z } from 'zod'
import { figure, rowsOf, said, words } from '../pve/answers.ts'
import { haQuorumOf } from '../quorum.ts'

const HaRow = z.object({
  type: z.string(),
  sid: words,
  node: words,
  status: words,
  state: words,
  request_state: words,
  quorate: said,
  timestamp: figure,
})

/** The state of HA (high availability). Times are Unix ms. */
export type HaState = {
  /** Null: HA does not report it. */
  isQuorate: boolean | null
  /** The node whose manager is in charge; absent while HA manages no guest. */
  master?: { node: string; status: string; seenAt?: number }
  /** The local resource manager of each node. */
  nodes: { node: string; status: string; seenAt?: number }[]
  services: { vmid: number; node?: string; state: string; wanted?: string }[]
}

/** Reads HA's managers and resources with their states. @throws ApiError; the signal's reason */
export async function readHa(api: PveReader, signal: AbortSignal): Promise<HaState> {
  const { rows } = rowsOf(HaRow, await api.get(['cluster', 'ha', 'status', 'current'], {}, { signal }))
  const managers = (type: string) =>
    rows
      .filter((row) => row.type === type)
      .map(({ node = 'unknown', status = 'unknown', timestamp }) => ({
        node,
        status,
        ...present({ seenAt: timestamp === undefined || timestamp === 0 ? undefined : timestamp * 1000 }),
      }))
  const [master] = managers('master')
  const quorum = rows.find(({ type }) => type === 'quorum')
  return {
    isQuorate: quorum === undefined ? null : haQuorumOf(quorum),
    master,
    nodes: managers('lrm'),
    services: rows.flatMap(({ type, sid, node, state, status, request_state }) => {
      const vmid = type === 'service' ? /^(?:vm|ct):(\d+)$/.exec(sid ?? '')?.[1] : undefined
      if (vmid === undefined) return []
      return [{ vmid: Number(vmid), state: state ?? status ?? 'unknown', ...present({ node, wanted: request_state }) }]
    }),
  }
}
