import { faultAtProxy } from '../../../lib/unreachable.ts'
import { SearchFailed } from './engine.ts'

const slowestMs = 15_000
const mostBytes = 2_000_000

/** Asks a search service that the operator named. `json` is undefined if the answer is not JSON. @throws SearchFailed, or the signal's reason */
export async function askJson(
  url: URL,
  {
    headers,
    signal,
    place,
    fix,
  }: { headers?: Record<string, string>; signal: AbortSignal; place: string; fix: string },
): Promise<{ status: number; json: unknown; text: string }> {
  const limit = AbortSignal.timeout(slowestMs)
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    })
    const text = await limited(response)
    return { status: response.status, json: parsed(text), text: text.slice(0, 500) }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SearchFailed) throw error
    const atProxy = faultAtProxy(error)
    const why = limit.aborted
      ? `did not answer in ${slowestMs / 1000} s`
      : `cannot be reached${atProxy === undefined ? '' : `: ${atProxy.message}`}`
    throw new SearchFailed('unreachable', { message: `${place} ${why}.`, fix }, { cause: error })
  }
}

async function limited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes)
      throw new SearchFailed('odd', { message: 'The answer is larger than 2 MB.', fix: 'Is it a search service?' })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
