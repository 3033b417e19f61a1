import type { ScreenSession } from 'homelab-ports/ports'
import type { Clock } from 'node-kit/clock'
import { hasDot } from './rfb-font.ts'

const scale = 2
const cell = { width: 6 * scale, height: 8 * scale }
const text = { columns: 60, rows: 20 }
const size = { width: text.columns * cell.width, height: text.rows * cell.height }
const tickMs = 1_000
/** Maximum size of a client's unread messages, bytes. The longest message is a pasted text. */
const mostUnread = 256 * 1024

const keys = { backspace: 0xff08, enter: 0xff0d, delete: 0xffff, control: [0xffe3, 0xffe4], alt: [0xffe9, 0xffea] }

/** A pixel format with 32 bits per pixel and 8 per colour, which viewers request. `shifts`: bit positions of red, green and blue. */
type Format = { isBigEndian: boolean; shifts: [number, number, number] }
const ink = [190, 220, 200] as const
const ground = [12, 16, 20] as const

type ScreenParts = {
  name: string
  clock: Clock
  lines(): readonly string[]
  onOutput(data: Uint8Array): void
  onEnd(reason?: string): void
}

/**
 * A server of the RFB protocol 3.8, without a password, that shows text: `lines`, drawn again each second, and below them the typed text. An unknown
 * message ends the session, because the protocol gives no way to skip it.
 */
export function rfbServer(parts: ScreenParts): ScreenSession & { end(reason?: string): void } {
  const server = new RfbServer(parts)
  return {
    write: (data) => server.read(data),
    resize() {},
    pause: () => server.hold(),
    resume: () => server.release(),
    close: () => server.end(),
    end: (reason) => server.end(reason),
  }
}

class RfbServer {
  readonly #parts: ScreenParts
  #unread = Buffer.alloc(0)
  /** Reads the next message. @returns the length of the message in bytes; 0: the message is not complete yet */
  #step: () => number = () => this.#readVersion()
  #format: Format = { isBigEndian: false, shifts: [16, 8, 0] }
  #isWanted = false
  #shown: string[] = []
  #typed = ''
  #notice = ''
  readonly #pressed = new Set<number>()
  #isHeld = true
  #isOver = false
  readonly #waiting: Buffer[] = []
  #disarm = () => {}

  constructor(parts: ScreenParts) {
    this.#parts = parts
    this.#tickLater()
    this.#send(Buffer.from('RFB 003.008\n'))
  }

  read(data: Uint8Array): void {
    this.#unread = Buffer.concat([this.#unread, data])
    for (;;) {
      const used = this.#isOver ? 0 : this.#step()
      if (used === 0) break
      this.#unread = this.#unread.subarray(used)
    }
    if (this.#unread.length > mostUnread) this.end('the viewer sent too much')
  }

  hold(): void {
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#flush()
  }

  end(reason?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#disarm()
    this.#parts.onEnd(reason)
  }

  #send(data: Buffer) {
    this.#waiting.push(data)
    this.#flush()
  }

  #flush() {
    while (!this.#isHeld && !this.#isOver) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#parts.onOutput(next)
    }
  }

  #tickLater() {
    this.#disarm = this.#parts.clock.after(tickMs, () => {
      this.#draw()
      this.#tickLater()
    })
  }

  #readVersion(): number {
    if (this.#unread.length < 12) return 0
    // Offer one security type: none.
    this.#send(Buffer.from([1, 1]))
    this.#step = () => this.#readSecurity()
    return 12
  }

  #readSecurity(): number {
    if (this.#unread.length < 1) return 0
    this.#send(Buffer.alloc(4))
    this.#step = () => this.#readInit()
    return 1
  }

  #readInit(): number {
    if (this.#unread.length < 1) return 0
    const name = Buffer.from(this.#parts.name)
    const init = Buffer.alloc(24)
    init.writeUInt16BE(size.width, 0)
    init.writeUInt16BE(size.height, 2)
    init.set([32, 24, 0, 1, 0, 255, 0, 255, 0, 255, ...this.#format.shifts], 4)
    init.writeUInt32BE(name.length, 20)
    this.#send(Buffer.concat([init, name]))
    this.#step = () => this.#readMessage()
    return 1
  }

  #readMessage(): number {
    const unread = this.#unread
    const has = (length: number) => (unread.length >= length ? length : 0)
    switch (unread[0]) {
      case undefined:
        return 0
      case 0:
        return has(20) && this.#setFormat()
      case 2:
        return unread.length < 4 ? 0 : has(4 + 4 * unread.readUInt16BE(2))
      case 3:
        return has(10) && this.#askPicture()
      case 4:
        return has(8) && this.#key(unread[1] === 1, unread.readUInt32BE(4))
      case 5:
        return has(6)
      case 6:
        return unread.length < 8 ? 0 : has(8 + Math.abs(unread.readInt32BE(4)))
      default:
        this.end('the viewer sent a message that the demo does not know')
        return 0
    }
  }

  #setFormat(): number {
    const unread = this.#unread
    const [bits, , isBigEndian] = unread.subarray(4)
    if (bits !== 32) this.end('the viewer wants other pixels than of 32 bits')
    this.#format = { isBigEndian: isBigEndian === 1, shifts: [unread[14] ?? 16, unread[15] ?? 8, unread[16] ?? 0] }
    return 20
  }

  #askPicture(): number {
    if (this.#unread[1] === 0) this.#shown = []
    this.#isWanted = true
    this.#draw()
    return 10
  }

  #key(isDown: boolean, symbol: number): number {
    const pressed = this.#pressed
    if (isDown) pressed.add(symbol)
    else pressed.delete(symbol)
    const holds = (either: readonly number[]) => either.some((one) => pressed.has(one))
    if (isDown && symbol === keys.delete && holds(keys.control) && holds(keys.alt))
      this.#notice = 'Ctrl Alt Del was pressed.'
    else if (isDown && symbol === keys.enter) this.#typed = ''
    else if (isDown && symbol === keys.backspace) this.#typed = this.#typed.slice(0, -1)
    else if (isDown && symbol >= 32 && symbol < 127 && this.#typed.length < text.columns - 2)
      this.#typed += String.fromCharCode(symbol)
    this.#draw()
    return 8
  }

  /** Sends the rows that have changed, if the viewer has requested an update. */
  #draw() {
    if (!this.#isWanted || this.#isOver) return
    const now = [...this.#parts.lines(), '', `> ${this.#typed}_`, '', this.#notice]
    const rows = Array.from({ length: text.rows }, (_, row) => (now[row] ?? '').slice(0, text.columns))
    const changed = rows.flatMap((line, row) => (this.#shown[row] === line ? [] : [{ line, row }]))
    if (changed.length === 0) return
    this.#isWanted = false
    this.#shown = rows
    const head = Buffer.alloc(4)
    head.writeUInt16BE(changed.length, 2)
    this.#send(head)
    for (const { line, row } of changed) this.#send(rectangle(line, row, this.#format))
  }
}

/** Encodes one row of text as a raw rectangle. */
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
