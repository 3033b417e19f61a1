import { createHash } from 'node:crypto'
import { addressProblem, baseOf, hostOf } from '../addresses.ts'
import type { Channel, ChannelKind, Level, Outgoing } from '../channel.ts'
import { ask, attempted, outcome } from '../post.ts'

const priorities: Record<Level, number> = { failed: 5, card: 4, warning: 3, info: 2 }
const tags: Record<Level, string> = {
  failed: 'rotating_light',
  card: 'red_circle',
  warning: 'warning',
  info: 'information_source',
}

/** The sequence id of a message: a later message with the same id replaces the earlier one. ntfy accepts word characters, 64 at most. */
const sequenceOf = ({ id }: Pick<Outgoing, 'id'>) => createHash('sha256').update(id).digest('hex').slice(0, 24)

/** ntfy's own error text: `{"code":40301,"http":403,"error":"forbidden"}`. */
function wordsOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

/**
 * ntfy.sh, or an own ntfy server. Anyone who reads the topic can press its buttons, so a button only denies. ntfy 2.16 and newer replace a revised
 * message; older versions show a second one.
 */
export const ntfy: ChannelKind = {
  id: 'ntfy',
  name: 'ntfy',
  readers: 'Whoever runs the server or knows the topic can read these messages.',
  capabilities: {
    decidesAtMost: 'deny',
    isIdempotent: true,
    tapsByAddress: true,
    pairs: false,
    hidesNames: true,
  },
  settings: [
    { name: 'URL', label: 'Server', isRequired: true, example: 'https://ntfy.lan', problem: addressProblem },
    {
      name: 'TOPIC',
      label: 'Topic',
      isRequired: true,
      example: 'jarvis-9f2c41d07b',
      problem: (value) =>
        /^[\w-]{1,64}$/.test(value) ? undefined : 'must have 1 to 64 letters, digits, dashes and underscores',
    },
    { name: 'TOKEN', label: 'Access token', isRequired: false, example: 'tk_…' },
  ],
  open({ URL: url = '', TOPIC: topic = '', TOKEN: token }, { tapAddress }): Channel {
    const base = baseOf(url)
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    /** The phone sends the denial by itself. The request holds nothing else that grants access. */
    function actionsOf({ buttons, isOver }: Outgoing) {
      const denials = buttons.filter(({ does }) => does === 'deny')
      if (tapAddress === undefined || isOver || denials.length === 0) return {}
      const request = {
        action: 'http',
        url: tapAddress,
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
      }
      return {
        actions: denials.map(({ label, token: nonce }) => ({
          ...request,
          label,
          body: JSON.stringify({ token: nonce }),
          clear: true,
        })),
      }
    }
    const publish = (message: Outgoing, signal: AbortSignal) =>
      attempted(async () => {
        const body = JSON.stringify({
          topic,
          title: message.title,
          message: message.lines.join('\n') || message.title,
          priority: message.isOver ? 1 : priorities[message.level],
          ...(!message.isOver && { tags: [tags[message.level]] }),
          click: message.link,
          ...actionsOf(message),
          sequence_id: sequenceOf(message),
        })
        const answer = await ask(base, { headers, body, signal })
        const failure = outcome(answer, wordsOf(answer.text))
        if (failure !== undefined) return failure
        return { kind: 'sent', ref: sequenceOf(message) }
      })
    return {
      place: hostOf(url),
      deliver: (message, _to, signal) => publish(message, signal),
      revise: (message, _sent, signal) => publish(message, signal),
      withdraw: (message, _sent, signal) =>
        attempted(async () => {
          const answer = await ask(`${base}/${topic}/${sequenceOf(message)}`, { method: 'DELETE', headers, signal })
          return outcome(answer, wordsOf(answer.text)) ?? { kind: 'sent' }
        }),
      async health(signal) {
        const answer = await ask(`${base}/v1/health`, { method: 'GET', headers, signal })
        return answer.status === 200 ? {} : { problem: `it answered ${answer.status}` }
      },
    }
  },
}
