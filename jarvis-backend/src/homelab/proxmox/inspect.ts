import type { Agent } from 'node:https'
import { byNatural } from '../../lib/natural.ts'
import { NodeRow, rowsOf, StatusRow } from './answers.ts'
import { createAgent } from './connect.ts'
import { exchange } from './exchange.ts'
import { failureOf, tokenRefused } from './failure.ts'
import { type Rights, rightsIn } from './rights.ts'
import type { Connection } from './transport.ts'

const connectMs = 5_000
const answerMs = 8_000

/** Result for one address. `problem`: why it does not serve. `skewMs`: how far its clock is ahead of ours, precise to a second. */
export type EntryReport = { url: string; version?: string; problem?: string; skewMs?: number }
/** `isOnline`: null where the cluster does not tell. */
export type SeenNode = { name: string; isOnline: boolean | null; address?: string }

/** `rights`: undefined where no address served, or the cluster does not tell the token's rights. */
export type Inspection = {
  entries: EntryReport[]
  rights: Rights
  /** All nodes that the cluster names, sorted by name. */
  nodes: SeenNode[]
}

/**
 * Tries each address with the token: connection, certificate, sign-in, clock; then reads the token's rights and the nodes through the
 * first that serves. Changes nothing. Problems are part of the result. @throws only the signal's reason
 */
export async function inspectCluster(
  connection: Connection,
  { now, signal }: { now(): number; signal: AbortSignal },
): Promise<Inspection> {
  const agent = createAgent(connection, { keepAlive: false, maxSockets: 4, connectMs })
  const get = (url: string, path: string) => ask({ connection, agent, url, path, signal })
  try {
    const entries = await Promise.all(connection.urls.map((url) => inspectEntry(get, url, now)))
    signal.throwIfAborted()
    const serving = entries.find(({ problem }) => problem === undefined)
    if (serving === undefined) return { entries, rights: undefined, nodes: [] }
    const orNothing = async (path: string) => {
      try {
        return (await get(serving.url, path)).data
      } catch {
        signal.throwIfAborted()
        return undefined
      }
    }
    const [permissions, resources, status] = await Promise.all([
      orNothing('access/permissions'),
      orNothing('cluster/resources?type=node'),
      orNothing('cluster/status'),
    ])
    return { entries, rights: rightsIn(permissions), nodes: nodesIn(resources, status) }
  } finally {
    agent.destroy()
  }
}

type Answer = { data: unknown; date: number | undefined }
type Get = (url: string, path: string) => Promise<Answer>

async function inspectEntry(get: Get, url: string, now: () => number): Promise<EntryReport> {
  const askedAt = now()
  try {
    const { data, date } = await get(url, 'version')
    const { version } = (data ?? {}) as { version?: unknown }
    if (typeof version !== 'string') return { url, problem: 'does not answer as a Proxmox server does' }
    // The header has whole seconds, so half a second is added; our time is the middle of the request.
    const skewMs = date === undefined ? undefined : date + 500 - (askedAt + now()) / 2
    return { url, version, ...(skewMs !== undefined && { skewMs: Math.round(skewMs) }) }
  } catch (error) {
    return { url, problem: error instanceof Error ? error.message.replace(/\.$/, '') : String(error) }
  }
}

async function ask(parts: {
  connection: Connection
  agent: Agent
  url: string
  path: string
  signal: AbortSignal
}): Promise<Answer> {
  const { tokenId, tokenSecret } = parts.connection
  const reply = await exchange({
    url: new URL(parts.url),
    agent: parts.agent,
    method: 'GET',
    path: `/api2/json/${parts.path}`,
    headers: { accept: 'application/json', authorization: `PVEAPIToken=${tokenId}=${tokenSecret}` },
    body: undefined,
    signal: parts.signal,
    answerMs,
  })
  // No message may contain the token's secret.
  const mask = (text: string) => text.replaceAll(tokenSecret, '[token]')
  if (reply.status === 401) throw new Error(tokenRefused(tokenId))
  if (reply.status >= 400) {
    const said = { ...reply, phrase: mask(reply.phrase), text: mask(reply.text) }
    throw failureOf(said, { host: new URL(parts.url).host, tokenId, isChange: false })
  }
  let data: unknown
  try {
    data = (JSON.parse(reply.text) as { data?: unknown }).data
  } catch {
    throw new Error(`answers with something that is not JSON (${reply.status}): is it a Proxmox server?`)
  }
  return { data, date: reply.date }
}

/** Every node that the cluster names. @param status rows of its members; empty where the token may not read them */
export function nodesIn(resources: unknown, status: unknown): SeenNode[] {
  const members = new Map(
    rowsOf(StatusRow, status)
      .rows.filter(({ type }) => type === 'node')
      .map((row) => [row.name, row]),
  )
  const listed = new Map(rowsOf(NodeRow, resources).rows.map((row) => [row.node, row]))
  return [...new Set([...listed.keys(), ...members.keys()])].sort(byNatural).map((name) => {
    const member = members.get(name)
    const said = listed.get(name)?.status
    return {
      name,
      isOnline: member?.online ?? (said === 'online' ? true : said === 'offline' ? false : null),
      ...(member?.ip !== undefined && { address: member.ip }),
    }
  })
}
