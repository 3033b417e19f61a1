import { Worker } from 'node:worker_threads'
import { Mistake } from '../../gate/index.ts'
import { decoded } from './text.ts'
import type { TreeFile } from './tree.ts'
import { bytesOf, type RootAt, withFile, within } from './walk.ts'

/** `line`: from 1. `text`: at most 300 characters. */
export type Hit = { path: string; line: number; text: string }
export type Grepped = { hits: Hit[]; isCut: boolean; searched: number }

const mostFileBytes = 2 * 1024 ** 2
const batchBytes = 4 * 1024 ** 2
const patienceMs = 10_000

/**
 * The complete program of the thread. A regular expression can run forever, and only a thread can be ended while it runs. The files are read
 * outside, so the thread gets only texts.
 */
const program = `
const { parentPort, workerData } = require('node:worker_threads')
const pattern = new RegExp(workerData.source, workerData.flags)
parentPort.on('message', (files) => {
  const hits = []
  for (const { path, text } of files) {
    const lines = text.split(/\\r\\n|\\r|\\n/)
    for (let at = 0; at < lines.length && hits.length < workerData.most; at += 1)
      if (pattern.test(lines[at])) hits.push({ path, line: at + 1, text: lines[at].slice(0, 300) })
  }
  parentPort.postMessage(hits)
})
`

/** The lines of files that a regular expression matches. @throws Mistake if the pattern is not a regular expression, or takes too long */
export async function grepFiles(
  root: RootAt,
  files: readonly TreeFile[],
  { pattern, ignoreCase, most, signal }: { pattern: string; ignoreCase: boolean; most: number; signal: AbortSignal },
): Promise<Grepped> {
  const flags = ignoreCase ? 'iu' : 'u'
  const source = compiled(pattern, flags)
  const worker = new Worker(program, {
    eval: true,
    workerData: { source, flags, most },
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  })
  const timer = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const ended = new Promise<never>((_, reject) => {
    timer.addEventListener('abort', () =>
      reject(
        signal.aborted
          ? signal.reason
          : new Mistake('pattern: it took longer than 10 s on these files. Use a simpler one, or a smaller folder.'),
      ),
    )
    worker.once('error', reject)
  })
  ended.catch(() => {})
  const hits: Hit[] = []
  let searched = 0
  try {
    let batch: { path: string; text: string }[] = []
    let size = 0
    const flush = async () => {
      const answer = new Promise<Hit[]>((resolve) => worker.once('message', resolve))
      worker.postMessage(batch)
      hits.push(...(await Promise.race([answer, ended])))
      batch = []
      size = 0
    }
    for (const { path, size: bytes } of files) {
      if (hits.length >= most) break
      const text = bytes > mostFileBytes ? undefined : textAt(root, path)
      if (text === undefined) continue
      searched += 1
      batch.push({ path, text })
      size += bytes
      if (size > batchBytes || batch.length >= 200) await flush()
    }
    if (batch.length > 0) await flush()
    return { hits: hits.slice(0, most), isCut: hits.length >= most, searched }
  } finally {
    await worker.terminate()
  }
}

function compiled(pattern: string, flags: string): string {
  try {
    return new RegExp(pattern, flags).source
  } catch (error) {
    throw new Mistake(`pattern: it is no regular expression: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function textAt(root: RootAt, path: string): string | undefined {
  try {
    return within(root, path, (held) =>
      withFile(held, path, (file, stats) => {
        const bytes = stats.isFile() ? bytesOf(file, mostFileBytes) : undefined
        return bytes && decoded(bytes)
      }),
    )
  } catch {
    return undefined
  }
}
