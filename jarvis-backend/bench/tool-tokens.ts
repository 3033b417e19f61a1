import { modelSchemaOf } from '../src/tools/catalog.ts'
import { houseTools } from '../src/tools/house.ts'
import type { Tool } from '../src/tools/tool.ts'
import type { Row } from './rows.ts'

/** Tokens of the 18 tools over the homelab and the three over the memory, in commit 43dde4d, counted as below. */
export const tokensBefore = 3_349
/** How many times as much all tools may cost. */
export const mostTimes = 2.2

/** All shipped tools, those included that a cluster may not be able to serve. Those of the workbench are off unless a policy turns them on. */
export const shippedTools: readonly Pick<Tool, 'name' | 'description' | 'input'>[] = houseTools.filter(
  ({ group }) => group?.name !== 'workbench',
)

/** Tokens of tools as a model is sent them (name, description, JSON schema): a token for each four characters. */
export const tokensOf = (tools: typeof shippedTools): number =>
  JSON.stringify(
    tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      input_schema: modelSchemaOf(tool as Tool),
    })),
  ).length / 4

/** The tokens of the tools in each request to a model, before any question. */
export const toolsRow = (): Row => ({
  name: 'tools',
  lines: [{ title: `descriptions of all ${shippedTools.length} tools, tokens`, most: mostTimes }],
  ours: async () => [tokensOf(shippedTools)],
  base: { name: 'the 21 before', isGoal: true, measure: async () => [tokensBefore] },
})
