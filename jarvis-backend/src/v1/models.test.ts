import { JarvisError } from 'protocol'
import { expect, test } from 'vitest'
import { agentOf } from '../agents/agent.ts'
import { modelsOf, ProgramModels } from './models.ts'

const agents = [
  agentOf('main', {}),
  agentOf('media', { model: 'openai/qwen', bindings: [{ door: 'v1', token: 'films' }] }),
  agentOf('watch', {}),
  agentOf('plain', {}),
]
const local = 'openai/qwen'
const models = new ProgramModels(
  { list: () => agents },
  {
    ids: () => ['demo', local, 'lan/qwen', 'lan/phi', 'anthropic/claude'],
    requireForProgram(ofAgent, named) {
      if ((ofAgent ?? named) !== named) throw new JarvisError('invalid_request', 'model: its agent has its own.')
      if (named === 'anthropic/claude') throw new JarvisError('invalid_request', 'model: it is elsewhere.')
    },
  },
)
type Row = [
  token: string,
  model: string,
  agent: string | undefined,
  refusal: Record<string, unknown> & { message?: RegExp },
]
const namesOf = (token: string) => models.list(token).map(({ name }) => name)
const refusalOf = (token: string, wanted: string, agent?: string) => {
  try {
    return models.require(token, wanted, agent)
  } catch (error) {
    const { status, code, message, param } = error as Record<string, unknown>
    return { status, code, message, param }
  }
}

test('a token may name its agents, and the models with which its agent may answer', () => {
  expect(modelsOf(agents, 'any').map(({ name }) => name)).toEqual([
    'jarvis',
    'jarvis/media',
    'jarvis/watch',
    'jarvis/plain',
  ])
  expect(namesOf('any').slice(4)).toEqual([local, 'lan/qwen', 'lan/phi'])
  expect(namesOf('films')).toEqual(['jarvis', 'jarvis/media', 'jarvis/plain', local])
})

test.each([
  ['any', 'jarvis', undefined, { name: 'jarvis', agent: 'main' }],
  ['any', 'jarvis', 'watch', { name: 'jarvis/watch', agent: 'watch' }],
  ['any', 'jarvis/watch', 'watch', { name: 'jarvis/watch', agent: 'watch' }],
  ['any', 'jarvis/plain', undefined, { name: 'jarvis/plain' }],
  // An agent of this name is reached by the header alone.
  ['any', 'jarvis', 'plain', { name: 'jarvis/plain', agent: 'plain' }],
  ['any', 'lan/qwen', undefined, { name: 'lan/qwen', agent: 'main', model: 'lan/qwen' }],
  ['any', 'phi', 'watch', { name: 'lan/phi', agent: 'watch', model: 'lan/phi' }],
  ['films', local, undefined, { name: local, agent: 'media', model: local }],
])('%s asks for %s with the agent %s', (token, wanted, agent, expected) => {
  expect(models.require(token, wanted, agent)).toEqual(expected)
})

test.each<Row>([
  [
    'any',
    'jarvis',
    'wacht',
    { status: 400, code: 'unknown_agent', param: 'Jarvis-Agent', message: /nearest is watch/ },
  ],
  // A token learns the names of the agents that are open to it, and no others.
  ['films', 'jarvis', 'wacht', { status: 400, code: 'unknown_agent', message: /There are: media\.$/ }],
  ['films', 'jarvis', 'watch', { status: 403, code: 'forbidden', message: /films may not ask the agent watch/ }],
  ['films', 'jarvis', 'main', { status: 403, code: 'forbidden' }],
  ['any', 'jarvis/media', 'watch', { status: 400, param: 'Jarvis-Agent' }],
  ['any', 'jarvis/plain', 'watch', { status: 400, param: 'Jarvis-Agent' }],
  ['any', 'qwen', undefined, { status: 400, param: 'model', message: /openai\/qwen, lan\/qwen/ }],
  ['any', 'anthropic/claude', undefined, { code: 'invalid_request', message: /elsewhere/ }],
  ['any', 'lan/phi', 'media', { code: 'invalid_request', message: /its own/ }],
  ['any', 'gpt-4o', undefined, { status: 404, code: 'model_not_found', param: 'model' }],
  ['any', 'demo', undefined, { status: 404, code: 'model_not_found' }],
])('%s is refused %s with the agent %s', (token, wanted, agent, expected) => {
  expect(refusalOf(token, wanted, agent)).toMatchObject({
    ...expected,
    message: expect.stringMatching(expected.message ?? /./),
  })
})
