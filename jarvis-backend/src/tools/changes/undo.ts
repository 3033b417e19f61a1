import { whoseIs } from 'homelab-ports/guest-identity'
import type { Guest } from 'protocol'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { type Touch, things } from '../../gate/effect.ts'
import { effectKindFacts, effectKindNames } from '../../gate/effect-kinds.ts'
import { type Effect, effectsOf, Mistake, type World } from '../../gate/index.ts'
import { guestTarget } from '../../gate/targets.ts'
import type { Tool, Undo } from '../tool.ts'
import { type ChangePorts, changeTool, type Recorded } from './ports.ts'

const kinds = effectKindNames().filter((kind) => effectKindFacts(kind)?.isUndone)
const touches: Touch[] = kinds.flatMap((kind) =>
  things.filter((on) => on !== 'tool' && on !== 'site').map((on) => ({ kind, on })),
)

type Found = { change: Recorded; undo: Extract<Undo, { kind: 'call' }>; tool: Tool }

/** @param ports absent if no JARVIS runs: no change is known then @throws Mistake if the change cannot be taken back */
function found(id: string, ports: ChangePorts | undefined): Found {
  const change = ports?.changeOf(id)
  if (change === undefined) throw new Mistake('change: there is no such change. list_changes shows them.')
  const { undo } = change
  if (undo.kind === 'none') throw new Mistake(`change: it cannot be taken back. ${undo.because}`)
  const tool = ports?.toolOf(undo.toolName)
  if (tool === undefined) throw new Mistake(`change: ${undo.toolName}, which takes it back, is not there.`)
  return { change, undo, tool }
}

/** Takes a recorded change back. It runs the tool that the change recorded as its undo, under that tool's own tier. */
export const undo = changeTool({
  name: 'undo',
  title: 'Take a change back',
  description:
    'Takes back one change that JARVIS made, as its card said. Refuses, with the difference, where the thing is no longer as the change left it.',
  tier: 'yellow',
  timeoutMs: 900_000,
  input: z.strictObject({ change: z.string().min(1).max(100).describe('Its id, from list_changes.') }),
  touches,
  raises: [{ tier: 'red', words: 'what takes it back asks by itself' }],
  effects({ change: id }, world, ports?: ChangePorts): Effect[] {
    const { change, undo, tool } = found(id, ports)
    mustBeOpen(change, undo, world)
    mustBeAsLeft(change, undo, world)
    const doubt = guestDoubt(change, world.cluster.guests)
    // Undoing an undo makes a change again that somebody took back, perhaps because they did not want it.
    const isAgain = change.undoes !== undefined
    return effectsOf(tool, undo.input, world).map((effect) => ({
      ...effect,
      ...(restoresFile(effect) && !isAgain && { scope: 'files' }),
      ...(doubt !== undefined && { atLeast: effect.atLeast ?? { tier: 'red', because: doubt } }),
    }))
  },
  async prepare({ change: id }, context, ports) {
    const { change, undo, tool } = found(id, ports)
    // Compare the guests first. Otherwise a tool that sees a different guest would only say that the state has changed.
    guestDoubt(change, ports.guests())
    const inner = await tool.prepare?.(undo.input, context)
    const none: Undo = {
      kind: 'none',
      because: undo.loses ?? 'It takes a change back. Make the change again instead.',
      ...(undo.loses === undefined && { losesNothing: true }),
    }
    return { undo: none, ...inner, then: inner?.then ?? undo.sentence, basis: { ...inner?.basis, change: change.id } }
  },
  ending({ change: id }, ports?: ChangePorts) {
    const { undo, tool } = found(id, ports)
    return tool.ending?.(undo.input) ?? { look: 'Look whether it was taken back.' }
  },
  undoes: ({ change }) => change,
  standsFor({ change: id }, ports) {
    const { undo, tool } = found(id, ports)
    return { tool, input: undo.input }
  },
  example: { change: 'chg_none' },
  run: () => Promise.reject(new Error('The call that takes the change back runs in place of this one.')),
})

/** Tells if an effect puts a file back as JARVIS recorded it. */
const restoresFile = ({ kind, on, isShownWhole }: Effect) => kind === 'data' && on === 'path' && isShownWhole === true

/** The reason why a failed change has no undo: the undo would rely on a change that was not made. */
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

/** JARVIS sees the end of a task a little late, and by another clock. Tolerance, ms. */
const slackMs = 60_000

/**
 * The reason why the guest that has the VMID now may not be the guest that was changed. Undefined if it is the same guest, if the change was not
 * about a guest, or if no guest has the VMID.
 * @throws Mistake if it is a different guest
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

/** @throws Mistake that names the difference between the target's present state and the expected one */
function mustBeAsLeft({ target }: Recorded, { expects }: Extract<Undo, { kind: 'call' }>, world: World) {
  if (expects === undefined || target.vmid === undefined) return
  const now = guestTarget({ vmid: target.vmid }, world)
  for (const field of ['status', 'node'] as const) {
    const left = expects[field]
    if (left !== undefined && now[field] !== left)
      throw new Mistake(`change: ${target.id} is ${now[field]} now, not ${left} as the change left it.`)
  }
}
