import { attachedServerOf, type Guest, type Target } from '../../protocol/index.ts'
import { named, quoted } from '../../redaction/visible.ts'
import type { Call } from '../rule.ts'
import { powerOf } from '../target.ts'
import { guestName } from '../topology/topology.ts'

const wholeCommand = 300
const kinds = { vm: 'VM', ct: 'CT' }

/** What will happen, in words: from the tool, its canonical arguments and the target, and nothing a model said. */
export function sentenceOf(
  { toolName, input }: Pick<Call, 'toolName' | 'input'>,
  target: Target,
  guest?: Guest,
): string {
  const power = powerOf(toolName)
  if (power !== undefined && guest !== undefined) return powerSentence(power.action, guest, input.force === true)
  const place = target.node === undefined ? '' : ` on ${named(target.node)}`
  switch (toolName) {
    case 'restart_service':
      if (target.unit !== undefined && target.unit.activeState !== 'active')
        return `The service ${named(target.name ?? '')}${place} does not run and is started.`
      return `The service ${named(target.name ?? '')}${place} stops and starts again.`
    case 'wake_node':
      return `A magic packet is sent to wake ${named(target.node ?? '')}.`
    case 'execute_ssh':
      return `One command runs${place}: ${quoted(String(input.command), wholeCommand, '`')}.`
    case 'memory_write': {
      const file = typeof input.path === 'string' ? named(input.path) : 'the notes of today'
      return input.replaces === undefined ? `A text is added to ${file}.` : `A part of ${file} becomes another text.`
    }
    default: {
      const server = attachedServerOf(toolName)
      if (server !== undefined) return `The attached server ${named(server)} runs its tool ${named(toolName)} once.`
      return `The tool ${named(toolName)} runs once${place}.`
    }
  }
}

function powerSentence(action: 'start' | 'stop' | 'restart', guest: Guest, isForced: boolean): string {
  const who = `${kinds[guest.type]} ${guestName(guest)} on ${named(guest.node)}`
  if (action === 'start') return guest.status === 'running' ? `${who} runs already: nothing starts.` : `${who} starts.`
  if (guest.status === 'stopped') return `${who} is stopped already and stays so.`
  if (guest.status === 'paused' && !isForced) return `${who} is paused and cannot ${action} cleanly: nothing happens.`
  if (isForced) {
    const after = action === 'stop' ? 'stays off' : 'starts again'
    return `The power of ${who} is cut and it ${after}: what it has not saved is lost.`
  }
  return action === 'stop'
    ? `${who} shuts down cleanly and stays off.`
    : `${who} shuts down cleanly and starts again: it is away for about a minute.`
}
