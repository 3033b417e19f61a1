import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lessonOf } from '../agent/lesson.ts'
import { defaultPersona, type PromptTexts } from '../agent/persona.ts'
import type { StoredEntry } from '../agent/transcript-store.ts'
import type { EmbeddingsConfig } from '../config/config.ts'
import { memoryRoutes } from '../http/memory.ts'
import type { Clock } from '../lib/clock.ts'
import { startWorker } from '../lib/start-worker.ts'
import { dailyAddition, dailyPath } from '../memory/daily.ts'
import type { Weights } from '../memory/fuse.ts'
import type { IndexStatus } from '../memory/indexer.ts'
import type { MemoryWorkerData } from '../memory/messages.ts'
import { createRecall } from '../memory/recall.ts'
import { createRemoteMemory } from '../memory/remote.ts'
import { JarvisError } from '../protocol/index.ts'
import type { Database } from '../store/sqlite/database.ts'
import { createMemoryWrites } from '../store/sqlite/memory-writes.ts'
import { memoryGet } from '../tools/memory/memory-get.ts'
import { memorySearch } from '../tools/memory/memory-search.ts'
import { memoryWrite } from '../tools/memory/memory-write.ts'
import type { Journal } from '../tools/ports.ts'
import { createWorkspace } from '../workspace/files.ts'

/** The heading that a day's file ends under is looked for in so much of it; further back, it is set again. */
const headingWithinBytes = 16_384

/** The index is read into memory once whoever waits for the start has been served. */
const startAfterMs = 5_000

/** The index is outside the heap; what is in it is read, cut and let go, and better collected often than left lying. */
const memoryLimits = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 256 }

/** Wires the memory: the workspace's files, the index in its thread, the tools, recall, lessons and routes. */
export function composeMemory(parts: {
  dataDir: string
  /** A file: the index reads sessions and the journal over a connection of its own. */
  databasePath: string
  embeddings: EmbeddingsConfig
  weights: Weights
  database: Database
  journal: Journal
  clock: Clock
  redact(text: string): string
  changed(status: IndexStatus | undefined): void
  report(error: unknown, message: string): void
}) {
  const { dataDir, database, journal, clock } = parts
  const now = () => clock.now()
  const workspaceDir = join(dataDir, 'workspace')
  const workspace = createWorkspace(workspaceDir)
  const writes = createMemoryWrites(database, now)
  const memory = createRemoteMemory({
    start: () =>
      startWorker(
        new URL(import.meta.url.endsWith('.ts') ? '../memory-worker.ts' : './memory-worker.js', import.meta.url),
        {
          workspaceDir,
          databasePath: parts.databasePath,
          indexPath: join(dataDir, 'memory.db'),
          embedder: parts.embeddings,
          weights: parts.weights,
        } satisfies MemoryWorkerData,
        memoryLimits,
      ),
    clock,
    changed: parts.changed,
    report: parts.report,
  })
  const isKept = parts.databasePath !== ':memory:'
  const start = isKept ? setTimeout(() => memory.call('status', {}).catch(() => {}), startAfterMs).unref() : undefined

  /** Redacted before it is on disk, like everything that is kept. */
  function learn(sessionId: string, entries: readonly StoredEntry[]) {
    const timeOf = (at: number) => new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    const lesson = lessonOf(entries, sessionId, timeOf)
    if (lesson === undefined) return
    try {
      const path = dailyPath(now())
      const end = workspace.tail(path, headingWithinBytes) ?? ''
      workspace.append(path, dailyAddition(end, parts.redact(lesson), 'jarvis'))
    } catch (error) {
      parts.report(error, 'what was learned could not be written down')
    }
  }

  async function forget(sessionId: string, by: string) {
    database.durably(() => {
      writes.forget(sessionId)
      journal.append('memory', { change: 'forgotten', sessionId, by })
    })
    await memory.call('sync', {})
  }

  function undo(writeId: string, by: string) {
    const write = writes.get(writeId)
    if (write === undefined) throw new JarvisError('not_found', 'That cannot be taken back any more.')
    const { text, checksum } = workspace.read(write.path)
    // What was added below since, such as the lesson of that very run, stays.
    const later = textAfter(text, write.checksum)
    if (later === undefined) throw changedSince(write.path)
    const rest = `${write.before ?? ''}${later}`.replace(/^\n+/, '')
    if (rest === '') workspace.remove(write.path)
    else {
      try {
        workspace.write(write.path, rest, checksum)
      } catch (error) {
        throw error instanceof JarvisError && error.code === 'conflict' ? changedSince(write.path) : error
      }
    }
    database.durably(() => {
      writes.remove(writeId)
      journal.append('memory', { change: 'undone', path: write.path, by })
    })
  }

  return {
    status: memory.status,
    tools: [
      memorySearch(memory),
      memoryGet(workspace),
      memoryWrite(workspace, { now, redact: parts.redact, keep: writes.add }),
    ],
    recall: createRecall(memory),
    learn,
    prompt: promptFiles(workspaceDir),
    routes: memoryRoutes({ memory, workspace, forget, undo }),
    stop() {
      clearTimeout(start)
      return memory.stop()
    },
  }
}

export type ComposedMemory = ReturnType<typeof composeMemory>

/** What follows the text of that checksum, where `text` begins with it at the end of a line. */
function textAfter(text: string, checksum: string): string | undefined {
  const hash = createHash('sha256')
  let taken = 0
  while (taken < text.length) {
    const lineEnd = text.indexOf('\n', taken)
    const end = lineEnd === -1 ? text.length : lineEnd + 1
    hash.update(text.slice(taken, end))
    taken = end
    if (hash.copy().digest('hex') === checksum) return text.slice(taken)
  }
  return undefined
}

const changedSince = (path: string) =>
  new JarvisError('conflict', `${path} was changed since. Take the line out of it by hand.`)

/** The operator's own texts that every prompt has; looked at before each use, so that an edit counts from the next message on. */
function promptFiles(dir: string): () => PromptTexts {
  const soul = join(dir, 'SOUL.md')
  if (!existsSync(soul)) writeFileSync(soul, defaultPersona)
  const known = new Map<string, { ctimeMs: number; text: string }>()
  const read = (name: string): string | undefined => {
    const path = join(dir, name)
    const ctimeMs = statSync(path, { throwIfNoEntry: false })?.ctimeMs
    if (ctimeMs === undefined) return undefined
    const before = known.get(name)
    if (before?.ctimeMs === ctimeMs) return before.text
    try {
      const text = readFileSync(path, 'utf8')
      known.set(name, { ctimeMs, text })
      return text
    } catch {
      return undefined
    }
  }
  return () => ({
    soul: read('SOUL.md') ?? defaultPersona,
    agents: read('AGENTS.md'),
    user: read('USER.md'),
    tools: read('TOOLS.md'),
  })
}
