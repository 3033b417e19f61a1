import type { Homelab } from 'homelab-ports/ports'
import { asFarAsSeen, type ClusterState, JarvisError, StorageReply, type Volume } from 'protocol'
import { z } from 'zod'
import { record } from '../homelab/operations/guest-config.ts'
import { whyUnread } from '../homelab/operations/read-each.ts'
import { endOf } from './handle.ts'
import { type Route, route } from './route.ts'

const readMs = 10_000
const mostVolumes = 500

/** `/api/storages/:name`: the volumes on one storage, beside its live state. */
export const storageRoutes = ({ homelab }: { homelab: Pick<Homelab, 'api' | 'cluster'> }): Route[] => [
  route('/storages/:name').get(
    'The volumes on a storage. `node`: for a storage that is not shared.',
    {
      role: 'viewer',
      token: 'read',
      query: z.strictObject({ node: z.string().max(100).optional() }),
      reply: StorageReply,
    },
    async ({ params: { name }, query, response }) => {
      const node = nodeOf(homelab.cluster.state(), { name, node: query.node })
      if (node === undefined) return { items: null, total: 0, missing: ['no node of it answers'] }
      try {
        const signal = AbortSignal.any([endOf(response), AbortSignal.timeout(readMs)])
        const answer = await homelab.api.get(['nodes', node, 'storage', name, 'content'], {}, { signal })
        const all = (Array.isArray(answer) ? answer : []).flatMap(volumeOf)
        const items = all.toSorted((a, b) => (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0)).slice(0, mostVolumes)
        return { items, total: all.length, missing: [] }
      } catch (error) {
        const missing = [`what stands on it ${whyUnread(error, 'Datastore.Audit and Datastore.AllocateSpace')}`]
        return { items: null, total: 0, missing }
      }
    },
  ),
]

/** Returns an online node that can read the storage; undefined if there is none. @throws JarvisError `not_found` */
function nodeOf(state: ClusterState, { name, node }: { name: string; node: string | undefined }): string | undefined {
  const storage = state.storages.find((known) => known.name === name && known.node === node)
  if (storage === undefined)
    throw new JarvisError('not_found', `The cluster has no such storage now${asFarAsSeen('storages', state)}.`)
  return state.nodes.find(({ name, status }) => status === 'online' && name === (storage.node ?? name))?.name
}

function volumeOf(row: unknown): Volume[] {
  const { volid, content = '', vmid, size, ctime } = record(row)
  if (volid === undefined) return []
  const whole = (value: string | undefined) => (Number(value) > 0 ? Number(value) : undefined)
  const seconds = whole(ctime)
  return [
    {
      id: volid,
      content,
      vmid: whole(vmid),
      sizeBytes: whole(size),
      createdAt: seconds === undefined ? undefined : seconds * 1_000,
    },
  ]
}
