import { once } from 'node:events'
import type { Terminals } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import type { JournalEntry, Page, Role, Status, TerminalEvents, TerminalReplies, TerminalRequests } from 'protocol'
import { io, type Socket } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { createSshTerminals } from '../src/homelab/ssh/index.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { startKnownSshd } from './support/known-sshd.ts'
import { createSimulator } from './support/simulator.ts'
import { sshdTest } from './support/sshd.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const env = { JARVIS_TERMINAL: '1' }

type Reply<E extends keyof TerminalRequests> =
  | ({ ok: true } & TerminalReplies[E])
  | { ok: false; error: { code: string; message: string } }

/** A client of `/terminal` that keeps what each terminal has shown. */
async function connect(jarvis: TestJarvis, role: Role = 'operator', token = jarvis.token(role)) {
  const socket: Socket = io(`${jarvis.url}/terminal`, {
    auth: { token },
    forceNew: true,
    transports: ['websocket'],
    reconnection: false,
  })
  onTestFinished(() => void socket.disconnect())
  const shown = new Map<string, string>()
  const ended = new Map<string, TerminalEvents['terminal:exit']>()
  const wake: (() => void)[] = []
  const heard = () => {
    for (const run of wake.splice(0)) run()
  }
  socket.on('terminal:output', ({ terminalId, data }: TerminalEvents['terminal:output']) => {
    expect(ended.has(terminalId)).toBe(false)
    shown.set(terminalId, (shown.get(terminalId) ?? '') + data)
    heard()
  })
  socket.on('terminal:exit', (exit: TerminalEvents['terminal:exit']) => {
    ended.set(exit.terminalId, exit)
    heard()
  })
  await Promise.race([
    once(socket as never, 'connect'),
    once(socket as never, 'connect_error').then(([error]) => Promise.reject(error)),
  ])
  const request = <E extends keyof TerminalRequests>(event: E, payload: unknown): Promise<Reply<E>> =>
    socket.timeout(10_000).emitWithAck(event, payload)
  return {
    socket,
    token,
    request,
    async open(node = 'pve') {
      if (role === 'operator') await jarvis.stepUp(token)
      const reply = await request('terminal:open', { node, cols: 80, rows: 24 })
      if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`)
      const { terminalId } = reply
      return {
        terminalId,
        shown: () => shown.get(terminalId) ?? '',
        type: (data: string) => request('terminal:input', { terminalId, data }),
        async sees(text: string | RegExp) {
          const has = () => (typeof text === 'string' ? this.shown().includes(text) : text.test(this.shown()))
          while (!has()) await new Promise<void>((resolve) => wake.push(resolve))
        },
        async end() {
          while (!ended.has(terminalId)) await new Promise<void>((resolve) => wake.push(resolve))
          return ended.get(terminalId)
        },
      }
    },
  }
}

async function journalOf(jarvis: TestJarvis) {
  const page = (await (await jarvis.rest('/api/journal?kind=terminal')).json()) as Page<JournalEntry>
  return page.items.map(({ body }) => body as Record<string, unknown>).reverse()
}

/** JARVIS with the demo cluster, whose nodes' terminals are a real SSH server's. */
async function overSsh(clock = systemClock) {
  const { sshd, options } = await startKnownSshd()
  const simulator = createSimulator({ clock, protectedTargets: new Set(), speed: 1_000 })
  const terminals = createSshTerminals({ ...options, addressOf: () => ({ host: sshd.host, port: sshd.port }) })
  const jarvis = await startJarvis({ env, clock, homelab: { ...simulator, terminals } })
  return { sshd, jarvis }
}

test('it is off unless it is turned on', async () => {
  const jarvis = await startJarvis()
  await expect(connect(jarvis)).rejects.toMatchObject({
    data: {
      code: 'forbidden',
      message: 'The terminal is off. JARVIS_TERMINAL=1 in .env turns it on at the next start.',
    },
  })
  const on = await startJarvis({ env })
  const hasTerminal = async ({ rest }: TestJarvis) => ((await (await rest('/api/status')).json()) as Status).hasTerminal
  expect([await hasTerminal(jarvis), await hasTerminal(on)]).toEqual([false, true])
  await expect(connect(on, 'operator', 'no-token')).rejects.toMatchObject({ data: { code: 'unauthorized' } })
})

test('a viewer gets no shell', async () => {
  const jarvis = await startJarvis({ env })
  const viewer = await connect(jarvis, 'viewer')
  await expect(viewer.open()).rejects.toThrow(/^forbidden/)
  expect(await journalOf(jarvis)).toEqual([])
})

test('the demo cluster answers line by line', async () => {
  const jarvis = await startJarvis({ env })
  const operator = await connect(jarvis)
  const shell = await operator.open('pve')

  await shell.sees('root@pve:~# ')
  await shell.type('hostnamx\x7fe')
  await shell.sees('hostnamx\b \be')
  await shell.type('\r')
  await shell.sees(/\r\npve\r\nroot@pve:~# $/)
  await shell.type('no-such | wc -l\rrubbish\x03')
  await shell.sees(/no-such: command not found\r\n.*rubbish\^C\r\nroot@pve:~# $/s)
  await shell.type('exit\r')

  expect(await shell.end()).toEqual({ terminalId: shell.terminalId, code: 0 })
  expect(await shell.type('pwd\r')).toMatchObject({ ok: false, error: { code: 'not_found' } })
})

sshdTest('an operator has a real shell on a node: a TTY of the right size, colours, keys, an exit code', async () => {
  const { jarvis } = await overSsh()
  const operator = await connect(jarvis)
  const shell = await operator.open()

  await shell.type('stty size; tty; echo "<$TERM>"; exec sh\r')
  await shell.sees(/24 80\r\n\/dev\/pts\/\d+\r\n<xterm-256color>/)
  await operator.request('terminal:resize', { terminalId: shell.terminalId, cols: 132, rows: 43 })
  await shell.type('stty size; cat\r')
  await shell.sees('43 132')
  // Answered by the program, so that it is what is interrupted.
  await shell.type('meow\r')
  await shell.sees('meow\r\nmeow')
  await shell.type('\x03')
  await shell.sees(/\^C\s+[#$] $/)
  await shell.type('echo "äö$((40 + 2))"; exit 7\r')
  await shell.sees('äö42')
  expect(await shell.end()).toEqual({ terminalId: shell.terminalId, code: 7 })
})

sshdTest('the journal says who, where, how long and how much, and not what was typed or shown', async () => {
  const { jarvis, sshd } = await overSsh()
  const operator = await connect(jarvis)
  const events = await jarvis.connect('/events')
  const shell = await operator.open()
  await shell.type('echo se""cret\r')
  await shell.sees('secret')
  await operator.request('terminal:close', { terminalId: shell.terminalId })
  expect(await shell.end()).toEqual({ terminalId: shell.terminalId, reason: 'closed' })

  const [opening, closed] = await journalOf(jarvis)
  const who = { terminalId: shell.terminalId, node: 'pve', by: 'operator' }
  expect(opening).toEqual({ event: 'opening', ...who })
  expect(closed).toEqual({
    event: 'closed',
    ...who,
    reason: 'closed',
    durationMs: expect.any(Number),
    bytesIn: 14,
    bytesOut: Buffer.byteLength(shell.shown()),
  })
  expect(JSON.stringify(await journalOf(jarvis))).not.toContain('cret')
  const opened = { node: 'pve', text: 'operator opened a shell on pve.' }
  // The demo's full storage is told before.
  for (;;) {
    const line: Record<string, unknown> = await events.next('event' as never)
    if (line.text !== opened.text) continue
    expect(line).toMatchObject(opened)
    break
  }

  await sshd.stop()
  await expect(operator.open()).rejects.toThrow(/^cluster_unreachable: pve .* cannot be reached over SSH/)
  expect((await journalOf(jarvis)).slice(2)).toMatchObject([
    { event: 'opening' },
    { event: 'closed', reason: expect.stringMatching(/connection refused/), bytesOut: 0 },
  ])
})

sshdTest('signing out ends the shell and what runs in it', async () => {
  const { jarvis } = await overSsh()
  const operator = await connect(jarvis)
  const shell = await operator.open()
  await shell.type('echo "pid $$."\r')
  await shell.sees(/pid \d+\./)
  const pid = Number(/pid (\d+)\./.exec(shell.shown())?.[1])

  const dropped = once(operator.socket as never, 'disconnect')
  await jarvis.rest('/api/auth/logout', { method: 'POST', headers: { authorization: `Bearer ${operator.token}` } })
  await dropped
  await expect.poll(() => isAlive(pid)).toBe(false)
  expect((await journalOf(jarvis)).at(-1)).toMatchObject({ event: 'closed', reason: 'the client went away' })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a shell without input is ended after half an hour', async () => {
  const clock = createFakeClock(noon())
  const jarvis = await startJarvis({ env, clock, clusterStands: true })
  const shell = await (await connect(jarvis)).open()
  await clock.advance(29 * 60_000)
  await shell.type('a')
  await clock.advance(29 * 60_000)
  await shell.type('b')
  await clock.advance(30 * 60_000)
  expect(await shell.end()).toEqual({ terminalId: shell.terminalId, reason: 'no input for 30 minutes' })
})

test('there are at most eight, and what is closed or failed makes room', async () => {
  const jarvis = await startJarvis({ env })
  const [operator, other] = [await connect(jarvis), await connect(jarvis)]
  await expect(operator.open('no-node')).rejects.toThrow(/^not_found/)
  const shells = [await other.open()]
  for (let count = 1; count < 8; count += 1) shells.push(await operator.open())
  await expect(other.open()).rejects.toThrow('too_many_requests: 8 terminals are open. Close one of them first.')

  const [first, second] = shells
  await other.request('terminal:close', { terminalId: first?.terminalId })
  await first?.end()
  await other.open()
  operator.socket.disconnect()
  await expect
    .poll(() =>
      other.open().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  // Nobody but who opened it has it.
  expect(await other.request('terminal:input', { terminalId: second?.terminalId, data: 'x' })).toMatchObject({
    error: { code: 'not_found' },
  })
})

sshdTest('much output arrives whole', async () => {
  const { jarvis } = await overSsh()
  const shell = await (await connect(jarvis)).open()
  await shell.type('stty -echo; PS1=; head -c 5000000 /dev/zero | tr "\\0" y; exit\r')
  await shell.end()
  expect(shell.shown().replace(/[^y]+/g, '').length).toBeGreaterThanOrEqual(5_000_000)
})

test('while a client does not read, the shell is held back', async () => {
  const total = 64 * 1024 * 1024
  const chunk = 'z'.repeat(64 * 1024)
  let sent = 0
  let turnsHeld = 0
  let isHeld = true
  let pump = () => {}
  const terminals: Terminals = {
    async open(_node, { onOutput, onEnd }) {
      pump = () => {
        turnsHeld = isHeld ? turnsHeld + 1 : 0
        if (!isHeld) {
          sent += chunk.length
          onOutput(chunk)
        }
        if (sent === total) onEnd(0)
        else setImmediate(pump)
      }
      const hold = (held: boolean) => () => {
        isHeld = held
      }
      return { write: pump, resize() {}, pause: hold(true), resume: hold(false), close() {} }
    },
  }
  const simulator = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  const jarvis = await startJarvis({ env, homelab: { ...simulator, terminals } })
  const operator = await connect(jarvis)
  const shell = await operator.open()
  const { ws } = operator.socket.io.engine.transport as unknown as { ws: { _socket: NodeJS.ReadStream } }
  ws._socket.pause()

  operator.socket.emit('terminal:input', { terminalId: shell.terminalId, data: 'go' })
  await expect.poll(() => turnsHeld).toBeGreaterThan(1_000)
  expect(sent).toBeLessThan(total / 2)

  ws._socket.resume()
  await shell.end()
  expect(shell.shown()).toHaveLength(total)
})

test('bad requests are answered', async () => {
  const jarvis = await startJarvis({ env })
  const { request } = await connect(jarvis)
  for (const size of [{ cols: 0, rows: 24 }, { cols: 80 }, { cols: 80, rows: 24, command: 'reboot' }]) {
    expect(await request('terminal:open', { node: 'pve', ...size })).toMatchObject({
      error: { code: 'invalid_request' },
    })
  }
  expect(await request('terminal:resize', { terminalId: 'trm_0', cols: 80, rows: 24 })).toMatchObject({
    error: { code: 'not_found' },
  })
})
