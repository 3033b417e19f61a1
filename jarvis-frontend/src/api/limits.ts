import type { Limits } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

export const limits = new Remote('limits', () => call('GET /api/limits'), ['connect', 'limits'])
export const useLimits = (): Limits | undefined => useRemote(limits)

export async function setLimits(next: Limits): Promise<void> {
  limits.put(await call('PUT /api/limits', { body: next }))
}
