import type { Grant } from 'protocol'
import { expect, test } from 'vitest'
import { grantFacts } from './grants.ts'

test('a conversation keeps the permissions of whose it is, and names nobody else’s', () => {
  const grant = (id: string, person?: string): Grant => ({
    id,
    toolName: 'restart_vm',
    toolInput: { vmid: 101 },
    rule: '',
    toolUseId: 'tu_1',
    uses: 1,
    target: { kind: 'none', id: 'none' },
    by: 'ana',
    usesLeft: 1,
    expiresAt: 2,
    createdAt: 0,
    requestedBy: { kind: 'chat', name: 'chat', ...(person !== undefined && { person }) },
  })
  const list = () => [grant('own', 'per_ann'), grant('first'), grant('other', 'per_ben')]
  const idsFor = (person: string | undefined) =>
    grantFacts(
      { list },
      () => 1,
      () => person,
    )
      .make([], [], 'ses_1')
      .map(({ id }) => id)
  expect([idsFor('per_ann'), idsFor(undefined)]).toEqual([['own'], ['first']])
})
