import { expect, test } from 'vitest'
import { createCatalog } from '../tools/catalog.ts'
import { houseTools } from '../tools/house.ts'
import type { Tool } from '../tools/tool.ts'
import { toolFacts } from './tool-facts.ts'

test('neither a tool that starts a plan nor one of an attached server can be a step', () => {
  const [first] = houseTools as unknown as Tool[]
  if (first === undefined) throw new Error('there is a first tool')
  const attached = { server: 'files', hash: 'h', inputSchema: {}, listed: new Set<string>() }
  const catalog = createCatalog([...(houseTools as unknown as Tool[]), { ...first, name: 'files__list', attached }])
  const facts = toolFacts(catalog, ({ tier }) => tier)
  expect([facts.get('run_runbook'), facts.get('files__list')]).toEqual([undefined, undefined])
  expect(facts.names()).not.toContain('files__list')
  expect(facts.get(first.name)).toMatchObject({ tier: 'green', isRead: true })
})
