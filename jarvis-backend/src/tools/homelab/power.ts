import type { ExpectedGuest, PowerAction, PowerOutcome } from 'homelab-ports/ports'
import { notSent } from 'homelab-ports/power-words'
import { spanOf } from 'node-kit/words'
import type { Guest } from 'protocol'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { guestTarget } from '../../gate/targets.ts'
import type { World } from '../../gate/world.ts'
import { oneLine, plainName } from '../../homelab/format.ts'
import { lockAdvice } from '../../homelab/locks.ts'
import { leftOf } from '../../homelab/operations/left-of.ts'
import { isQuorumLoss } from '../../homelab/quorum.ts'
import { PowerOutput } from '../outputs.ts'
import type { ToolContext, ToolOutput, Undo } from '../tool.ts'
import { type HomelabPorts, homelabTool, rights } from './homelab-tool.ts'
import { NodeName, Vmid } from './inputs.ts'

/** Real shutdowns take minutes, so a power call may take as long as this, ms. */
const powerTimeoutMs = 300_000

/** @param force the description of the argument `force` for the model */
const powerInput = (force: string) =>
  z.strictObject({
    vmid: Vmid.describe('The guest’s id.'),
    node: NodeName.optional().describe('Its node, where you are sure of it.'),
    force: z.boolean().optional().describe(force),
  })
type PowerInput = z.output<ReturnType<typeof powerInput>>

export const noForce = 'Changes nothing here: a start has no forced form.'
export const forceStop =
  'Cuts the power instead of shutting down cleanly; unsaved data may be lost. Only after a clean stop timed out.'
export const forceRestart =
  'Resets instead of rebooting cleanly; unsaved data may be lost. Only after a clean restart timed out.'

const words = { vm: 'VM', ct: 'Container' }
const kinds = { vm: 'a virtual machine', ct: 'a container' }
const toolEnds = { vm: 'vm', ct: 'container' }

/** Makes a power tool: one action on guests of one type. */
export function powerTool(
  action: PowerAction,
  type: Guest['type'],
  told: { title: string; description: string; force: string; vmid: number },
) {
  const name = `${action}_${toolEnds[type]}`
  const input = powerInput(told.force)
  return homelabTool({
    name,
    title: told.title,
    description: told.description,
    tier: 'red',
    timeoutMs: powerTimeoutMs,
    input,
    example: { vmid: told.vmid },
    output: PowerOutput,
    touches: [{ kind: 'power', on: 'guest', action, type }],
    effects({ force = false, ...of }, world) {
      const other = `${action}_${toolEnds[type === 'vm' ? 'ct' : 'vm']}`
      const target = guestTarget(of, world, { type, instead: other })
      const isTemplate = world.cluster.guests.find(({ vmid }) => vmid === of.vmid)?.isTemplate === true
      if (isTemplate)
        throw new Mistake(`vmid: ${of.vmid} is a template, which never runs. clone_guest makes a guest of it.`)
      return [{ kind: 'power', on: 'guest', action, type, isForced: force, target }]
    },
    undo: ({ vmid, force = false }, world) => undoOf({ action, type, isForced: force }, vmid, world),
    ending: ({ vmid }) => ({ vmid, ...endings[action] }),
    isComposed: true,
    needs: [rights.guests, rights.power],
    run: (asked, context, ports) => changePower(ports, { type, action, ...asked }, context),
  })
}

/** A start and a stop undo each other, unless somebody else has started or stopped the guest since. */
function undoOf({ action, type, isForced }: Act, vmid: number, { cluster }: World): Undo {
  const status = cluster.guests.find((guest) => guest.vmid === vmid)?.status
  if (action === 'restart')
    return isForced
      ? { kind: 'none', because: 'What it had not saved is lost.' }
      : { kind: 'none', because: 'What ran was interrupted, and runs anew.', losesNothing: true }
  const goal = action === 'start' ? 'running' : 'stopped'
  if (status === goal)
    return { kind: 'none', because: `It is ${goal} already, so nothing changes.`, losesNothing: true }
  const back = action === 'start' ? 'stop' : 'start'
  return {
    kind: 'call',
    toolName: `${back}_${toolEnds[type]}`,
    input: { vmid },
    sentence: action === 'start' ? 'It is shut down cleanly again.' : 'It is started again.',
    expects: { status: goal },
    ...(action === 'stop' && { loses: isForced ? 'What it had not saved.' : 'What it held in RAM alone.' }),
  }
}

/** The types of the tasks that Proxmox may start for each action. On a guest under HA, a task of HA comes first. */
const endings = {
  start: { types: ['qmstart', 'vzstart', 'hastart'], goal: 'running' },
  stop: { types: ['qmshutdown', 'qmstop', 'vzshutdown', 'vzstop', 'hastop', 'hashutdown'], goal: 'stopped' },
  restart: { types: ['qmreboot', 'qmreset', 'vzreboot', 'vzstop', 'vzstart'], goal: 'running', isTwoStep: true },
} as const

/** An action of a power tool on a guest of one type. */
type Act = { type: Guest['type']; action: PowerAction; isForced: boolean }

