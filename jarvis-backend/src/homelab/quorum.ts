import { ApiError } from 'homelab-ports/failure'
import type { PveApi, PvePath, PveReader } from 'homelab-ports/ports'
import { notSent } from 'homelab-ports/power-words'
import { z } from 'zod'
import { rowsOf, StatusRow, said, words } from './pve/answers.ts'

/**
 * True for Proxmox's messages about a write under /etc/pve without a quorum. That file system is then read-only, and few of the messages name the
 * cause.
 */
export const isQuorumLoss = (words: string): boolean =>
  /no quorum/i.test(words) || (/\/etc\/pve\b/.test(words) && /Permission denied/.test(words))

export const noQuorum =
  'The cluster has no quorum: Proxmox would refuse the change or do half of it, such as delete a disk and keep its configuration.'

/**
 * True if the change writes the cluster's own files. A change of a node's services, power or network does not, nor do the guest agent and a guest's
 * console: they may be needed to restore the quorum.
 */
const needsQuorum = (path: PvePath): boolean => {
  const place = path.join('/')
  return (
    !/^nodes\/[^/]+\/(?:services|status|network|apt|tasks|wakeonlan|termproxy|vncshell)(?:\/|$)/.test(place) &&
    !/^nodes\/[^/]+\/(?:qemu|lxc)\/\d+\/(?:agent|vncproxy|termproxy|spiceproxy)(?:\/|$)/.test(place)
  )
}

/**
 * Reads the quorum from the cluster's status. A single host has no cluster row and needs no quorum. Null means unknown: the answer has no rows, or
 * its cluster row has no flag.
 */
export function quorumOf(status: readonly Pick<StatusRow, 'type' | 'quorate'>[] = []): boolean | null {
  const cluster = status.find(({ type }) => type === 'cluster')
  if (cluster !== undefined) return cluster.quorate ?? null
  return status.filter(({ type }) => type === 'node').length === 1 ? true : null
}

/** Reads the quorum from HA's row. Some answers lack the flag `quorate`; their `status` tells the quorum instead. */
export const haQuorumOf = ({ quorate, status }: { quorate?: boolean | undefined; status?: string | undefined }) =>
  status !== undefined && isQuorumLoss(status) ? false : (quorate ?? (status === 'OK' ? true : null))

const HaRow = z.object({ type: z.string(), quorate: said, status: words })

/**
 * Asks both the cluster and HA if there is a quorum. If either says no, the answer is false. Null: neither could be read.
 * @throws the signal's reason
 */
export async function readQuorum(api: PveReader, signal: AbortSignal): Promise<boolean | null> {
  const rows = <Row>(schema: z.ZodType<Row>, path: PvePath): Promise<Row[]> =>
    api.get(path, {}, { signal }).then(
      (answer) => rowsOf(schema, answer).rows,
      () => [],
    )
  const [status, ha] = await Promise.all([
    rows(StatusRow, ['cluster', 'status']),
    rows(HaRow, ['cluster', 'ha', 'status', 'current']),
  ])
  if (signal.aborted) throw signal.reason
  const row = ha.find(({ type }) => type === 'quorum')
  const all = [quorumOf(status), row === undefined ? null : haQuorumOf(row)]
  return all.includes(false) ? false : all.includes(true) ? true : null
}

/** Throws if the cluster has no quorum. An unknown quorum (null) passes. @throws ApiError `cluster_refused` */
export function mustHaveQuorum(isQuorate: boolean | null): void {
  if (isQuorate === false) throw new ApiError('cluster_refused', `${noQuorum} Nothing was sent.`, { words: notSent })
}

/**
 * Refuses changes to a cluster without a quorum. If the quorum is unknown, the change is sent: its confirmation card has said so.
 * @param read tells if there is a quorum; called right before each change
 */
export function withQuorum(
  change: PveApi['change'],
  read: (signal: AbortSignal) => boolean | null | Promise<boolean | null>,
): PveApi['change'] {
  return async (request, ask) => {
    if (needsQuorum(request.path)) mustHaveQuorum(await read(ask.signal))
    return change(request, ask)
  }
}
