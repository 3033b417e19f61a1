import type { IncomingMessage } from 'node:http'
import { JarvisError } from 'protocol'
import { bodyBytes } from '../../lib/body-bytes.ts'
import { isDeeperThan } from '../../lib/depth.ts'

const mostBytes = 4 * 1024 * 1024
/** Maximum nesting depth of a request; no tool's arguments need more. */
const deepest = 100
const plainlyShallow = 1_000

const tooLarge = () => new JarvisError('invalid_request', 'The request holds more than 4 MB.')

/** Reads a request's JSON. @throws JarvisError `invalid_request` */
export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const bytes = await bodyBytes(request, mostBytes, tooLarge)
  try {
    const text = bytes.toString()
    // Later parsers would silently drop `__proto__`, but an unknown argument must be refused.
    const body: unknown = mayName.test(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text)
    // Later code walks the value recursively, so deep nesting is refused.
    if (text.length > plainlyShallow && isDeeperThan(body, deepest)) throw new Error('It is nested too deeply.')
    return body
  } catch (error) {
    throw error instanceof JarvisError ? error : new JarvisError('invalid_request', 'The request is not JSON.')
  }
}

/** Text that may contain the key `__proto__`, plain or with escaped letters. */
const mayName = /__proto__|\\u/

function withoutPrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new JarvisError('invalid_request', 'No argument is named __proto__.')
  return value
}