/** Runs the action and reports the outcome. HA may have moved the guest since the call was judged. */
async function changePower(
  { cluster, api }: Pick<HomelabPorts, 'cluster' | 'api'>,
  { type, action, vmid, node, force = false }: Pick<Act, 'type' | 'action'> & PowerInput,
  context: ToolContext,
): Promise<ToolOutput> {
  const guest = cluster.state().guests.find((candidate) => candidate.vmid === vmid)
  if (guest !== undefined && guest.type !== type) {
    return refused(`${vmid} is ${kinds[guest.type]}: use ${action}_${toolEnds[guest.type]}.`)
  }
  if (guest !== undefined && node !== undefined && guest.node !== node) {
    return refused(`${vmid} is on ${plainName(guest.node)}, not on ${plainName(node)}.`)
  }
  const isForced = force && action !== 'start'
  // If there is no such guest, the cluster refuses in its own words.
  const expected = expectedOf(context.target)
  const outcome = await cluster.power({ vmid, action, isForced, expected }, context)
  const seen = cluster.state().guests.find((candidate) => candidate.vmid === vmid) ?? guest
  const who = `${words[type]} ${vmid}${seen === undefined ? '' : ` ${plainName(seen.name)} on ${plainName(seen.node)}`}`
  const data = { vmid, type, action, force: isForced, ...(seen && { name: seen.name, node: seen.node }), ...outcome }
  const place = { vmid, type, node: seen?.node ?? context.target?.node ?? '' }
  const lock = lockAdvice(place, cluster.state())
  const answer = { ...told({ who, act: { type, action, isForced }, lockSaid: lock }, outcome), data }
  // Without a task nothing was done. The forced restart of a container is two tasks, and the first may have run. A guest that moved is looked for.
  const isUntouched =
    outcome.upid === undefined &&
    !(action === 'restart' && type === 'ct' && isForced) &&
    !/does not exist/.test(outcome.exitStatus)
  if (answer.isError !== true || seen === undefined || isUntouched) return answer
  const left = await leftOf(api, { vmid, node: seen.node, type }, context.signal)
  return { ...answer, text: `${answer.text} ${left}` }
}

function expectedOf(target: ToolContext['target']): ExpectedGuest | undefined {
  const { node, type, name, identity } = target ?? {}
  if (node === undefined || type === undefined || name === undefined) return undefined
  return { node, type, name, identity }
}

const refused = (text: string): ToolOutput => ({ text: `${text} Nothing was done.`, summary: text, isError: true })

function told(
  { who, act, lockSaid }: { who: string; act: Act; lockSaid: string },
  { ok, exitStatus, observed, durationMs, upid }: PowerOutcome,
): ToolOutput {
  const { action } = act
  const goal = action === 'stop' ? 'stopped' : 'running'
  const after = spanOf(durationMs / 1000)
  const said = oneLine(exitStatus, 300)
  if (ok && observed === goal) {
    const summary = `Task ${said}, guest seen ${observed} after ${after}`
    return {
      text: `${who}: the ${action} task ended ${said} and the guest is seen ${observed}, after ${after}.`,
      summary,
    }
  }
  if (ok) {
    const byHa = /:ha(start|stop):/.test(upid ?? '') ? ' HA has taken the request and acts when it can.' : ''
    return {
      text: `${who}: the ${action} task ended ${said}, but after ${after} the guest is seen ${observed}, not ${goal}.${byHa} Look at it and at get_recent_tasks again in a moment before doing more.`,
      summary: `Task ${said}, but guest seen ${observed}`,
      isError: true,
    }
  }
  const failure =
    exitStatus === notSent
      ? 'not sent'
      : upid === undefined
        ? 'the cluster refused'
        : `the ${action} task failed after ${after}`
  return {
    text: `${who}: ${failure}: "${said}". The guest is seen ${observed}. ${nextStep(act, { said, hasTask: upid !== undefined, lockSaid })}`,
    summary: `${exitStatus === notSent ? 'Not sent' : upid === undefined ? 'Refused' : 'Task failed'}: ${oneLine(said, 120)}; guest seen ${observed}`,
    isError: true,
  }
}

/** Advice after a failed power action, derived from Proxmox's words. */
function nextStep(
  { type, action, isForced }: Act,
  { said, hasTask, lockSaid }: { said: string; hasTask: boolean; lockSaid: string },
): string {
  const end = toolEnds[type]
  if (/^Configuration file .* does not exist/.test(said))
    return 'It is not on that node any more, and nothing was done: find it with get_cluster_resources.'
  if (/already running/.test(said)) return 'It runs already: nothing needs to be done.'
  if (/can't lock file/.test(said)) {
    return 'Another task works on this guest: wait until get_recent_tasks shows it ended, then look at the guest again.'
  }
  const lock = /is locked \(([\w-]+)\)/.exec(said)?.[1]
  if (lock !== undefined) {
    return `The lock "${lock}" protects work on it, and force does not pass it. ${lockSaid}`
  }
  if (isQuorumLoss(said)) return 'Too few nodes are online: see get_cluster_status, and wake the missing ones first.'
  if (/not running/.test(said)) return action === 'stop' ? 'It is off already.' : `It is off: start_${end} starts it.`
  if (/Permission check failed/.test(said)) {
    return 'The API token lacks that right: someone must add it to the token’s role in Proxmox. Trying again changes nothing.'
  }
  const isPaused = /is paused/.test(said)
  if ((isPaused || /powerdown failed - got timeout|did not stop/.test(said)) && !isForced) {
    const why = isPaused ? 'It is paused, and hears no shutdown until it is resumed.' : 'It did not shut down cleanly.'
    return `${why} ${action}_${end} with force: true cuts its power, and unsaved data may be lost: call that only if the user wants it.`
  }
  if (/template/.test(said)) return 'It is a template: it can be cloned, and never runs.'
  return hasTask ? 'get_recent_tasks shows the task; its log on the node says more.' : 'No task was begun.'
}
