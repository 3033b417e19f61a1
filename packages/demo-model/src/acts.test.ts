import type { ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import { acts } from './acts.ts'
import { abilities } from './answer.ts'

const cluster: ClusterState = {
  name: 'lab',
  isDemo: true,
  at: 0,
  guests: [],
  nodes: [],
  storages: [],
  tasks: [],
  isQuorate: true,
  missing: [],
}

test.each([...new Set(acts.map(({ tool }) => tool))])(
  'says that it can use %s where it is offered, and only there',
  (tool) => {
    expect(abilities(cluster, [tool])).toMatch(/^I can /)
    expect(abilities(cluster, [tool])).not.toContain('no sentence')
    expect(abilities(cluster, [])).toBe('')
  },
)

test('says for which tools it has no sentence, and how they are called', () => {
  expect(abilities(cluster, ['create_guest'])).toBe(
    'For create_guest I have no sentence: `/create_guest` and its arguments call it.',
  )
})
