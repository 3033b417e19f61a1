import type { Guest } from 'protocol'
import { named, quoted } from 'redaction/visible'
import type { Effect } from '../effect.ts'
import { guestName } from '../topology/topology.ts'

const wholeCommand = 300
const kinds = { vm: 'VM', ct: 'CT' }

/** Returns the card's sentence on what will happen. Uses only the effect and its target, and no text of a model. */
export function sentenceOf(toolName: string, effect: Effect, guest?: Guest): string {
  const { kind, on, action, target, executes, sentence } = effect
  if (kind === 'power' && guest !== undefined && action !== undefined)
    return `${powerSentence(action, guest, effect.isForced === true)}${guest.status === 'unknown' ? ' Whether it runs now is not known.' : ''}`
  if (sentence !== undefined) return sentence
  const storage = target.kind === 'storage' ? ` on the storage ${named(target.name ?? '')}` : ''
  const place = `${storage}${target.node === undefined ? '' : ` on ${named(target.node)}`}`
  if (kind === 'power' && on === 'service') {
    const does = target.unit !== undefined && target.unit.activeState !== 'active'
    return `The service ${named(target.name ?? '')}${place} ${does ? 'does not run and is started' : 'stops and starts again'}.`
  }
  if (kind === 'power' && on === 'node' && action === 'start')
    return `A magic packet is sent to wake ${named(target.node ?? '')}.`
  if (kind === 'power' && on === 'node')
    return `The node ${named(target.node ?? '')} ${action === 'stop' ? 'shuts down and stays off' : 'reboots'}, and all that runs on it stops first.`
  if (executes !== undefined) return `One command runs${place}: ${quoted(executes.text, wholeCommand, '`')}.`
  if (on === 'tool') return `The attached server ${named(target.name ?? '')} runs its tool ${named(toolName)} once.`
  return `The tool ${named(toolName)} runs once${place}.`
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
