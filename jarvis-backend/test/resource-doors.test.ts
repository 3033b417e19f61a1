import type { Socket } from 'socket.io-client'
import { expect, test } from 'vitest'
import { requests, rest as routes } from './rights/doors.ts'
import { type Answer, acts, type Comer, comers, reads } from './rights/resources.ts'
import { everyCall, looks } from './rights/tools.ts'
import { askCurrent } from './support/mcp-current.ts'
import { as, household, membersRole, tokenOf } from './support/persons.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { openEvents } from './support/sse-client.ts'

const word = 'xylophone'
const person: Readonly<Record<Comer, string>> = {
  owner: 'per_member',
  writer: 'per_dan',
  reader: 'per_ben',
  other: 'per_cat',
  viewer: 'per_viewer',
  guest: 'per_eva',
  operator: 'per_operator',
}
const linesOf = (doors: string) => doors.split('\n').filter((line) => line !== '')
const refusals = ['unknown_session', 'unknown_confirmation', 'unauthorized', 'forbidden']
const asking = { questions: [{ question: `Which ${word}?`, options: [{ label: 'This' }, { label: 'That' }] }] }
type Items<T> = { items: T[] }

/** A conversation of the member's, and all that is made in one: of each, the id. */
async function lived() {
  const house = await household({
    others: { ben: membersRole, cat: membersRole, dan: membersRole, eva: 'viewer' },
    env: { JARVIS_TITLES: 'off', JARVIS_SEARCH_URL: 'http://127.0.0.1:9' },
    model: scripted(calls(['ask_operator', asking]), says(`${word} is well.`), says(`${word} is found.`)),
  })
  const { jarvis, program } = house
  const send = (sub: string, method: string, path: string, json?: object) =>
    jarvis.rest(`/api${path}`, { method, ...(json && { json }), ...as(sub) })
  const read = async <T>(path: string) => (await (await send('per_operator', 'GET', path)).json()) as T
  const share = async (id: string) => {
    for (const [who, may] of [
      ['dan', 'talk'],
      ['ben', 'look'],
      ['eva', 'look'],
    ])
      expect((await send('per_operator', 'PUT', `/sessions/${id}/shares/per_${who}`, { may })).status).toBe(204)
    return id
  }
  const conversation = async () => {
    const made = await send('per_member', 'POST', '/sessions', { title: `About ${word}` })
    return share(((await made.json()) as { id: string }).id)
  }
  const screen = await jarvis.connect()
  /** An operator writes in it, who may ask for more than the member. */
  const say = async (sessionId: string, message: string) => {
    await screen.ask('chat:attach', { sessionId })
    await screen.ask('chat:send', { sessionId, message })
  }

  const id = await conversation()
  await say(id, `/take_snapshot vmid=141 name=${word}`)
  await screen.next('chat:done')
  const step = { tool: 'take_snapshot', input: { vmid: 123, name: `${word}2` } }
  const steps = JSON.stringify([
    { ...step, id: 'a' },
    { id: 'b', tool: 'get_vms', input: {}, after: ['a'] },
  ])
  await say(id, `/propose_plan goal=${word} steps=${steps}`)
  await expect.poll(async () => (await read<Items<{ state: string }>>('/plans')).items[0]?.state).toBe('done')
  await say(await conversation(), `/rollback_snapshot vmid=141 name=${word}`)
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await say(await conversation(), 'Ask me.')
  await expect.poll(async () => (await read<Items<object>>('/questions')).items).toHaveLength(1)

  await send('per_operator', 'PUT', '/memory/files/MEMORY.md', { text: `${word} lives here.` })
  await send('per_operator', 'POST', '/heartbeat/run')
  await expect.poll(async () => (await read<{ last_result: string }>('/heartbeat')).last_result).toContain(word)
  type Slots = Items<{ slot: number; state: string; sessionId: string }>
  const slotOf = async (of: string) => (await read<Slots>(`/jobs/${of}/slots`)).items[0]
  /** A job of the operator's after its first run, whose conversation is shared too. */
  const job = async (name: string, work: object, state: string) => {
    const json = { name, work, schedule: { kind: 'interval', minutes: 600 } }
    const made = (await (await send('per_operator', 'POST', '/jobs', json)).json()) as { id: string }
    await send('per_operator', 'POST', `/jobs/${made.id}/run`)
    await expect.poll(async () => (await slotOf(made.id))?.state).toBe(state)
    await share((await slotOf(made.id))?.sessionId ?? '')
    return made.id
  }
  await share((await slotOf('job_heartbeat'))?.sessionId ?? '')
  const nightly = await job('nightly', { kind: 'prompt', text: `Look for ${word}.` }, 'done')
  await job('lost', { kind: 'call', toolName: 'memory_get', toolInput: { path: `${word}.md` } }, 'failed')
  // Its index is made in a thread of its own.
  await expect.poll(() => read(`/memory/sessions/${id}`).then(JSON.stringify)).toContain(word)
  await expect.poll(() => read('/memory/search?q=lives').then(JSON.stringify)).toContain(word)

  const alerts = (await read<Items<{ id: string; object: { id: string } }>>('/alerts')).items
  const first = async (path: string) => (await read<Items<{ id: string }>>(path)).items[0]?.id ?? 'none'
  const ids: Readonly<Record<string, string>> = {
    '/sessions/:id': id,
    '/memory/sessions/:id': id,
    '/changes/:id': await first('/changes?target=vm/141'),
    '/plans/:id': await first('/plans'),
    '/jobs/:id': nightly,
    '/alerts/:id': alerts.find(({ object }) => object.id === 'vm/141')?.id ?? 'none',
    '/agents/:id': 'main',
    ':slot': String((await slotOf(nightly))?.slot),
    ':toolUseId': toolUseId,
    '*path': 'MEMORY.md',
    ':seq': '0',
    ':vmid': '100',
    ':person': 'per_nobody',
  }
  const path = (pattern: string, of: Readonly<Record<string, string>> = ids) =>
    Object.entries(of)
      .reduce(
        (text, [from, to]) => text.replace(from, from.startsWith('/') ? from.replace(/[:*]\w+$/, to) : to),
        pattern,
      )
      .replace(/[:*]\w+/g, 'nothing')
  const tokens = Object.fromEntries(comers.map((one) => [one, program(person[one], 'ask', { doors: ['mcp'] })]))
  return { ...house, send, screen, say, conversation, path, token: (one: Comer) => tokens[one] ?? '' }
}

