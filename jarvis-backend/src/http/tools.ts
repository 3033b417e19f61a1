import { Router } from 'express'
import type { SeeingJudge } from '../calls/judge.ts'
import { ClassifyBody, type Tier, type ToolCalls, type ToolInfo } from '../protocol/index.ts'
import { type Catalog, inputSchemaOf } from '../tools/catalog.ts'
import type { Tool } from '../tools/tool.ts'
import { param, read } from './handle.ts'

type Raises = NonNullable<ToolInfo['raises']>
const withRaises = (raises: Raises, tool: ToolInfo): ToolInfo => (raises.length === 0 ? tool : { ...tool, raises })

/** `/api/tools`: the tools, and the verdict that a call would get. */
export function toolRoutes(parts: {
  catalog: Catalog
  judge: SeeingJudge
  /** Tier of a tool's calls when no argument raises it. */
  tierOf(tool: Tool): Tier
  raisesOf(tool: Tool): Raises
  calls(): Promise<ToolCalls>
}): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    const items: ToolInfo[] = parts.catalog.list().map((tool) =>
      withRaises(parts.raisesOf(tool), {
        name: tool.name,
        description: tool.description,
        tier: parts.tierOf(tool),
        effects: tool.touches,
        inputSchema: inputSchemaOf(tool),
      }),
    )
    response.json({ items })
  })
  router.get('/calls', async (_request, response) => {
    response.json(await parts.calls())
  })
  // Runs nothing, so viewers may ask too.
  router.post('/:name/classify', async (request, response) => {
    const { input } = read(ClassifyBody, request.body)
    const { tier, rule, reason } = (await parts.judge(param(request, 'name'), input)).verdict
    response.json({ tier, rule, reason })
  })
  return router
}
