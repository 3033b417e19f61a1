import type { ModelControls } from 'fake-proxmox/pve-model/controls'
import { startFakeProxmox } from 'fake-proxmox/server'
import { ApiError } from 'homelab-ports/failure'
import type { Homelab, PveApi } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { drillPool } from 'protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createProxmox, usualDeadlines } from '../src/homelab/connect.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { drillsOver } from './drill/drills-over.ts'
import { createJumpingClock } from './support/jumping-clock.ts'
import { createSimulator } from './support/simulator.ts'
import { connectionTo } from './support/start-proxmox.ts'

type Fixture = Pick<Homelab, 'api' | 'cluster'> & {
  /** A VM with an agent and a container, both with a backup that can be restored. */
  vm: number
  ct: number
  controls: { [K in keyof ModelControls]: (...args: Parameters<ModelControls[K]>) => Promise<void> | void }
}
/** Each test has ids of its own, so that no task of another is about them. */
let first = 990_000
const most = 10

/** Each cluster is started once for all tests on it. */
const clusters: Record<string, () => Promise<{ fixture: Fixture; stop(): Promise<void> | void }>> = {
  async 'the demo'() {
    const clock = createJumpingClock()
    const { api, cluster, controls } = createSimulator({ clock, protectedTargets: new Set() })
    return { fixture: { api, cluster, vm: 131, ct: 112, controls: controls.pve }, stop: cluster.close }
  },
  async 'the real client over HTTP'() {
    const clock = createJumpingClock()
    const fake = await startFakeProxmox({ clock, denyDelayMs: 10, proxyDelayMs: 10 })
    const cluster = createProxmox({
      connection: connectionTo(fake),
      shell: { run: () => Promise.reject(new Error('no shell')) },
      clock,
      deadlines: { ...usualDeadlines, clock },
      protectedTargets: new Set(),
    })
    await cluster.readAfresh?.()
    // While somebody watches it looks every 5 s, else every 25 s.
    cluster.watch(() => {})
    const stop = async () => {
      cluster.close()
      await fake.stop()
    }
    return { fixture: { api: cluster.api, cluster, vm: 100, ct: 200, controls: fake.control }, stop }
  },
}

type Ask = { method: string; path: string; form: Record<string, string> }
/** A layer between the drill and the cluster. `before` may change the form or refuse; `after` may change the answer or lose it. */
type Between = { before?(ask: Ask): Promise<void> | void; after?(ask: Ask, answer: unknown): unknown }

function between(api: PveApi, { before, after }: Between): { api: PveApi; asked: Ask[] } {
  const asked: Ask[] = []
  const through = async (ask: Ask, go: () => Promise<unknown>) => {
    asked.push(ask)
    await before?.(ask)
    const answer = await go()
    return after === undefined ? answer : after(ask, answer)
  }
  const formOf = (values: object) => values as Record<string, string>
  return {
    asked,
    api: {
      ...api,
      get: (path, query, options) =>
        through({ method: 'GET', path: path.join('/'), form: formOf(query) }, () => api.get(path, query, options)),
      change({ method, path, form }, options) {
        const ask = { method, path: path.join('/'), form: { ...formOf(form) } }
        return through(ask, () => api.change({ method, path, form: ask.form }, options))
      },
    },
  }
}

const isRestore = ({ method, path }: Ask) => method === 'POST' && /^nodes\/[^/]+\/(?:qemu|lxc)$/.test(path)
const is = (method: string, end: RegExp) => (ask: Ask) => ask.method === method && end.test(ask.path)
const isStart = is('POST', /99\d{4}\/status\/start$/)
const isDestroy = is('DELETE', /\/99\d{4}$/)
const isConfig = is('GET', /99\d{4}\/config$/)
const lost = () => new ApiError('outcome_unknown', 'No answer came.')
const refused = (words: string, status = 500) => new ApiError('cluster_refused', words, { status, words })

