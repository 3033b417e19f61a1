import type { Agent } from 'node:https'
import { failureOf, tokenRefused } from 'homelab-ports/failure'
import { byNatural } from 'node-kit/natural'
import { NodeRow, rowsOf, StatusRow, StorageRow } from '../pve/answers.ts'
import { backupSight, hiddenWhy, isForbidden, type Rights, rightsIn, type Shown } from '../pve/rights.ts'
import { createAgent } from './connect.ts'
import { eachOf } from './each.ts'
import { exchange } from './exchange.ts'
import type { Connection } from './transport.ts'

const connectMs = 5_000
const answerMs = 8_000
const triesAtOnce = 4

/** The result for one address. `problem`: why the address does not work. `skewMs`: how far its clock is ahead of JARVIS's, ms, exact to a second. */
export type EntryReport = { url: string; version?: string; problem?: string; skewMs?: number }
/** `isOnline`: null if the cluster does not report it. */
export type SeenNode = { name: string; isOnline: boolean | null; address?: string }

/** `rights`: undefined if no address works, or if the cluster does not report the token's rights. */
export type Inspection = {
  entries: EntryReport[]
  rights: Rights
  /** All nodes that the cluster names, sorted by name. */
  nodes: SeenNode[]
  /** The outcome of one read of each kind; empty if no reads were requested. */
  tried: Tried[]
}

/**
 * A read that was tried. `right`: the right that the read needs. `count`: number of items, if the answer is a list. `hidden`: why the list may lack
 * items, in words.
 */
export type Tried = {
  what: string
  right: string
  answer: { count: number | undefined; hidden: string | undefined } | { problem: string }
}

/**
 * Tests each address with the token: connection, certificate, sign-in, clock. Then reads the token's rights and the nodes through the first address
 * that works. Changes nothing. Problems are part of the result.
 * @param options.tries also tries one read of each kind that JARVIS makes with the base role @throws only the signal's reason
 */
export async function inspectCluster(
  connection: Connection,
  { now, signal, tries = false }: { now(): number; signal: AbortSignal; tries?: boolean },
): Promise<Inspection> {
  const agent = createAgent(connection, { keepAlive: false, maxSockets: 4, connectMs })
  const get = (url: string, path: string) => ask({ connection, agent, url, path, signal })
  try {
    const entries = await Promise.all(connection.urls.map((url) => inspectEntry(get, url, now)))
    signal.throwIfAborted()
    const serving = entries.find(({ problem }) => problem === undefined)
    if (serving === undefined) return { entries, rights: undefined, nodes: [], tried: [] }
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
      orNothing('cluster/resources'),
      orNothing('cluster/status'),
    ])
    const rights = rightsIn(permissions)
    const nodes = nodesIn(resources, status)
    const place = { node: nodes.find(({ isOnline }) => isOnline !== false)?.name, storages: storagesIn(resources) }
    const tried = tries ? await tryReads((path) => get(serving.url, path), { ...place, rights }, signal) : []
    return { entries, rights, nodes, tried }
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
    // The header has whole seconds, so half a second is added. It is compared with JARVIS's time in the middle of the request.
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

type Place = { node: string | undefined; storages: { node: string; storage: string; content: string }[] }

const storagesIn = (resources: unknown): Place['storages'] =>
  rowsOf(StorageRow, Array.isArray(resources) ? resources.filter((row) => row?.type === 'storage') : []).rows.flatMap(
    ({ node, storage, content = '', status }) => (status === 'available' ? [{ node, storage, content }] : []),
  )

/** Tries one read of each kind, through the first node that is not offline, and the first storages that hold backups and disks. */
async function tryReads(
  get: (path: string) => Promise<Answer>,
  { node, storages, rights }: Place & { rights: Rights },
  signal: AbortSignal,
): Promise<Tried[]> {
  const isOfType =
    (...types: string[]) =>
    (row: { type?: unknown }) =>
      types.includes(String(row.type))
  const holding = (kind: RegExp) => storages.find(({ content }) => kind.test(content))
  const [backups, disks] = [holding(/backup/), holding(/images|rootdir/)]
  const at = node === undefined ? undefined : `nodes/${encodeURIComponent(node)}`
  const content = (on: Place['storages'][number] | undefined, kind: string) =>
    on && `nodes/${encodeURIComponent(on.node)}/storage/${encodeURIComponent(on.storage)}/content?content=${kind}`
  type Read = [
    what: string,
    path: string | undefined,
    right: string,
    shown?: Shown | 'backups',
    only?: (row: object) => boolean,
  ]
  const reads: Read[] = [
    ['guests', 'cluster/resources', 'VM.Audit', 'guests', isOfType('qemu', 'lxc')],
    ['storages', 'cluster/resources', 'Datastore.Audit', 'storages', isOfType('storage')],
    ['tasks', 'cluster/tasks', 'Sys.Audit', 'tasks'],
    ['pools', 'pools', 'Pool.Audit', 'pools'],
    [`bridges of ${node}`, at && `${at}/network`, 'SDN.Audit', 'bridges', isOfType('bridge', 'OVSBridge')],
    [`backups on ${backups?.storage}`, content(backups, 'backup'), 'VM.Backup', 'backups'],
    [`disks of guests on ${disks?.storage}`, content(disks, 'images'), 'VM.Config.Disk', 'disks'],
    ['quorum', 'cluster/status', 'Sys.Audit'],
    ['backup jobs', 'cluster/backup', 'Sys.Audit'],
    ['HA', 'cluster/ha/status/current', 'Sys.Audit'],
    ['the cluster’s firewall', 'cluster/firewall/options', 'Sys.Audit'],
    [`figures of ${node}`, at && `${at}/status`, 'Sys.Audit'],
    [`disks of ${node}`, at && `${at}/disks/list`, 'Sys.Audit'],
    [`updates of ${node}`, at && `${at}/apt/update`, 'Sys.Modify'],
  ]
  const hiddenIn = (shown: Shown | 'backups' | undefined) => {
    if (shown === undefined) return undefined
    if (shown !== 'backups') return hiddenWhy(rights, shown)
    return backupSight(rights, backups?.storage ?? '') === 'all'
      ? undefined
      : 'the list goes only as far as this token sees (it needs Datastore.AllocateSpace and VM.Backup, or Datastore.Allocate)'
  }
  const tried = await eachOf(reads, triesAtOnce, async ([what, path, right, shown, only = () => true]) => {
    if (path === undefined) return []
    try {
      const { data } = await get(path)
      const count = Array.isArray(data) ? data.filter(only).length : undefined
      return [{ what, right, answer: { count, hidden: hiddenIn(shown) } }]
    } catch (error) {
      signal.throwIfAborted()
      const words = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
      const why = isForbidden(error) ? 'not visible to this token' : 'cannot be read'
      return [{ what, right, answer: { problem: `${why}: ${words}` } }]
    }
  })
  return tried.flat()
}

/** Returns every node that the cluster names. @param status the rows of the cluster's members; empty if the token may not read them */
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
