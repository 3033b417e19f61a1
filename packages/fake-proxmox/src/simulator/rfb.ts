import type { ScreenSession } from 'homelab-ports/ports'
import type { Clock } from 'node-kit/clock'
import { hasDot } from './rfb-font.ts'

const scale = 2
const cell = { width: 6 * scale, height: 8 * scale }
const text = { columns: 60, rows: 20 }
const size = { width: text.columns * cell.width, height: text.rows * cell.height }
const tickMs = 1_000
/** Most of a client's unread messages, bytes; the longest is a pasted text. */
const mostUnread = 256 * 1024

const keys = { backspace: 0xff08, enter: 0xff0d, delete: 0xffff, control: [0xffe3, 0xffe4], alt: [0xffe9, 0xffea] }

/** 32 bits per pixel, 8 per colour: what viewers ask for. `shifts`: of red, green and blue. */
type Format = { isBigEndian: boolean; shifts: [number, number, number] }
const ink = [190, 220, 200] as const
const ground = [12, 16, 20] as const

/**
 * A text screen as a server of the RFB protocol 3.8 without a password: `lines`, drawn again each second, and below them what is typed.
 * Messages that it does not know end it, as the protocol has no way to skip them.
 */
export function rfbServer(on: {
  name: string
  clock: Clock
  lines(): readonly string[]
  onOutput(data: Uint8Array): void
  onEnd(reason?: string): void
}): ScreenSession & { end(reason?: string): void } {
  let unread = Buffer.alloc(0)
  let step: (() => number) | undefined = readVersion
  let format: Format = { isBigEndian: false, shifts: [16, 8, 0] }
  let isWanted = false
  let shown: string[] = []
  let typed = ''
  let notice = ''
  const pressed = new Set<number>()
  let isHeld = true
  let isOver = false
  const waiting: Buffer[] = []

  function send(data: Buffer) {
    waiting.push(data)
    flush()
  }
  function flush() {
    while (!isHeld && !isOver) {
      const next = waiting.shift()
      if (next === undefined) return
      on.onOutput(next)
    }
  }
  function end(reason?: string) {
    if (isOver) return
    isOver = true
    disarm()
    on.onEnd(reason)
  }

  /** @returns how many bytes were a whole message; 0: more must come */
  function readVersion(): number {
    if (unread.length < 12) return 0
    // One security type: none.
    send(Buffer.from([1, 1]))
    step = readSecurity
    return 12
  }
  function readSecurity(): number {
    if (unread.length < 1) return 0
    send(Buffer.alloc(4))
    step = readInit
    return 1
  }
  function readInit(): number {
    if (unread.length < 1) return 0
    const name = Buffer.from(on.name)
    const init = Buffer.alloc(24)
    init.writeUInt16BE(size.width, 0)
    init.writeUInt16BE(size.height, 2)
    init.set([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, ...format.shifts], 4)
    init.writeUInt32BE(name.length, 20)
    send(Buffer.concat([init, name]))
    step = readMessage
    return 1
  }
  function readMessage(): number {
    const has = (length: number) => (unread.length >= length ? length : 0)
    switch (unread[0]) {
      case undefined:
        return 0
      case 0:
        return has(20) && setFormat()
      case 2:
        return unread.length < 4 ? 0 : has(4 + 4 * unread.readUInt16BE(2))
      case 3:
        return has(10) && askPicture()
      case 4:
        return has(8) && key(unread[1] === 1, unread.readUInt32BE(4))
      case 5:
        return has(6)
      case 6:
        return unread.length < 8 ? 0 : has(8 + Math.abs(unread.readInt32BE(4)))
      default:
        end('the viewer sent a message that the demo does not know')
        return 0
    }
  }

  function setFormat(): number {
    const [bits, , isBigEndian] = unread.subarray(4)
    if (bits !== 32) end('the viewer wants other pixels than of 32 bits')
    format = { isBigEndian: isBigEndian === 1, shifts: [unread[14] ?? 16, unread[15] ?? 8, unread[16] ?? 0] }
    return 20
  }
  function askPicture(): number {
    if (unread[1] === 0) shown = []
    isWanted = true
    draw()
    return 10
  }
  function key(isDown: boolean, symbol: number): number {
    if (isDown) pressed.add(symbol)
    else pressed.delete(symbol)
    const holds = (either: readonly number[]) => either.some((one) => pressed.has(one))
    if (isDown && symbol === keys.delete && holds(keys.control) && holds(keys.alt)) notice = 'Ctrl Alt Del was pressed.'
    else if (isDown && symbol === keys.enter) typed = ''
    else if (isDown && symbol === keys.backspace) typed = typed.slice(0, -1)
    else if (isDown && symbol >= 32 && symbol < 127 && typed.length < text.columns - 2)
      typed += String.fromCharCode(symbol)
    draw()
    return 8
  }

  /** Sends the rows that have changed, if the viewer has asked for a picture. */
  function draw() {
    if (!isWanted || isOver) return
    const now = [...on.lines(), '', `> ${typed}_`, '', notice]
    const rows = Array.from({ length: text.rows }, (_, row) => (now[row] ?? '').slice(0, text.columns))
    const changed = rows.flatMap((line, row) => (shown[row] === line ? [] : [{ line, row }]))
    if (changed.length === 0) return
    isWanted = false
    shown = rows
    const head = Buffer.alloc(4)
    head.writeUInt16BE(changed.length, 2)
    send(head)
    for (const { line, row } of changed) send(rectangle(line, row, format))
  }
  let disarm = () => {}
  const tick = () => {
    draw()
    disarm = on.clock.after(tickMs, tick)
  }
  disarm = on.clock.after(tickMs, tick)
  send(Buffer.from('RFB 003.008\n'))

  return {
    write(data) {
      unread = Buffer.concat([unread, data])
      for (;;) {
        const used = isOver ? 0 : (step?.() ?? 0)
        if (used === 0) break
        unread = unread.subarray(used)
      }
      if (unread.length > mostUnread) end('the viewer sent too much')
    },
    resize() {},
    pause() {
      isHeld = true
    },
    resume() {
      isHeld = false
      flush()
    },
    close: () => end(),
    end,
  }
}

/** One row of text as a raw rectangle. */
function rectangle(line: string, row: number, { isBigEndian, shifts }: Format): Buffer {
  const [red, green, blue] = shifts
  const pixelOf = ([r, g, b]: readonly [number, number, number]) => ((r << red) | (g << green) | (b << blue)) >>> 0
  const colours = [pixelOf(ground), pixelOf(ink)] as const
  const data = Buffer.alloc(12 + size.width * cell.height * 4)
  data.writeUInt16BE(row * cell.height, 2)
  data.writeUInt16BE(size.width, 4)
  data.writeUInt16BE(cell.height, 6)
  let at = 12
  for (let y = 0; y < cell.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      const isInk = hasDot(
        line[Math.floor(x / cell.width)] ?? ' ',
        Math.floor((x % cell.width) / scale),
        Math.floor(y / scale),
      )
      const value = colours[isInk ? 1 : 0]
      if (isBigEndian) data.writeUInt32BE(value, at)
      else data.writeUInt32LE(value, at)
      at += 4
    }
  }
  return data
}
