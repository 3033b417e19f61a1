import { expect, test } from 'vitest'
import { toolFacts } from '../../plans/tool-facts.ts'
import { createCatalog } from '../../tools/catalog.ts'
import { houseTools } from '../../tools/house.ts'
import type { Tool } from '../../tools/tool.ts'
import { parseRunbook } from '../parse.ts'
import { shippedRunbooks } from './index.ts'

const tools = toolFacts(createCatalog(houseTools as unknown as Tool[]), ({ tier }) => tier)

test.each([...shippedRunbooks])('%s has no fault, and is offered by a check', (_name, text) => {
  const { facts, procedure } = parseRunbook(text, tools)
  expect(facts.faults).toEqual([])
  expect(procedure?.alerts).not.toEqual([])
})