const answerOf = (text: string): Answer => (text.includes(word) ? 'words' : 'facts')
const codeOf = (text: string) => (JSON.parse(text) as { error?: { code?: string } }).error?.code ?? ''

type Lived = Awaited<ReturnType<typeof lived>>

const queries: Readonly<Record<string, string>> = { '/memory/search': `?q=${word}`, '/journal': '?limit=200' }

/** Reads by a door of REST. */
async function rest({ jarvis, send, path }: Lived, door: string, who: Comer): Promise<Answer> {
  const [, pattern = ''] = door.split(' ')
  const place = path(pattern) + (queries[pattern] ?? '')
  if (/^\/sessions\/.*\/events$/.test(pattern)) {
    const events = await openEvents(`${jarvis.url}/api${place}`, tokenOf(person[who])).catch(() => undefined)
    if (events === undefined) return 'no'
    await events.next('chat:partial')
    events.close()
    return answerOf(JSON.stringify(events.heard))
  }
  const response = await send(person[who], 'GET', place)
  const text = await response.text()
  return response.ok ? answerOf(text) : refusals.includes(codeOf(text)) ? 'no' : 'facts'
}

/** Reads by MCP. */
async function mcp({ jarvis, token }: Lived, door: string, who: Comer): Promise<Answer> {
  const [kind, name = ''] = door.split(' ')
  const [, usual] = everyCall.find(([tool]) => tool === name) ?? []
  const input = name === 'memory_search' ? { query: word } : usual
  const { result } =
    kind === 'resource'
      ? await askCurrent(jarvis, token(who), 'resources/read', { uri: name })
      : await askCurrent(jarvis, token(who), 'tools/call', { name, arguments: input })
  return result === undefined || result.isError === true ? 'no' : answerOf(JSON.stringify(result))
}

/** Asks on `/chat`, in a valid request that names nothing that there is but the conversation. */
async function chat(screens: ReadonlyMap<Comer, Socket>, event: string, who: Comer, sessionId: string) {
  const inputs: Readonly<Record<string, object>> = {
    'chat:send': { message: '/get_vms' },
    'chat:confirm': { toolUseId: 'tu_nothing', confirmed: false },
    'chat:answer': { questionId: 'que_nothing', answers: [] },
    'chat:abort': { runId: 'run_nothing' },
    'chat:unqueue': { messageId: 'msg_nothing' },
    'chat:send_held': { messageId: 'msg_nothing' },
  }
  const reply = (await screens
    .get(who)
    ?.timeout(60_000)
    .emitWithAck(event, { sessionId, ...inputs[event] })) as { ok: boolean; error?: { code: string } }
  // Otherwise it would say nothing of the conversation.
  expect([event, reply.error?.code]).not.toEqual([event, 'invalid_request'])
  return reply
}

async function opened({ jarvis }: Lived, namespace: string): Promise<Map<Comer, Socket>> {
  const sockets = new Map<Comer, Socket>()
  for (const one of comers) sockets.set(one, (await jarvis.connect(namespace, 'operator', tokenOf(person[one]))).socket)
  return sockets
}

