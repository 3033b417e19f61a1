import type { Cluster } from 'homelab-ports/ports'
import { z } from 'zod'
import { type SocketRequest, socketRequest } from '../../src/realtime/request.ts'

/** `cluster:guest` on `/cluster`: one guest, read anew. */
export const guestRequest = (cluster: Pick<Cluster, 'state' | 'catchUp'>): SocketRequest =>
  socketRequest({
    namespace: '/cluster',
    event: 'cluster:guest',
    summary: 'Reads a guest anew. Answers `{guest?}`.',
    role: 'operator',
    input: z.strictObject({ vmid: z.int().positive() }),
    async handle({ input: { vmid } }) {
      await cluster.catchUp?.(vmid)
      return { guest: cluster.state().guests.find((guest) => guest.vmid === vmid) }
    },
  })
