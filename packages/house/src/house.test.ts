import { expect, test } from 'vitest'
import { example } from '../example.ts'
import { House, type Life } from './index.ts'

type Kinds = { routes: { path: string }; checks: { id: string } }
type FactTypes = { saved: { name: string }; left: undefined }

function makeHouse({ after }: { after?: (ms: number, run: () => void) => () => void } = {}) {
  const reported: string[] = []
  const house = new House<Kinds, FactTypes>({
    kinds: { routes: ({ path }) => path, checks: ({ id }) => id },
    report: (error, message) => reported.push(`${message}: ${(error as Error).message}`),
    stopMs: 50,
    after,
  })
  return { house, reported }
}
const room = <Opened extends Life<Kinds>>(name: string, opened: Opened | (() => Opened)) => ({
  name,
  open: (_needs: Record<string, unknown>) => (typeof opened === 'function' ? opened() : opened),
})

test('the example of the README runs', async () => {
  expect(await example()).toEqual(['Hello Ada'])
})

test('rooms resume and start in the order of opening, and stop in reverse', async () => {
  const { house } = makeHouse()
  const done: string[] = []
  for (const name of ['store', 'jobs', 'door']) {
    const note = (what: string) => () => void done.push(`${what} ${name}`)
    house.open(room(name, { resume: note('resume'), start: note('start'), stop: note('stop') }), {})
  }
  house.resume()
  await house.start()
  await house.stop()
  expect(done).toEqual([
    'resume store',
    'resume jobs',
    'resume door',
    'start store',
    'start jobs',
    'start door',
    'stop door',
    'stop jobs',
    'stop store',
  ])
})

test('a room opens once', () => {
  const { house } = makeHouse()
  house.open(room('jobs', {}), {})
  expect(() => house.open(room('jobs', {}), {})).toThrow('The room jobs is open already.')
})

test('a registry lists contributions in the order of opening, once all rooms are open', () => {
  const { house } = makeHouse()
  const routes = house.registry('routes')
  house.open(room('jobs', { contributes: { routes: [{ path: '/jobs' }] } }), {})
  house.open(room('watch', { contributes: { routes: [{ path: '/alerts' }, { path: '/checks' }] } }), {})
  expect(() => routes.list()).toThrow('The routes are read before all rooms are open.')
  expect(() => routes.get('/jobs')).toThrow('The routes are read before all rooms are open.')
  house.resume()
  expect(routes.list().map(({ path }) => path)).toEqual(['/jobs', '/alerts', '/checks'])
  expect(routes.list()).toBe(routes.list())
  expect(routes.get('/checks')).toEqual({ path: '/checks' })
  expect(routes.get('constructor')).toBeUndefined()
  expect(routes.roomOf('/checks')).toBe('watch')
  expect(() => house.open(room('late', { contributes: { routes: [{ path: '/late' }] } }), {})).toThrow(
    'late adds routes after the start.',
  )
})

test('a name that two rooms contribute is refused with both rooms', () => {
  const { house } = makeHouse()
  house.open(room('jobs', { contributes: { checks: [{ id: 'quorum' }] } }), {})
  expect(() => house.open(room('watch', { contributes: { checks: [{ id: 'quorum' }] } }), {})).toThrow(
    'checks: "quorum" is contributed by jobs and by watch.',
  )
})

test('listeners hear a fact in the order of their rooms, and one that throws stops no other', () => {
  const { house, reported } = makeHouse()
  const heard: string[] = []
  const { tell } = house.open(
    room('runbooks', () => ({ tell: house.facts.teller('saved') })),
    {},
  )
  for (const name of ['jobs', 'plans', 'watch']) {
    house.open(
      room(name, () => {
        house.facts.on('saved', (fact) => {
          if (name === 'plans') throw new Error('no disk')
          heard.push(`${name} ${fact.name}`)
        })
        return {}
      }),
      {},
    )
  }
  expect(tell({ name: 'backup' })).toBe(false)
  expect(heard).toEqual(['jobs backup', 'watch backup'])
  expect(reported).toEqual(['plans failed on the fact saved: no disk'])
})

