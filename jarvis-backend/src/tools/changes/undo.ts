import type { Change, Guest } from 'protocol'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { type EffectKind, type Touch, things } from '../../gate/effect.ts'
import { type Effect, effectsOf, Mistake, type World } from '../../gate/index.ts'
import { guestTarget } from '../../gate/targets.ts'
import { whoseIs } from '../../homelab/guest-identity.ts'
import type { Tool, Undo } from '../tool.ts'
import { toolOver } from '../tool.ts'

/** A recorded change, with the call that takes it back. */
type Recorded = Pick<Change, 'id' | 'state' | 'target' | 'undoes' | 'at'> & {
  undo: Undo
  makes?: number
  endedAt?: number
}

/** What the tool acts through: the changes that were made, and the tools that take them back. */
export type UndoPorts = {
  changeOf(id: string): Recorded | undefined
  toolOf(name: string): Tool | undefined
  /** As the cluster has them now. */
  guests(): readonly Guest[]
}

const kinds: EffectKind[] = ['power', 'config', 'data', 'create', 'destroy', 'execute', 'network']
const touches: Touch[] = kinds.flatMap((kind) =>
  things.filter((on) => on !== 'tool' && on !== 'site').map((on) => ({ kind, on })),
)

/** Takes a recorded change back: a call of the tool that its change named, under that tool's own tier. */
export function undoTool({ changeOf, toolOf, guests }: UndoPorts): Tool {
  function found(id: string): { change: Recorded; undo: Extract<Undo, { kind: 'call' }>; tool: Tool } {
    const change = changeOf(id)
    if (change === undefined) throw new Mistake('change: there is no such change. list_changes shows them.')
    const { undo } = change
    if (undo.kind === 'none') throw new Mistake(`change: it cannot be taken back. ${undo.because}`)
    const tool = toolOf(undo.toolName)
    if (tool === undefined) throw new Mistake(`change: ${undo.toolName}, which takes it back, is not there.`)
    return { change, undo, tool }
  }
  const asked = z.strictObject({ change: z.string().min(1).max(100).describe('Its id, from list_changes.') })

  return toolOver<void>()({
    name: 'undo',
    title: 'Take a change back',
    description:
      'Takes back one change that JARVIS made, as its card said. Refuses, with the difference, where the thing is no longer as the change left it.',
    tier: 'yellow',
    timeoutMs: 900_000,
    input: asked,
    touches,
    raises: [{ tier: 'red', words: 'what takes it back asks by itself' }],
    effects({ change: id }, world): Effect[] {
      const { change, undo, tool } = found(id)
      mustBeOpen(change, undo, world)
      mustBeAsLeft(change, undo, world)
      const doubt = guestDoubt(change, world.cluster.guests)
      // What would be made again is what somebody took back, perhaps because they did not want it.
      const isAgain = change.undoes !== undefined
      return effectsOf(tool, undo.input, world).map((effect) => ({
        ...effect,
        ...(isOfFile(effect) && !isAgain && { scope: 'files' }),
        ...(doubt !== undefined && { atLeast: effect.atLeast ?? { tier: 'red', because: doubt } }),
      }))
    },
    async prepare({ change: id }, context) {
      const { change, undo, tool } = found(id)
      // Before the tool finds that nothing is as it was left.
      guestDoubt(change, guests())
      const inner = await tool.prepare?.(undo.input, context)
      const none: Undo = { kind: 'none', because: 'It takes a change back. Make the change again instead.' }
      return { undo: none, ...inner, then: inner?.then ?? undo.sentence, basis: { ...inner?.basis, change: change.id } }
    },
    ending({ change: id }) {
      const { undo, tool } = found(id)
      return tool.ending?.(undo.input as never) ?? { look: 'Look whether it was taken back.' }
    },
    undoes: ({ change }) => change,
    standsFor({ change: id }) {
      const { undo, tool } = found(id)
      return { tool, input: undo.input }
    },
    run: () => Promise.reject(new Error('What it stands for is run in its place.')),
  }) as unknown as Tool
}

/** Of files that are put back as JARVIS recorded them. */
const isOfFile = ({ kind, on, isShownWhole }: Effect) => kind === 'data' && on === 'path' && isShownWhole === true

/** Of a change that failed: its way back would rest on what was never done. */
export const failedWords = 'It failed, so JARVIS takes nothing back. Its result says what it left behind.'

const closed: Partial<Record<Recorded['state'], string>> = {
  running: 'It is still being made.',
  failed: failedWords,
  undoing: 'It is being taken back already.',
  undone: 'It was taken back before.',
}

function mustBeOpen({ state }: Recorded, { until }: Extract<Undo, { kind: 'call' }>, { now }: World) {
  const why = closed[state] ?? (until !== undefined && until < now ? 'It is too late to take it back.' : undefined)
  if (why !== undefined) throw new Mistake(`change: ${why}`)
}

/** A task is seen a little later than it ends, by another clock. */
const slackMs = 60_000

/**
 * Why the guest that has the number now may be another one than was changed; undefined where it is the same, or none was changed.
 * @throws Mistake where it is another
 */
function guestDoubt({ target, at, makes, endedAt = at }: Recorded, guests: readonly Guest[]): string | undefined {
  const { vmid, identity } = target
  const guest = guests.find((candidate) => candidate.vmid === vmid)
  if (vmid === undefined || guest === undefined) return undefined
  const isMade = makes === vmid
  const whose = whoseIs(guest.identity, {
    identity: isMade ? undefined : identity,
    at: isMade ? endedAt + slackMs : at,
  })
  if (whose === 'earlier')
    throw new Mistake(
      `change: ${vmid} is another guest now (${named(guest.name)}). The one that was changed has gone, and nothing of this one is touched.`,
    )
  return whose === 'own' ? undefined : `Whether ${vmid} is still the guest that was changed cannot be told.`
}

/** @throws Mistake with the difference */
function mustBeAsLeft({ target }: Recorded, { expects }: Extract<Undo, { kind: 'call' }>, world: World) {
  if (expects === undefined || target.vmid === undefined) return
  const now = guestTarget({ vmid: target.vmid }, world)
  for (const field of ['status', 'node'] as const) {
    const left = expects[field]
    if (left !== undefined && now[field] !== left)
      throw new Mistake(`change: ${target.id} is ${now[field]} now, not ${left} as the change left it.`)
  }
}
