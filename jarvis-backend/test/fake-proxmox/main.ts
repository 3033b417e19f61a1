import { mkdtempSync, rmSync } from 'node:fs'
import { createServer as createControl } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModel } from '../../src/homelab/pve-model/model.ts'
import { createAuthority } from './certificates.ts'
import { createFakeConsoles } from './consoles.ts'
import { createControls } from './controls.ts'
import { createPveHost } from './pve-host.ts'
import { scaledNow } from './scaled-clock.ts'
import { fakeSeeds } from './seeds.ts'
import { createHandler, type Fault, type Journal } from './server.ts'
import { createWorld, type FakeOptions } from './world.ts'

/**
 * A Proxmox cluster to try against, in a process of its own: `main.ts '{"nodes":50,"guests":2000}'`. Prints one line of
 * JSON: where its ways in are, their certificates' fingerprints, the authority's file, and the control's address, which
 * takes `POST /NAME [arguments]`. Ends with its standard input.
 */
const options: FakeOptions = {
  anchor: Date.now(),
  speed: 1,
  proxyDelayMs: 30_000,
  denyDelayMs: 3_000,
  token: 'jarvis@pve!jarvis=00000000-1111-2222-3333-444444444444',
  nodes: 0,
  guests: 0,
  entries: 1,
  isOld: false,
  ...(JSON.parse(process.argv[2] ?? '{}') as Partial<FakeOptions>),
}
const bare = createWorld(options, () => scaledNow(options.anchor, options.speed))
const world = { ...bare, model: createModel(createPveHost(bare), fakeSeeds) }
const dir = mkdtempSync(join(tmpdir(), 'fake-proxmox-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
const authority = createAuthority(dir)
const journal: Journal = { changes: [], requests: new Map() }
const faults: Fault[] = []
const { controls, scene } = createControls(world, journal, faults)
const consoles = createFakeConsoles()

const names = [...world.nodes.keys()].slice(0, options.entries)
const entries = await Promise.all(
  names.map(async (name) => {
    const { key, cert, fingerprint } = authority.issue(name)
    const handle = createHandler(() => scene(name), journal, faults, consoles.route)
    const server = createServer({ key, cert, keepAliveTimeout: 5_000 }, (request, response) => {
      handle(request, response).catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`)
        request.socket.destroy()
      })
    })
    server.on('upgrade', (request, socket, head) => consoles.upgrade(scene(name), request, socket, head))
    await listening(server)
    return { name, server, fingerprint, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
)

const calls: Record<string, (...args: never[]) => unknown> = {
  ...controls,
  ...consoles.controls,
  closeEntry(index: number) {
    entries[index]?.server.close()
    entries[index]?.server.closeAllConnections()
  },
  renewCertificate(index: number) {
    const entry = entries[index]
    if (entry === undefined) throw new Error('no such entry')
    const { key, cert, fingerprint } = authority.issue(entry.name)
    entry.server.setSecureContext({ key, cert })
    entry.server.closeAllConnections()
    return fingerprint
  },
}
const control = createControl((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (piece: string) => {
    body += piece
  })
  request.on('end', () => {
    try {
      const call = calls[(request.url ?? '').slice(1)]
      if (call === undefined) throw new Error(`no control ${request.url}`)
      const result = call(...(JSON.parse(body || '[]') as never[]))
      response.end(JSON.stringify(result ?? null))
    } catch (error) {
      response.statusCode = 500
      response.end(String(error))
    }
  })
})
await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
const said = {
  urls: entries.map(({ url }) => url),
  fingerprints: entries.map(({ fingerprint }) => fingerprint),
  caFile: authority.caFile,
  control: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
  token: options.token,
}
process.stdout.write(`${JSON.stringify(said)}\n`)
process.stdin.on('end', () => process.exit()).resume()
process.on('SIGTERM', () => process.exit())

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}
