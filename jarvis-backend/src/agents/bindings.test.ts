import { expect, test } from 'vitest'
import { agentOf } from './agent.ts'
import { type Arrival, agentsOpenTo, chosenFor, requireOpenTo } from './bindings.ts'

const agents = [
  agentOf('main', {}),
  agentOf('family', { bindings: [{ door: 'channel', channel: 'telegram' }] }),
  agentOf('media', {
    bindings: [
      { door: 'channel', channel: 'telegram', account: '*', chat: '7' },
      { door: 'mcp', token: 'films' },
    ],
  }),
  agentOf('watch', {
    bindings: [
      { door: 'channel', channel: 'telegram' },
      { door: 'job', job: 'night' },
    ],
  }),
]

test.each<[string, Arrival, string[]]>([
  ['nothing fits', { door: 'dashboard', person: 'mira' }, ['main']],
  [
    'the chat says more than the channel',
    { door: 'channel', channel: 'telegram', chat: '7' },
    ['media', 'family', 'watch', 'main'],
  ],
  ['equals go by the file', { door: 'channel', channel: 'telegram', chat: '8' }, ['family', 'watch', 'main']],
  ['all fields must fit', { door: 'channel', channel: 'mail', chat: '7' }, ['main']],
  ['a token', { door: 'mcp', token: 'films' }, ['media', 'main']],
  ['a job', { door: 'job', job: 'night' }, ['watch', 'main']],
])('%s', (_, arrival, expected) => {
  expect(chosenFor(agents, arrival).map(({ agent }) => agent)).toEqual(expected)
})

test('bindings of the door v1 limit a token to the agents that they name', () => {
  const bound = [...agents, agentOf('cook', { bindings: [{ door: 'v1', token: 'kitchen' }] })]
  expect(agentsOpenTo(bound, 'kitchen')).toEqual(['cook'])
  expect(agentsOpenTo(bound, 'other')).toEqual(['main', 'family', 'media', 'watch', 'cook'])
  expect(() => requireOpenTo(bound, 'kitchen', 'main')).toThrow('may not ask the agent main')
  expect(() => requireOpenTo(bound, 'kitchen', 'coke')).toThrow('The nearest is cook. There are: cook.')
  requireOpenTo(bound, 'other', 'media')
})
