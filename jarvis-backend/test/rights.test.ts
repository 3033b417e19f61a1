import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join, resolve } from 'node:path'
import { chatRequests, type TokenArea, terminalRequests } from 'protocol'
import { io } from 'socket.io-client'
import { afterAll, expect, test } from 'vitest'
import { commands as known } from '../src/cli/commands.ts'
import { commands, type Door, namespaces, requests, rest, roots } from './rights/doors.ts'
import { household, type Standing, standings, tokenOf } from './support/persons.ts'
import type { TestJarvis } from './support/start-jarvis.ts'

const src = resolve(import.meta.dirname, '../src')

/** A comer: nobody, a person, or a program of a person. */
type Comer = {
  name: string
  bearer(): string | undefined
  standing?: Standing
  scope?: 'read' | 'ask'
  areas?: readonly TokenArea[]
}

const nobody: Comer = { name: 'nobody', bearer: () => undefined }
const persons: readonly Comer[] = standings.map((standing) => ({
  name: standing,
  standing,
  bearer: () => tokenOf(`per_${standing}`),
}))
/** A token of each standing, of standings whose scope counts both, and with rights besides the scope. */
const programsOf = ({ program }: Pick<Awaited<ReturnType<typeof household>>, 'program'>): Comer[] =>
  (
    [
      ['viewer', 'ask'],
      ['member', 'read'],
      ['member', 'ask'],
      ['operator', 'read'],
      ['owner', 'ask'],
      ['viewer', 'read', ['memory:write', 'agents:write']],
      ['member', 'ask', ['memory:write', 'agents:write']],
      ['operator', 'read', ['memory:read', 'agents:write']],
      ['owner', 'read', ['memory:write', 'agents:read']],
      ['owner', 'ask', ['agents:write']],
    ] as const
  ).map(([standing, scope, areas = []]) => {
    const token = program(`per_${standing}`, scope, { areas })
    return { name: `${[scope, ...areas].join(', ')} token of ${standing}`, standing, scope, areas, bearer: () => token }
  })

function mayCome(
  { persons: who, token }: Pick<Door, 'persons' | 'token'>,
  { standing, scope, areas = [] }: Comer,
): boolean {
  if (standing === undefined) return false
  if (scope === undefined) return who.includes(standing)
  if (token === 'ask') return scope === 'ask' && standing !== 'viewer'
  if (token === 'read') return who.length === 0 || who.includes(standing)
  const written = token?.replace(':read', ':write')
  return areas.some((area) => area === token || area === written) && who.includes(standing)
}

const belowApi = (door: string) => door.replace(' ', ' /api')

/** Works on some at a time, so that the server is busy and none waits long. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const one = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 16 }, one))
}

/** Queries that let a request go as far as the check of who asks, if the check comes after the query. */
const queries: Readonly<Record<string, string>> = { 'GET /memory/search': '?q=nothing', 'GET /doctor': '?model=0' }

/** Plain requests over kept connections: `fetch` would take a third of the test's time. */
const agent = new Agent({ keepAlive: true, maxSockets: 16 })
afterAll(() => agent.destroy())

/** The status, and the text of what is not a success. A stream stays open, so the body of a success is not waited for. */
const asked = (url: string, method: string, headers: Record<string, string>, body: string | undefined) =>
  new Promise<{ status: number; text: string }>((answered, failed) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      const { statusCode: status = 0 } = response
      if (status === 200) {
        response.destroy()
        answered({ status, text: '' })
        return
      }
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => answered({ status, text }))
      response.on('error', failed)
    })
    sent.on('error', failed)
    sent.end(body)
  })

/** True if a request comes in. It names nothing that there is, and its body has a field that no request has. */
async function comesIn(jarvis: TestJarvis, door: string, { bearer }: Comer): Promise<boolean> {
  const [method = '', path = ''] = door.split(' ')
  const token = bearer()
  const { status, text } = await asked(
    jarvis.url + path.replace(/[:*]\w+/g, 'nothing') + (queries[door.replace('/api', '')] ?? ''),
    method,
    {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(method !== 'GET' && { 'content-type': 'application/json', 'content-length': '13' }),
    },
    method === 'GET' ? undefined : '{"nothing":1}',
  )
  expect([door, status < 500 || status === 501 || status === 502]).toEqual([door, true])
  return status !== 401 && (status !== 403 || text.includes('step_up_required'))
}

