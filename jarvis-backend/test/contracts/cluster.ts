import type { CallOptions, Cluster, PowerOutcome } from 'homelab-ports/ports'
import { fieldsOf, minuteMs, minutesIn, type Sample, samplesOf } from 'homelab-ports/samples'
import { ClusterState, type Guest, type Task } from 'protocol'
import { expect, test } from 'vitest'

/**
 * One cluster to try: a node `node` that is online with `runningVm` (unprotected, not under HA), `runningCt` and
 * `stoppedVm` somewhere, at least one backup of `backedUp`, and a node `lostNode` that `loseNode` takes away.
 */
export type ClusterFixture = {
  cluster: Cluster
  node: string
  lostNode: string
  runningVm: number
  runningCt: number
  stoppedVm: number
  guestOnLostNode: number
  backedUp: number
  loseNode(): void | Promise<void>
  lock(vmid: number, lock: string): void | Promise<void>
  ignoreNextShutdown(vmid: number): void | Promise<void>
  now(): number
  /** Lets time pass until `promise` settles. */
  settle<T>(promise: Promise<T>): Promise<T>
}

const calm = (): CallOptions => ({ signal: new AbortController().signal })

/** The contract of every Cluster. */
export function clusterContract(setUp: () => ClusterFixture | Promise<ClusterFixture>) {
  const guestOf = ({ cluster }: ClusterFixture, vmid: number): Guest => {
    const guest = cluster.state().guests.find((candidate) => candidate.vmid === vmid)
    if (guest === undefined) throw new Error(`no guest ${vmid}`)
    return guest
  }
  const power = (
    fixture: ClusterFixture,
    ...[vmid, action, isForced]: [number, 'start' | 'stop' | 'restart', boolean]
  ) => fixture.settle(fixture.cluster.power({ vmid, action, isForced }, calm()))

  test('the state fits the protocol and names each guest once', async () => {
    const { cluster } = await setUp()
    const state = cluster.state()
    expect(ClusterState.parse(state)).toEqual(state)
    expect(new Set(state.guests.map(({ vmid }) => vmid)).size).toBe(state.guests.length)
    expect(new Set(state.storages.map(({ name, node }) => `${node}/${name}`)).size).toBe(state.storages.length)
    expect(state.tasks.length).toBeLessThanOrEqual(20)
    cluster.close()
  })

  test('the state is the same object while nothing changed', async () => {
    const { cluster } = await setUp()
    expect(cluster.state()).toBe(cluster.state())
    cluster.close()
  })

  test('a clean stop ends OK with the guest seen stopped, and a start brings it back', async () => {
    const fixture = await setUp()
    for (const vmid of [fixture.runningVm, fixture.runningCt]) {
      expect(await power(fixture, vmid, 'stop', false)).toMatchObject({
        ok: true,
        exitStatus: 'OK',
        observed: 'stopped',
      })
      expect(guestOf(fixture, vmid).status).toBe('stopped')
      expect(await power(fixture, vmid, 'start', false)).toMatchObject({ ok: true, observed: 'running' })
      expect(guestOf(fixture, vmid).status).toBe('running')
    }
    fixture.cluster.close()
  })

  test('a restart ends with the guest seen running, up for less time than before', async () => {
    const fixture = await setUp()
    const before = guestOf(fixture, fixture.runningVm).uptimeS
    const outcome = await power(fixture, fixture.runningVm, 'restart', false)
    expect(outcome).toMatchObject({ ok: true, observed: 'running' })
    expect(outcome.upid).toMatch(/^UPID:[^:]+:[0-9A-F]{8}:[0-9A-F]{8,9}:[0-9A-F]{8}:qmreboot:\d+:[^:]+:$/)
    expect(guestOf(fixture, fixture.runningVm).uptimeS).toBeLessThan(before ?? 0)
    fixture.cluster.close()
  })

  test('a running task is listed as running, then with its end', async () => {
    const fixture = await setUp()
    const { cluster, runningVm } = fixture
    const progress: string[] = []
    const seen: Task[] = []
    const stopWatching = cluster.watch(() => {
      seen.push(...cluster.state().tasks.filter(({ vmid, status }) => vmid === runningVm && status === 'running'))
    })
    const done = cluster.power(
      { vmid: runningVm, action: 'restart' },
      { ...calm(), onProgress: (line) => progress.push(line) },
    )
    const { upid } = await fixture.settle(done)
    stopWatching()
    expect(seen.find((task) => task.upid === upid)?.exitStatus).toBeUndefined()
    expect(seen.map((task) => task.upid)).toContain(upid)
    expect(cluster.state().tasks.find((task) => task.upid === upid)).toMatchObject({ status: 'ok', exitStatus: 'OK' })
    expect(progress).toEqual([
      'Task qmreboot running',
      `Task qmreboot finished: OK. Waiting until ${runningVm} is seen running`,
    ])
    cluster.close()
  })

  test.each<[string, (fixture: ClusterFixture) => Promise<PowerOutcome>, Partial<PowerOutcome> & { words: RegExp }]>([
    [
      'a VM that runs is not started again',
      (f) => power(f, f.runningVm, 'start', false),
      { observed: 'running', words: /^VM \d+ already running$/ },
    ],
    [
      'a container that runs is not started again',
      (f) => power(f, f.runningCt, 'start', false),
      { observed: 'running', words: /^CT \d+ already running$/ },
    ],
    [
      'a VM that is off is not restarted',
      (f) => power(f, f.stoppedVm, 'restart', false),
      { observed: 'stopped', words: /^VM \d+ not running$/ },
    ],
  ])('%s, in the cluster’s own words', async (_name, act, { words, ...outcome }) => {
    const fixture = await setUp()
    const result = await act(fixture)
    expect(result).toMatchObject({ ok: false, ...outcome })
    expect(result.exitStatus).toMatch(words)
    fixture.cluster.close()
  })

  test('a container refused at once has no task', async () => {
    const fixture = await setUp()
    expect((await power(fixture, fixture.runningCt, 'start', false)).upid).toBeUndefined()
    fixture.cluster.close()
  })

  test('stopping a VM that is off succeeds', async () => {
    const fixture = await setUp()
    expect(await power(fixture, fixture.stoppedVm, 'stop', false)).toMatchObject({ ok: true, observed: 'stopped' })
    fixture.cluster.close()
  })

  test('a locked guest is left alone', async () => {
    const fixture = await setUp()
    await fixture.lock(fixture.runningVm, 'backup')
    expect(await power(fixture, fixture.runningVm, 'stop', false)).toMatchObject({
      ok: false,
      exitStatus: 'VM is locked (backup)',
      observed: 'running',
    })
    fixture.cluster.close()
  })

  test('a guest that ignores a clean shutdown still runs, and a forced stop ends it', async () => {
    const fixture = await setUp()
    await fixture.ignoreNextShutdown(fixture.runningVm)
    expect(await power(fixture, fixture.runningVm, 'stop', false)).toMatchObject({
      ok: false,
      exitStatus: 'VM quit/powerdown failed - got timeout',
      observed: 'running',
    })
    expect(await power(fixture, fixture.runningVm, 'stop', true)).toMatchObject({ ok: true, observed: 'stopped' })
    fixture.cluster.close()
  })

  test.each(['running', 'Waiting until'])(
    'who stops waiting at the line that says “%s” gets the reason, and the task goes on',
    async (word) => {
      const fixture = await setUp()
      const { cluster, runningVm } = fixture
      const before = guestOf(fixture, runningVm).uptimeS
      const gone = new AbortController()
      const reason = new Error('the caller left')
      const onProgress = (line: string) => {
        if (line.includes(word)) gone.abort(reason)
      }
      const waiting = cluster.power({ vmid: runningVm, action: 'restart' }, { signal: gone.signal, onProgress })
      await expect(fixture.settle(waiting)).rejects.toBe(reason)
      const isAgain = () => {
        const { status, uptimeS } = guestOf(fixture, runningVm)
        return status === 'running' && (uptimeS ?? 0) < (before ?? 0)
      }
      await fixture.settle(
        new Promise<void>((resolve) => {
          const stop = cluster.watch(() => {
            if (!isAgain()) return
            stop()
            resolve()
          })
        }),
      )
      expect(isAgain()).toBe(true)
      cluster.close()
    },
  )

  test('what does not exist is not found, and the sentence says what does', async () => {
    const { cluster, node } = await setUp()
    const named = { code: 'not_found', message: expect.stringContaining(node) }
    await expect(cluster.nodeDetail('nowhere', calm())).rejects.toMatchObject(named)
    await expect(cluster.temperature('nowhere', calm())).rejects.toMatchObject(named)
    await expect(cluster.restartService('nowhere', 'cron', calm())).rejects.toMatchObject(named)
    await expect(cluster.tasks({ node: 'nowhere', limit: 5 }, calm())).rejects.toMatchObject(named)
    await expect(cluster.backups({ node: 'nowhere' }, calm())).rejects.toMatchObject(named)
    await expect(cluster.power({ vmid: 999_999, action: 'stop' }, calm())).rejects.toMatchObject({ code: 'not_found' })
    cluster.close()
  })

  test('a lost node fails its own calls and no list', async () => {
    const fixture = await setUp()
    const { cluster, lostNode, guestOnLostNode } = fixture
    await fixture.loseNode()
    const gone = `${lostNode} is offline`
    const unreachable = { code: 'cluster_unreachable', message: expect.stringContaining(lostNode) }
    await expect(cluster.nodeDetail(lostNode, calm())).rejects.toMatchObject(unreachable)
    await expect(cluster.temperature(lostNode, calm())).rejects.toMatchObject(unreachable)
    await expect(cluster.restartService(lostNode, 'cron', calm())).rejects.toMatchObject(unreachable)
    await expect(cluster.power({ vmid: guestOnLostNode, action: 'stop' }, calm())).rejects.toMatchObject(unreachable)
    expect(cluster.state().missing).toContain(gone)
    expect(cluster.state().nodes.find(({ name }) => name === lostNode)?.status).toBe('offline')
    // The cluster's list still holds the facts from before.
    expect(guestOf(fixture, guestOnLostNode)).toMatchObject({ status: 'unknown', uptimeS: null, cpuRatio: null })
    const tasks = await cluster.tasks({ limit: 50 }, calm())
    expect(tasks.missing).toContain(gone)
    expect(tasks.items.length).toBeGreaterThan(0)
    const backups = await cluster.backups({}, calm())
    expect(backups.missing).toContain(gone)
    expect(backups.items.length).toBeGreaterThan(0)
    cluster.close()
  })

  test('tasks and backups come newest first, within their bounds', async () => {
    const { cluster, node, backedUp } = await setUp()
    const tasks = await cluster.tasks({ node, limit: 3 }, calm())
    expect(tasks.items.length).toBeLessThanOrEqual(3)
    expect(tasks.items.every((task) => task.node === node)).toBe(true)
    const started = tasks.items.map(({ startedAt }) => startedAt)
    expect(started).toEqual([...started].sort((a, b) => b - a))
    const backups = await cluster.backups({ vmid: backedUp }, calm())
    expect(backups.items.length).toBeGreaterThan(0)
    expect(backups.items.every(({ vmid }) => vmid === backedUp)).toBe(true)
    const created = backups.items.map(({ createdAt }) => createdAt)
    expect(created).toEqual([...created].sort((a, b) => b - a))
    cluster.close()
  })

  test('a node tells its details and its heat', async () => {
    const { cluster, node } = await setUp()
    const detail = await cluster.nodeDetail(node, calm())
    expect(detail).toMatchObject({ name: node, cpuCount: expect.any(Number) })
    expect(detail.ramBytes).toBeLessThanOrEqual(detail.ramTotalBytes ?? -1)
    const heat = await cluster.temperature(node, calm())
    expect(heat.all).toContainEqual({ sensor: heat.sensor, celsius: heat.celsius })
    cluster.close()
  })

  test.each(['hour', 'day'] as const)(
    'what it remembers of the last %s goes on into what is seen now',
    async (span) => {
      const { cluster, node, runningVm, runningCt, stoppedVm, now } = await setUp()
      // The first look may know nodes alone, and only what is known to run has its record read.
      const isSeen = ({ nodes, guests, storages }: ClusterState) =>
        nodes.some(({ name, status }) => name === node && status === 'online') &&
        [runningVm, runningCt].every((id) => guests.some(({ vmid, status }) => vmid === id && status === 'running')) &&
        storages.some(({ isActive }) => isActive)
      await expect.poll(() => isSeen(cluster.state())).toBe(true)
      const until = now()
      const missed: string[] = []
      const seen = new Map<string, Map<number, Sample['values']>>()
      for await (const { minutes, samples } of cluster.history?.(span, {
        ...calm(),
        missed: (why) => missed.push(why),
      }) ?? []) {
        for (const { name, values } of samples) {
          const line = seen.get(name) ?? new Map()
          seen.set(name, line)
          for (const at of minutes)
            line.set(
              at,
              fieldsOf(name).map((_, i) => values[i] ?? line.get(at)?.[i]),
            )
        }
      }
      expect(missed).toEqual([])
      const times = [...seen.values()].flatMap((line) => [...line.keys()])
      expect(times.every((at) => at % minuteMs === 0)).toBe(true)
      expect(Math.max(...times)).toBeLessThanOrEqual(now())
      expect(Math.min(...times)).toBeGreaterThan(until - (minutesIn[span] + 1) * minuteMs)
      const hasStorage = () => samplesOf(cluster.state()).some(({ name }) => name.startsWith('storage/'))
      // A look that missed its storages for a moment has none.
      await expect.poll(hasStorage).toBe(true)
      const present = samplesOf(cluster.state())
      const storage = present.find(({ name }) => name.startsWith('storage/'))?.name ?? ''
      for (const name of ['cluster', `node/${node}`, `guest/${runningVm}`, `guest/${runningCt}`, storage]) {
        const line = seen.get(name) ?? new Map<number, Sample['values']>()
        expect(line.size, name).toBeGreaterThan(minutesIn[span] * 0.9)
        const last = line.get(Math.max(...line.keys())) ?? []
        const current = present.find((sample) => sample.name === name)?.values ?? []
        for (const [at, field] of fieldsOf(name).entries()) {
          if (!field.endsWith('Ratio') || current[at] === undefined) continue
          expect(Math.abs((last[at] ?? Number.NaN) - current[at]), `${name} ${field}`).toBeLessThan(0.25)
        }
      }
      expect(seen.has(`guest/${stoppedVm}`)).toBe(false)
      cluster.close()
    },
  )

  test('a call whose signal is already aborted does nothing', async () => {
    const fixture = await setUp()
    const signal = AbortSignal.abort(new Error('too late'))
    await expect(
      fixture.cluster.power({ vmid: fixture.runningVm, action: 'stop', isForced: true }, { signal }),
    ).rejects.toThrow('too late')
    const past = fixture.cluster.history?.('hour', { signal, missed: () => {} })[Symbol.asyncIterator]()
    await expect(past?.next()).rejects.toThrow('too late')
    expect(guestOf(fixture, fixture.runningVm).status).toBe('running')
    fixture.cluster.close()
  })
}
