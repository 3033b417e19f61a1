import { ApiError, type Reply } from 'homelab-ports/failure'
import type { PbsApi } from 'homelab-ports/ports'
import type { JarvisError } from 'protocol'
import { createAgent, NotConnected, type Ways } from '../proxmox/connect.ts'
import { Closed, exchange } from '../proxmox/exchange.ts'

/** `url`: an origin. `tokenId`: `user@realm!name`. `fingerprints`: SHA-256 of trusted certificates; if empty, certificate authorities decide. */
export type PbsConnection = { url: string; tokenId: string; tokenSecret: string; fingerprints: readonly string[] }

const connectMs = 5_000
/** Time limit for an answer, ms. A datastore with thousands of snapshots on spinning disks answers slowly. */
const answerMs = 25_000

/** For messages: how a person compares a certificate, and how to accept it. */
const ways: Ways = {
  compare: '"proxmox-backup-manager cert info" on it',
  accept: 'put it into PBS_FINGERPRINT',
  authority: '',
}

/** A Proxmox Backup Server, reached through its own API. The token is sent only after the server has shown a trusted certificate. */
export function createPbs({ url, tokenId, tokenSecret, fingerprints }: PbsConnection): PbsApi & { close(): void } {
  const origin = new URL(url)
  const agent = createAgent({ fingerprints, ca: undefined }, { keepAlive: true, maxSockets: 4, connectMs }, ways)
  // A colon separates the token's id from its secret here. Proxmox VE uses an equals sign.
  const authorization = `PBSAPIToken ${tokenId}:${tokenSecret}`
  const mask = (text: string) => text.replaceAll(tokenSecret, '[token]')

  async function send(path: string, signal: AbortSignal): Promise<Reply> {
    const headers = { accept: 'application/json', authorization }
    const ask = () => exchange({ url: origin, agent, method: 'GET', path, headers, body: undefined, signal, answerMs })
    try {
      return await ask()
    } catch (error) {
      // The server may close an idle connection in the moment in which it is used again. Then the request is sent once more.
      if (!(error instanceof Closed && error.isStale)) throw error
      return ask()
    }
  }

  return {
    async get(segments, query, { signal }) {
      const encoded = new URLSearchParams(query).toString()
      const place = `/api2/json/${segments.map((segment) => encodeURIComponent(segment)).join('/')}`
      let reply: Reply
      try {
        reply = await send(encoded === '' ? place : `${place}?${encoded}`, signal)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const why = error instanceof NotConnected || error instanceof Error ? error.message : String(error)
        throw new ApiError('cluster_unreachable', `The backup server ${origin.host} ${why}.`, { cause: error })
      }
      if (reply.status < 400) return dataOf(reply, origin.host)
      throw failureOf({ ...reply, text: mask(reply.text), phrase: mask(reply.phrase) }, origin.host, tokenId)
    },
    close: () => agent.destroy(),
  }
}

function dataOf({ text }: Reply, host: string): unknown {
  try {
    const body = JSON.parse(text) as { data?: unknown } | null
    if (body !== null && typeof body === 'object' && 'data' in body) return body.data
  } catch {
    // The answer is not JSON; the error below says so.
  }
  throw new ApiError('cluster_refused', `What ${host} answered is not a backup server's.`)
}

/** An error comes as plain words, or as JSON with a `message`. */
function failureOf({ status, phrase, text }: Reply, host: string, tokenId: string): JarvisError {
  const words = (wordsIn(text) || phrase || `status ${status}`).trim().slice(0, 500)
  if (status === 401) {
    const message = `The backup server ${host} refuses the API token ${tokenId} (401): its secret is wrong, or the token or its user does not exist, is disabled or has expired. Look under Configuration, Access Control.`
    return new ApiError('cluster_unreachable', message, { status, words })
  }
  if (status === 403) {
    const message = `The backup server's token lacks a right: ${words}. Give it DatastoreAudit on /datastore.`
    return new ApiError('cluster_refused', message, { status, words })
  }
  return new ApiError('cluster_refused', `The backup server refused (${status}): ${words}.`, { status, words })
}

function wordsIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    return text
  }
}
