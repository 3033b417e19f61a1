import { z } from 'zod'
import type { ArgumentType, Tools } from '../gate/index.ts'
import { agentTools } from './agents/index.ts'
import { changeTools } from './changes/index.ts'
import { drillTools } from './drills/index.ts'
import { homelabTools } from './homelab/index.ts'
import { jobTools } from './jobs/index.ts'
import { memoryTools } from './memory/index.ts'
import { pbsTools } from './pbs/index.ts'
import { planTools } from './plans/index.ts'
import { questionTools } from './questions/index.ts'
import { runbookTools } from './runbooks/index.ts'
import { sessionTools } from './sessions/index.ts'
import { useSkill } from './skills/use-skill.ts'
import type { Declaration } from './tool.ts'
import { waitTools } from './wait/index.ts'
import { watchTools } from './watch/index.ts'
import { browserTools } from './workbench/browser/index.ts'
import { commandTools } from './workbench/commands.ts'
import { dockerTools } from './workbench/docker/index.ts'
import { fileTools } from './workbench/files.ts'
import { gitTools } from './workbench/git/index.ts'
import { webTools } from './workbench/web.ts'

/**
 * The group of workbench tools in lists that are made without a policy. It is never served, because the workbench is off unless policy.yaml turns it
 * on.
 */
const unasked = { name: 'workbench', isServed: () => false }
const ofWorkbench = (tools: readonly Declaration[]): Declaration[] => tools.map((tool) => ({ ...tool, group: unasked }))

/** The groups of tools that ship with JARVIS. Their order is fixed, because providers cache the list of tools. */
export const toolGroups: readonly (readonly Declaration[])[] = [
  homelabTools,
  pbsTools,
  drillTools,
  waitTools,
  memoryTools,
  changeTools,
  runbookTools,
  questionTools,
  jobTools,
  watchTools,
  agentTools,
  sessionTools,
  planTools,
  [useSkill([])],
  ofWorkbench(fileTools),
  ofWorkbench(dockerTools),
  ofWorkbench(commandTools),
  ofWorkbench(gitTools),
  ofWorkbench(browserTools),
  ofWorkbench(webTools),
]

/** The declarations of all shipped tools, in the order in which models are offered them. */
export const houseTools: readonly Declaration[] = toolGroups.flat()

const places = new Map(houseTools.map(({ name }, place) => [name, place]))
/**
 * Sorts tools as in `houseTools`, other tools last. The order must not change when rooms are reordered, because a changed tool list invalidates the
 * provider's prompt cache.
 */
export const inFixedOrder = <T extends { name: string }>(tools: readonly T[]): T[] =>
  tools.toSorted((a, b) => (places.get(a.name) ?? places.size) - (places.get(b.name) ?? places.size))

/**
 * The facts about the shipped tools that a policy is checked against. Argument types are read on first use, because reading all of them takes a
 * fifteenth of JARVIS's start time.
 */
export const houseFacts: Tools = new Map(
  houseTools.map(({ name, tier, touches, input, isOptIn }) => {
    let args: Record<string, ArgumentType> | undefined
    const facts = {
      tier,
      touches,
      get args() {
        args ??= argumentsOf(input)
        return args
      },
      ...(isOptIn && { isOptIn }),
    }
    return [name, facts]
  }),
)

function argumentsOf({ shape }: z.ZodObject): Record<string, ArgumentType> {
  const typed = Object.entries(shape).flatMap(([name, of]) => {
    const { type } = z.toJSONSchema(of as z.ZodType, { io: 'input' })
    const known = type === 'integer' ? 'number' : type
    return known === 'string' || known === 'number' || known === 'boolean' ? [[name, known] as const] : []
  })
  return Object.fromEntries(typed)
}
