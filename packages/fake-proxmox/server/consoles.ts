import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { Refusal } from '../src/pve-model/refusal.ts'
import { beginTask, endTask } from './power.ts'
import { demand, rightsHave } from './rights.ts'
import type { Scene } from './routes.ts'

type Proxy = 'vncproxy' | 'termproxy'
/** Time, ms, for which a port waits for its only connection. */
const waitMs = 10_000
const shapes = {
  vncproxy: { qemu: /^(websocket|generate-password)$/, lxc: /^(websocket|width|height)$/ },
  termproxy: { qemu: /^serial$/, lxc: /^$/ },
}
const path = /^\/api2\/json\/nodes\/([^/]+)\/(qemu|lxc)\/(\d+)\/vncwebsocket$/

/** A request to turn a connection into a WebSocket. */
export type Upgrade = { request: IncomingMessage; socket: Duplex; head: Buffer }

/** A console's record for tests. `messages`: complete frames of the client, without the line with the ticket. */
export type HeardConsole = { vmid: number; proxy: Proxy; node: string; messages: string[]; isOpen: boolean }

/**
 * Consoles of guests as Proxmox offers them: a port on the requested node that is open for ten seconds and one connection, and a ticket for one
 * user, guest and port. A terminal echoes its input; a screen sends its version and echoes every byte.
 */
export function createFakeConsoles() {
  const ports = new Map<number, { vmid: number; entry: string; ticket: string; proxy: Proxy; user: string }>()
  const heard: HeardConsole[] = []
  const sockets = new Set<WebSocket>()
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 128 * 1024 })

  /** Opens a port for a console. @throws Refusal */
  function proxied(scene: Scene, parts: Record<string, string>, values: Record<string, string>) {
    const { world, rights, entryNode } = scene
    const { node = '', type, vmid = '', proxy } = parts as { type: 'qemu' | 'lxc'; proxy: Proxy } & typeof parts
    for (const key of Object.keys(values)) {
      if (shapes[proxy][type].test(key)) continue
      const problem = 'property is not defined in schema and the schema does not allow additional properties'
      throw new Refusal(400, 'Parameter verification failed.', { [key]: problem })
    }
    demand(rights, `/vms/${vmid}`, 'VM.Console')
    const guest = world.guests.get(Number(vmid))
    if (guest?.node !== node || guest.type !== type) {
      const folder = type === 'qemu' ? 'qemu-server' : 'lxc'
      throw new Refusal(500, `Configuration file 'nodes/${node}/${folder}/${vmid}.conf' does not exist`)
    }
    let port = 5900
    while (ports.has(port)) port += 1
    const [user = ''] = world.options.token.split('=')
    const ticket = `PVEVNC:${Math.floor(Date.now() / 1000)
      .toString(16)
      .toUpperCase()}::${randomBytes(64).toString('base64')}`
    const task = beginTask(world, { node, type: proxy, id: vmid })
    const closes = () => {
      if (ports.delete(port)) endTask(world, task, 'connection timed out')
    }
    if (guest.status === 'stopped') endTask(world, task, `VM ${vmid} not running`)
    else ports.set(port, { vmid: guest.vmid, entry: entryNode, ticket, proxy, user })
    setTimeout(closes, waitMs).unref()
    const password = proxy === 'vncproxy' && !world.options.isOld ? { password: randomBytes(4).toString('hex') } : {}
    return { user, port: String(port), ticket, upid: task.upid, ...password }
  }

  function refuse(socket: Duplex, status: number, message: string) {
    const body = JSON.stringify({ data: null, message: `${message}\n` })
    socket.end(
      `HTTP/1.1 ${status} ${message}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )
  }

  return {
    route: {
      method: 'POST' as const,
      pattern: /^\/nodes\/(?<node>[^/]+)\/(?<type>qemu|lxc)\/(?<vmid>\d+)\/(?<proxy>vncproxy|termproxy)$/,
      run: proxied,
    },
    /** Handles a WebSocket upgrade at one entry node. */
    upgrade({ world, rights, entryNode }: Scene, { request, socket, head }: Upgrade) {
      const { pathname, searchParams } = new URL(request.url ?? '', 'https://fake')
      const [, node = '', , vmid = ''] = path.exec(pathname) ?? []
      if (node === '') return refuse(socket, 501, `Method 'GET ${pathname}' not implemented`)
      if (request.headers.authorization !== `PVEAPIToken=${world.options.token}`)
        return refuse(socket, 401, 'No ticket')
      if ([...searchParams.keys()].sort().join() !== 'port,vncticket')
        return refuse(socket, 400, 'Parameter verification failed.')
      if (!rightsHave(rights, `/vms/${vmid}`, 'VM.Console')) {
        return refuse(socket, 403, `Permission check failed (/vms/${vmid}, VM.Console)`)
      }
      const port = Number(searchParams.get('port'))
      const open = ports.get(port)
      const isOurs = open?.vmid === Number(vmid) && open.ticket === searchParams.get('vncticket')
      if (!isOurs) return refuse(socket, 401, 'permission denied - invalid PVEVNC ticket')
      // The port is open only on the node that was asked for it. Without the protocol `binary`, the connection is closed silently.
      if (open.entry !== entryNode || request.headers['sec-websocket-protocol'] !== 'binary') return socket.destroy()
      ports.delete(port)
      server.handleUpgrade(request, socket, head, (client) => {
        const console: HeardConsole = { vmid: open.vmid, proxy: open.proxy, node, messages: [], isOpen: true }
        heard.push(console)
        sockets.add(client)
        client.on('error', () => {})
        client.on('close', () => {
          sockets.delete(client)
          console.isOpen = false
        })
        if (open.proxy === 'vncproxy') screen(client, console)
        else terminal(client, console, { line: `${open.user}:${open.ticket}\n`, takesTokens: !world.options.isOld })
      })
    },
    controls: {
      consoles: () => heard,
      /** Sends to every open console. */
      tellConsoles(data: string, times = 1) {
        for (const client of sockets) for (let i = 0; i < times; i += 1) client.send(Buffer.from(data))
      },
      closeConsoles() {
        for (const client of sockets) client.close()
      },
    },
  }
}

function screen(client: WebSocket, { messages }: HeardConsole) {
  client.send(Buffer.from('RFB 003.008\n'))
  client.on('message', (data: Buffer) => {
    messages.push(data.toString('hex'))
    client.send(data)
  })
}

function terminal(client: WebSocket, { messages }: HeardConsole, ticket: { line: string; takesTokens: boolean }) {
  let isIn = false
  client.on('message', (data: Buffer) => {
    const said = data.toString()
    if (!isIn) {
      isIn = ticket.takesTokens && said === ticket.line
      if (isIn) client.send(Buffer.from('OKlogin: '))
      else client.close()
      return
    }
    messages.push(said)
    const [, length = '', typed = ''] = /^0:(\d+):(.*)$/s.exec(said) ?? []
    if (length !== '' && Buffer.byteLength(typed) === Number(length)) {
      // Send single bytes, so that a character may be split.
      for (const byte of Buffer.from(typed)) client.send(Buffer.from([byte]))
      if (typed.endsWith('exit\r')) client.close()
    } else if (!/^(1:\d+:\d+:|2)$/.test(said)) client.terminate()
  })
}