describe.each(Object.entries(clusters))('on %s', (_name, start) => {
  let fixture: Fixture
  let stop: () => Promise<void> | void
  beforeAll(async () => {
    ;({ fixture, stop } = await start())
  })
  afterAll(() => stop())

  const copies = async () => {
    const { members } = (await fixture.api.get(['pools', drillPool], {}, calm())) as { members: { vmid: number }[] }
    const rows = await Promise.all(
      Array.from({ length: most }, async (_, n) => {
        const vmid = String(first + n)
        return fixture.api.get(['cluster', 'nextid'], { vmid }, calm()).then(
          () => [],
          () => [Number(vmid)],
        )
      }),
    )
    return [...new Set([...rows.flat(), ...members.map(({ vmid }) => vmid)])]
  }
  const configOf = async (vmid: number) => {
    const { node = '', type } = fixture.cluster.state().guests.find((guest) => guest.vmid === vmid) ?? {}
    return fixture.api.get(['nodes', node, type === 'vm' ? 'qemu' : 'lxc', vmid, 'config'], {}, calm())
  }
  const database = () => openDatabase(':memory:')
  const setUp = (hooks: Between = {}, replace: Parameters<typeof drillsOver>[2] = {}) => {
    const { api, asked } = between(fixture.api, hooks)
    return {
      asked,
      ...drillsOver({ api, cluster: fixture.cluster }, database(), {
        ids: { first, last: first + most - 1 },
        ...replace,
      }),
    }
  }
  // Whatever became of a drill, nothing of it is left, unless the test says so.
  afterEach(async () => {
    expect(await copies()).toEqual([])
    first += most
  })

  test.each(['vm', 'ct'] as const)('a %s is restored alone, started, asked and removed', async (type) => {
    const before = await configOf(fixture[type])
    const seen: string[] = []
    const { run, asked, journal, drills } = setUp({
      after(ask, answer) {
        if (isConfig(ask)) seen.push(JSON.stringify(answer))
        return answer
      },
    })
    const drill = await run(fixture[type])
    expect(drill).toMatchObject({ level: 5, verdict: 'proven', step: 'ended', vmid: fixture[type], type })
    expect(seen[0]).toMatch(/"net0":"[^"]*link_down=1/)
    const form = asked.find(isRestore)?.form
    expect(form).toMatchObject({
      pool: drillPool,
      onboot: '0',
      start: '0',
      net0: expect.stringContaining('link_down=1'),
    })
    expect(form?.unique).toBe(type === 'vm' ? '1' : undefined)
    expect(form?.force).toBeUndefined()
    expect(form?.net0).not.toMatch(/hwaddr|[0-9A-F]{2}:[0-9A-F]{2}:/i)
    expect(asked.findIndex(isConfig)).toBeLessThan(asked.findIndex(isStart))
    expect(journal.map(({ change }) => change)).toEqual(['claimed', 'ended'])
    expect(drills.proofs()).toMatchObject({ items: [{ vmid: fixture[type], level: 5, verdict: 'proven' }], open: null })
    expect(drills.provenOf(fixture[type])?.level).toBe(5)
    expect(await configOf(fixture[type])).toEqual(before)
  })

  type Row = {
    hooks?: (fixture: Fixture) => Between
    prepare?: (fixture: Fixture) => Promise<void> | void
    expected: Record<string, unknown>
    isStarted: boolean
  }
  const once = (run: () => never | Promise<void> | void) => {
    let isDone = false
    return () => {
      if (isDone) return undefined
      isDone = true
      return run()
    }
  }
  const refuseOnce =
    (match: (ask: Ask) => boolean, error: () => Error): (() => Between) =>
    () => {
      const fail = once(() => {
        throw error()
      })
      return { before: (ask) => (match(ask) ? fail() : undefined) }
    }
  const loseOnce =
    (match: (ask: Ask) => boolean): (() => Between) =>
    () => {
      const fail = once(() => {
        throw lost()
      })
      return {
        after(ask, answer) {
          if (match(ask)) void fail()
          return answer
        },
      }
    }
  const stopped = { verdict: 'stopped', step: 'ended' }
  const failed = { verdict: 'failed', step: 'ended' }
  const rows: Record<string, Row> = {
    'the restore is refused': {
      hooks: refuseOnce(isRestore, () => refused('Permission check failed (/pool/jarvis-drill, VM.Allocate)', 403)),
      expected: { ...stopped, level: 3, problem: expect.stringContaining('VM.Allocate') },
      isStarted: false,
    },
    'the restore breaks off half-way': {
      prepare: ({ controls }) => controls.breakNextRestore(first),
      expected: { ...failed, level: 3, problem: expect.stringContaining('got signal 9') },
      isStarted: false,
    },
    'the answer to the restore is lost': {
      hooks: loseOnce(isRestore),
      expected: { ...stopped, level: 3 },
      isStarted: false,
    },
    'the copy comes up with a cable in': {
      hooks: () => ({
        before(ask) {
          if (isRestore(ask)) ask.form.net0 = String(ask.form.net0).replace(',link_down=1', '')
        },
      }),
      expected: { ...failed, level: 4, problem: expect.stringContaining('net0 is not down') },
      isStarted: false,
    },
    'the copy has a card that was not in the backup': {
      hooks: () => ({
        after: (ask, answer) =>
          isConfig(ask) ? { ...(answer as object), net7: 'virtio=BC:24:11:00:00:01,link_down=1' } : answer,
      }),
      expected: { ...failed, level: 4, problem: expect.stringContaining('net7 has no bridge') },
      isStarted: false,
    },
    'a disk of the copy is another guest’s': {
      hooks: () => ({
        after: (ask, answer) =>
          isConfig(ask) ? { ...(answer as object), scsi5: 'local-zfs:vm-101-disk-0,size=1G' } : answer,
      }),
      expected: { ...failed, level: 4, problem: expect.stringContaining('scsi5 is a volume of another guest') },
      isStarted: false,
    },
    'the start is refused': {
      hooks: refuseOnce(isStart, () => refused('no quorum')),
      expected: { ...stopped, level: 4, problem: expect.stringContaining('no quorum') },
      isStarted: true,
    },
    'the answer to the start is lost': {
      hooks: loseOnce(isStart),
      expected: { ...stopped, level: 4 },
      isStarted: true,
    },
    'the copy stops by itself': {
      hooks: () => ({
        after: (ask, answer) =>
          /99\d{4}\/status\/current$/.test(ask.path) ? { ...(answer as object), status: 'stopped' } : answer,
        async before(ask) {
          // It does so in truth before it is destroyed.
          if (!isDestroy(ask)) return
          const [, node = '', , vmid = ''] = ask.path.split('/')
          await fixture.api.change(
            { method: 'POST', path: ['nodes', node, 'qemu', vmid, 'status', 'stop'], form: {} },
            calm(),
          )
          for (;;) {
            const now = (await fixture.api.get(['nodes', node, 'qemu', vmid, 'status', 'current'], {}, calm())) as {
              status: string
            }
            if (now.status === 'stopped') return
            await fixture.api.wait(1_000, new AbortController().signal)
          }
        },
      }),
      expected: { ...failed, level: 4, problem: expect.stringContaining('stopped by itself') },
      isStarted: true,
    },
    'its agent stays silent': {
      prepare: ({ controls }) => controls.silenceAgent(first, true),
      expected: {
        verdict: 'proven',
        step: 'ended',
        level: 4,
        notProven: expect.arrayContaining([expect.stringContaining('that it booted')]),
      },
      isStarted: true,
    },
    'the answer to its end is lost': {
      hooks: loseOnce(isDestroy),
      expected: { verdict: 'proven', level: 5, step: 'ended' },
      isStarted: true,
    },
    'its end is refused for a while': {
      hooks: () => {
        let refusals = 4
        return {
          before(ask) {
            if (isDestroy(ask) && refusals-- > 0) throw refused('no quorum')
          },
        }
      },
      expected: { verdict: 'proven', level: 5, step: 'cleaning', left: expect.stringContaining('may still be there') },
      isStarted: true,
    },
  }
  test.each(Object.entries(rows))('%s: that is said, and the copy is removed', async (_case, row) => {
    await row.prepare?.(fixture)
    let again = () => {}
    const clock = {
      ...systemClock,
      after(_ms: number, run: () => void) {
        again = run
        return () => {}
      },
    }
    const { run, asked, said, store, drills } = setUp(row.hooks?.(fixture), { clock })
    const drill = await run(fixture.vm)
    await fixture.controls.silenceAgent(first, false)
    expect(drill).toMatchObject(row.expected)
    expect(asked.some(isStart)).toBe(row.isStarted)
    if (drill.step === 'cleaning') {
      await expect(run(fixture.vm)).rejects.toMatchObject({ code: 'conflict' })
      again()
      await expect.poll(() => store.open()).toBeUndefined()
    }
    expect(said.length).toBeGreaterThan(0)
    expect(drills.provenOf(fixture.vm) !== undefined).toBe(row.expected.verdict === 'proven')
  })

  test('a container restored as Proxmox’s bug has it, with its cable in, is not started', async () => {
    const { run, asked } = setUp({
      before(ask) {
        if (isRestore(ask)) ask.form.unique = '1'
      },
    })
    expect(await run(fixture.ct)).toMatchObject({ level: 4, problem: expect.stringContaining('net0 is not down') })
    expect(asked.some(isStart)).toBe(false)
  })

  test('a drill that is stopped removes its copy', async () => {
    const stop = new AbortController()
    const { run, asked } = setUp({
      after(ask, answer) {
        if (isRestore(ask)) stop.abort()
        return answer
      },
    })
    expect(await run(fixture.vm, stop.signal)).toMatchObject({ ...stopped, problem: 'It was stopped.' })
    expect(asked.some(isStart)).toBe(false)
  })

  test('a copy that somebody took out of the pool is left, and that is said', async () => {
    const { run, said, drills } = setUp({
      after: (ask, answer) => (ask.path === `pools/${drillPool}` ? { members: [] } : answer),
    })
    const drill = await run(fixture.vm)
    expect(drill).toMatchObject({ step: 'ended', left: expect.stringContaining('not provably the drill’s') })
    expect(said.join()).toContain('was not touched')
    expect(drills.provenOf(fixture.vm)).toBeUndefined()
    const { node, copy } = drill
    await fixture.api.change({ method: 'DELETE', path: ['nodes', node, 'qemu', copy], form: {} }, calm())
    await expect.poll(copies).toEqual([])
  })

  /** Changes a node's rows of its storages. */
  const storagesAre = (change: (row: Record<string, unknown>) => Record<string, unknown>): Between => ({
    after: (ask, answer) =>
      /^nodes\/[^/]+\/storage$/.test(ask.path) ? (answer as Record<string, unknown>[]).map(change) : answer,
  })
  const nodesAre = (change: Partial<Record<'ramBytes' | 'ramTotalBytes', number | undefined>>) => ({
    ...fixture.cluster,
    state() {
      const state = fixture.cluster.state()
      const nodes = state.nodes.map((node) => Object.fromEntries(Object.entries({ ...node, ...change })) as typeof node)
      return { ...state, nodes }
    },
  })
  test.each<[string, Between | undefined, Parameters<typeof nodesAre>[0] | undefined, RegExp]>([
    [
      'no storage has the room',
      storagesAre((row) => ({ ...row, avail: 1024 ** 3 })),
      undefined,
      /has 1(\.0)? GiB free, and [\d.]+ GiB are needed/,
    ],
    [
      'the room is not known',
      storagesAre(({ avail: _, ...row }) => row),
      undefined,
      /how much room \S+ has is not known/,
    ],
    [
      'no storage is there',
      storagesAre((row) => (row.content === 'backup' ? row : { ...row, content: 'backup,iso' })),
      undefined,
      /has no storage for images/,
    ],
    [
      'no node has the memory',
      undefined,
      { ramBytes: 8 * 1024 ** 3 - 1, ramTotalBytes: 8 * 1024 ** 3 },
      /of memory free, and [\d.]+ [GM]iB are needed/,
    ],
    ['the memory is not known', undefined, { ramBytes: undefined }, /whether \S+ has the memory is not known/],
  ])('where %s a drill is refused before anything is claimed or sent', async (_what, hooks, nodes, says) => {
    const { run, asked, journal, store } = setUp(hooks, nodes && { cluster: nodesAre(nodes) })
    await expect(run(fixture.vm)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(says),
    })
    expect(asked.filter(({ method }) => method !== 'GET')).toEqual([])
    expect({ journal, open: store.open() }).toEqual({ journal: [], open: undefined })
  })

  test('two at once: the second is refused', async () => {
    const { run } = setUp()
    const [first, second] = await Promise.allSettled([run(fixture.vm), run(fixture.ct)])
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
  })
})

const calm = () => ({ signal: new AbortController().signal })
