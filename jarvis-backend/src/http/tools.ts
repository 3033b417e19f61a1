import { ClassifyBody, ClassifyReply, JarvisError, type Tier, ToolCalls, ToolInfo } from 'protocol'
import { z } from 'zod'
import type { TryingJudge } from '../calls/judge.ts'
import type { Ready } from '../calls/judgement.ts'
import { type Catalog, inputSchemaOf } from '../tools/catalog.ts'
import type { Tool } from '../tools/tool.ts'
import { questionerOf } from './handle.ts'
import { type Route, route } from './route.ts'

type Raises = NonNullable<ToolInfo['raises']>
const withRaises = (raises: Raises, tool: ToolInfo): ToolInfo => (raises.length === 0 ? tool : { ...tool, raises })

/** `/api/tools`: the tools, and the verdict that a call would get. */
export function toolRoutes(parts: {
  catalog: Catalog
  judge: TryingJudge
  /** Returns the text of the card that the call would get. */
  previewOf(ready: Ready): ClassifyReply['preview']
  /** Tier of a tool's calls when no argument raises it. */
  tierOf(tool: Tool): Tier
  raisesOf(tool: Tool): Raises
  calls(): Promise<ToolCalls>
  redact<T>(value: T): T
}): Route[] {
  const infoOf = (tool: Tool): ToolInfo =>
    withRaises(parts.raisesOf(tool), {
      name: tool.name,
      description: tool.description,
      tier: parts.tierOf(tool),
      effects: tool.touches,
      inputSchema: inputSchemaOf(tool),
    })
  return [
    route('/tools').get(
      'The tools.',
      {
        role: 'viewer',
        forMembers: true,
        token: 'read',
        reply: z.object({ items: z.array(ToolInfo) }),
        isPacked: true,
      },
      () => ({
        items: parts.catalog.list().map(infoOf),
      }),
    ),
    route('/tools/calls').get(
      'How often each tool was called in seven days.',
      { role: 'viewer', token: 'read', reply: ToolCalls },
      () => parts.calls(),
    ),
    route('/tools/:name').get(
      'One tool.',
      { role: 'viewer', forMembers: true, token: 'read', reply: ToolInfo },
      ({ params: { name } }) => {
        const tool = parts.catalog.get(name)
        if (tool === undefined)
          throw new JarvisError('not_found', `There is no tool ${name}. GET /api/tools lists them.`)
        return infoOf(tool)
      },
    ),
    route('/tools/:name/classify').post(
      'The verdict that a call of yours would get, and what its card would say; runs nothing. Nothing is read for whoever may only look.',
      { role: 'viewer', token: 'read', body: ClassifyBody, reply: ClassifyReply },
      async ({ params, body, identity }) => {
        const judged = await parts.judge(params.name, body.input, questionerOf(identity))
        const { tier, rule, reason } = judged.verdict
        const preview = judged.kind === 'ready' ? parts.previewOf(judged) : undefined
        return parts.redact({ tier, rule, reason, ...(preview && { preview }) })
      },
    ),
  ]
}
