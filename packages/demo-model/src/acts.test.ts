import type { ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import { acts } from './acts.ts'
import { abilities, spokenTools } from './answer.ts'

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

test('tells in five lines what it can do, and has words for each tool of a sentence', () => {
  const tools = [...new Set(acts.map(({ tool }) => tool))]
  expect(tools.filter((tool) => !spokenTools.has(tool))).toEqual([])
  expect(abilities(cluster, [...tools, 'get_backups']).split('\n')).toHaveLength(5)
  expect(abilities(cluster, [])).toBe('')
})

test('says for which tools it has no sentence, and how they are called', () => {
  expect(abilities(cluster, ['create_guest'])).toBe(
    'For create_guest I have no sentence: type `/create_guest` and its arguments.',
  )
})
