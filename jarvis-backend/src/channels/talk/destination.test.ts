import { expect, test } from 'vitest'
import { type Destination, destinationOf } from './destination.ts'

const current = { sessionId: 'ses_1', agent: 'jarvis' }
const hasAgent = (id: string) => id === 'jarvis' || id === 'media'

test.each<[name: string, text: string, in_: typeof current | undefined, goes: Destination]>([
  ['goes on in the current session', 'why?', current, { session: 'current', sessionId: 'ses_1' }],
  ['begins a session where there is none', 'why?', undefined, { session: 'new', agent: 'bound' }],
  ['begins a session with the agent it names', '@media why?', undefined, { session: 'new', agent: 'named' }],
  ['leaves the session of another agent', '@media why?', current, { session: 'new', agent: 'named' }],
  ['goes on with the agent it names', '@jarvis why?', current, { session: 'current', sessionId: 'ses_1' }],
  ['names no agent that does not exist', '@nobody why?', current, { session: 'current', sessionId: 'ses_1' }],
  [
    'begins with the bound agent where its name is unknown',
    '@nobody why?',
    undefined,
    { session: 'new', agent: 'bound' },
  ],
])('a message %s', (_name, text, in_, goes) => {
  expect(destinationOf(text, in_, hasAgent)).toEqual(goes)
})
