import type { IncomingMessage } from 'node:http'
import { JarvisError } from '../protocol/index.ts'

const mostBytes = 4 * 1024 * 1024

/** The JSON of a request. @throws JarvisError `invalid_request` */
export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new JarvisError('invalid_request', 'The request holds more than 4 MB.')
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw new JarvisError('invalid_request', 'The request is not JSON.')
  }
}
