import type { IncomingMessage } from 'node:http'
import { ApiError } from 'openai-door/errors'
import { bodyBytes } from '../lib/body-bytes.ts'
import { isDeeperThan } from '../lib/depth.ts'

/** Maximum size of a body, bytes. */
const mostBytes = 24 * 1024 * 1024
/** Maximum nesting depth of a body; no schema of a tool needs more. */
const deepest = 100

/** Reads a request's JSON. `bytes`: the unparsed body. @throws ApiError 400, 413 */
export async function readJson(request: IncomingMessage): Promise<{ bytes: Buffer; value: unknown }> {
  const bytes = await bytesOf(request)
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch (cause) {
    throw new ApiError('invalid_json', 'The body is not valid JSON.', { status: 400, cause })
  }
  if (isDeeperThan(value, deepest))
    throw new ApiError('invalid_json', 'The body is nested too deeply.', { status: 400 })
  return { bytes, value }
}

/** Reads a request's body, at most `most` bytes. @throws ApiError 413 */
export const bytesOf = (request: IncomingMessage, most = mostBytes): Promise<Buffer> =>
  bodyBytes(
    request,
    most,
    () =>
      new ApiError('message_too_large', `A request may hold ${Math.floor(most / 1024 / 1024)} MB. Send less.`, {
        status: 413,
      }),
  )
