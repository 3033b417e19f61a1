import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { Attachment } from 'protocol'
import type { TestJarvis } from './start-jarvis.ts'

/** Whole pictures of one pixel, as browsers and models take them. */
export const onePixel = {
  png: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  gif: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
}

/** The beginning of a PNG of that size, filled up to `bytes`. */
export function pngOf(widthPx: number, heightPx: number, bytes = 100): Buffer {
  const data = Buffer.alloc(bytes)
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(data)
  data.writeUInt32BE(widthPx, 16)
  data.writeUInt32BE(heightPx, 20)
  return data
}

/** A whole PNG of noise, which no format makes much smaller. */
export function noiseOf(widthPx: number, heightPx: number): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), body])
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(named))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    return Buffer.concat([length, named, sum])
  }
  const head = Buffer.from('00000000000000000802000000', 'hex')
  head.writeUInt32BE(widthPx, 0)
  head.writeUInt32BE(heightPx, 4)
  const lines = Array.from({ length: heightPx }, () => Buffer.concat([Buffer.of(0), randomBytes(3 * widthPx)]))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A whole black BMP. */
export function bitmapOf(widthPx: number, heightPx: number): Buffer {
  const line = Math.ceil((3 * widthPx) / 4) * 4
  const data = Buffer.alloc(54 + line * heightPx)
  data.write('BM')
  for (const [at, value] of [
    [2, data.length],
    [10, 54],
    [14, 40],
    [18, widthPx],
    [22, heightPx],
    [34, line * heightPx],
  ] as const)
    data.writeUInt32LE(value, at)
  data.writeUInt16LE(1, 26)
  data.writeUInt16LE(24, 28)
  return data
}

/** Uploads a file. @param text or bytes */
export const uploads = (jarvis: Pick<TestJarvis, 'rest'>, name: string, file: string | Buffer, init: object = {}) =>
  jarvis.rest('/api/attachments', {
    method: 'POST',
    json: { name, data: Buffer.from(file).toString('base64') },
    ...init,
  })

export async function attach(
  jarvis: Pick<TestJarvis, 'rest'>,
  name: string,
  file: string | Buffer,
): Promise<Attachment> {
  const reply = await uploads(jarvis, name, file)
  if (reply.status !== 201) throw new Error(await reply.text())
  return (await reply.json()) as Attachment
}