test('every door of HTTP lets in who may come, and nobody else', async () => {
  const house = await household({ env: { JARVIS_TERMINAL: '1' } })
  const { jarvis } = house
  const comers = [nobody, ...persons, ...programsOf(house)]

  const served = jarvis.routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  expect(rest.map(({ door }) => door).toSorted()).toEqual(served.toSorted())

  const signedIn = [
    ...rest.filter(({ opensBy }) => opensBy !== 'public').map((row) => ({ ...row, door: belowApi(row.door) })),
    ...roots,
  ]
  const doors = [
    ...signedIn.map((row) => ({ door: row.door, row: row.opensBy === undefined ? row : undefined })),
    ...['GET /api/nothing', 'POST /api/nothing'].map((door) => ({ door, row: undefined })),
  ]
  const wrong: string[] = []
  await each(
    doors.flatMap(({ door, row }) => comers.map((comer) => ({ door, row, comer }))),
    async ({ door, row, comer }) => {
      // Only persons are told that something does not exist.
      const may = row === undefined ? door.endsWith('nothing') && persons.includes(comer) : mayCome(row, comer)
      if ((await comesIn(jarvis, door, comer)) !== may)
        wrong.push(`${comer.name} ${may ? 'is kept out of' : 'comes in by'} ${door}`)
    },
  )
  expect(wrong.toSorted()).toEqual([])
  for (const { door, opensBy } of rest)
    if (opensBy === 'public') expect([door, await comesIn(jarvis, belowApi(door), nobody)]).toEqual([door, true])
})

test('every request of every socket is answered for who may make it, and for nobody else', async () => {
  const house = await household({ env: { JARVIS_TERMINAL: '1' } })
  const { jarvis } = house
  expect(namespaces).toEqual(jarvis.namespaces.toSorted())
  const served = jarvis.requests.map(({ namespace, event, password = false }) => [`${namespace} ${event}`, password])
  expect(requests.map(({ door, password }) => [door, password]).toSorted()).toEqual(served.toSorted())
  const promised = [...Object.keys(chatRequests), ...Object.keys(terminalRequests)]
  expect(promised.filter((event) => !jarvis.requests.some((request) => request.event === event))).toEqual([])

  const wrong: string[] = []
  const comers = [nobody, ...persons, ...programsOf(house)]
  await each(
    namespaces.flatMap((name) => comers.map((comer) => ({ name, comer }))),
    async ({ name, comer }) => {
      const socket = io(jarvis.url + name, {
        auth: { token: comer.bearer() ?? '' },
        forceNew: true,
        transports: ['websocket'],
        reconnection: false,
      })
      const isOpen = await new Promise<boolean>((tell) => {
        socket.on('connect', () => tell(true))
        socket.on('connect_error', () => tell(false))
      })
      if (isOpen !== persons.includes(comer)) wrong.push(`${comer.name} at ${name}: ${isOpen}`)
      const own = requests.filter(({ door }) => door.startsWith(`${name} `))
      for (const { door, persons: who } of isOpen ? own : []) {
        const event = door.slice(name.length + 1)
        const { ok, error } = (await socket.timeout(60_000).emitWithAck(event, { nothing: 1 })) as {
          ok: boolean
          error?: { code: string }
        }
        const isIn = ok || error?.code === 'invalid_request'
        const may = comer.standing !== undefined && who.includes(comer.standing)
        if (isIn !== may) wrong.push(`${comer.name} ${may ? 'is refused' : 'is answered'} ${event}: ${error?.code}`)
      }
      socket.disconnect()
    },
  )
  expect(wrong.toSorted()).toEqual([])
})

test('every command acts with what its row says', () => {
  const rows = Object.values(commands).flatMap((names) => names.split(' '))
  expect(rows.toSorted()).toEqual(known.names().toSorted())
  const folder = join(src, 'cli/commands')
  const declared = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  const found = rows
    .filter((name) => !commands.nothing.split(' ').includes(name))
    .map((name) => {
      const entry = new RegExp(`^    name: '${name}',[\\s\\S]*?import\\('\\.\\./([\\w-]+)\\.ts'\\)`, 'm')
      const [, file] = entry.exec(declared) ?? []
      const text = readFileSync(join(src, `cli/${file}.ts`), 'utf8')
      const asksServer = /\b(?:reach|localToken|startRunbook|asOperatorOnce)\(/.test(text)
      return [name, asksServer, /\basOperator(?:Once)?[<(]/.test(text)] as const
    })
  const dataDir = commands.dataDir.split(' ')
  expect(found.flatMap(([name, asksServer]) => (asksServer ? [] : [name])).toSorted()).toEqual(dataDir.toSorted())
  // A file that also lists takes no password for it.
  const typed = found.flatMap(([name, , isTyped]) => (isTyped ? [name] : []))
  expect(typed.toSorted()).toEqual([...commands.typed.split(' '), 'questions', 'waiting'].toSorted())
})
