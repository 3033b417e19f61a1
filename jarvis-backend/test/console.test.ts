import { once } from 'node:events'
import type { Consoles } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import type { JournalEntry, Page, Role, TerminalEvents } from 'protocol'
import { io, type Socket } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const env = { JARVIS_TERMINAL: '1' }
const size = { cols: 80, rows: 24 }
/** In the demo cluster. */
const demo = { vm: 101, ct: 104 }

type Reply = {
  ok: boolean
  terminalId: string
  screen?: { password?: string }
  error?: { code: string; message: string }
}

/** A client of `/terminal` that keeps all it is shown, as bytes. @param acknowledges whether it draws a screen's bytes */
async function connect(jarvis: TestJarvis, { role = 'operator' as Role, acknowledges = true } = {}) {
  const token = jarvis.token(role)
  if (role === 'operator') await jarvis.stepUp(token)
  const options = { auth: { token }, forceNew: true, transports: ['websocket'], reconnection: false }
  const socket: Socket = io(`${jarvis.url}/terminal`, options)
  onTestFinished(() => void socket.disconnect())
  let shown = Buffer.alloc(0)
  const ends: Omit<TerminalEvents['terminal:exit'], 'terminalId'>[] = []
  const show = (data: string | Uint8Array) => {
    shown = Buffer.concat([shown, Buffer.from(data as string)])
  }
  socket.on('terminal:output', ({ data }: TerminalEvents['terminal:output']) => show(data))
  socket.on('terminal:screen', ({ data }: TerminalEvents['terminal:screen'], drawn: () => void) => {
    show(data)
    if (acknowledges) drawn()
  })
  socket.on('terminal:exit', ({ terminalId: _, ...end }: TerminalEvents['terminal:exit']) => void ends.push(end))
  await once(socket as never, 'connect')
  const ask = (event: string, payload: object): Promise<Reply> => socket.timeout(10_000).emitWithAck(event, payload)
  return {
    socket,
    token,
    ends,
    ask,
    open: (vmid: number) => ask('terminal:open', { vmid, ...size }),
    shown: () => shown,
    sees: (text: string) => expect.poll(() => shown.toString('latin1'), { interval: 5 }).toContain(text),
    async enough(bytes: number) {
      await expect.poll(() => shown.length, { interval: 5 }).toBeGreaterThanOrEqual(bytes)
      const taken = shown.subarray(0, bytes)
      shown = shown.subarray(bytes)
      return taken
    },
  }
}

function guestOf(jarvis: TestJarvis, vmid: number) {
  const guest = jarvis.guest(vmid)
  if (guest === undefined) throw new Error(`no guest ${vmid}`)
  return guest
}

async function journalOf(jarvis: TestJarvis) {
  const page = (await (await jarvis.rest('/api/journal?kind=terminal')).json()) as Page<JournalEntry>
  return page.items.map(({ body }) => body as Record<string, unknown>).reverse()
}

test('a container’s terminal answers in the demo, and its journal holds no word of it', async () => {
  const jarvis = await startJarvis({ env })
  const operator = await connect(jarvis)
  const { name } = guestOf(jarvis, demo.ct)
  const { terminalId, screen } = await operator.open(demo.ct)
  expect(screen).toBeUndefined()
  await operator.sees(`root@${name}:~# `)
  await operator.ask('terminal:input', { terminalId, data: 'hostname\r' })
  await operator.sees(`\r\n${name}\r\n`)
  const bytes = Uint8Array.of(1)
  expect(await operator.ask('terminal:input', { terminalId, data: bytes })).toMatchObject({
    error: { code: 'invalid_request', message: 'A screen takes bytes, and a terminal takes text.' },
  })
  await operator.ask('terminal:input', { terminalId, data: 'exit\r' })
  const reason = 'its shell ended with exit code 0'
  await expect.poll(() => operator.ends).toEqual([{ reason }])

  const { node } = guestOf(jarvis, demo.ct)
  const where = { terminalId, node, vmid: demo.ct, guest: name, console: 'terminal', by: 'operator' }
  const counts = { durationMs: expect.any(Number), bytesIn: 14, bytesOut: operator.shown().length }
  expect(await journalOf(jarvis)).toEqual([
    { event: 'opening', ...where },
    { event: 'closed', ...where, reason, ...counts },
  ])
})

test('a VM’s screen draws what is true of it, shows keys, and ends with the VM', async () => {
  const jarvis = await startJarvis({ env })
  const operator = await connect(jarvis)
  const { terminalId, screen } = await operator.open(demo.vm)
  expect(screen).toEqual({})
  const send = (...bytes: number[]) => operator.ask('terminal:input', { terminalId, data: Uint8Array.from(bytes) })
  expect((await operator.enough(12)).toString()).toBe('RFB 003.008\n')
  await send(...Buffer.from('RFB 003.008\n'))
  expect([...(await operator.enough(2))]).toEqual([1, 1])
  await send(1)
  expect([...(await operator.enough(4))]).toEqual([0, 0, 0, 0])
  await send(1)
  const init = await operator.enough(24)
  const [width, height] = [init.readUInt16BE(0), init.readUInt16BE(2)]
  const { name } = guestOf(jarvis, demo.vm)
  expect((await operator.enough(init.readUInt32BE(20))).toString()).toBe(`${name} (VM ${demo.vm})`)

  /** How many of the row's dots are ink. */
  const inkOf = (pixels: Buffer) => {
    let dots = 0
    for (let at = 0; at < pixels.length; at += 4) if ((pixels[at] ?? 0) > 100) dots += 1
    return dots
  }
  async function picture(isWhole: boolean) {
    await send(3, isWhole ? 0 : 1, ...[0, 0, 0, 0], ...[width >> 8, width & 255, height >> 8, height & 255])
    const rows = new Map<number, number>()
    const count = (await operator.enough(4)).readUInt16BE(2)
    for (let i = 0; i < count; i += 1) {
      const head = await operator.enough(12)
      rows.set(head.readUInt16BE(2) / 16, inkOf(await operator.enough(head.readUInt16BE(4) * head.readUInt16BE(6) * 4)))
    }
    return rows
  }
  const whole = await picture(true)
  expect(whole.size).toBe(20)
  expect(whole.get(0)).toBeGreaterThan(200)
  expect(whole.get(1)).toBe(0)
  await send(4, 1, 0, 0, 0, 0, 0, 0x41)
  let typedInk = whole.get(7) ?? 0
  // The clock's row changes by itself too.
  while (typedInk <= (whole.get(7) ?? 0)) typedInk = (await picture(false)).get(7) ?? typedInk

  jarvis.controls.setStatus(demo.vm, 'stopped')
  await expect.poll(() => operator.ends).toEqual([{ reason: `${name} stopped` }])
})

