import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createModel } from '../src/pve-model/model.ts'
import { authorityCertificate, borrowCertificate, type Certificate, returnCertificate } from './certificates.ts'
import { createFakeConsoles } from './consoles.ts'
import { type Controls, createControls } from './controls.ts'
import { FakeHost } from './pve-host.ts'
import { scaledClock } from './scaled-clock.ts'
import { fakeSeeds } from './seeds.ts'
import { createHandler, type Fault, type Journal } from './server.ts'
import { type FakeOptions, World } from './world.ts'

export type FakeProxmox = {
  urls: string[]
  fingerprints: string[]
  /** The CA's certificate, PEM. */
  ca: string
  tokenId: string
  tokenSecret: string
  control: { [K in keyof Controls]: (...args: Parameters<Controls[K]>) => Promise<Awaited<ReturnType<Controls[K]>>> }
  stop(): Promise<void>
}

const token = 'jarvis@pve!jarvis=00000000-1111-2222-3333-444444444444'
const usual = { speed: 1, proxyDelayMs: 30_000, denyDelayMs: 3_000, token, nodes: 0, guests: 0, entries: 1 }

/** Starts a fake Proxmox cluster for tests. Its entry nodes are real HTTPS servers on this machine, in this process. */
export async function startFakeProxmox(given: Partial<FakeOptions> = {}): Promise<FakeProxmox> {
  const options: FakeOptions = { anchor: Date.now(), ...usual, isOld: false, ...given }
  const bare = new World(options, options.clock ?? scaledClock(options.anchor, options.speed))
  const world = Object.assign(bare, { model: createModel(new FakeHost(bare), fakeSeeds) })
  const journal: Journal = { changes: [], requests: new Map(), tokens: new Map() }
  const faults: Fault[] = []
  const { controls, scene } = createControls(world, journal, faults)
  const consoles = createFakeConsoles()
  const borrowed: Certificate[] = []
  async function newCertificate(): Promise<Certificate> {
    const certificate = await borrowCertificate()
    borrowed.push(certificate)
    return certificate
  }

  const names = [...world.nodes.keys()].slice(0, options.entries)
  const entries = await Promise.all(
    names.map(async (name) => {
      const { key, cert, fingerprint } = await newCertificate()
      const handle = createHandler({ scene: () => scene(name), journal, faults, consoles: consoles.route })
      const server = createServer({ key, cert, keepAliveTimeout: 5_000 }, (request, response) => {
        handle(request, response).catch((error: unknown) => {
          process.stderr.write(`${String(error)}\n`)
          request.socket.destroy()
        })
      })
      server.on('upgrade', (request, socket, head) => consoles.upgrade(scene(name), { request, socket, head }))
      const sockets = new Set<Socket>()
      server.on('connection', (socket: Socket) => {
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
      return { server, sockets, fingerprint, url }
    }),
  )

  const calls: Controls = {
    ...controls,
    ...consoles.controls,
    closeEntry(index) {
      entries[index]?.server.close()
      entries[index]?.server.closeAllConnections()
    },
    async renewCertificate(index) {
      const entry = entries[index]
      if (entry === undefined) throw new Error('no such entry')
      const { key, cert, fingerprint } = await newCertificate()
      entry.server.setSecureContext({ key, cert })
      entry.server.closeAllConnections()
      return fingerprint
    },
  }
  const [tokenId = '', tokenSecret = ''] = options.token.split('=')
  let isStopped = false
  return {
    urls: entries.map(({ url }) => url),
    fingerprints: entries.map(({ fingerprint }) => fingerprint),
    ca: authorityCertificate(),
    tokenId,
    tokenSecret,
    control: Object.fromEntries(
      Object.entries(calls as Record<string, (...args: unknown[]) => unknown>).map(([name, call]) => [
        name,
        async (...args: unknown[]) => {
          // Act like a message from outside: pending events are handled first.
          await setImmediate()
          return copyOf(await call(...copyOf(args)))
        },
      ]),
    ) as FakeProxmox['control'],
    async stop() {
      if (isStopped) return
      isStopped = true
      world.stop()
      for (const { server, sockets } of entries) {
        const closed = server.listening ? once(server, 'close') : undefined
        server.close()
        // Also close sockets of consoles, which the server does not count as its connections.
        for (const socket of sockets) socket.destroy()
        await closed
      }
      borrowed.forEach(returnCertificate)
    },
  }
}

/** Copies a value, so that a test's copy does not change with the cluster. */
const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value ?? null)) as T
