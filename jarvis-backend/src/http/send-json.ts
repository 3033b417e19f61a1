import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, Response } from 'express'

const pack = promisify(gzip)
/** Smaller answers fit one packet as they are, bytes. */
const leastBytes = 1_400
/** Higher levels take more CPU time for answers that are hardly smaller. */
const level = 4

/** Sends an answer as JSON, compressed if the client accepts it. Only for answers without secrets, see `isPacked` of a route. */
export async function sendPacked({ request, response }: { request: Request; response: Response }, answer: unknown) {
  response.vary('Accept-Encoding')
  const text = JSON.stringify(answer)
  if (text.length < leastBytes || request.acceptsEncodings('gzip') === false) return response.json(answer)
  const packed = await pack(text, { level })
  return response.set('Content-Encoding', 'gzip').type('json').send(packed)
}
