import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { NotFetched } from './not-fetched.ts'

/** Limits of an answer's body, bytes: as received (`mostWireBytes`), and unpacked. */
export type BodyLimits = { mostWireBytes: number; mostBytes: number }

const unpackers: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
}

/**
 * Reads the body of an answer. One layer of gzip or br is unpacked. The unpacked bytes are counted here, because zlib's streams have no limit.
 * @throws NotFetched
 */
export async function readBody(
  response: IncomingMessage,
  { mostWireBytes, mostBytes }: BodyLimits,
  signal: AbortSignal,
): Promise<{ body: Buffer; wireBytes: number }> {
  const packing = (response.headers['content-encoding'] ?? '').trim().toLowerCase()
  const unpacker = packing === '' || packing === 'identity' ? undefined : unpackers[packing]
  if (unpacker === undefined && packing !== '' && packing !== 'identity')
    throw new NotFetched(
      packing.includes(',') ? 'it is packed more than once' : 'it is packed in a way that JARVIS does not read',
    )
  if (Number(response.headers['content-length'] ?? 0) > mostWireBytes) throw tooLarge(mostWireBytes)
  let wireBytes = 0
  let bytes = 0
  const chunks: Buffer[] = []
  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      wireBytes += chunk.length
      if (wireBytes > mostWireBytes) throw tooLarge(mostWireBytes)
      yield chunk
    }
  }
  async function kept(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > mostBytes) throw tooLarge(mostBytes)
      chunks.push(chunk)
    }
  }
  try {
    if (unpacker === undefined) await pipeline(response, counted, kept, { signal })
    else await pipeline(response, counted, unpacker(), kept, { signal })
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (/^(?:Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_PADDING)/.test(code)) throw new NotFetched('its packing is broken')
    throw error
  }
  return { body: Buffer.concat(chunks, bytes), wireBytes }
}

const tooLarge = (most: number) => new NotFetched(`it is larger than ${most / 1_000_000} MB`)
