import type { Attachment } from '../../src/protocol/index.ts'
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

/** Uploads a file. @param text or bytes */
export const uploads = (jarvis: Pick<TestJarvis, 'rest'>, name: string, file: string | Buffer, init: object = {}) =>
  jarvis.rest('/api/attachments', {
    ...{ method: 'POST', json: { name, data: Buffer.from(file).toString('base64') }, ...init },
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
