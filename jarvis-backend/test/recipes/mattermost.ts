import { addressProblem, hostOf } from '../../src/channels/addresses.ts'
import type { ChannelKind } from '../../src/channels/channel.ts'
import { ask, attempted, outcome } from '../../src/channels/post.ts'

/** An incoming webhook of Mattermost, which can neither change nor take back a message. */
export const mattermost: ChannelKind = {
  id: 'mattermost',
  name: 'Mattermost',
  readers: 'Everybody in the Mattermost channel and the administrators of the server can read these messages.',
  capabilities: { decidesAtMost: 'none', isIdempotent: false, pairs: false, hidesNames: true },
  settings: [
    {
      name: 'HOOK_URL',
      label: 'Address of the webhook',
      isRequired: true,
      example: 'https://chat.lan/hooks/…',
      problem: addressProblem,
    },
  ],
  open: ({ HOOK_URL: url = '' }) => ({
    place: hostOf(url),
    deliver: ({ title, lines }, _to, signal) =>
      attempted(async () => {
        const body = JSON.stringify({ text: [title, ...lines].join('\n') })
        const answer = await ask(url, { headers: { 'content-type': 'application/json' }, body, signal })
        return outcome(answer) ?? { kind: 'sent' }
      }),
    // A webhook can only be tried with a message.
    health: async () => ({}),
  }),
}
