import {
  type Approve,
  JarvisError,
  PlanPointer,
  PlanProposal,
  RoleInfo,
  type ToolInput,
  TryRoleBody,
  TryRoleReply,
} from 'protocol'
import { z } from 'zod'
import type { TryingJudge } from '../calls/judge.ts'
import type { Judgement } from '../calls/judgement.ts'
import type { People } from '../calls/people.ts'
import { proposePlan } from '../tools/plans/propose-plan.ts'
import { type Route, route } from './route.ts'

const unread = { verdict: undefined, because: 'It takes a value that the plan reads first.' }
const strictness = ({ verdict }: TryRoleReply) => ['runs', 'asks', 'refused', 'black'].indexOf(verdict)

/** `/api/roles`: the rights of each role, and the verdict that a call would get. */
export function roleRoutes(parts: {
  /** Returns all roles by name. `sentences`: the rights of the role. */
  roles(): ReadonlyMap<string, { name: string; sentences: readonly string[] }>
  /** The names of the roles that always exist. */
  builtIn: readonly string[]
  /** Returns a sentence about the people who must approve. */
  approveWords(approve: Approve): string
  people: People
  judge: TryingJudge
  redact<T>(value: T): T
}): Route[] {
  const { people, roles } = parts

  /** Returns the id of the person with this id or name. @throws JarvisError `not_found` */
  function personNamed(wanted: string): string {
    const found = people.list().find(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase())
    if (found !== undefined) return found.id
    throw new JarvisError('not_found', `Nobody who may sign in is called ${wanted}.`)
  }
  function requireRole(name: string): string {
    if (roles().has(name)) return name
    throw new JarvisError('not_found', `There is no role ${name}. Roles: ${[...roles().keys()].join(', ')}.`)
  }

  return [
    route('/roles').get(
      'The [roles](roles.md), those of JARVIS first, with what each may in plain words.',
      { role: 'viewer', forMembers: true, token: 'read', reply: z.object({ items: z.array(RoleInfo) }) },
      () => ({
        items: [...roles().values()].map(({ name, sentences }) => ({
          name,
          builtIn: parts.builtIn.includes(name),
          sentence: sentences.join(' '),
          scopes: [...sentences],
          people: people.list().filter(({ role }) => role === name).length,
        })),
      }),
    ),
    route('/roles/try').post(
      'The verdict on a call if that person, or somebody of that role, asked for it; runs nothing.',
      { role: 'operator', body: TryRoleBody, reply: TryRoleReply },
      async ({ body: { person, role, toolName, toolInput } }) => {
        const who = person === undefined ? { asRole: requireRole(role ?? '') } : { person: personNamed(person) }
        const tried = async (toolName: string, toolInput: ToolInput) =>
          replyOf(await parts.judge(toolName, toolInput, { kind: 'command', ...who, isReading: true }))
        const reply = await tried(toolName, toolInput)
        const { data: plan } = PlanProposal.safeParse(toolInput)
        if (
          plan === undefined ||
          toolName !== proposePlan.name ||
          reply.verdict === 'black' ||
          reply.verdict === 'refused'
        )
          return parts.redact(reply)
        const steps = await Promise.all(
          plan.steps.map(async ({ tool, input }, at) => {
            const isOpen = Object.values(input).some((value) => PlanPointer.safeParse(value).success)
            return { number: at + 1, toolName: tool, reply: isOpen ? undefined : await tried(tool, input) }
          }),
        )
        const all = [reply, ...steps.flatMap((step) => step.reply ?? [])]
        const strictest = all.reduce((one, other) => (strictness(other) > strictness(one) ? other : one))
        const shown = steps.map(({ reply: { verdict, because } = unread, ...step }) => ({ ...step, verdict, because }))
        return parts.redact({ ...strictest, steps: shown })
      },
    ),
  ]

  function replyOf({ kind, verdict }: Judgement): TryRoleReply {
    const { tier, rule, reason: because, approve } = verdict
    const said = { tier, rule, because }
    if (kind === 'blocked') return { verdict: 'black', ...said }
    if (kind === 'invalid') return { verdict: 'refused', ...said }
    if (tier !== 'red') return { verdict: 'runs', ...said }
    const who = approve === undefined ? '1 person who is operator' : parts.approveWords(approve)
    return { verdict: 'asks', ...said, who, ...(approve && { approve }) }
  }
}
