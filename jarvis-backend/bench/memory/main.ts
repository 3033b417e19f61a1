import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildAll } from '../setup.ts'
import type { Held } from './probe.ts'

const run = promisify(execFile)
const chunks = '100000'
/** Short notes, as in the table the goals come from; and chunks as full as they get, about 400 tokens. */
const words = { short: '40', full: '260' }

/** The cost of the memory with 100,000 chunks, beside LanceDB if it can be installed, as Markdown. Takes a few minutes. */
export async function memory(): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'jarvis-bench-memory-'))
  const dirs = {
    short: join(root, 'short'),
    full: join(root, 'full'),
    lance: join(root, 'lance'),
    server: join(root, 'server'),
  }
  for (const dir of Object.values(dirs)) mkdirSync(dir)
  try {
    const ours: string[][] = []
    for (const size of ['short', 'full'] as const) {
      console.error(`Measuring ${chunks} ${size} chunks…`)
      const built = await task('speed.ts', 'build', dirs[size], chunks, words[size])
      const asked = await task('speed.ts', 'ask', dirs[size], chunks, words[size])
      ours.push(rowOf(`JARVIS, ${words[size]} words a chunk`, { ...built, ...asked }))
    }
    const heads = [
      '',
      'p50 ms',
      'p99 ms',
      'recall@10',
      'relevant@10',
      'build s',
      'add ms',
      'load s',
      'memory MB',
      'disk MB',
    ]
    return [
      `| ${heads.join(' | ')} |`,
      `|${'---|'.repeat(heads.length)}`,
      ...[...ours, ...(await lanceDb(root, dirs.lance))].map((row) => `| ${row.join(' | ')} |`),
      '',
      ...serverTable((await wholeServer(dirs.server)) as ServerMeasured),
    ].join('\n')
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

type Measured = Record<string, unknown>

async function task(script: string, ...args: string[]): Promise<Measured> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const { stdout } = await run(process.execPath, ['--expose-gc', '--import', 'tsx', path, ...args])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Measured
}

async function lanceDb(root: string, dir: string): Promise<string[][]> {
  const modules = join(root, 'modules')
  mkdirSync(modules)
  try {
    console.error('Measuring LanceDB…')
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', modules, '@lancedb/lancedb', 'apache-arrow'])
    return [rowOf('LanceDB hybrid', await task('lancedb.ts', modules, dir, chunks, words.short))]
  } catch (error) {
    console.error(error instanceof Error ? error.message.slice(0, 500) : error)
    return [['LanceDB did not install or run', ...Array.from({ length: 9 }, () => '–')]]
  }
}

function rowOf(name: string, measured: Measured): string[] {
  const cell = (key: string, digits: number) => {
    const value = measured[key]
    return typeof value === 'number' ? value.toFixed(digits) : '–'
  }
  return [
    name,
    cell('p50', 1),
    cell('p99', 1),
    cell('recall', 3),
    cell('relevant', 3),
    cell('buildS', 0),
    cell('addMs', 2),
    cell('loadS', 1),
    cell('rssMb', 0),
    cell('diskMb', 0),
  ]
}

type Megabytes = { rss: number; pss: number }
type ServerMeasured = Record<'idle' | 'loaded' | 'searched' | 'peak', Megabytes> &
  Record<'loading' | 'indexing', Held> &
  Record<'searchP50' | 'searchP99' | 'takenS', number>

async function wholeServer(dir: string): Promise<Measured> {
  console.error('Measuring a whole server…')
  await buildAll()
  return task('server.ts', dir, chunks)
}

function serverTable(measured: ServerMeasured): string[] {
  const { idle, loading, indexing, searchP50, searchP99, takenS } = measured
  const states = [
    ['idle, before the memory starts', idle],
    ['the index is loaded', measured.loaded],
    ['200 searches, each with its vector', measured.searched],
    ['most while 10,000 chunks and a log of 50 MB are taken in', measured.peak],
  ] as const
  const held = ({ mostMs, p99Ms, lateMs }: Held) =>
    `${mostMs.toFixed(1)} ms at most, ${p99Ms.toFixed(1)} at the 99th of a hundred; with what it waited for a processor, ${lateMs.toFixed(0)} at most`
  return [
    '| a whole server | RSS MB | PSS MB | beyond idle |',
    '|---|---|---|---|',
    ...states.map(
      ([name, { rss, pss }]) =>
        `| ${name} | ${rss.toFixed(0)} | ${pss.toFixed(0)} | ${(rss - idle.rss).toFixed(0)} · ${(pss - idle.pss).toFixed(0)} |`,
    ),
    '',
    `A search over REST, its vector made first: ${searchP50.toFixed(1)} ms p50, ${searchP99.toFixed(1)} p99. New files were found by their words after ${takenS.toFixed(0)} s.`,
    `The server's thread was held at a stretch: while the index was loaded ${held(loading)}; while files were taken in ${held(indexing)}.`,
  ]
}
