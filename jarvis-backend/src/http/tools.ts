import { Router } from 'express'
import { ClassifyBody, type Tier, type ToolInfo } from '../protocol/index.ts'
import { type Catalog, inputSchemaOf } from '../tools/catalog.ts'
import type { Judge } from '../tools/judge.ts'
import type { Tool } from '../tools/tool.ts'
import { param, read } from './handle.ts'

/** @param tierOf what its calls come to where no argument raises them. */
export function toolRoutes(catalog: Catalog, judge: Judge, tierOf: (tool: Tool) => Tier): Router {
  const router = Router()
  router.get('/', (_request, response) => {
    const items: ToolInfo[] = catalog.list().map((tool) => ({
      name: tool.name,
      description: tool.description,
      tier: tierOf(tool),
      inputSchema: inputSchemaOf(tool),
    }))
    response.json({ items })
  })
  // What would happen: runs nothing, so a viewer may ask too.
  router.post('/:name/classify', (request, response) => {
    const { input } = read(ClassifyBody, request.body)
    const { tier, rule, reason } = judge(param(request, 'name'), input).verdict
    response.json({ tier, rule, reason })
  })
  return router
}
