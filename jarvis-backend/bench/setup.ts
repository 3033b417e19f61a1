import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import jwt from 'jsonwebtoken'
import type { Socket } from 'socket.io-client'
import { connectMany, type Place } from './client.ts'
import { type Started, start } from './processes.ts'

export type Server = Started & Place
export type ServerName = 'jarvis' | 'relay' | 'mcp-sdk'

const backend = fileURLToPath(new URL('..', import.meta.url))
const built = (name: string) => join(backend, 'dist', 'bench', `${name}.js`)
// As random as real ones: text that looks like a secret's beginning is searched more closely.
const secret = () => randomBytes(32).toString('hex')
const jwtSecret = secret()
const password = secret()
const token = jwt.sign({ sub: 'bench', role: 'operator' }, jwtSecret, { issuer: 'jarvis', expiresIn: '1d' })

/** Bundles the server as a release does, and the bench's own processes beside it, unbundled but for their own files. */
export async function buildAll() {
  const scripts = new URL('../../scripts/build.js', import.meta.url).href
  const { buildBackend } = (await import(scripts)) as { buildBackend(): Promise<void> }
  await buildBackend()
  await build({
    entryPoints: ['probe', 'upstream', 'relay', 'mcp-sdk', 'memory/probe'].map((name) =>
      join(backend, 'bench', `${name}.ts`),
    ),
    outdir: join(backend, 'dist', 'bench'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'warning',
  })
}

export type Setup = Awaited<ReturnType<typeof createSetup>>

/** Sockets a server has open: JARVIS takes 100 requests a second from each, and the bench sends more. */
const poolSize = 200

/** The servers and pools that rows measure with. Starts each on demand; `close` ends all of them. */
export async function createSetup(profileDir: string | undefined) {
  const started: Started[] = []
  const dirs: string[] = []
  const ends: (() => Promise<void>)[] = []
  const probe = built('probe')
  const newDir = () => {
    const dir = mkdtempSync(join(tmpdir(), 'jarvis-bench-'))
    dirs.push(dir)
    return dir
  }
  const cwd = newDir()
  const upstream = await start(built('upstream'), { probe, cwd })
  started.push(upstream)

  async function startServer(name: ServerName, dataDir: string, env: Record<string, string> = {}): Promise<Server> {
    const server = await start(name !== 'jarvis' ? built(name) : join(backend, 'dist', 'main.js'), {
      probe,
      cwd,
      nodeArgs: profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`],
      env: {
        ANTHROPIC_BASE_URL: upstream.url,
        ANTHROPIC_API_KEY: `sk-ant-api03-${secret()}`,
        PORT: '0',
        JARVIS_DATA_DIR: dataDir,
        JARVIS_PASSWORD: password,
        JWT_SECRET: jwtSecret,
        LOG_LEVEL: 'warn',
        // Notes are embedded at the lowest priority, for longer than a round takes.
        JARVIS_EMBEDDINGS: 'none',
        // The row `loop` makes more rounds than a chat usually may.
        CHAT_MAX_LOOP: '30',
        ...env,
      },
    })
    started.push(server)
    return { ...server, token }
  }

  async function openPool(server: Server): Promise<Pool> {
    return { server, sockets: await connectMany(server, ['/chat'], poolSize) }
  }

  const kept = {
    jarvis: lazily(async () => openPool(await startServer('jarvis', newDir()))),
    relay: lazily(async () => openPool(await startServer('relay', newDir()))),
  }
  async function close() {
    await Promise.all([...started.map((process) => process.stop()), ...ends.map((end) => end())])
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
  }
  process.once('SIGINT', () => void close().finally(() => process.exit(130)))
  return {
    newDir,
    /** JARVIS_PASSWORD of each server. */
    password,
    startServer,
    openPool,
    /** For what else a row started. */
    onClose: (end: () => Promise<void>) => void ends.push(end),
    /** The server that stays for all rounds, with its sockets. */
    pool: (name: keyof typeof kept) => kept[name](),
    close,
  }
}

export type Pool = { server: Server; sockets: Socket[] }

export function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
