import type { Check } from '../check.ts'
import { causes } from '../hides.ts'
import { siteObject } from '../measure.ts'

export const clusterAway: Check = {
  id: causes.cluster,
  title: 'Cluster out of reach',
  reads: 'GET /cluster/resources',
  limit: () => 'Not answering for 60 s.',
  pace: 'state',
  from: [],
  forMs: 60_000,
  look({ state }) {
    const isAway = state.unreachableSince !== undefined
    // Before the first answer, nobody knows if the cluster is away.
    const level = isAway ? 'failed' : state.nodes.length === 0 ? 'unseen' : 'clear'
    const sentence = `The cluster cannot be reached${state.missing[0] === undefined ? '.' : `: ${state.missing[0]}`}`
    return {
      measures: [{ object: siteObject, level, words: isAway ? 'out of reach' : 'answers', sentence }],
      unread: new Map(),
    }
  },
}
