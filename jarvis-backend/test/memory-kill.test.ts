import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { MemoryFound, MemoryStatus } from 'protocol'
import { expect, test, vi } from 'vitest'
import { folder, run } from './support/data-dir.ts'
import { tokenFor } from './support/start-jarvis.ts'

const files = 80
const shared = 60

/** The program itself in a process of its own, and what it says of its memory. */
async function serve(dataDir: string) {
  const program = run(dataDir, 'main')
  const url = await program.says(/http:\/\/\S+(?=\s)/)
  const token = tokenFor('operator')
  async function ask<T>(path: string): Promise<T> {
    const response = await fetch(`${url}/api/memory/${path}`, { headers: { authorization: `Bearer ${token}` } })
    return (await response.json()) as T
  }
  return {
    search: (query: string) => ask<MemoryFound>(`search?q=${encodeURIComponent(query)}`),
    until(isSo: (status: MemoryStatus) => boolean) {
      const rightly = async () => {
        const status = await ask<MemoryStatus>('status')
        if (!isSo(status)) throw new Error(`still ${JSON.stringify(status)}`)
        return status
      }
      // Asked without a pause, the server answers in the place of indexing.
      return vi.waitFor(rightly, { timeout: 30_000, interval: 20 })
    },
    async kill() {
      program.child.kill('SIGKILL')
      await program.ended
    },
  }
}

/** Reads the disk as the kill left it. */
function look(dataDir: string) {
  const sql = new Sqlite(join(dataDir, 'memory.db'))
  const value = <T>(query: string) => sql.prepare<[], T>(query).pluck().get() as T
  const found = {
    integrity: sql.pragma('integrity_check', { simple: true }),
    sources: value<number>('SELECT COUNT(*) FROM sources'),
    chunks: value<number>('SELECT COUNT(*) FROM chunks'),
    /** As many as were ever put in: nothing was put in twice. */
    chunksPutIn: value<number>("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'"),
    embeddings: value<number>('SELECT COUNT(*) FROM embeddings'),
    embeddingsPutIn: value<number | null>('SELECT MAX(id) FROM embeddings') ?? 0,
    sizes: sql.prepare<[], number>('SELECT DISTINCT COUNT(*) FROM chunks GROUP BY source_id').pluck().all(),
    first: value<string>('SELECT name FROM sources ORDER BY id LIMIT 1'),
  }
  sql.close()
  return found
}

test('a server that is killed while it indexes has a usable index, takes up what is left, and does nothing twice', async () => {
  const dataDir = folder()
  mkdirSync(join(dataDir, 'workspace'), { recursive: true })
  // The same in every file but for the first: much to index, and little to embed.
  const common = Array.from({ length: shared }, (_, at) => `# Part ${at}\n\nPart ${at} of the rack hums in the cellar.`)
  for (let at = 0; at < files; at += 1) {
    const text = `# Machine\n\nNote of machine${at}.\n\n${common.join('\n\n')}`
    writeFileSync(join(dataDir, 'workspace', `${at}.md`), text)
  }
  const whole = { integrity: 'ok', sizes: [shared + 1] }

  const first = await serve(dataDir)
  await first.until(({ sources }) => sources > 5)
  await first.kill()
  const cut = look(dataDir)
  expect(cut).toMatchObject(whole)
  expect(cut.sources).toBeLessThan(files)

  const second = await serve(dataDir)
  // Served from what was there, before anything is read again.
  const name = cut.first.replace('.md', '')
  expect((await second.search(`machine${name}`)).hits[0]).toMatchObject({ name: cut.first })
  await second.until(({ embedded, chunks }) => embedded > 0 && chunks === files * (shared + 1))
  await second.kill()
  const half = look(dataDir)
  expect(half).toMatchObject({ ...whole, sources: files, chunksPutIn: half.chunks })
  expect(half.embeddings).toBeLessThan(files + shared)

  const third = await serve(dataDir)
  await third.until(({ state, embedded, chunks }) => state === 'ready' && embedded === chunks)
  for (const at of [0, 37, files - 1]) {
    expect((await third.search(`machine${at}`)).hits[0]).toMatchObject({ name: `${at}.md` })
  }
  await third.kill()
  const all = { chunks: files * (shared + 1), embeddings: files + shared }
  expect(look(dataDir)).toMatchObject({ ...whole, ...all, chunksPutIn: all.chunks, embeddingsPutIn: all.embeddings })
  // Two programs start, and one indexes for a while.
}, 60_000)
