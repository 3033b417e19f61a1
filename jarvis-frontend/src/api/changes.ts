import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

/** Changes that go back by themselves unless a person keeps them, soonest first. `aheadMs`: how far the server's clock is ahead of this browser's. */
export const armed = new Remote('changes that go back', async () => {
  const { items, now } = await call('GET /api/changes', { query: { armed: 'true' } })
  return { items, aheadMs: now - Date.now() }
}, ['connect', 'changes'])

export const useArmed = () => useRemote(armed)
