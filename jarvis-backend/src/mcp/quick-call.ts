import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Catalog } from '../tools/catalog.ts'
import type { Surface } from './surface.ts'
import { isRead } from './tool-list.ts'

const version = '2026-07-28'

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
        [CLIENT_CAPABILITIES_META_KEY]: z.record(z.string(), z.unknown()),
        [CLIENT_INFO_META_KEY]: z.looseObject({ name: z.string() }).optional(),
      })
      .optional(),
  }),
})
export type QuickCall = z.infer<typeof Call>

/**
 * A read that needs nothing of the protocol but its answer, which is most of what clients do: the SDK's way through web
 * requests, streams and a server of its own costs several times the read itself. All that is unusual goes that way.
 * @param hasSession the client is an older one with a session.
 */
export function quickCallIn(
  { headers }: IncomingMessage,
  body: unknown,
  hasSession: boolean,
  { catalog, surface }: { catalog: Catalog; surface: Surface },
): QuickCall | undefined {
  const accept = headers.accept ?? ''
  if (headers['content-type'] !== 'application/json' || !accept.includes('application/json')) return undefined
  if (!accept.includes('text/event-stream')) return undefined
  const read = Call.safeParse(body)
  if (!read.success) return undefined
  const { name, _meta } = read.data.params
  if (!isRead(catalog.get(name)) || surface.answers?.[name] !== undefined) return undefined
  if (hasSession !== (_meta === undefined)) return undefined
  if (hasSession) return olderVersions.has(String(headers['mcp-protocol-version'])) ? read.data : undefined
  const isSaid =
    headers['mcp-protocol-version'] === version &&
    headers['mcp-method'] === 'tools/call' &&
    headers['mcp-name'] === name
  return isSaid ? read.data : undefined
}

const olderVersions: ReadonlySet<string> = new Set(['2025-03-26', '2025-06-18', '2025-11-25'])

export const clientNameIn = ({ params }: QuickCall) => params._meta?.[CLIENT_INFO_META_KEY]?.name

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
