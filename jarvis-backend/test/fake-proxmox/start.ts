import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import type { Controls } from './controls.ts'
import type { FakeOptions } from './world.ts'

export type FakeProxmox = {
  urls: string[]
  fingerprints: string[]
  caFile: string
  tokenId: string
  tokenSecret: string
  control: { [K in keyof Controls]: (...args: Parameters<Controls[K]>) => Promise<ReturnType<Controls[K]>> }
  stop(): Promise<void>
}

let program: string | undefined

/** Bundled once for all starts, each of which took half a second of the processor where it was translated as it was read. */
function bundled(): string {
  const entryPoints = [fileURLToPath(new URL('main.ts', import.meta.url))]
  // One argument holds 128 KiB at most. `ws` is found from where the tests run.
  const form = { bundle: true, platform: 'node', format: 'esm', minifyWhitespace: true } as const
  const { outputFiles } = buildSync({ entryPoints, write: false, external: ['ws'], ...form })
  return outputFiles[0]?.text ?? ''
}

/** Starts the fake cluster as a process of its own. */
export async function startFakeProxmox(options: Partial<FakeOptions> = {}): Promise<FakeProxmox> {
  program ??= bundled()
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, 'main.ts', JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const said = (await firstLine(child)) as Pick<FakeProxmox, 'urls' | 'fingerprints' | 'caFile'> & {
    control: string
    token: string
  }
  const [tokenId = '', tokenSecret = ''] = said.token.split('=')
  const control = new Proxy({} as FakeProxmox['control'], {
    get: (_, name) =>
      typeof name === 'string' && name !== 'then' ? (...args: unknown[]) => call(said.control, name, args) : undefined,
  })
  return {
    ...{ urls: said.urls, fingerprints: said.fingerprints, caFile: said.caFile },
    tokenId,
    tokenSecret,
    control,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

async function call(url: string, name: string, args: readonly unknown[]): Promise<unknown> {
  const response = await fetch(`${url}/${name}`, { method: 'POST', body: JSON.stringify(args) })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return JSON.parse(text)
}

async function firstLine(child: ChildProcess): Promise<unknown> {
  if (child.stdout === null) throw new Error('no output')
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, 'exit').then(() => {
    throw new Error('the fake cluster ended before it began')
  })
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
  ended.catch(() => {})
  return JSON.parse(line)
}
