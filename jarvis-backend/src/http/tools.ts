import { Router } from 'express'
import type { Ready } from '../calls/call.ts'
import type { SeeingJudge } from '../calls/judge.ts'
import {
  ClassifyBody,
  type ClassifyReply,
  JarvisError,
  type Page,
  type Tier,
  type ToolCalls,
  type ToolInfo,
} from '../protocol/index.ts'
import { type Catalog, inputSchemaOf } from '../tools/catalog.ts'
import type { Tool } from '../tools/tool.ts'
import { param, read } from './handle.ts'

type Raises = NonNullable<ToolInfo['raises']>
const withRaises = (raises: Raises, tool: ToolInfo): ToolInfo => (raises.length === 0 ? tool : { ...tool, raises })

/** `/api/tools`: the tools, and the verdict that a call would get. */
export function toolRoutes(parts: {
  catalog: Catalog
  judge: SeeingJudge
  /** What a card of the call would say of it. */
  previewOf(ready: Ready): ClassifyReply['preview']
  /** Tier of a tool's calls when no argument raises it. */
  tierOf(tool: Tool): Tier
  raisesOf(tool: Tool): Raises
  calls(): Promise<ToolCalls>
}): Router {
  const router = Router()
  const infoOf = (tool: Tool): ToolInfo =>
    withRaises(parts.raisesOf(tool), {
      name: tool.name,
      description: tool.description,
      tier: parts.tierOf(tool),
      effects: tool.touches,
      inputSchema: inputSchemaOf(tool),
    })
  router.get('/', (_request, response) => {
    response.json({ items: parts.catalog.list().map(infoOf) } satisfies Page<ToolInfo>)
  })
  router.get('/calls', async (_request, response) => {
    response.json(await parts.calls())
  })
  router.get('/:name', (request, response) => {
    const name = param(request, 'name')
    const tool = parts.catalog.get(name)
    if (tool === undefined) throw new JarvisError('not_found', `There is no tool ${name}. GET /api/tools lists them.`)
    response.json(infoOf(tool))
  })
  // Runs nothing, so viewers may ask too.
  router.post('/:name/classify', async (request, response) => {
    const { input } = read(ClassifyBody, request.body)
    const judged = await parts.judge(param(request, 'name'), input)
    const { tier, rule, reason } = judged.verdict
    const preview = judged.kind === 'ready' ? parts.previewOf(judged) : undefined
    response.json({ tier, rule, reason, ...(preview && { preview }) } satisfies ClassifyReply)
  })
  return router
}
