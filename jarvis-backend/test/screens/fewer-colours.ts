import { deflateSync, inflateSync } from 'node:zlib'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
const mostColours = 256
/** Risk and health are few dots and all that matters: greys must not crowd them out. */
const mostVivid = 112

type Picture = { width: number; height: number /** Three bytes a dot. */; dots: Buffer }

/** The same picture as a PNG with a palette: the nearest of 256 common colours for each dot. */
export function fewerColours(png: Buffer): Buffer {
  const { width, height, dots } = decode(png)
  const counts = new Map<number, number>()
  for (let at = 0; at < dots.length; at += 3) {
    const colour = dots.readUIntBE(at, 3)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const common = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour)
  const vivid = common.filter(isVivid).slice(0, mostVivid)
  const palette = [...common.filter((colour) => !isVivid(colour)).slice(0, mostColours - vivid.length), ...vivid]
  const indexOf = new Map(palette.map((colour, index) => [colour, index]))
  for (const colour of counts.keys()) {
    if (!indexOf.has(colour)) indexOf.set(colour, nearest(palette, colour))
  }
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * (width + 1) + 1 + x] = indexOf.get(dots.readUIntBE((y * width + x) * 3, 3)) ?? 0
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const colours = Buffer.concat(palette.map((colour) => Buffer.from([colour >> 16, (colour >> 8) & 255, colour & 255])))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function isVivid(colour: number): boolean {
  const parts = [16, 8, 0].map((shift) => (colour >> shift) & 255)
  return Math.max(...parts) - Math.min(...parts) > 24
}

function nearest(palette: readonly number[], colour: number): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (const [index, known] of palette.entries()) {
    const [r, g, b] = [16, 8, 0].map((shift) => ((known >> shift) & 255) - ((colour >> shift) & 255)) as [
      number,
      number,
      number,
    ]
    const distance = r * r + g * g + b * b
    if (distance < least) [best, least] = [index, distance]
  }
  return best
}

/** As Chromium writes them: eight bits a colour, with or without alpha, not interlaced. */
function decode(png: Buffer): Picture {
  const data: Buffer[] = []
  let [width, height, channels] = [0, 0, 3]
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3]
    if (type === 'IDAT') data.push(body)
    at += length + 12
  }
  const raw = inflateSync(Buffer.concat(data))
  const stride = width * channels
  const dots = Buffer.alloc(width * height * 3)
  let before = Buffer.alloc(stride)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0
    const line = Buffer.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)))
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : (line[x - channels] ?? 0)
      const up = before[x] ?? 0
      const corner = x < channels ? 0 : (before[x - channels] ?? 0)
      line[x] = (line[x] ?? 0) + predicted(filter, left, up, corner)
    }
    for (let x = 0; x < width; x++) line.copy(dots, (y * width + x) * 3, x * channels, x * channels + 3)
    before = line
  }
  return { width, height, dots }
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  if (filter !== 4) return 0
  const guess = left + up - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  return a <= b && a <= c ? left : b <= c ? up : corner
}

function chunk(type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, check])
}

function crc32(bytes: Buffer): number {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}
