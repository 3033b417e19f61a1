import { expect, test } from 'vitest'
import { withOwnNames } from './offered-words.ts'

const spec = (name: string, description: string) => ({ name, description, inputSchema: {} })
const known = new Set(['get_vms', 'get_containers', 'list_runbooks', 'run_runbook'])

test('a narrowed agent is told of the tools that it has, and of no others', () => {
  const vms = spec('get_vms', 'Lists virtual machines. Containers are in get_containers. Takes a node.')
  const runbooks = spec('list_runbooks', 'Lists the runbooks; run_runbook runs one. See get_vms.')
  const containers = spec('get_containers', 'Lists containers, with their ip_addresses.')
  expect(withOwnNames([vms, runbooks], known).map(({ description }) => description)).toEqual([
    'Lists virtual machines. Takes a node.',
    'Lists the runbooks; run_runbook runs one. See get_vms.',
  ])
  const all = [vms, containers]
  expect(withOwnNames(all, known)).toBe(all)
})
