import { addressProblem, baseOf, hostOf } from '../addresses.ts'
import type { Channel, ChannelKind, Level } from '../channel.ts'
import { ask, attempted, outcome } from '../post.ts'

const priorities: Record<Level, number> = { failed: 8, card: 7, warning: 5, info: 2 }

function read(text: string): { id?: unknown; errorDescription?: unknown; health?: unknown } {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
const wordsOf = (text: string) => {
  const { errorDescription } = read(text)
  return typeof errorDescription === 'string' ? errorDescription : undefined
}

/** A Gotify server. An application cannot take a message back, so the message of a decided card stays unchanged. */
export const gotify: ChannelKind = {
  id: 'gotify',
  name: 'Gotify',
  readers: 'Whoever runs the server can read these messages.',
  capabilities: {
    decidesAtMost: 'none',
    isIdempotent: false,
    pairs: false,
    hidesNames: true,
  },
  settings: [
    { name: 'URL', label: 'Server', isRequired: true, example: 'https://gotify.lan', problem: addressProblem },
    {
      name: 'TOKEN',
      label: 'Token of an application',
      isRequired: true,
      example: 'AGx…',
      problem: (value) => (/^[\w.-]+$/.test(value) ? undefined : 'must have letters, digits, dots and dashes alone'),
    },
  ],
  open({ URL: url = '', TOKEN: token = '' }): Channel {
    const base = baseOf(url)
    const headers = { 'content-type': 'application/json', 'x-gotify-key': token }
    return {
      place: hostOf(url),
      deliver: ({ title, lines, level, link }, _to, signal) =>
        attempted(async () => {
          const extras = link === undefined ? {} : { extras: { 'client::notification': { click: { url: link } } } }
          const body = JSON.stringify({
            title,
            message: lines.join('\n') || title,
            priority: priorities[level],
            ...extras,
          })
          const answer = await ask(`${base}/message`, { headers, body, signal })
          const { id } = read(answer.text)
          return (
            outcome(answer, wordsOf(answer.text)) ?? {
              kind: 'sent',
              ...(typeof id === 'number' && { ref: String(id) }),
            }
          )
        }),
      async health(signal) {
        const answer = await ask(`${base}/health`, { method: 'GET', signal })
        if (answer.status !== 200) return { problem: `it answered ${answer.status}` }
        return read(answer.text).health === 'green' ? {} : { problem: 'it says that it is not well' }
      },
    }
  },
}
