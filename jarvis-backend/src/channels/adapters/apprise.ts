import { addressProblem, baseOf, hostOf } from '../addresses.ts'
import type { Channel, ChannelKind, Level } from '../channel.ts'
import { ask, attempted, outcome } from '../post.ts'

const types: Record<Level, string> = { failed: 'failure', card: 'warning', warning: 'warning', info: 'info' }

/** An Apprise API server, which forwards messages to any of the services that it supports. */
export const apprise: ChannelKind = {
  id: 'apprise',
  name: 'Apprise',
  readers: 'The Apprise server, and each service that it passes messages on to, can read them.',
  capabilities: {
    decidesAtMost: 'none',
    isIdempotent: false,
    pairs: false,
    hidesNames: true,
  },
  settings: [
    { name: 'URL', label: 'Server', isRequired: true, example: 'http://apprise.lan:8000', problem: addressProblem },
    {
      name: 'KEY',
      label: 'Key of a configuration there',
      isRequired: true,
      example: 'jarvis',
      problem: (value) =>
        /^[\w-]{1,128}$/.test(value) ? undefined : 'must have letters, digits, dashes and underscores alone',
    },
  ],
  open({ URL: url = '', KEY: key = '' }): Channel {
    const base = baseOf(url)
    return {
      place: hostOf(url),
      deliver: ({ title, lines, level, link }, _to, signal) =>
        attempted(async () => {
          const text = [...lines, ...(link === undefined ? [] : [link])].join('\n')
          const body = JSON.stringify({ title, body: text || title, type: types[level], format: 'text' })
          const headers = { 'content-type': 'application/json', accept: 'application/json' }
          const answer = await ask(`${base}/notify/${key}`, { headers, body, signal })
          // The Apprise server took the message, but a service behind it did not.
          if (answer.status === 424) return { kind: 'again', why: 'it answered 424: a service behind it failed' }
          if (answer.status === 204)
            return { kind: 'failed', why: 'it answered 204: it has no configuration of that key' }
          return outcome(answer) ?? { kind: 'sent' }
        }),
      async health(signal) {
        const answer = await ask(`${base}/status`, { method: 'GET', signal })
        return answer.status === 200 ? {} : { problem: `it answered ${answer.status}` }
      },
    }
  },
}
