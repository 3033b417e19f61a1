import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../src/lib/clock.ts'
import { startWorker } from '../src/lib/start-worker.ts'
import { EarlySearch } from '../src/memory/early-search.ts'
import type { IndexStatus } from '../src/memory/indexer.ts'
import type { MemoryWorkerData } from '../src/memory/messages.ts'
import { RemoteMemory } from '../src/memory/remote.ts'
import { openMemoryReader } from '../src/store/sqlite/memory/store.ts'

const files = 480

/** The memory in its real thread over a folder of notes, and what it says of itself. */
function remembering() {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-memory-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const workspaceDir = join(dir, 'workspace')
  mkdirSync(workspaceDir)
  for (let at = 0; at < files; at += 1) {
    const text = Array.from({ length: 60 }, (_, line) => `# Part ${line}\n\nNote ${line} of machine${at}.`).join('\n')
    writeFileSync(join(workspaceDir, `${at}.md`), text)
  }
  const workerData: MemoryWorkerData = {
    workspaceDir,
    databasePath: ':memory:',
    indexPath: join(dir, 'memory.db'),
    embedder: { kind: 'none' },
    weights: { vector: 0.7, keyword: 0.3 },
  }
  const workers: Worker[] = []
  const reports: string[] = []
  const due: (() => void)[] = []
  let heard: ((status: IndexStatus | undefined) => void) | undefined
  const clock: Clock = {
    now: Date.now,
    after(_ms, run) {
      due.push(run)
      return () => void due.splice(due.indexOf(run), 1)
    },
  }
  const memory = new RemoteMemory({
    start() {
      const worker = startWorker(new URL('../src/memory-worker.ts', import.meta.url), workerData)
      workers.push(worker)
      return worker
    },
    early: new EarlySearch(() => openMemoryReader(workerData.indexPath), Date.now),
    clock,
    changed: (status) => heard?.(status),
    report: (_error, message) => reports.push(message),
  })
  onTestFinished(() => memory.stop())
  return {
    memory,
    reports,
    pass: () => {
      for (const run of due.splice(0)) run()
    },
    kill: () => workers.at(-1)?.terminate(),
    /** Resolves with the first status that is right. */
    until: (isRight: (status: IndexStatus | undefined) => boolean) =>
      new Promise<IndexStatus | undefined>((done) => {
        heard = (status) => isRight(status) && done(status)
      }),
  }
}

test('a memory that dies in the middle of indexing says so, starts again and misses nothing', async () => {
  const { memory, reports, pass, kill, until } = remembering()
  // Well before the end: the thread goes on while this one hears of it.
  for (const share of [0.1, 0.3]) {
    const reached = until((status) => (status?.sources ?? 0) >= files * share)
    // Started by the first of these; by the clock after that.
    memory.call('status', {}).catch(() => {})
    // Some of the files are read, and it says how many.
    expect((await reached)?.share).toSatisfy((done: number) => done > 0 && done < 1)
    const gone = until((status) => status === undefined)
    const cut = memory.call('sync', {})
    await Promise.all([kill(), gone, expect(cut).rejects.toThrow(/stopped in the middle/)])
    await expect(memory.call('status', {})).rejects.toThrow(/starts again/)
    // Words are searched on disk meanwhile.
    expect(await memory.call('search', { query: 'note', limit: 1 })).toMatchObject({
      hits: [{}],
      byKeywordsAlone: true,
    })
    expect(memory.status()).toBeUndefined()
    pass()
  }
  await memory.call('sync', {})
  expect(await memory.call('status', {})).toMatchObject({ state: 'ready', sources: files, chunks: files * 60 })
  for (const at of [0, 11, 57, files - 1]) {
    const { hits } = await memory.call('search', { query: `machine${at}`, limit: 3 })
    expect(hits[0]).toMatchObject({ name: `${at}.md` })
  }
  expect(reports).toEqual(Array.from({ length: 2 }, () => 'the memory stopped working; it starts again soon'))
})
