import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { currentTaskHandlers, olderTaskHandlers } from '../src/mcp/server/task-handlers.ts'
import { type Bearer, bearers, ofPrograms } from './rights/resources.ts'
import { connectMcp, firstCard } from './support/mcp-client.ts'
import { askCurrent, withTasks } from './support/mcp-current.ts'
import { as, household, membersRole } from './support/persons.ts'
import { says, scripted } from './support/scripted-model.ts'

const linesOf = (doors: string) => doors.split('\n').filter((line) => line !== '')

test('what a program asked for is there for its token alone: at no door for another, of the same person, of an operator or of the same name', async () => {
  const answers = Array.from({ length: 20 }, () => says('A xylophone.'))
  const { jarvis, program, revoke } = await household({
    others: { dan: membersRole },
    env: { JARVIS_TITLES: 'off' },
    model: scripted(...answers),
  })
  const tokenOf = (person: string, name: string) => program(person, 'ask', { doors: ['mcp', 'v1'], name })
  const tokens: Partial<Record<Bearer, string>> = {
    own: tokenOf('per_member', 'mine'),
    sibling: tokenOf('per_member', 'second'),
    foreign: tokenOf('per_dan', 'dans'),
    deciding: tokenOf('per_operator', 'operators'),
  }
  const token = (who: Bearer) => tokens[who] ?? ''
  const v1 = (who: Bearer, path: string, json?: object, headers: Record<string, string> = {}) =>
    fetch(`${jarvis.url}/v1/${path}`, {
      method: json === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token(who)}`, 'content-type': 'application/json', ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
  const asked = await v1('own', 'responses', { model: 'jarvis', input: 'What is it?' })
  const response = (await asked.json()) as { id: string; output: { id: string }[] }
  const session = asked.headers.get('jarvis-session') ?? ''
  const made = await jarvis.rest('/api/sessions', { ...as('per_member'), method: 'POST', json: { title: 'Mine' } })
  const { id: dashboards } = (await made.json()) as { id: string }
  const restart = { name: 'restart_container', arguments: { vmid: 130 } }
  const { taskId } = (await askCurrent(jarvis, token('own'), 'tools/call', restart, withTasks)).result as {
    taskId: string
  }
  const { toolUseId } = await firstCard(jarvis)

  const asks = { model: 'jarvis', input: 'Go on.' }
  const messages = { model: 'jarvis', messages: [{ role: 'user', content: 'Go on.' }] }
  const item = { ...asks, input: [{ type: 'item_reference', id: response.output[0]?.id }] }
  const named = (id: string) => ({ 'jarvis-session': id })
  const one = `responses/${response.id}`
  const ofV1: Record<string, (who: Bearer) => Promise<Response>> = {
    'GET /v1/responses/:id': (who) => v1(who, one),
    'GET /v1/responses/:id?stream=true': (who) => v1(who, `${one}?stream=true`),
    'POST /v1/responses/:id/cancel': (who) => v1(who, `${one}/cancel`, {}),
    'POST /v1/responses previous_response_id': (who) =>
      v1(who, 'responses', { ...asks, previous_response_id: response.id }),
    'POST /v1/responses item_reference': (who) => v1(who, 'responses', item),
    'POST /v1/responses Jarvis-Session': (who) => v1(who, 'responses', asks, named(session)),
    'POST /v1/chat/completions Jarvis-Session': (who) => v1(who, 'chat/completions', messages, named(session)),
    'POST /v1/responses Jarvis-Session of the dashboard': (who) => v1(who, 'responses', asks, named(dashboards)),
    'POST /v1/chat/completions Jarvis-Session of the dashboard': (who) =>
      v1(who, 'chat/completions', messages, named(dashboards)),
  }
  const clients = new Map<Bearer, Awaited<ReturnType<typeof connectMcp>>>()
  const older = async (who: Bearer) => {
    const client = clients.get(who) ?? (await connectMcp(jarvis, token(who)))
    clients.set(who, client)
    return client.experimental.tasks
  }
  /** True if a door answers as if there were something. */
  async function comesIn(door: string, who: Bearer): Promise<boolean> {
    const answer = ofV1[door]
    if (answer !== undefined) {
      const { status } = await answer(who)
      // A finished response cannot be cancelled, which only says so to whom it is known.
      expect([door, who, status]).toEqual([door, who, expect.toBeOneOf([200, 400, 404, 409])])
      return status !== 404
    }
    const [version, method = ''] = door.split(' ')
    if (version === 'tool') {
      const { result } = await askCurrent(jarvis, token(who), 'tools/call', {
        name: method,
        arguments: { id: toolUseId },
      })
      return result?.isError !== true
    }
    if (version === '2026-07-28')
      return (await askCurrent(jarvis, token(who), method, { taskId }, withTasks)).error === undefined
    const tasks = await older(who)
    if (method === 'tasks/list') return (await tasks.listTasks()).tasks.some((task) => task.taskId === taskId)
    const ask = {
      'tasks/get': () => tasks.getTask(taskId),
      'tasks/cancel': () => tasks.cancelTask(taskId),
      // Its own token would wait for its end.
      'tasks/result': () => (who === 'own' ? tasks.getTask(taskId) : tasks.getTaskResult(taskId, CallToolResultSchema)),
    }[method]
    if (ask === undefined) throw new Error(`the test cannot ask ${door}`)
    return (ask() as Promise<unknown>).then(
      () => true,
      (error: { code?: number }) => error.code !== -32_602,
    )
  }

  const doors = ofPrograms.flatMap((row) => linesOf(row.doors))
  const none = {} as never
  const served = {
    '2025-11-25': Object.keys(olderTaskHandlers(none, none)),
    '2026-07-28': Object.keys(currentTaskHandlers(none)),
  }
  const ofTasks = Object.entries(served).flatMap(([version, methods]) => methods.map((one) => `${version} ${one}`))
  expect(doors.filter((door) => door.startsWith('20')).toSorted()).toEqual(ofTasks.toSorted())

  const wrong: string[] = []
  const of = async (who: Bearer, all: readonly string[]) => {
    for (const door of all) {
      // A conversation of the dashboard is no program's, whoever's it is.
      const may = who === 'own' && !door.endsWith('of the dashboard')
      if ((await comesIn(door, who)) !== may) wrong.push(`${who} ${may ? 'is refused' : 'comes in'} by ${door}`)
    }
  }
  for (const who of bearers.filter((one) => one !== 'own' && one !== 'later')) await of(who, doors)
  // The first cancels it.
  await of(
    'own',
    doors.filter((door) => door !== '2025-11-25 tasks/cancel'),
  )
  revoke('mine')
  tokens.later = tokenOf('per_member', 'mine')
  await of('later', doors)
  expect(wrong).toEqual([])
})
