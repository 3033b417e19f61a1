import type { Check } from '../check.ts'
import { siteObject } from '../measure.ts'

export const quorum: Check = {
  id: 'quorum',
  title: 'Quorum',
  reads: 'GET /cluster/status',
  limit: () => 'Lost for 30 s.',
  pace: 'state',
  from: [],
  forMs: 30_000,
  look: ({ state: { isQuorate } }) => ({
    measures: [
      {
        object: siteObject,
        level: isQuorate === null ? 'unseen' : isQuorate ? 'clear' : 'failed',
        words: isQuorate === null ? 'unknown' : isQuorate ? 'quorate' : 'no quorum',
        sentence: 'No quorum: guests cannot be started.',
      },
    ],
    unread: new Map(),
  }),
}
