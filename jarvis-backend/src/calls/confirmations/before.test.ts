import { expect, test } from 'vitest'
import type { CallContext } from '../call.ts'
import type { Ready } from '../judgement.ts'
import { type BeforeParts, EarlierDecisions } from './before.ts'

const hourMs = 3_600_000
const grantedAt = 100 * hourMs

/** Returns whether a grant is used for a guest that was made at `madeAt`. @param aheadMs how far the cluster's clock is ahead; null: not known */
function isUsed(madeAt: number, aheadMs: number | null) {
  const revoked: string[] = []
  const identity = { id: 'gst_1', since: 0 }
  const target = { kind: 'guest', id: 'vm/101', vmid: 101, identity }
  const grant = { id: 'gr_1', by: 'operator', createdAt: grantedAt, target }
  const parts = {
    grants: { reserve: () => ({ grant, take: () => true, release() {} }), revoke: (id: string) => revoked.push(id) },
    returns: { reserve: () => undefined },
    plans: { reserve: () => undefined },
    people: { find: () => ({ id: 'operator', role: 'owner' }) },
    goneSince: () => undefined,
    unsigned: () => undefined,
    cluster: { timeThere: (at: number) => (aheadMs === null ? undefined : at + aheadMs) },
  } as unknown as BeforeParts
  const ready = {
    input: { vmid: 101 },
    target: { ...target, madeAt },
    verdict: { tier: 'red', rule: 'base' },
    grantScopes: [],
  } as unknown as Ready
  const context = { sessionId: 'ses_1', principal: { kind: 'chat', name: 'model' } } as unknown as CallContext
  const found = new EarlierDecisions(parts).reserve(
    { type: 'tool_call', toolUseId: 'tu_1', toolName: 'stop_vm', toolInput: {} },
    ready,
    context,
  )
  expect(revoked).toEqual(found === undefined ? ['gr_1'] : [])
  return found !== undefined
}

test.each<[string, madeAt: number, aheadMs: number | null, boolean]>([
  ['made before it', grantedAt - hourMs, 0, true],
  ['made after it', grantedAt + hourMs, 0, false],
  ['made after it, where the cluster’s clock is behind', grantedAt - 29 * hourMs, -30 * hourMs, false],
  ['made before it, where the cluster’s clock is ahead', grantedAt + 29 * hourMs, 30 * hourMs, true],
  ['made who knows when', grantedAt - hourMs, null, false],
])('a grant for a guest that was %s', async (_what, madeAt, aheadMs, used) => {
  expect(isUsed(madeAt, aheadMs)).toBe(used)
})