test('facts are subscribed while a room is opened, and not later', () => {
  const { house } = makeHouse()
  expect(() => house.facts.on('left', () => {})).toThrow('The fact left is used outside the opening of a room.')
  expect(() => house.facts.teller('left')).toThrow('The fact left is used outside the opening of a room.')
  expect(() =>
    house.open(
      room('broken', () => {
        throw new Error('no disk')
      }),
      {},
    ),
  ).toThrow('no disk')
  expect(() => house.facts.on('left', () => {})).toThrow('outside the opening')
})

test('a room that does not start is reported, and the others start', async () => {
  const { house, reported } = makeHouse()
  house.open(room('store', {}), {})
  house.open(room('mail', { start: () => Promise.reject(new Error('no server')) }), {})
  house.open(room('door', {}), {})
  house.resume()
  await house.start()
  expect(house.rooms().map(({ name, state }) => `${name} ${state}`)).toEqual([
    'store started',
    'mail failed',
    'door started',
  ])
  expect(house.rooms()[1]?.problem).toBe('no server')
  expect(reported).toEqual(['mail did not start: no server'])
})

test('a room that does not stop in its time is reported, and the next one stops', async () => {
  let runLate: (() => void) | undefined
  const { house, reported } = makeHouse({
    after(_ms, run) {
      runLate = run
      return () => {}
    },
  })
  const stoppedRooms: string[] = []
  house.open(room('store', { stop: () => void stoppedRooms.push('store') }), {})
  house.open(room('hung', { stop: () => new Promise<void>(() => {}) }), {})
  const stopped = house.stop()
  runLate?.()
  await stopped
  expect(stoppedRooms).toEqual(['store'])
  expect(reported).toEqual(['hung did not stop: hung still runs its stop after 50 ms.'])
})

test('rooms close in reverse order after all have stopped, and one that fails closes no other less', async () => {
  const { house, reported } = makeHouse()
  const order: string[] = []
  house.open(
    room('store', { stop: () => void order.push('stop store'), close: () => void order.push('close store') }),
    {},
  )
  house.open(room('journal', { close: () => Promise.reject(new Error('no disk')) }), {})
  house.open(room('door', { stop: () => void order.push('stop door'), close: () => void order.push('close door') }), {})
  await house.stop()
  await house.close()
  expect(order).toEqual(['stop door', 'stop store', 'close door', 'close store'])
  expect(reported).toEqual(['journal did not close: no disk'])
  expect(house.rooms().map(({ state }) => state)).toEqual(['closed', 'failed', 'closed'])
})

test('the signal of stopping aborts before the first room drains', async () => {
  const { house } = makeHouse()
  const seen: boolean[] = []
  house.open(room('calls', { drain: () => void seen.push(house.stopping.aborted) }), {})
  expect(house.stopping.aborted).toBe(false)
  await house.drain()
  expect(seen).toEqual([true])
})

test('draining waits for the running work of all rooms', async () => {
  const { house, reported } = makeHouse()
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const order: string[] = []
  house.open(room('calls', { drain: () => ended.then(() => void order.push('calls')) }), {})
  house.open(room('door', { drain: () => void order.push('door') }), {})
  house.open(room('bad', { drain: () => Promise.reject(new Error('lost')) }), {})
  const drained = house.drain().then(() => order.push('all'))
  end()
  await drained
  expect(order).toEqual(['door', 'calls', 'all'])
  expect(reported).toEqual(['bad did not drain: lost'])
})

test('a house tells what each room was given, by whom, and what it gives', () => {
  const { house } = makeHouse()
  const { database } = house.open(room('store', { database: { name: 'db' } }), { path: 'x' })
  house.open(
    room('jobs', () => {
      house.facts.on('left', () => {})
      house.facts.teller('saved')
      return { contributes: { routes: [{ path: '/jobs' }] } }
    }),
    { database, clock: 1 },
  )
  expect(house.rooms()[1]).toEqual({
    name: 'jobs',
    given: [{ need: 'database', from: 'store' }, { need: 'clock' }],
    contributes: { routes: ['/jobs'] },
    tells: ['saved'],
    hears: ['left'],
    state: 'open',
  })
})
