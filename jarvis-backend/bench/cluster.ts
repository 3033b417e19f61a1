import { type FakeProxmox, startFakeProxmox } from 'fake-proxmox/server'
import type { Socket } from 'socket.io-client'
import { connect } from './client.ts'
import type { Row } from './rows.ts'
import { lazily, type Server, type Setup } from './setup.ts'

const nodes = 50
const guests = 2_000
/** Three looks of the client, and more than one renewal of the cluster's own list. */
const watchedMs = 15_000

/** A large cluster, in another process, behind JARVIS, with one dashboard that watches. */
export function clusterRow(setup: Setup): Row {
  const large = lazily(async () => {
    const fake = await startFakeProxmox({ nodes, guests, proxyDelayMs: 1_000 })
    setup.onClose(fake.stop)
    const server = await setup.startServer('jarvis', setup.newDir(), {
      PVE_URL: fake.urls.join(','),
      PVE_TOKEN_ID: fake.tokenId,
      PVE_TOKEN_SECRET: fake.tokenSecret,
      PVE_FINGERPRINT: fake.fingerprints.join(','),
    })
    const [socket] = await connect(server, ['/cluster'])
    if (socket === undefined) throw new Error('no socket')
    const sizes = updatesOf(socket)
    await hasRead(socket)
    // The first look at all backups and at JARVIS itself is over.
    await passed(10_000)
    return { fake, server, sizes }
  })
  return {
    name: 'cluster',
    lines: [
      { title: `${nodes} nodes, ${guests.toLocaleString('en')} guests, one watcher: % of a core`, most: 10 },
      { title: 'largest update to a watcher, kB', most: 20 },
      { title: 'requests to the cluster for one look', most: 1 + nodes },
    ],
    ours: async () => watching(await large()),
  }
}

type Large = { fake: FakeProxmox; server: Server; sizes: number[] }

async function watching({ fake, server, sizes }: Large): Promise<number[]> {
  sizes.length = 0
  await fake.control.forgetRequests()
  const before = await server.read()
  await passed(watchedMs)
  const after = await server.read()
  const requests = await fake.control.requests()
  const looks = requests['GET /cluster/resources'] ?? 0
  const all = Object.values(requests).reduce((a, b) => a + b, 0)
  if (looks === 0 || sizes.length === 0) throw new Error('the cluster was not watched')
  return [((after.cpuMs - before.cpuMs) / watchedMs) * 100, Math.max(...sizes) / 1000, all / looks]
}

/** Collects the size of each update in bytes. */
function updatesOf(socket: Socket): number[] {
  const sizes: number[] = []
  socket.on('cluster:update', (update) => sizes.push(Buffer.byteLength(JSON.stringify(update))))
  return sizes
}

/** A look of 2,000 guests comes in many updates; its first is enough. */
const hasRead = (socket: Socket) => new Promise<void>((resolve) => socket.once('cluster:update', () => resolve()))

const passed = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