/** The lines that each is told on `/events` and by `GET /events`, up to the change of a file. */
async function activity(house: Lived): Promise<(door: string, who: Comer) => Answer> {
  const told = new Map<string, Answer>()
  type Line = { event: string; data: object }
  const isEnd = ({ event, data }: Line) => event === 'changed' && 'what' in data && data.what === 'agents'
  const keep = (door: string, who: Comer, lines: readonly Line[]) => {
    const own = lines.filter(({ event }) => event === 'event')
    told.set(`${door} ${who}`, own.length === 0 ? 'no' : answerOf(JSON.stringify(own)))
  }
  const ends: Promise<unknown>[] = []
  for (const who of comers) {
    const { received, socket } = await house.jarvis.connect('/events', 'operator', tokenOf(person[who]))
    const lines = () => received.map(({ event, payload: data }) => ({ event, data }))
    const heard = new Promise<void>((resolve) => {
      socket.onAny(() => lines().some(isEnd) && resolve())
    })
    ends.push(heard.then(() => keep('socket /events', who, lines())))
    const stream = await openEvents(`${house.jarvis.url}/api/events`, tokenOf(person[who])).catch(() => undefined)
    if (stream === undefined) told.set(`GET /events ${who}`, 'no')
    else
      ends.push(
        stream.until(isEnd).then(() => {
          keep('GET /events', who, stream.heard)
          stream.close()
        }),
      )
  }
  await house.send('per_operator', 'PUT', '/memory/files/memory/end.md', { text: 'The end.' })
  await Promise.all(ends)
  return (door, who) => told.get(`${door} ${who}`) ?? 'no'
}

test('every door to a thing asks one check: its words reach those to whom the conversation is open, and others neither read nor act in it', async () => {
  const house = await lived()
  const { send, path, conversation } = house
  const wrong: string[] = []

  const named = [...reads, ...acts].flatMap(({ doors }) => linesOf(doors))
  const judged = named.filter((door) => /^(?:[A-Z]+ |\w+:)/.test(door)).toSorted()
  const withWords = [...routes, ...requests].flatMap(({ door, hasWords }) => (hasWords ? [door] : []))
  expect(judged).toEqual(withWords.map((door) => door.replace(/^\/\w+ /, '')).toSorted())
  const silent = routes.flatMap(({ door, hasWords }) => (door.startsWith('GET') && !hasWords ? [door] : []))

  const screens = await opened(house, '/chat')
  const heard = await activity(house)
  const sessionId = path('/sessions/:id').slice('/sessions/'.length)
  const answerBy = async (door: string, who: Comer): Promise<Answer> => {
    if (door.endsWith(' /events')) return heard(door, who)
    if (door.startsWith('GET')) return rest(house, door, who)
    if (door !== 'chat:attach') return mcp(house, door, who)
    const reply = await chat(screens, door, who, sessionId)
    return reply.ok ? answerOf(JSON.stringify(reply)) : 'no'
  }
  for (const { thing, answers, doors } of reads)
    for (const door of linesOf(doors))
      await Promise.all(
        comers.map(async (who) => {
          const answer = await answerBy(door, who)
          if (answer !== answers[who]) wrong.push(`${who} of ${thing} by ${door}: ${answer}, not ${answers[who]}`)
        }),
      )

  const closed = ['other', 'viewer'] as const
  const silentFor = async (door: string, who: Comer) => {
    const text = door.startsWith('tool')
      ? await mcp(house, door, who)
      : await (await send(person[who], 'GET', path(door.split(' ')[1] ?? ''))).text()
    if (text === 'words' || text.includes(word)) wrong.push(`${who} by ${door}: words`)
  }
  for (const door of [...silent, ...looks.map((tool) => `tool ${tool}`)])
    await Promise.all(closed.map((who) => silentFor(door, who)))

  const id = await conversation()
  const actBy = async (door: string, guard: string, who: Comer) => {
    const [method = '', pattern = ''] = door.split(' ')
    let code: string | undefined
    if (door.startsWith('chat:')) code = (await chat(screens, door, who, id)).error?.code
    else {
      const json = method === 'DELETE' ? undefined : { nothing: 1 }
      const response = await send(person[who], method, path(pattern, { '/sessions/:id': id }), json)
      if (!response.ok) code = codeOf(await response.text())
    }
    const isIn = code === undefined || !refusals.includes(code) || code === 'unknown_confirmation'
    const may = who === 'owner' || (who === 'writer' && guard === 'session: talk')
    if (isIn !== may) wrong.push(`${who} ${may ? 'is refused' : 'comes in'} by ${door}: ${code}`)
  }
  for (const { guard, doors } of acts)
    for (const door of linesOf(doors)) {
      await Promise.all(
        (['other', 'viewer', 'guest', 'reader', 'writer'] as const).map((who) => actBy(door, guard, who)),
      )
      // The last door of all deletes it.
      await actBy(door, guard, 'owner')
    }
  expect(wrong).toEqual([])
}, 60_000)
