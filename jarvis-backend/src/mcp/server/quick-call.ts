import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  isSpecType,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { declaresTasks } from './task-handlers.ts'

const version = '2026-07-28'
const olderVersions: ReadonlySet<unknown> = new Set(['2025-03-26', '2025-06-18', '2025-11-25'])

/** A call without anything that has to be sent before its answer, and nothing besides. */
const Call = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]),
  method: z.literal('tools/call'),
  params: z.strictObject({
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    _meta: z
      .strictObject({
        [PROTOCOL_VERSION_META_KEY]: z.literal(version),
        [CLIENT_CAPABILITIES_META_KEY]: z.unknown(),
        [CLIENT_INFO_META_KEY]: z.unknown().optional(),
      })
      .optional(),
  }),
})
export type QuickCall = z.infer<typeof Call>

/**
 * A call that needs nothing of the protocol but its answer, which is most of what clients ask: the SDK's way through web
 * requests, streams and a server of its own costs several times as much as the read itself. This takes only what the SDK
 * would answer in just that way; all that is unusual, or wrong in any way, is left to it.
 * @param hasSession the client is an older one with a session.
 */
export function quickCallIn(headers: IncomingHttpHeaders, body: unknown, hasSession: boolean): QuickCall | undefined {
  const accept = headers.accept ?? ''
  if (headers['content-type'] !== 'application/json' || !accept.includes('application/json')) return undefined
  if (!accept.includes('text/event-stream')) return undefined
  const read = Call.safeParse(body)
  if (!read.success) return undefined
  const { name, _meta } = read.data.params
  if (hasSession) {
    return _meta === undefined && olderVersions.has(headers['mcp-protocol-version']) ? read.data : undefined
  }
  const isSaid =
    headers['mcp-protocol-version'] === version &&
    headers['mcp-method'] === 'tools/call' &&
    headers['mcp-name'] === name
  return isSaid && _meta !== undefined && isPlain(_meta) ? read.data : undefined
}

type Envelope = NonNullable<QuickCall['params']['_meta']>

/** As the SDK holds it against its schemas; clients say the same of themselves each time. */
function isPlain(envelope: Envelope): boolean {
  const text = JSON.stringify(envelope)
  if (text === lastPlain) return true
  const { [CLIENT_INFO_META_KEY]: info, [CLIENT_CAPABILITIES_META_KEY]: capabilities } = envelope
  const isKnown = info === undefined || isSpecType.Implementation(info)
  // What takes long becomes a task for who knows tasks.
  const isReading = isSpecType.ClientCapabilities(capabilities) && !declaresTasks(capabilities)
  if (isKnown && isReading) lastPlain = text
  return isKnown && isReading
}
let lastPlain: string | undefined

/** How the client calls itself, where it does. */
export const clientNameIn = ({ params }: QuickCall) =>
  (params._meta?.[CLIENT_INFO_META_KEY] as { name: string } | undefined)?.name

/** As the SDK writes it, in one piece. */
export function answerQuickly(
  response: ServerResponse,
  { id, params }: QuickCall,
  outcome: { result: CallToolResult } | { error: { code: number; message: string } },
  about: { info: object; sessionId: string | undefined },
) {
  if (response.destroyed) return
  const isCurrent = params._meta !== undefined
  const whole =
    isCurrent && 'result' in outcome
      ? { result: { ...outcome.result, resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: about.info } } }
      : outcome
  const text = JSON.stringify({ jsonrpc: '2.0', id, ...whole })
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(about.sessionId !== undefined && { 'mcp-session-id': about.sessionId }),
  })
  response.end(text)
}