test('who may not, or has nothing to open, is told why', async () => {
  const jarvis = await startJarvis({ env })
  const [operator, viewer] = [await connect(jarvis), await connect(jarvis, { role: 'viewer' })]
  expect((await viewer.open(demo.vm)).error?.code).toBe('forbidden')
  expect((await operator.open(99_999)).error).toMatchObject({ code: 'not_found', message: 'There is no guest 99999.' })
  jarvis.controls.setStatus(demo.vm, 'stopped')
  expect((await operator.open(demo.vm)).error).toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/is stopped: it has no console until it is started\.$/),
  })
  const both = { vmid: demo.vm, node: 'pve', ...size }
  expect((await operator.ask('terminal:open', both)).error?.code).toBe('invalid_request')
  expect(await journalOf(jarvis)).toEqual([])
})

/** JARVIS with one VM's screen that a test drives. */
async function withScreen(clock = systemClock) {
  const driven = { typed: [] as Uint8Array[], isHeld: true, isClosed: false, show: (_: Uint8Array) => {} }
  const consoles: Consoles = {
    terminal: () => Promise.reject(new Error('not asked for')),
    async screen(_guest, { onOutput, onEnd }) {
      driven.show = onOutput
      const hold = (isHeld: boolean) => () => void Object.assign(driven, { isHeld })
      return {
        password: 'once',
        resize() {},
        pause: hold(true),
        resume: hold(false),
        write: (data) => void driven.typed.push(data),
        close() {
          driven.isClosed = true
          onEnd()
        },
      }
    },
  }
  // The cluster has the real time: an hour of its own would cost seconds.
  const simulator = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  return { driven, jarvis: await startJarvis({ env, clock, homelab: { ...simulator, consoles } }) }
}

test('a screen is held back until its client has drawn what it was sent, and bytes arrive unchanged', async () => {
  const { driven, jarvis } = await withScreen()
  const operator = await connect(jarvis, { acknowledges: false })
  expect((await operator.open(demo.vm)).screen).toEqual({ password: 'once' })
  await expect.poll(() => driven.isHeld).toBe(false)
  const piece = Buffer.alloc(64 * 1024, 7)
  let sent = 0
  while (!driven.isHeld) {
    driven.show(piece)
    sent += piece.length
    if (sent > 8 * 1024 * 1024) throw new Error('it was never held back')
  }
  expect(sent).toBe(1024 * 1024 + piece.length)
  expect((await operator.enough(sent)).every((byte) => byte === 7)).toBe(true)
  expect(driven.isHeld).toBe(true)

  const drawing = await connect(jarvis)
  await drawing.open(demo.vm)
  await expect.poll(() => driven.isHeld).toBe(false)
  for (sent = 0; !driven.isHeld; sent += piece.length) driven.show(piece)
  await expect.poll(() => driven.isHeld).toBe(false)
})

test('signing out closes the screen at once', async () => {
  const { driven, jarvis } = await withScreen()
  const operator = await connect(jarvis)
  await operator.open(demo.vm)
  const dropped = once(operator.socket as never, 'disconnect')
  await jarvis.rest('/api/auth/logout', { method: 'POST', headers: { authorization: `Bearer ${operator.token}` } })
  await dropped
  await expect.poll(() => driven.isClosed).toBe(true)
  expect((await journalOf(jarvis)).at(-1)).toMatchObject({
    event: 'closed',
    vmid: demo.vm,
    console: 'screen',
    by: 'operator',
    reason: 'the client went away',
  })
})

test('a viewer that only asks for pictures is nobody: its screen ends after half an hour', async () => {
  const clock = createFakeClock(noon())
  const { driven, jarvis } = await withScreen(clock)
  const operator = await connect(jarvis)
  const { terminalId } = await operator.open(demo.vm)
  const minutes = (count: number) => clock.advance(count * 60_000)
  const send = (...bytes: number[]) => operator.ask('terminal:input', { terminalId, data: Uint8Array.from(bytes) })
  await minutes(29)
  await send(4, 1, 0, 0, 0, 0, 0, 0x41)
  await minutes(29)
  await send(...[3, 1, 0, 0, 0, 0, 2, 0, 2, 0], ...[3, 1, 0, 0, 0, 0, 2, 0, 2, 0])
  await minutes(1)
  await expect.poll(() => operator.ends).toEqual([{ reason: 'no input for 30 minutes' }])
  expect(driven.typed).toHaveLength(2)
})
